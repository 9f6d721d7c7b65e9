use super::super::{parse, split};
use super::*;

const PLATFORMS: [Platform; 5] = [
    Platform::Plain { limit: 128 },
    Platform::Matrix,
    Platform::Telegram,
    Platform::Slack,
    Platform::Discord,
];

/// What is repeated, after a beginning and before an end.
const TEXTS: &[(&str, &str, &str)] = &[
    ("", "a ", ""),
    ("", "א", ""),
    ("a", "\u{301}", ""),
    ("", "\u{202e}a", ""),
    ("", FAMILY, ""),
    ("", "**a ", ""),
    ("", "*a_ ~~b** ", ""),
    ("", "[", ""),
    ("", "![a](", ""),
    ("", "[a](http://x ", ""),
    ("", "[a](http://x) ", ""),
    ("", "`a``", ""),
    ("", ">", "a"),
    ("", "> a\n", ""),
    ("", "- ", "a"),
    ("", "- a\n", ""),
    ("", "<b", ""),
    ("a ", "<!--", ""),
    ("```\na\n", "\n", "b"),
    ("```\na", " ", "b"),
    ("a", " ", "b"),
    ("", "```json\n", ""),
    ("", "<@", ""),
    ("", "@everyone", ""),
    ("", "http://", ""),
    ("http://a", ").", ""),
    ("**", "word ", "x**"),
    ("[", "word ", "x](https://x.org)"),
    ("[x]: https://x.org/a_long_address\n\n", "[x] ", ""),
    ("", "[a]: b\n", ""),
    ("", "|a|\n|-|\n", ""),
    ("", "a\n", "==="),
];

/// A text of about so many bytes.
fn text((begin, middle, end): &(&str, &str, &str), length: usize) -> String {
    format!("{begin}{}{end}", middle.repeat(length / middle.len()))
}

#[test]
fn a_megabyte_is_rendered() {
    for (number, pattern) in TEXTS.iter().enumerate().step_by(3) {
        let platform = PLATFORMS[number % PLATFORMS.len()];
        let parts = render(&text(pattern, 1 << 20), platform);
        assert!(parts.iter().all(|part| part.body.len() <= 40_000));
    }
}

/// Counted and not timed, because other tests run beside this one.
#[test]
fn parts_are_no_more_work_than_a_few_times_the_whole() {
    for pattern in TEXTS {
        let text = text(pattern, 60_000);
        for platform in PLATFORMS {
            let document = parse::parse(&text, &platform.rules());
            let work = |limits| split::work(&document, platform.dialect(), limits);
            let (parts, whole) = (work(platform.limits()), work(WHOLE.limits()));
            assert!(
                parts <= 16 * whole,
                "{pattern:?} {platform:?}: {parts}, {whole}"
            );
        }
    }
}

#[test]
fn overrides_of_the_direction_and_controls_are_removed() {
    let text = "a\u{202e}b\u{202d}c\0d\u{1b}[1m\u{7f}e &#x202e;&#27;f";
    for platform in PLATFORMS {
        assert_eq!(body(text, platform), "abcd[1me f");
    }
    let address = "[a](https://x.org/\u{202e}\u{200b}b)";
    assert_eq!(
        body(address, WHOLE),
        "a (https://x.org/%E2%80%AE%E2%80%8Bb)"
    );
}

#[test]
fn a_link_too_long_for_a_message_is_text() {
    let link = format!("[a](https://x.org/{})", "b".repeat(1500));
    let html = markup(&link, Platform::Telegram);
    assert!(html.starts_with("a (https://x.org/b") && html.ends_with("b)"));
    // Ampersands are long in markup.
    let link = format!("[a](https://x.org/{})", "&".repeat(300));
    assert!(markup(&link, Platform::Slack).starts_with("a (https://x.org/&amp;"));
}

#[test]
fn a_part_shows_no_text_when_debugged() {
    let part = Part {
        body: "secret".to_owned(),
        formatted: None,
    };
    assert_eq!(format!("{part:?}"), "Part { body: 6, formatted: None }");
}
