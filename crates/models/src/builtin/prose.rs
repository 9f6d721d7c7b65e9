//! Reads single lines: whether they state a problem, give an instruction, or
//! only keep company.

use super::lexicon::{
    ABOUT_THE_TALK, ADVICE, ADVISERS, BEFORE_IMPERATIVE, CHATTER, CONTINUING, FILLERS, IMPERATIVE,
    LEAD_INS, NO_INSTRUCTION, SUGGESTIONS, TAKEN_BACK, TECHNICAL, TROUBLE,
};
use super::words::{exact, is_everyday, plain, weight, words};

/// How well a line, names gone, reads as the statement of a problem; zero when it does not.
pub(super) fn problem(text: &str, asks: bool) -> usize {
    let count = words(text).count();
    let trouble = words(text).any(|word| TROUBLE.has(&word));
    let weight = weight(text);
    if count < 4 || weight == 0 || !(asks || trouble && of_the_writer(text)) {
        return 0;
    }
    weight + usize::from(asks) + usize::from(trouble) + count.min(24) / 6
}

/// Whether a line of the asker adds to the problem: it is no mere greeting,
/// plea or thanks.
pub(super) fn carries(text: &str) -> bool {
    let count = words(text).count();
    count >= 3 && (weight(text) > 0 || count >= 8)
}

/// A problem of so few words that says "this" says it of something said before.
const POINTING: usize = 12;

/// Whether a problem can be read by itself: it neither continues what was
/// said before nor asks about the talk itself.
pub(super) fn stands_alone(text: &str) -> bool {
    let plain = plain(text);
    let points = ["this", "these", "those", "him", "her", "them"];
    let short = plain.split(' ').count() <= POINTING;
    let pointing = short && plain.split(' ').any(|word| points.contains(&word));
    !pointing
        && !addresses_a_stranger(text)
        && CONTINUING.at_start(&plain).is_none()
        && !ABOUT_THE_TALK.within(&plain)
}

/// Whether a text begins with a word set off like a name that is no word of the language.
fn addresses_a_stranger(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    let set_off = first.ends_with([',', ':']) && !first.contains(['/', '.']);
    let word = words(first).next().unwrap_or_default();
    set_off && !is_everyday(&word) && !LEAD_INS.has(&word)
}

/// Whether the asker takes the question back.
pub(super) fn takes_back(text: &str) -> bool {
    TAKEN_BACK.within(&plain(text))
}

/// Whether the writer speaks of himself. Other languages than English put it
/// in the verb, so there everybody does.
fn of_the_writer(text: &str) -> bool {
    !text.is_ascii()
        || words(text).any(|word| {
            matches!(
                word.as_str(),
                "i" | "im" | "ive" | "my" | "me" | "we" | "our" | "id" | "mine" | "us"
            )
        })
}

/// What an address without a word about it weighs: it joins an instruction but makes none.
const ADDRESS_ALONE: usize = 3;

/// A line of so few words with a command or a path in it is little else.
const SHORT: usize = 8;

/// How well a line, names gone, reads as an instruction; zero when it does not.
pub(super) fn instruction(text: &str, asks: bool) -> usize {
    let plain = plain(text);
    let mut start = plain.as_str();
    while let Some((_, rest)) = start
        .split_once(' ')
        .filter(|(first, _)| FILLERS.has(first))
    {
        start = rest;
    }
    let advises = ADVISERS.at_start(start).is_some();
    let of_self = start.split(' ').next() == Some("i") || CHATTER.at_start(start).is_some();
    let stays = if asks {
        SUGGESTIONS.within(&plain)
    } else {
        advises || !of_self
    };
    if !stays
        || NO_INSTRUCTION.within(&plain)
        || points_elsewhere(text)
        || text.starts_with('!')
        || text.ends_with(':')
    {
        return 0;
    }
    let (first, verb) = imperatives(text, start);
    let advice = advises || ADVICE.within(&plain);
    let exact = exact(text);
    let known = words(text).filter(|word| TECHNICAL.has(word)).count();
    let count = plain.split(' ').count();
    if exact == 0 && !(first && count > 3 || count > 2 && known > 0 && (verb || advice)) {
        return 0;
    }
    let said = text
        .split_whitespace()
        .filter(|word| !word.contains("://"))
        .count();
    if said < 2 && text.contains("://") {
        return ADDRESS_ALONE;
    }
    exact
        + known.min(3)
        + 2 * usize::from(verb)
        + 2 * usize::from(first && exact + known > 0)
        + 2 * usize::from(advice)
        + usize::from(count > 5)
        + 2 * usize::from(exact >= 3 && count <= SHORT)
}

/// Whether a text sends the reader to another channel.
fn points_elsewhere(text: &str) -> bool {
    let channel = |word: &str| {
        let name = word.strip_prefix('#');
        name.is_some_and(|name| name.starts_with(char::is_alphabetic))
    };
    text.split_whitespace().any(channel)
}

/// Whether a text begins with an instructing verb, and whether it has one
/// where a verb instructs.
fn imperatives(text: &str, start: &str) -> (bool, bool) {
    let first = start
        .split(' ')
        .next()
        .is_some_and(|word| IMPERATIVE.has(word));
    let mut before_verb = true;
    for word in text.split_whitespace() {
        let bare = words(word).next().unwrap_or_default();
        if before_verb && IMPERATIVE.has(&bare) {
            return (first, true);
        }
        before_verb = BEFORE_IMPERATIVE.has(&bare)
            || word.ends_with([',', '.', ':', ';', '-', '>', '(', '"']);
    }
    (first, first)
}
