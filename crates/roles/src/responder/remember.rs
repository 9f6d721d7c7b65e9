//! What people say to have something remembered, told or forgotten, in a few languages.

use threadlore_language::is_question;
use threadlore_model::{Body, MemoryHome, TurnOutcome};

use super::call::NoteCall;
use super::params::ResponderParams;
use super::question::without_names;
use super::state::{ResponderState, WaitingTurn};
use super::steer::Instruction;
use crate::{Decided, Facts};

/// What begins a wish that something is remembered. The Hebrew ones are part of the next word.
const REMEMBER: [&str; 19] = [
    "remember that ",
    "please remember that ",
    "remember: ",
    "please remember: ",
    "merke dir, dass ",
    "merk dir, dass ",
    "merke dir: ",
    "merk dir: ",
    "запомни, что ",
    "запомни что ",
    "запомни: ",
    "запам'ятай, що ",
    "запам'ятай що ",
    "запам'ятай: ",
    "תזכור ש",
    "תזכרי ש",
    "תזכרו ש",
    "תזכור: ",
    "תזכרי: ",
];

/// What begins a wish that something is forgotten.
const FORGET: [&str; 13] = [
    "forget that ",
    "please forget that ",
    "forget: ",
    "vergiss, dass ",
    "vergiss: ",
    "забудь, что ",
    "забудь что ",
    "забудь: ",
    "забудь, що ",
    "забудь що ",
    "תשכח ש",
    "תשכחי ש",
    "תשכח: ",
];

/// Questions for what is remembered of the person who asks.
const OF_ME: [&str; 10] = [
    "what do you know about me",
    "what do you remember about me",
    "what have i told you",
    "was weißt du über mich",
    "что ты знаешь обо мне",
    "что ты помнишь обо мне",
    "що ти знаєш про мене",
    "що ти пам'ятаєш про мене",
    "מה אתה יודע עליי",
    "מה אתה יודע עלי",
];

/// Questions for what is remembered of the space.
const OF_ALL: [&str; 9] = [
    "what do you remember",
    "what have you been told",
    "what do you know about us",
    "was weißt du über uns",
    "was hast du dir gemerkt",
    "что ты помнишь",
    "що ти пам'ятаєш",
    "מה אתה זוכר",
    "מה את זוכרת",
];

/// Words by which people speak of themselves alone.
const SELF: [&str; 47] = [
    "i",
    "i'm",
    "i've",
    "i'd",
    "me",
    "my",
    "mine",
    "myself",
    "ich",
    "mein",
    "meine",
    "meinen",
    "meiner",
    "meinem",
    "meines",
    "mir",
    "mich",
    "я",
    "мой",
    "моя",
    "моё",
    "мое",
    "мои",
    "моего",
    "моей",
    "моим",
    "моих",
    "мне",
    "меня",
    "мной",
    "мій",
    "моє",
    "мої",
    "моєї",
    "моїх",
    "моєму",
    "мені",
    "мене",
    "мною",
    "אני",
    "שלי",
    "לי",
    "אותי",
    "עליי",
    "שאני",
    "אצלי",
    "ממני",
];

/// Words below which "forget that one" is about the answer, not about what it says.
const SAYS: usize = 2;

/// What a text tells the bot about what it remembers.
pub(super) fn instruction(text: &str) -> Option<Instruction> {
    // Phones write a typographic mark.
    let text = text.trim().replace('’', "'");
    let bare = text.trim_end_matches(['?', '!', '.', ' ']).to_lowercase();
    if OF_ME.contains(&bare.as_str()) {
        return Some(Instruction::Tell(MemoryHome::Person));
    }
    if OF_ALL.contains(&bare.as_str()) {
        return Some(Instruction::Tell(MemoryHome::Bank));
    }
    // "Remember that meeting?" is a question.
    if text.ends_with('?') {
        return None;
    }
    let rest = |begins: &[&str]| begins.iter().find_map(|begin| after(&text, begin));
    if let Some(rest) = rest(&REMEMBER) {
        return Some(Instruction::Remember(rest));
    }
    let forgotten = rest(&FORGET)?;
    let says = forgotten.split_whitespace().count() >= SAYS;
    says.then_some(Instruction::ForgetFact(forgotten))
}

/// What follows a beginning, whatever its case.
fn after(text: &str, begin: &str) -> Option<String> {
    let mut rest = text.chars();
    for wanted in begin.chars() {
        let found = rest.next()?;
        let is_same = found == wanted || found.to_lowercase().eq([wanted]);
        if !is_same {
            return None;
        }
    }
    let rest = rest.as_str().trim();
    (!rest.is_empty()).then(|| rest.to_owned())
}

/// Whom a text is about: its writer, where it speaks of him alone; else everybody.
#[must_use]
pub fn home_of(text: &str) -> MemoryHome {
    let lower = text.replace('’', "'").to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric() && c != '\'');
    match words.any(|word| SELF.contains(&word)) {
        true => MemoryHome::Person,
        false => MemoryHome::Bank,
    }
}

