//! What people tell the bot to do, in the room: a line that names it and begins with one of few
//! words. Everything else that names it is a question.

use serde::{Deserialize, Serialize};
use threadlore_model::{MemoryHome, Mode};

use super::remember;

/// What composes the answers to instructions, with its version.
pub const STEER_COMPOSER: &str = "steer-1";

/// An instruction to the bot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Instruction {
    /// `correct: TEXT`: the case behind an answer has this solution from now on.
    Correct(String),
    /// `answer: TEXT`: the question that the line replies to, or else the last one without an answer,
    /// has this answer from now on.
    Answer(String),
    /// `forget this`: the case behind an answer is erased, or what the answer tells of what was
    /// remembered.
    ForgetCase,
    /// `forget me`: everything that the person wrote is erased.
    ForgetMe,
    /// `mode questions`, `mode mentions`, `mode off`: when the bot speaks in the channel.
    Speak(Mode),
    /// `docs URL …`, `docs none`: addresses of documentation.
    Docs(Vec<String>),
    /// `remember that TEXT`: it is told again, to the person alone where it is about them.
    Remember(String),
    /// `what do you know about me`, `what do you remember`: what is remembered, of the person or the space.
    Tell(MemoryHome),
    /// `forget that TEXT`: what is remembered in nearly these words is erased.
    ForgetFact(String),
    /// `help`: what instructions there are.
    Help,
}

/// Addresses of documentation at most.
const DOCS: usize = 5;
/// The longest of them, in bytes.
const LONGEST: usize = 500;

impl Instruction {
    /// What a text without the bot's names tells it to do.
    pub(super) fn of(text: &str) -> Option<Self> {
        let text = text.trim().trim_start_matches(['/', '!']);
        let plain = text.trim_end_matches(['.', '!']).to_lowercase();
        let words: Vec<&str> = plain.split_whitespace().collect();
        match words.as_slice() {
            ["help"] => return Some(Self::Help),
            ["forget", "me"] => return Some(Self::ForgetMe),
            ["forget", "this" | "that" | "it"] | ["forget", "this" | "that", "case" | "answer"] => {
                return Some(Self::ForgetCase);
            }
            ["mode", name] => {
                let mode = Mode::ALL.into_iter().find(|mode| mode.name() == *name);
                return Some(mode.map_or(Self::Help, Self::Speak));
            }
            ["docs" | "setdocs", "none"] => return Some(Self::Docs(Vec::new())),
            ["docs" | "setdocs", ..] => return docs(text),
            _ => {}
        }
        if let Some(instruction) = remember::instruction(text) {
            return Some(instruction);
        }
        let (head, rest) = text.split_once(':')?;
        let head = head.trim().to_lowercase();
        let rest = rest.trim();
        if rest.is_empty() {
            return None;
        }
        match head.as_str() {
            "correct" | "correction" | "correct this" | "correct it" => {
                Some(Self::Correct(rest.to_owned()))
            }
            "answer" | "the answer" | "answer this" | "answer it" => {
                Some(Self::Answer(rest.to_owned()))
            }
            _ => None,
        }
    }
}

/// Addresses alone: "docs for nginx?" is a question.
fn docs(text: &str) -> Option<Instruction> {
    let words: Vec<&str> = text.split_whitespace().skip(1).collect();
    let is_address = |word: &&str| {
        let rest = word
            .strip_prefix("https://")
            .or(word.strip_prefix("http://"));
        word.len() <= LONGEST && rest.is_some_and(|rest| !rest.is_empty())
    };
    let all = !words.is_empty() && words.len() <= DOCS && words.iter().all(is_address);
    all.then(|| Instruction::Docs(words.into_iter().map(str::to_owned).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_words_are_instructions() {
        use Instruction::{Answer, Correct, Docs, ForgetCase, ForgetMe, Help, Speak};
        let urls = |all: &[&str]| Docs(all.iter().map(|one| (*one).to_owned()).collect());
        for (text, told) in [
            ("help", Help),
            ("Forget me!", ForgetMe),
            ("forget this", ForgetCase),
            ("forget that answer.", ForgetCase),
            ("mode mentions", Speak(Mode::Mentions)),
            ("/mode off", Speak(Mode::Off)),
            ("mode loud", Help),
            ("docs none", urls(&[])),
            (
                "/setdocs https://a.example http://b.example/x",
                urls(&["https://a.example", "http://b.example/x"]),
            ),
            ("Correct: use pipewire", Correct("use pipewire".to_owned())),
            ("Answer: run lsblk", Answer("run lsblk".to_owned())),
            (
                "correct this:\nuse pipewire: it is newer",
                Correct("use pipewire: it is newer".to_owned()),
            ),
        ] {
            assert_eq!(Instruction::of(text), Some(told), "{text}");
        }
    }

    #[test]
    fn what_only_looks_like_one_is_a_question() {
        for text in [
            "",
            "help me with the wifi",
            "how do I forget a wifi network?",
            "forget",
            "docs for nginx?",
            "docs https://",
            "docs",
            "correct:",
            "is this correct: restart it?",
            "answer:",
            "is there an answer: I mean to this?",
            "mode",
        ] {
            assert_eq!(Instruction::of(text), None, "{text}");
        }
    }
}
