//! What holds for any text.

use proptest::prelude::*;
use unicode_segmentation::UnicodeSegmentation as _;

use super::super::{page, parse, split};
use super::*;

const PIECES: &[&str] = &[
    "word ",
    "слово. ",
    "מילה, ",
    "\n",
    "\n\n",
    "    ",
    "**",
    "*",
    "_",
    "~~",
    "`",
    "```",
    "\n```rust\n",
    "\n```\n",
    "\n> ",
    "\n>> ",
    "\n- ",
    "\n  - ",
    "\n1. ",
    "\n7) ",
    "\n# ",
    "\n---\n",
    "\n===\n",
    "[",
    "](",
    ")",
    "](https://x.org/a) ",
    "](javascript:a) ",
    "![",
    "<https://x.org>",
    "https://x.org/a_b(c)?d&e ",
    "<b@x.org>",
    "<b>",
    "</b>",
    "\n<div>\n",
    "<!--",
    "-->",
    "&amp;",
    "&#x202e;",
    "&",
    "<",
    ">",
    "\"",
    "'",
    "|",
    "\\",
    "@everyone ",
    "@",
    "everyone",
    "here",
    "room ",
    "<!channel> ",
    "<@1>",
    "\u{202e}",
    "\u{200b}",
    "\u{301}",
    "a\u{301}\u{302}",
    FAMILY,
    "🇮🇱",
    "😀",
    "好。",
    "\u{a0}",
    "\t",
    "\r\n",
    "\0",
    "[a]: b\n",
    "[a]: https://x.org/b\n",
    "[a]",
    "0123456789",
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
];

/// Pieces of Markdown and other texts, some of them many times.
fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        12 => prop::sample::select(PIECES).prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    let times = prop_oneof![8 => 1..4_usize, 1 => 1..60_usize, 1 => 1..2_000_usize];
    let run = (prop::collection::vec(piece, 1..8), times);
    let runs = prop::collection::vec(
        run.prop_map(|(pieces, times)| pieces.concat().repeat(times)),
        0..6,
    );
    runs.prop_map(|runs| runs.concat())
}

fn platforms() -> impl Strategy<Value = Platform> {
    prop_oneof![
        (0..400_usize).prop_map(|limit| Platform::Plain { limit }),
        Just(Platform::Matrix),
        Just(Platform::Telegram),
        Just(Platform::Slack),
        Just(Platform::Discord),
    ]
}

/// Whether a part is within the limits of the platform, counted here anew.
fn fits(part: &Part, platform: Platform) -> bool {
    let (body, markup) = (part.body.as_str(), formatted(part));
    let characters = |most: usize| body.chars().count() <= most && markup.chars().count() <= most;
    match platform {
        Platform::Plain { limit } => characters(limit.max(128)),
        Platform::Discord => characters(2_000),
        Platform::Slack => characters(3_000),
        Platform::Telegram => {
            let shown = html::text(markup, TELEGRAM).unwrap_or_default();
            let units = |text: &str| text.encode_utf16().count();
            units(body) <= 4_096 && units(&shown) <= 4_096 && markup.matches("</").count() <= 200
        }
        Platform::Matrix => {
            let json = serde_json::json!({ "body": body, "formatted_body": markup });
            json.to_string().len() <= 40_100
        }
    }
}

const TELEGRAM: &[&str] = &["a", "b", "blockquote", "code", "i", "pre", "s"];
const MATRIX: &[&str] = &[
    "a",
    "blockquote",
    "br",
    "code",
    "del",
    "em",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "li",
    "ol",
    "p",
    "pre",
    "strong",
    "ul",
];

/// What can be seen of a text. Parts repeat the sign of a quotation, and drop white space.
fn visible(text: &str) -> String {
    let text = text.chars();
    text.filter(|c| page::is_visible(*c) && *c != '>').collect()
}

