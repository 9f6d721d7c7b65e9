//! Titles.

use super::lexicon::LEAD_INS;
use super::words::{exactness, weight, words};

/// Longest title, in characters.
const TITLE: usize = 80;

/// A short name for a problem: its first telling question, or else its first
/// telling sentence, without greetings.
pub(super) fn title(problem: &str) -> String {
    let sentences: Vec<String> = sentences(problem)
        .iter()
        .map(|sentence| trimmed(sentence))
        .collect();
    let tells =
        |sentence: &&String, count| weight(sentence) > 0 && words(sentence).count() >= count;
    let asks = |sentence: &&String| sentence.ends_with('?') && tells(sentence, 5);
    let best = sentences
        .iter()
        .find(asks)
        .or_else(|| sentences.iter().find(|sentence| tells(sentence, 4)))
        .or_else(|| sentences.iter().max_by_key(|sentence| sentence.len()))
        .map_or(problem, String::as_str);
    sentence_case(&cut(best, TITLE))
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