/// Lines of a turn that ended with these events in which its writer may say something of himself.
pub(super) fn notes(
    (turn, events): (&WaitingTurn, &[Decided]),
    state: &ResponderState,
    facts: &Facts,
    params: &ResponderParams,
) -> Vec<NoteCall> {
    let outcome = events.iter().find_map(|event| match &event.body {
        Body::TurnConsidered(considered) => Some(considered.outcome),
        _ => None,
    });
    let Some((channel, outcome)) = facts.channel.clone().zip(outcome) else {
        return Vec::new();
    };
    let is_read = !matches!(
        outcome,
        TurnOutcome::Withdrawn
            | TurnOutcome::TooLate
            | TurnOutcome::Steered
            | TurnOutcome::Refused
            | TurnOutcome::NotConfigured
    );
    if !is_read || !params.facts_by_model {
        return Vec::new();
    }
    let messages = turn.messages.iter();
    let lines = messages.filter_map(|message| state.line_of(*message));
    let notes = lines.filter_map(|line| {
        let text = without_names(&line.line.text, &params.names);
        tells_of_self(&text).then(|| NoteCall {
            channel: channel.clone(),
            person: turn.person,
            message: line.line.message,
            text,
        })
    });
    notes.collect()
}

/// Words below which a sentence tells nothing of its writer.
const TELLS: usize = 3;

/// Whether a text has a sentence in which its writer speaks of himself and asks nothing.
fn tells_of_self(text: &str) -> bool {
    let mut sentences = text.split_inclusive(['.', '!', '?', '…', '\n']);
    // The point of "7.6" ends no sentence, and does no harm here.
    sentences.any(|sentence| {
        let sentence = sentence.trim();
        sentence.split_whitespace().count() >= TELLS
            && home_of(sentence) == MemoryHome::Person
            && !is_question(sentence)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use Instruction::{ForgetFact, Remember, Tell};

    #[test]
    fn a_wish_is_read_in_a_few_languages() {
        let said = |text: &str| text.to_owned();
        for (text, told) in [
            (
                "remember that we deploy on Fridays",
                Remember(said("we deploy on Fridays")),
            ),
            (
                "Remember: wiki.example.org",
                Remember(said("wiki.example.org")),
            ),
            (
                "Merk dir, dass mein Server steht",
                Remember(said("mein Server steht")),
            ),
            (
                "Запомни, что релиз в пятницу",
                Remember(said("релиз в пятницу")),
            ),
            (
                "Запам’ятай, що реліз у п’ятницю",
                Remember(said("реліз у п'ятницю")),
            ),
            ("תזכור שהשרת בקומה שלוש", Remember(said("השרת בקומה שלוש"))),
            (
                "forget that my node is 7.6",
                ForgetFact(said("my node is 7.6")),
            ),
            (
                "Забудь, что релиз в пятницу",
                ForgetFact(said("релиз в пятницу")),
            ),
            ("What do you know about me?", Tell(MemoryHome::Person)),
            ("що ти знаєш про мене?", Tell(MemoryHome::Person)),
            ("what do you remember", Tell(MemoryHome::Bank)),
        ] {
            assert_eq!(instruction(text), Some(told), "{text}");
        }
    }

    #[test]
    fn what_only_looks_like_one_is_a_question() {
        for text in [
            "remember that meeting?",
            "remember when we broke the build",
            "remember that",
            "remember: ",
            "forget that one",
            "what do you know about me and nginx?",
            "do you remember that we deploy on Fridays?",
            "",
        ] {
            assert_eq!(instruction(text), None, "{text}");
        }
    }

    #[test]
    fn who_speaks_of_himself_is_what_it_is_about() {
        for text in [
            "my node is 7.6",
            "I'm on Fedora",
            "у меня Fedora",
            "mein Server",
            "המחשב שלי",
        ] {
            assert_eq!(home_of(text), MemoryHome::Person, "{text}");
        }
        for text in [
            "we deploy on Fridays",
            "the wiki is down",
            "IMAP is on port 993",
            "наш релиз",
        ] {
            assert_eq!(home_of(text), MemoryHome::Bank, "{text}");
        }
    }

    #[test]
    fn who_speaks_of_himself_and_asks_nothing_tells_of_himself() {
        for text in [
            "my node is 7.6",
            "I am on Fedora 40. How do I update it?",
            "ich habe das große Modell",
            "у меня версия семь",
            "יש לי גרסה שבע",
        ] {
            assert!(tells_of_self(text), "{text}");
        }
        for text in [
            "how do I update my node?",
            "we deploy on Fridays",
            "me too",
            "",
            "how do I get my wifi back",
        ] {
            assert!(!tells_of_self(text), "{text}");
        }
    }
}
