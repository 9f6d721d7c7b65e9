//! What a message says about the state of a problem, whatever its language:
//! does it ask, does it say that something works or give thanks, and is an
//! emoji approving.
//!
//! The rules are lists of words and short phrases. A phrase counts only where
//! nothing near it denies or doubts it: "doesn't work", "still not solved",
//! "if it works" say nothing.

mod lexicon;

use threadlore_model::{Hint, Line, Outcome};

use lexicon::{
    CONDITIONS, DENIALS, GREETINGS, INTERROGATIVES, OPENERS, QUESTION_PHRASES, THANKS, THANKS_UNDONE, UNSPACED_DENIALS,
    UNSPACED_QUESTIONS, UNSPACED_THANKS, UNSPACED_WORKS, WORKS,
};

/// What the rules read in each line of a window.
#[must_use]
pub fn hints(lines: &[Line]) -> Vec<Hint> {
    let hint = |line: &Line| Hint {
        question: is_question(&line.text),
        outcome: outcome(&line.text),
    };
    lines.iter().map(hint).collect()
}

/// What a message says about the state of a problem. Thanks do not count in a
/// question, nor with a denial near them. "Works" wins over "fails".
#[must_use]
pub fn outcome(text: &str) -> Option<Outcome> {
    let sentences = sentences(text);
    if sentences.iter().any(|sentence| says_works(sentence)) {
        return Some(Outcome::Works);
    }
    if sentences.iter().any(|sentence| denies(sentence)) {
        return Some(Outcome::Fails);
    }
    let plain = normal(text);
    let words: Vec<&str> = plain.split(' ').filter(|word| !word.is_empty()).collect();
    let thanks = THANKS.iter().any(|phrase| find(&words, phrase).is_some())
        || UNSPACED_THANKS.iter().any(|phrase| plain.contains(phrase));
    let undone = THANKS_UNDONE.iter().any(|phrase| find(&words, phrase).is_some());
    (thanks && !undone && !is_question(text)).then_some(Outcome::Thanks)
}

/// Whether a message says that something works now, or gives thanks for help:
/// a reason to look at the window at once.
#[must_use]
pub fn resolution(text: &str) -> Option<Outcome> {
    outcome(text).filter(|outcome| *outcome != Outcome::Fails)
}

/// A positive emoji: thumbs up, a heart, a check mark and their like, in any
/// skin tone and with any variation selector, or as a shortcode with or without colons.
#[must_use]
pub fn is_positive_emoji(emoji: &str) -> bool {
    const POSITIVE: &[&str] = &[
        "👍", "❤", "♥", "✅", "✔", "☑", "🧡", "💛", "💚", "💙", "💜", "🖤", "🤍", "🤎", "💕", "💖", "💗",
        "💯", "🙏", "👌", "🎉", "👏", "💪", "🔥", "🩷", "🩵", "🩶", "😍", "🥰", "❣", "💓", "💞", "💝",
    ];
    const SHORTCODES: &[&str] = &[
        "+1", "thumbsup", "thumbs_up", "thumbup", "like", "heart", "hearts", "red_heart",
        "orange_heart", "yellow_heart", "green_heart", "blue_heart", "purple_heart",
        "black_heart", "white_heart", "brown_heart", "white_check_mark", "heavy_check_mark",
        "ballot_box_with_check", "check", "check_mark", "checkmark", "check_mark_button", "100",
        "pray", "folded_hands", "ok_hand", "tada", "clap", "muscle", "fire", "heart_eyes",
        "two_hearts", "sparkling_heart", "heartpulse",
    ];
    let bare: String = emoji.trim().chars().filter(|c| !is_modifier(*c)).collect();
    if POSITIVE.contains(&bare.as_str()) {
        return true;
    }
    // Slack writes a skin tone as a second shortcode: `+1::skin-tone-3`.
    let code = bare.trim_matches(':').to_ascii_lowercase();
    let code = code.split("::").next().unwrap_or_default();
    let code = code.split("_tone").next().unwrap_or_default();
    SHORTCODES.contains(&code)
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
        .any(|word| word.contains(['?', '？', '؟', '՞']));
    if marked {
        return true;
    }
    let plain = normal(unaddressed(text));
    let words: Vec<&str> = plain.split(' ').filter(|word| !word.is_empty()).collect();
    let greeted = words.iter().take_while(|word| OPENERS.contains(word) || GREETINGS.contains(word)).count();
    let words = &words[greeted..];
    words.len() > 2 && words.first().is_some_and(|first| INTERROGATIVES.contains(first))
        || QUESTION_PHRASES.iter().any(|phrase| find(words, phrase).is_some())
        || UNSPACED_QUESTIONS.iter().any(|phrase| plain.contains(phrase))
}

