//! What is rendered, platform by platform, and what holds whatever is rendered.

mod discord;
mod hostile;
mod html;
mod laws;
mod matrix;
mod plain;
mod slack;
mod splitting;
mod telegram;

use super::{Part, Platform, render};

const WHOLE: Platform = Platform::Plain { limit: usize::MAX };

/// A family of four as one cluster: seven characters, eleven UTF-16 units.
const FAMILY: &str = "👨‍👩‍👧‍👦";

/// The markup of a short text, with `¦` for the invisible character.
fn markup(markdown: &str, platform: Platform) -> String {
    let parts = render(markdown, platform);
    assert!(parts.len() <= 1, "{} parts", parts.len());
    let markup = parts.into_iter().filter_map(|part| part.formatted);
    markup.collect::<String>().replace('\u{200b}', "¦")
}

/// The body of a short text, with `¦` for the invisible character.
fn body(markdown: &str, platform: Platform) -> String {
    let parts = render(markdown, platform);
    assert!(parts.len() <= 1, "{} parts", parts.len());
    let bodies = parts.into_iter().map(|part| part.body);
    bodies.collect::<String>().replace('\u{200b}', "¦")
}

/// Compares the markup of each text with what is expected.
fn check(platform: Platform, cases: &[(&str, &str)]) {
    for (markdown, expected) in cases {
        assert_eq!(markup(markdown, platform), *expected, "{markdown:?}");
    }
}

fn formatted(part: &Part) -> &str {
    part.formatted.as_deref().unwrap_or_default()
}
