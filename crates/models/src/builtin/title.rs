//! Titles.

use super::lexicon::{LEAD_INS, TROUBLE};
use super::words::{exactness, weight, words};

/// Longest title, in characters.
const TITLE: usize = 80;

/// A short name for a problem: the sentence that tells most, the earlier of
/// two that tell the same, without greetings.
pub(super) fn title(problem: &str) -> String {
    let sentences = sentences(problem);
    let best = sentences
        .iter()
        .map(|sentence| trimmed(sentence))
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

/// What a sentence loses for every one before it.
const LATER: i64 = 2;

/// How much a sentence tells by itself.
fn telling(sentence: &str) -> i64 {
    let count = words(sentence).count();
    let asks = sentence.ends_with('?');
    let trouble = words(sentence).any(|word| TROUBLE.has(&word));
    let mut first = words(sentence).take(4);
    let leans = sentence.contains("://")
        || first.any(|word| matches!(word.as_str(), "it" | "its" | "this" | "that" | "not"));
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

/// Sentences; a full stop inside a name or a number ends none.
fn sentences(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut sentence = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        sentence.push(c);
        let unspaced = matches!(c, '\n' | '。' | '？');
        let stop = matches!(c, '!' | '?' | ';') || c == '.' && !sentence.ends_with("..");
        if unspaced || stop && chars.peek().is_none_or(|next| next.is_whitespace()) {
            out.push(std::mem::take(&mut sentence));
        }
    }
    out.push(sentence);
    out.retain(|sentence| !sentence.trim().is_empty());
    out
}

/// A sentence without the words that lead up to it.
fn trimmed(sentence: &str) -> String {
    let mut rest = sentence.trim();
    loop {
        let before = rest;
        let lower = plain_words(rest);
        let lead = LEAD_INS.at_start(&lower);
        if let Some(lead) = lead {
            let skip = lead.split(' ').count();
            let after = skip_words(rest, skip);
            if words(after).count() >= 3 {
                rest = after;
            }
        }
        if rest == before {
            return untailed(rest).to_owned();
        }
    }
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