/// Whether a message begins with a greeting.
#[must_use]
pub fn is_greeting(text: &str) -> bool {
    let plain = normal(text);
    plain.split(' ').find(|word| !word.is_empty()).is_some_and(|first| GREETINGS.contains(&first))
}

/// The text without a leading `name:` or `name,`.
fn unaddressed(text: &str) -> &str {
    let text = text.trim_start();
    match text.split_once([':', ',']) {
        Some((name, rest)) if !name.contains(char::is_whitespace) && !rest.starts_with("//") => rest,
        _ => text,
    }
}

/// Lower case, apostrophes gone, every other sign but letters and digits a blank.
fn normal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars().take(4000) {
        match c {
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

/// Parts of a text between full stops, commas and the like, normalised, each
/// with whether it ends in a question mark.
fn sentences(text: &str) -> Vec<(String, bool)> {
    let mut out = Vec::new();
    let mut part = String::new();
    for c in text.chars().take(4000).chain(['.']) {
        match c {
            '.' | '!' | '?' | ',' | ';' | '(' | ')' | '\n' | '。' | '！' | '？' | '،' | '؟' | '、' | '，' => {
                out.push((normal(&part), matches!(c, '?' | '？' | '؟')));
                part.clear();
            }
            _ => part.push(c),
        }
    }
    out
}

/// How many words before a phrase may deny it.
const DENIAL_BEFORE: usize = 4;
/// How many words after a phrase may deny it ("ça marche pas").
const DENIAL_AFTER: usize = 2;

fn says_works((sentence, asked): &(String, bool)) -> bool {
    if *asked {
        return false;
    }
    let words: Vec<&str> = sentence.split(' ').filter(|word| !word.is_empty()).collect();
    let spaced = WORKS.iter().any(|phrase| {
        find(&words, phrase).is_some_and(|at| {
            let before = &words[at.saturating_sub(DENIAL_BEFORE)..at];
            let end = at + phrase.split(' ').count();
            let after = &words[end..words.len().min(end + DENIAL_AFTER)];
            let near = || before.iter().chain(after);
            !near().any(|word| DENIALS.contains(word))
                && !words[..at].iter().any(|word| CONDITIONS.contains(word))
        })
    });
    spaced
        || UNSPACED_WORKS.iter().any(|phrase| sentence.contains(phrase))
            && !UNSPACED_DENIALS.iter().any(|phrase| sentence.contains(phrase))
}

/// Whether a part says that something does not work.
fn denies((sentence, _): &(String, bool)) -> bool {
    let words: Vec<&str> = sentence.split(' ').filter(|word| !word.is_empty()).collect();
    let failing = ["work", "works", "worked", "working", "help", "helped", "helping", "fixed", "solved"];
    let spaced = failing.iter().copied().chain(WORKS.iter().copied()).any(|phrase| {
        find(&words, phrase).is_some_and(|at| {
            let end = at + phrase.split(' ').count();
            let before = &words[at.saturating_sub(DENIAL_BEFORE)..at];
            let after = &words[end..words.len().min(end + DENIAL_AFTER)];
            before.iter().chain(after).any(|word| DENIALS.contains(word))
        })
    });
    spaced
        || UNSPACED_WORKS.iter().any(|phrase| sentence.contains(phrase))
            && UNSPACED_DENIALS.iter().any(|phrase| sentence.contains(phrase))
}

/// Where a phrase of blank-separated words stands among words.
fn find(words: &[&str], phrase: &str) -> Option<usize> {
    let length = phrase.split(' ').count();
    (0..(words.len() + 1).saturating_sub(length))
        .find(|at| phrase.split(' ').zip(&words[*at..]).all(|(want, have)| want == *have))
}

#[cfg(test)]
mod tests;
