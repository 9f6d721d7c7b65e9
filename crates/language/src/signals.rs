//! What a message says about the state of a problem, in many languages: whether it asks, says that
//! something works, or gives thanks; and whether an emoji is positive.
//!
//! The rules are lists of words and short phrases. A phrase counts only if nothing near it denies
//! or doubts it: "doesn't work", "still not solved" and "if it works" do not say that something
//! works.

mod lexicon;
mod phrases;

use std::ops::Range;

use threadlore_model::{Hint, Outcome};

use lexicon::{
    CONDITIONS, DAMAGE, DENIALS, FAILED, FAILING, GREETINGS, INTERROGATIVES, LIMITS, NOW, OPENERS,
    PRAISE, PRAISING, QUESTION_PHRASES, REJECTIONS, STILL, THANKS, THANKS_UNDONE, TROUBLE,
    UNSPACED_DENIALS, UNSPACED_QUESTIONS, UNSPACED_THANKS, UNSPACED_WORKS, WORKS,
};

/// What the rules find in a text.
#[must_use]
pub fn hint(text: &str) -> Hint {
    Hint {
        question: is_question(text),
        outcome: outcome(text),
    }
}

/// What a message says about the state of a problem. Thanks do not count in a
/// question, nor with a denial near them. "Works" wins over "fails".
#[must_use]
pub fn outcome(text: &str) -> Option<Outcome> {
    let parts = parts(text);
    if parts.iter().any(Part::says_works) {
        return Some(Outcome::Works);
    }
    if parts.iter().any(Part::denies) {
        return Some(Outcome::Fails);
    }
    let plain = normal(text);
    let words = words(&plain);
    let denied = words.iter().any(|word| DENIALS.has(word));
    let praise = words.len() <= PRAISED_IN && !denied && PRAISE.any(&words);
    let thanks = praise || THANKS.any(&words) || contains(&plain, UNSPACED_THANKS);
    let damage = NOW.any(&words) && DAMAGE.any(&words);
    let meant = thanks && !damage && !THANKS_UNDONE.any(&words);
    (meant && !is_question(text)).then_some(Outcome::Thanks)
}

/// Whether a message says that something works now, or gives thanks for help: a reason to examine
/// the window at once.
#[must_use]
pub fn resolution(text: &str) -> Option<Outcome> {
    outcome(text).filter(|outcome| *outcome != Outcome::Fails)
}

/// Whether a message denies anything or says that something is as before, in any of the languages
/// of the lists.
#[must_use]
pub fn has_denial(text: &str) -> bool {
    let plain = normal(text);
    let words = words(&plain);
    words
        .iter()
        .any(|word| DENIALS.has(word) || STILL.has(word))
        || contains(&plain, UNSPACED_DENIALS)
}

/// Whether a line reports a fault or asks for help without the form of a question. Many lines do that and want nothing; it says what is worth
/// looking up.
#[must_use]
pub fn may_want_help(text: &str) -> bool {
    let plain = normal(text);
    let words = words(&plain);
    words.len() >= TOLD_IN && TROUBLE.any(&words) && !PRAISING.any(&words)
}

/// Whether a short line about an answer says that it is wrong or did not help.
#[must_use]
pub fn rejects(text: &str) -> bool {
    let plain = normal(text);
    let words = words(&plain);
    words.len() <= REJECTED_IN && REJECTIONS.any(&words)
}

