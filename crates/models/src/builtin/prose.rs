//! Reads single lines: whether they state a problem, give an instruction, or
//! only keep company.

use std::borrow::Cow;

use super::lexicon::{
    ABOUT_THE_TALK, ADVICE, ADVISERS, ASKS_FOR_MORE, BEFORE_IMPERATIVE, BELITTLED, CHATTER, COMMON,
    CONTINUING, FAULTS, FILLERS, IMPERATIVE, INTERJECTIONS, LEAD_INS, NO_INSTRUCTION, OWN_WAYS,
    PROPOSALS, REPORTING, SEEKING, SELF, SMALL_TALK, SUGGESTIONS, TAKEN_BACK, TECHNICAL, TROUBLE,
    WHETHER,
};
use super::sentences::sentences;
use super::words::{exact, is_everyday, plain, technical, words};

/// A text with its words: several things are asked of it, and it is split once.
pub(super) struct Prose<'t> {
    text: &'t str,
    /// In normal form.
    words: Vec<Cow<'t, str>>,
    /// Without any signs, for phrases.
    plain: String,
    /// How exact it is.
    exact: usize,
}

impl<'t> Prose<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        Self {
            text,
            words: words(text).collect(),
            plain: plain(text),
            exact: exact(text),
        }
    }

    /// How technical it is.
    fn weight(&self) -> usize {
        technical(self.exact, self.words.iter().map(AsRef::as_ref))
    }
}

/// How likely a line (without names) states a problem, as a weight; zero if it does not. It must
/// have something technical, or the form of a question for help.
pub(super) fn problem(text: &Prose<'_>, asks: bool) -> usize {
    let count = count(text);
    let trouble = troubles(text);
    let form = 2 * usize::from(asks && seeks(text) || count > 5 && complains(text));
    let weight = text.weight() + form;
    if count < 4 || weight == 0 || !(asks || trouble && of_the_writer(text)) {
        return 0;
    }
    weight + usize::from(asks) + usize::from(trouble) + count.min(24) / 6
}

/// Whether a text says that something is wrong or wanted: "not" alone says it
/// only of something that is meant to be.
pub(super) fn troubles(text: &Prose<'_>) -> bool {
    let mut words = text.words.iter().peekable();
    while let Some(word) = words.next() {
        let weak = match word.as_ref() {
            "no" | "never" | "how" => true,
            "not" => words.peek().is_none_or(|next| BELITTLED.has(next)),
            _ => false,
        };
        if !weak && TROUBLE.has(word) {
            return true;
        }
    }
    false
}

/// Whether a text says that something does not work.
fn complains(text: &Prose<'_>) -> bool {
    text.words.iter().any(|word| FAULTS.has(word))
}

/// Whether a question is for help rather than for company: it asks how, why, or
/// whether something is or can be, and of something.
fn seeks(text: &Prose<'_>) -> bool {
    let plain = &text.plain;
    let mut start = plain.as_str();
    while let Some(lead) = LEAD_INS.at_start(start) {
        start = start[lead.len()..].trim_start();
    }
    let whether = start
        .split(' ')
        .next()
        .is_some_and(|word| WHETHER.has(word));
    let matters = || text.words.iter().any(|word| !COMMON.has(word));
    (whether || SEEKING.within(plain)) && matters() || unspaced(text.text) > 0
}

/// The number of words; in scripts without blanks, an estimate.
pub(super) fn count(text: &Prose<'_>) -> usize {
    text.words.len() + unspaced(text.text) / 2
}

/// Letters of scripts without blanks.
fn unspaced(text: &str) -> usize {
    if text.is_ascii() {
        return 0;
    }
    let unspaced = |c: &char| matches!(c, '\u{0E00}'..='\u{0E7F}' | '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}');
    text.chars().filter(unspaced).count()
}

/// Whether a line of the asker adds to the problem: it is more than a greeting, a plea or thanks.
pub(super) fn carries(text: &Prose<'_>) -> bool {
    let count = count(text);
    count >= 3 && (text.weight() > 0 || count >= 8 || seeks(text))
}

/// A problem with fewer words than this that says "this" refers to something before it.
const POINTING: usize = 12;
/// A question with at least this many words says what it is about, whatever its beginning.
const WHOLE: usize = 20;

