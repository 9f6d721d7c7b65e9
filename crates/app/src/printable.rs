//! Text that is safe for a terminal: no character in it can move the cursor, change colours or turn
//! the direction of the following text.

use std::borrow::Cow;
use std::fmt::Write as _;

pub(crate) use threadlore_api::words::counted;

/// Control characters but line feed and tab, and those that override or isolate the
/// direction of text.
fn is_unwanted(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        other => other.is_control(),
    }
}

/// The text without such characters.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    if text.contains(is_unwanted) {
        Cow::Owned(text.replace(is_unwanted, ""))
    } else {
        Cow::Borrowed(text)
    }
}

/// JSON with such characters escaped, which keeps its meaning: they can be in strings only.
pub(crate) fn escaped(json: &str) -> Cow<'_, str> {
    if !json.contains(is_unwanted) {
        return Cow::Borrowed(json);
    }
    let mut safe = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if is_unwanted(c) {
            // Writing to a string does not fail.
            write!(safe, "\\u{:04x}", u32::from(c)).unwrap_or_default();
        } else {
            safe.push(c);
        }
    }
    Cow::Owned(safe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_steers_a_terminal_is_printed() {
        for (text, shown) in [
            ("a\u{1b}[31mb\u{7}", "a[31mb"),
            ("a\u{9b}31mb", "a31mb"),
            ("user\u{202e}txt.exe", "usertxt.exe"),
            ("\u{2066}x\u{2069}\u{202a}\u{202c}", "x"),
            ("a\rb\u{7f}", "ab"),
            ("two\nlines\tand a tab", "two\nlines\tand a tab"),
            ("שלום \u{200f}עולם, میخواهم", "שלום \u{200f}עולם, میخواهم"),
        ] {
            assert_eq!(printable(text), shown, "{text:?}");
        }
    }

    #[test]
    fn json_keeps_its_meaning() {
        let value = serde_json::json!({ "text": "a\u{202e}b\u{9b}c\u{1b}\n\u{7f}" });
        let json = value.to_string();
        let safe = escaped(&json);
        assert_eq!(printable(&safe), safe, "nothing is left to remove");
        let back: serde_json::Value = serde_json::from_str(&safe).expect("JSON");
        assert_eq!(back, value);
    }
}