/// All of a text in one part of the platform.
fn unsplit(markdown: &str, platform: Platform) -> Part {
    let document = parse::parse(markdown, &platform.rules());
    let limits = Platform::Plain { limit: usize::MAX }.limits();
    let parts = split::split(&document, platform.dialect(), limits);
    parts.into_iter().next().unwrap_or(Part {
        body: String::new(),
        formatted: None,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_part_is_within_the_limits(text in texts(), platform in platforms()) {
        for part in render(&text, platform) {
            prop_assert!(fits(&part, platform), "{} and {} bytes", part.body.len(), formatted(&part).len());
            prop_assert!(!visible(&part.body).is_empty() || part.body.contains('>'));
        }
    }

    #[test]
    fn html_is_well_formed_and_has_the_text(text in texts()) {
        for (platform, allowed) in [(Platform::Telegram, TELEGRAM), (Platform::Matrix, MATRIX)] {
            let mut shown = String::new();
            for part in render(&text, platform) {
                match html::text(formatted(&part), allowed) {
                    Ok(text) => shown.push_str(&text),
                    Err(wrong) => prop_assert!(false, "{wrong}"),
                }
            }
            let whole = unsplit(&text, platform);
            let whole = html::text(formatted(&whole), allowed).unwrap_or_default();
            // A target that begins a part is text of it.
            let visible = |text: &str| visible(text).replace("(https://x.org/a)", "").replace("(https://x.org/b)", "");
            prop_assert_eq!(visible(&shown), visible(&whole));
        }
    }

    #[test]
    fn no_text_is_lost(text in texts(), platform in platforms()) {
        let parts: String = render(&text, platform).into_iter().map(|part| part.body).collect();
        prop_assert_eq!(visible(&parts), visible(&unsplit(&text, platform).body));
    }

    #[test]
    fn text_without_markup_is_itself(
        text in "([a-zA-Zа-яё]{1,9}|[א-ת]{1,9}|👨‍👩‍👧‍👦|[0-9]{1,3}[a-z])([ \n]|\n\n)",
        words in prop::collection::vec(("[a-zа-яёא-ת😀]{1,9}", prop::sample::select(vec![" ", "\n", "\n\n", ", ", "! ", " (", ") ", " - "])), 0..40),
    ) {
        let words: String = words.iter().flat_map(|(word, gap)| [word.as_str(), gap]).collect();
        let text = format!("{text}{words}end");
        let whole = render(&text, WHOLE);
        prop_assert_eq!(whole.len(), 1);
        prop_assert_eq!(&whole[0].body, &text);
    }

    #[test]
    fn nothing_notifies_a_room(text in texts()) {
        let names = [
            (Platform::Matrix, &["@room"][..]),
            (Platform::Discord, &["@everyone", "@here", "<@"]),
            (Platform::Slack, &["@channel", "@everyone", "@here", "<!", "<@"]),
        ];
        for (platform, names) in names {
            for part in render(&text, platform) {
                for text in [&part.body, formatted(&part)] {
                    let text = text.to_lowercase();
                    prop_assert!(!names.iter().any(|name| text.contains(name)), "{text}");
                }
            }
        }
    }

    #[test]
    fn clusters_are_not_cut(clusters in prop::collection::vec(prop::sample::select(vec![
        FAMILY, "🇮🇱", "שָׁ", "a\u{301}\u{302}\u{303}", "и\u{306}", "👍🏽", "x",
    ]), 1..300), limit in 128..200_usize) {
        let text = clusters.concat();
        let parts = render(&text, Platform::Plain { limit });
        let cut: Vec<&str> = parts.iter().flat_map(|part| part.body.graphemes(true)).collect();
        prop_assert_eq!(cut, text.graphemes(true).collect::<Vec<_>>());
    }

    #[test]
    fn links_and_bold_text_are_not_cut(words in prop::collection::vec((0..4_usize, 1..60_usize), 1..200)) {
        let text: String = words.iter().map(|(kind, length)| {
            let words = "wo ".repeat(*length);
            match kind {
                0 => format!("[{}](https://x.org/{length}) ", words.trim()),
                1 => format!("**{}** ", words.trim()),
                _ => words,
            }
        }).collect();
        let count = |kind: usize| words.iter().filter(|(other, _)| *other == kind).count();
        let parts = render(&text, Platform::Telegram);
        let found = |tag: &str| parts.iter().map(|part| formatted(part).matches(tag).count()).sum::<usize>();
        prop_assert_eq!(found("<a "), count(0));
        prop_assert_eq!(found("<b>"), count(1));
    }

    #[test]
    fn any_bytes_are_rendered(text in any::<String>(), platform in platforms()) {
        let parts = render(&text, platform);
        let plain = platform.dialect().is_none();
        prop_assert!(parts.iter().all(|part| part.formatted.is_none() == plain));
    }
}
