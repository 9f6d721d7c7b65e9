//! Titles.

use super::lexicon::{JOINING, LEAD_INS, TROUBLE};
use super::sentences::sentences;
use super::words::{exactness, weight, words};

/// Longest title, in characters.
const TITLE: usize = 80;

/// A short name for a problem: its most informative sentence, without greetings. Of two equal
/// sentences the earlier one is taken.
pub(super) fn title(problem: &str) -> String {
    let best = sentences(problem)
        .map(trimmed)
        .enumerate()
        .max_by_key(|(at, sentence)| {
            (
                telling(sentence) - LATER * score(*at),
                std::cmp::Reverse(*at),
            )
        })
        .map_or_else(|| problem.to_owned(), |(_, sentence)| sentence);
    sentence_case(&cut(&best, TITLE))
}

/// The weight that a sentence loses for each sentence before it.
const LATER: i64 = 2;

/// How informative a sentence is.
fn telling(sentence: &str) -> i64 {
    let count = words(sentence).count();
    let asks = sentence.ends_with('?');
    let trouble = words(sentence).any(|word| TROUBLE.has(&word));
    let mut first = words(sentence).take(4);
    let leans = sentence.contains("://")
        || first.any(|word| matches!(word.as_ref(), "it" | "its" | "this" | "that" | "not"));
    score(
        2 * weight(sentence).min(4)
            + 2 * usize::from(asks)
            + usize::from(trouble)
            + count.min(12) / 3,
    ) - 3 * i64::from(leans)
}

fn score(value: usize) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX / 4)
}

/// A sentence without the words that lead up to it, and without the preposition
/// that joined it to them: "does anyone know of a guide" names a guide.
fn trimmed(sentence: &str) -> String {
    let whole = sentence.trim();
    let mut rest = whole;
    while let Some(after) = led(rest) {
        rest = after;
    }
    if rest.len() < whole.len() {
        let joins = |word: &str| JOINING.has(&word.to_lowercase());
        while let Some((_, after)) = rest.split_once(' ').filter(|(first, _)| joins(first)) {
            rest = after.trim_start();
        }
    }
    untailed(rest).to_owned()
}

/// The text after its introductory words, if it is long enough.
fn led(text: &str) -> Option<&str> {
    let lead = LEAD_INS.at_start(&plain_words(text))?;
    let after = skip_words(text, lead.split(' ').count());
    (after.len() < text.len() && words(after).count() >= 3).then_some(after)
}

/// A sentence without smileys and thanks at its end.
fn untailed(sentence: &str) -> &str {
    let mut rest = sentence;
    loop {
        let bare = rest.trim_end_matches(|c: char| {
            c.is_whitespace() || matches!(c, '.' | '!' | ',' | ';' | '-' | ':' | '(')
        });
        let bare = [
            ":)", ":(", ":P", ":p", ":D", ";)", ":-)", ":/", ":|", "=/", "??", "thanks", "thx",
            "please", "plz", "pls", "Thanks",
        ]
        .iter()
        .find_map(|tail| {
            bare.strip_suffix(tail)
                .filter(|head| head.ends_with([' ', ',', '?']))
        })
        .unwrap_or(bare);
        if bare.len() == rest.len() {
            return rest;
        }
        rest = bare;
    }
}

fn plain_words(text: &str) -> String {
    words(text).take(8).collect::<Vec<_>>().join(" ")
}

fn skip_words(text: &str, count: usize) -> &str {
    let mut rest = text;
    for _ in 0..count {
        rest = rest.trim_start();
        rest = &rest[rest.find(char::is_whitespace).unwrap_or(rest.len())..];
    }
    rest.trim_start_matches(|c: char| {
        c.is_whitespace() || matches!(c, ',' | '.' | '-' | ':' | ';' | '!' | '?' | ')')
    })
}

/// At most `most` characters, cut at a word.
fn cut(text: &str, most: usize) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= most {
        return text;
    }
    let head: String = text.chars().take(most - 1).collect();
    let end = head
        .rfind(' ')
        .filter(|end| *end > head.len() / 2)
        .unwrap_or(head.len());
    format!(
        "{}…",
        head[..end].trim_end_matches([',', '.', ';', ':', '-', '('])
    )
}

fn sentence_case(text: &str) -> String {
    let mut chars = text.chars();
    let first_word_mixed = text
        .split(' ')
        .next()
        .is_some_and(|word| exactness(word) > 0);
    match chars.next() {
        Some(first) if !first_word_mixed => first.to_uppercase().chain(chars).collect(),
        _ => text.to_owned(),
    }
}
