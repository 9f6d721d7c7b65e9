//! Bytes to text, and text to text that is safe to keep.

use std::borrow::Cow;

/// Longest text of a message, in bytes.
pub(crate) const TEXT_MAX: usize = 64 << 10;
/// Longest name, in bytes.
pub(crate) const NAME_MAX: usize = 256;

/// Windows-1252 for 0x80 to 0x9F; the other bytes are those of Latin-1. Bytes
/// without a meaning become C1 controls, which [`without_controls`] removes.
const HIGH: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// Decodes bytes as UTF-8 or, if they are not valid UTF-8, as windows-1252 (then `true`).
pub(crate) fn decode(bytes: &[u8]) -> (Cow<'_, str>, bool) {
    match std::str::from_utf8(bytes) {
        Ok(text) => (Cow::Borrowed(text), false),
        Err(_) => {
            let text = bytes.iter().map(|byte| match byte {
                0x80..=0x9f => HIGH[usize::from(byte - 0x80)],
                other => char::from(*other),
            });
            (Cow::Owned(text.collect()), true)
        }
    }
}

/// The text without control characters other than tab and line feed.
pub(crate) fn without_controls(text: &str) -> Cow<'_, str> {
    let unwanted = |c: char| c.is_control() && c != '\t' && c != '\n';
    if text.contains(unwanted) {
        Cow::Owned(text.replace(unwanted, ""))
    } else {
        Cow::Borrowed(text)
    }
}

/// The longest beginning of at most `max` bytes that ends between characters.
pub(crate) fn cut(text: &str, max: usize) -> &str {
    &text[..text.floor_char_boundary(max)]
}

/// A file that a message carries, as the first line of its text: its name, what it is, its size.
/// The file itself is not fetched. So what people see of it is kept, searched and erased with the text.
pub(crate) fn with_file(
    text: &str,
    name: &str,
    media_type: Option<&str>,
    bytes: Option<u64>,
) -> String {
    let part = |part: &str| {
        let shown = without_controls(part).replace(['[', ']', '\n', '\t'], " ");
        cut(shown.trim(), NAME_MAX).to_owned()
    };
    let size = bytes.map(|bytes| match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        _ => format!("{} MB", bytes / 1_000_000),
    });
    let parts = [Some(part(name)), media_type.map(part), size];
    let parts: Vec<String> = parts
        .into_iter()
        .flatten()
        .filter(|part| !part.is_empty())
        .collect();
    let file = format!("[file: {}]", parts.join(", "));
    match text.trim().is_empty() {
        true => file,
        false => format!("{file}\n{text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_the_first_line_of_its_message() {
        let with = |text, name, kind, bytes| with_file(text, name, kind, bytes);
        assert_eq!(
            with(
                "how do I read this?",
                "dmesg.txt",
                Some("text/plain"),
                Some(2_345)
            ),
            "[file: dmesg.txt, text/plain, 2 kB]\nhow do I read this?"
        );
        assert_eq!(with(" ", "a.png", None, Some(7)), "[file: a.png, 7 bytes]");
        assert_eq!(
            with("", "x]\n\u{7}[y", Some(""), Some(5_000_000)),
            "[file: x   y, 5 MB]"
        );
        assert!(with("", &"é".repeat(400), None, None).len() <= NAME_MAX + 10);
    }

    #[test]
    fn every_byte_has_a_reading() {
        let bytes: Vec<u8> = (0..=255).collect();
        let (text, fallback) = decode(&bytes);
        assert!(fallback);
        assert_eq!(text.chars().count(), 256);
        assert_eq!(decode(b"caf\xe9 \x80\x93").0, "café €“");
        assert_eq!(decode("café".as_bytes()), (Cow::Borrowed("café"), false));
    }

    #[test]
    fn controls_go_and_tabs_stay() {
        for (text, clean) in [
            ("a\0b\u{1b}[1m\u{7f}", "ab[1m"),
            ("tab\there\n", "tab\there\n"),
            ("\u{85}\u{9d}", ""),
            ("می\u{200c}خواهم", "می\u{200c}خواهم"),
        ] {
            assert_eq!(without_controls(text), clean);
        }
    }

    #[test]
    fn cuts_between_characters() {
        for (text, max, expect) in [
            ("abc", 3, "abc"),
            ("abc", 2, "ab"),
            ("é", 1, ""),
            ("aé", 2, "a"),
        ] {
            assert_eq!(cut(text, max), expect);
        }
    }
}