/// A positive emoji: thumbs up, a heart, a check mark and their like, in any
/// skin tone and with any variation selector, or as a shortcode with or without colons.
#[must_use]
pub fn is_positive_emoji(emoji: &str) -> bool {
    const POSITIVE: &[&str] = &[
        "👍", "❤", "♥", "✅", "✔", "☑", "🧡", "💛", "💚", "💙", "💜", "🖤", "🤍", "🤎", "💕", "💖",
        "💗", "💯", "🙏", "👌", "🎉", "👏", "💪", "🔥", "🩷", "🩵", "🩶", "😍", "🥰", "❣", "💓",
        "💞", "💝",
    ];
    const SHORTCODES: &[&str] = &[
        "+1",
        "thumbsup",
        "thumbs_up",
        "thumbup",
        "like",
        "heart",
        "hearts",
        "red_heart",
        "orange_heart",
        "yellow_heart",
        "green_heart",
        "blue_heart",
        "purple_heart",
        "black_heart",
        "white_heart",
        "brown_heart",
        "white_check_mark",
        "heavy_check_mark",
        "ballot_box_with_check",
        "check",
        "check_mark",
        "checkmark",
        "check_mark_button",
        "100",
        "pray",
        "folded_hands",
        "ok_hand",
        "tada",
        "clap",
        "muscle",
        "fire",
        "heart_eyes",
        "two_hearts",
        "sparkling_heart",
        "heartpulse",
    ];
    is_one_of(emoji, POSITIVE, SHORTCODES)
}

/// An emoji that says that something is wrong: thumbs down, a cross, in the spellings of
/// [`is_positive_emoji`].
#[must_use]
pub fn is_negative_emoji(emoji: &str) -> bool {
    const NEGATIVE: &[&str] = &["👎", "❌", "✖", "❎", "🚫", "🙅", "😠", "😡", "🤬"];
    const SHORTCODES: &[&str] = &[
        "-1",
        "thumbsdown",
        "thumbs_down",
        "thumbdown",
        "dislike",
        "x",
        "cross_mark",
        "cross_mark_button",
        "heavy_multiplication_x",
        "negative_squared_cross_mark",
        "no_entry_sign",
        "no_good",
        "angry",
        "rage",
    ];
    is_one_of(emoji, NEGATIVE, SHORTCODES)
}

fn is_one_of(emoji: &str, emojis: &[&str], shortcodes: &[&str]) -> bool {
    let bare: String = emoji.trim().chars().filter(|c| !is_modifier(*c)).collect();
    if emojis.contains(&bare.as_str()) {
        return true;
    }
    // Slack writes a skin tone as a second shortcode: `+1::skin-tone-3`.
    let code = bare.trim_matches(':').to_ascii_lowercase();
    let code = code.split("::").next().unwrap_or_default();
    let code = without_tone(code);
    shortcodes.contains(&code)
}

/// A shortcode without the skin tone that other platforms put behind it: `thumbsup_tone2` as Discord does,
/// `+1_medium_light_skin_tone` as Mattermost does.
fn without_tone(code: &str) -> &str {
    const TONES: [&str; 5] = [
        "_medium_light",
        "_medium_dark",
        "_light",
        "_medium",
        "_dark",
    ];
    let Some(code) = code.strip_suffix("_skin_tone") else {
        return code.split("_tone").next().unwrap_or_default();
    };
    let tone = TONES.iter().find_map(|tone| code.strip_suffix(tone));
    tone.unwrap_or(code)
}

/// Skin tones and variation selectors: they change the look, not the meaning.
fn is_modifier(c: char) -> bool {
    matches!(c, '\u{1F3FB}'..='\u{1F3FF}' | '\u{FE00}'..='\u{FE0F}')
}

/// Whether a message asks something: a question mark outside an address, or a
/// beginning that only questions have.
#[must_use]
pub fn is_question(text: &str) -> bool {
    let marked = text
        .split_whitespace()
        .filter(|word| !word.contains("://"))
        .any(|word| word.contains(is_question_mark));
    if marked {
        return true;
    }
    let plain = normal(unaddressed(text));
    let words = words(&plain);
    let opening = |word: &&&str| OPENERS.has(word) || GREETINGS.has(word);
    let words = &words[words.iter().take_while(opening).count()..];
    words.len() > 1 && words.first().is_some_and(|first| INTERROGATIVES.has(first))
        || QUESTION_PHRASES.any(words)
        || contains(&plain, UNSPACED_QUESTIONS)
}

/// Whether a message begins with a greeting.
pub(crate) fn is_greeting(text: &str) -> bool {
    let plain = normal(text);
    words(&plain)
        .first()
        .is_some_and(|first| GREETINGS.has(first))
}