/// Whether a problem can be understood by itself: it neither continues something before it nor asks
/// about the talk itself.
pub(super) fn stands_alone(text: &Prose<'_>) -> bool {
    let plain = &text.plain;
    let points = ["this", "these", "those", "him", "her", "them"];
    let short = plain.split(' ').count() <= POINTING;
    let pointing = short && plain.split(' ').any(|word| points.contains(&word));
    let whole = plain.split(' ').count() >= WHOLE && SEEKING.within(plain);
    !pointing
        && !addresses_a_stranger(text.text)
        && (whole || !continues(plain))
        && !is_about_the_talk(text)
}

/// So many words after an interjection speak for themselves.
const LONG: usize = 8;

/// Whether a text of plain words continues something: "is it the driver" does, "is it possible to"
/// does not.
fn continues(plain: &str) -> bool {
    let length = |phrase: Option<&str>| phrase.map_or(0, str::len);
    let text = match plain.split_once(' ') {
        Some((first, rest)) if INTERJECTIONS.has(first) && rest.split(' ').count() >= LONG => rest,
        _ => plain,
    };
    length(CONTINUING.at_start(text)) > length(SEEKING.at_start(text))
}

/// Whether a question is one that a helper asks back.
pub(super) fn asks_back(text: &Prose<'_>) -> bool {
    let to_you = text
        .plain
        .split(' ')
        .any(|word| matches!(word, "you" | "your" | "u" | "they"));
    let of_self = |word: &Cow<'_, str>| matches!(word.as_ref(), "i" | "im" | "ive" | "my" | "we");
    to_you && !text.words.iter().any(of_self)
}

/// Whether the asker reports the outcome of the problem, and more than that it is gone.
pub(super) fn reports(text: &Prose<'_>) -> bool {
    REPORTING.within(&text.plain) && count(text) >= REPORTS
}

/// Words of a part of a text that says enough by itself, at least.
const SAYS_ENOUGH: usize = 6;

/// Whether a line asks about the talk itself, as "can I ask something here?" does, and no part of
/// it asks anything else: "I have a question. How do I mount a disk at startup?" does.
pub(super) fn is_about_the_talk(text: &Prose<'_>) -> bool {
    ABOUT_THE_TALK.within(&text.plain) && {
        let parts = sentences(text.text).flat_map(|sentence| sentence.split(" but "));
        let mut others = parts.filter(|part| !ABOUT_THE_TALK.within(&plain(part)));
        !others.any(|part| words(part).count() >= SAYS_ENOUGH && seeks(&Prose::of(part)))
    }
}

/// Whether a text begins with a word set off like a name that is no word of the language.
fn addresses_a_stranger(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    let set_off = first.ends_with([',', ':']) && !first.contains(['/', '.']);
    let word = words(first).next().unwrap_or_default();
    set_off && word.chars().count() > 2 && !is_everyday(&word) && !LEAD_INS.has(&word)
}

/// Whether the asker takes the question back.
pub(super) fn takes_back(text: &Prose<'_>) -> bool {
    TAKEN_BACK.within(&text.plain)
}

/// Words of an asker's report, at least.
const REPORTS: usize = 6;

/// The fewest words of a remark with information. One with a command, a path or a key may have
/// fewer.
const TELLS: usize = 3;

/// Whether a helper's line (without names) gives the asker information: apart from its questions it
/// is neither small talk, nor a request for more, nor about the helper.
pub(super) fn tells(text: &Prose<'_>, asks: bool) -> bool {
    let proposes = PROPOSALS.at_start(unfilled(&text.plain).0).is_some();
    let text = text.text;
    let told: Vec<&str> = sentences(text)
        .filter(|sentence| proposes || !(asks && sentence.ends_with(['?', '？', '؟'])))
        .collect();
    let told = told.join(" ");
    let told = Prose::of(&told);
    let plain = &told.plain;
    let (start, decides) = unfilled(plain);
    let first = start.split(' ').next().unwrap_or_default();
    let advises = ADVISERS
        .at_start(start)
        .or_else(|| OWN_WAYS.at_start(start));
    let of_self = matches!(first, "i" | "im" | "ive" | "ill" | "my") && advises.is_none();
    let enough = count(&told) >= TELLS
        || told.exact > 0
        || (decides || IMPERATIVE.has(first)) && count(&told) > 1
        || shows(told.text) && !only_shows(told.text);
    let idle = is_idle(plain) || of_self && !decides;
    enough && (proposes || !idle) && !text.starts_with('!') && !ASKS_FOR_MORE.within(plain)
}

/// Whether a line is no more than a few words, none of them everyday ones.
pub(super) fn is_a_name(text: &str) -> bool {
    let words: Vec<_> = words(text).collect();
    (1..=NAME).contains(&words.len())
        && words
            .iter()
            .all(|word| !COMMON.has(word) && !FILLERS.has(word))
        && !is_idle(&plain(text))
}

/// Words of an answer that only names something, at most.
const NAME: usize = 3;

/// Whether plain words begin like small talk. "No problem" does, although "no" may begin any
/// remark.
fn is_idle(plain: &str) -> bool {
    SMALL_TALK.at_start(plain).is_some() || SMALL_TALK.at_start(unfilled(plain).0).is_some()
}

/// Plain words without filler words, and whether one of the fillers decides a question.
fn unfilled(plain: &str) -> (&str, bool) {
    let (mut start, mut decides) = (plain, false);
    while let Some((first, rest)) = start.split_once(' ')
        && FILLERS.has(first)
    {
        decides |= matches!(first, "yes" | "no" | "yep" | "nope");
        start = rest;
    }
    (start, decides)
}

/// Whether a line is nothing but an address, or the mark of something attached,
/// as exports write it: `[photo]`.
pub(super) fn only_shows(text: &str) -> bool {
    let mut words = text.split_whitespace().peekable();
    words.peek().is_some()
        && words.all(|word| word.contains("://") || word.starts_with('[') && word.ends_with(']'))
}

/// Whether a text has a word by which the writer speaks of himself.
pub(super) fn is_of_self(text: &Prose<'_>) -> bool {
    text.words.iter().any(|word| SELF.has(word))
}

/// Whether the writer speaks of himself. Other languages than English put it
/// in the verb, so there everybody does.
fn of_the_writer(text: &Prose<'_>) -> bool {
    text.text
        .chars()
        .any(|c| c.is_alphabetic() && !c.is_ascii())
        || is_of_self(text)
}

/// The weight of a link without any words about it: it can join an instruction but is none.
const ADDRESS_ALONE: usize = 3;

/// The weight of a remark in a language that the lists hardly cover.
const UNREAD: usize = 3;

/// Whether most letters of a text are not Latin.
pub(super) fn is_of_another_script(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let latin = text.chars().filter(char::is_ascii_alphabetic).count();
    2 * latin < letters
}

/// A line with at most this many words and a command or a path is mainly that command or path.
const SHORT: usize = 8;

/// How likely a line (without names) is an instruction, as a weight; zero if it is none.
pub(super) fn instruction(text: &Prose<'_>, asks: bool) -> usize {
    let Prose {
        text,
        words,
        plain,
        exact,
    } = text;
    let (start, _) = unfilled(plain);
    let advises = ADVISERS.at_start(start).is_some();
    let of_self = start.split(' ').next() == Some("i") || CHATTER.at_start(start).is_some();
    let stays = if asks {
        SUGGESTIONS.within(plain)
    } else {
        advises || !of_self
    };
    if !stays
        || NO_INSTRUCTION.within(plain)
        || points_elsewhere(text)
        || text.starts_with('!')
        || text.ends_with(':')
    {
        return 0;
    }
    let (first, verb) = imperatives(text, start);
    let advice = advises || ADVICE.within(plain);
    let exact = *exact;
    let known = words.iter().filter(|word| TECHNICAL.has(word)).count();
    let count = plain.split(' ').count();
    let unread = !asks && is_of_another_script(text) && count > 3;
    let unread = usize::from(unread) * (UNREAD + 2 * usize::from(count > 5));
    if exact == 0 && !(first && count > 3 || count > 2 && known > 0 && (verb || advice)) {
        return unread;
    }
    let said = text
        .split_whitespace()
        .filter(|word| !word.contains("://"))
        .count();
    if said < 2 && text.contains("://") {
        return ADDRESS_ALONE;
    }
    let read = exact
        + known.min(3)
        + 2 * usize::from(verb)
        + 2 * usize::from(first && exact + known > 0)
        + 2 * usize::from(advice)
        + usize::from(count > 5)
        + 2 * usize::from(exact >= 3 && count <= SHORT);
    read.max(unread)
}

/// Whether a text sends the reader to another channel.
fn points_elsewhere(text: &str) -> bool {
    let channel = |word: &str| {
        let name = word.strip_prefix('#');
        name.is_some_and(|name| name.starts_with(char::is_alphabetic))
    };
    text.split_whitespace().any(channel)
}

/// Whether a text begins with an imperative verb, and whether it has one at another place where an
/// imperative can be.
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

/// Whether a text has an address, code, or the mark of something attached.
pub(super) fn shows(text: &str) -> bool {
    text.contains('`')
        || text.split_whitespace().any(|word| {
            word.contains("://")
                || word.starts_with('[') && word.trim_end_matches(['.', ',']).ends_with(']')
        })
}