/// The text without a leading `name:` or `name,`.
fn unaddressed(text: &str) -> &str {
    let text = text.trim_start();
    match text.split_once([':', ',']) {
        Some((name, rest)) if !name.contains(char::is_whitespace) && !rest.starts_with("//") => {
            rest
        }
        _ => text,
    }
}

/// Lower case, without apostrophes, with a blank for every other sign that is no letter or digit.
fn normal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars().take(4000) {
        match c {
            // The most frequent characters first, for speed.
            'a'..='z' | '0'..='9' => out.push(c),
            '\'' | '’' | '`' | '´' | 'ʼ' => {}
            _ if c.is_alphanumeric() || is_mark(c) => out.extend(c.to_lowercase()),
            _ => out.push(' '),
        }
    }
    out
}

/// Vowel signs and accents that are letters' parts, not separators.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{0300}'..='\u{036F}' | '\u{0591}'..='\u{05C7}' | '\u{064B}'..='\u{065F}' | '\u{0900}'..='\u{0963}')
}

fn words(normal: &str) -> Vec<&str> {
    normal.split(' ').filter(|word| !word.is_empty()).collect()
}

fn contains(plain: &str, list: &[&str]) -> bool {
    // Most texts have none of these scripts.
    !plain.is_ascii() && list.iter().any(|phrase| plain.contains(phrase))
}

/// A part of a text between full stops, commas and the like.
struct Part {
    /// Normalised.
    text: String,
    /// Whether a question mark ends it.
    asked: bool,
}

fn parts(text: &str) -> Vec<Part> {
    let mut out = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(is_stop).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        let stop = after.chars().next();
        out.push(Part {
            text: normal(part),
            asked: stop.is_some_and(is_question_mark),
        });
        rest = &after[stop.map_or(0, char::len_utf8)..];
    }
    out
}

fn is_stop(c: char) -> bool {
    let stops = [
        '.', '!', ',', ';', '(', ')', '\n', '。', '！', '،', '、', '，',
    ];
    stops.contains(&c) || is_question_mark(c)
}

fn is_question_mark(c: char) -> bool {
    matches!(c, '?' | '？' | '؟' | '՞')
}

/// Words of a line that is praise or joy and nothing else, at most.
const PRAISED_IN: usize = 4;
/// Words that a line has at least that tells of trouble.
const TOLD_IN: usize = 4;
/// Words that a line has at most in which an answer is called wrong.
const REJECTED_IN: usize = 8;
/// How many words before a phrase may deny it.
const DENIAL_BEFORE: usize = 4;
/// How many words after a phrase may deny it ("ça marche pas").
const DENIAL_AFTER: usize = 2;

fn is_denied(words: &[&str], place: &Range<usize>) -> bool {
    let before = &words[place.start.saturating_sub(DENIAL_BEFORE)..place.start];
    let after = &words[place.end..words.len().min(place.end + DENIAL_AFTER)];
    before.iter().chain(after).any(|word| DENIALS.has(word))
}

impl Part {
    fn says_works(&self) -> bool {
        let words = words(&self.text);
        let certain = |place: Range<usize>| {
            !is_denied(&words, &place)
                && !words.get(place.end).is_some_and(|word| LIMITS.has(word))
                && !words[..place.start].iter().any(|word| CONDITIONS.has(word))
        };
        let spaced = || WORKS.places(&words).any(certain);
        let unspaced =
            || contains(&self.text, UNSPACED_WORKS) && !contains(&self.text, UNSPACED_DENIALS);
        !self.asked && (spaced() || unspaced())
    }

    /// Whether it says that something does not work.
    fn denies(&self) -> bool {
        let words = words(&self.text);
        let mut places = FAILING.places(&words).chain(WORKS.places(&words));
        FAILED.any(&words)
            || places.any(|place| is_denied(&words, &place))
            || contains(&self.text, UNSPACED_WORKS) && contains(&self.text, UNSPACED_DENIALS)
    }
}

#[cfg(test)]
mod tests;
