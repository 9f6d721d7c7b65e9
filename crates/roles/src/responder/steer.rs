//! What people tell the bot to do, in the room: a line that names it and begins with one of few
//! words. Everything else that names it is a question.

use serde::{Deserialize, Serialize};
use threadlore_model::{MemoryHome, Mode};

use super::remember;

/// What composes the answers to instructions, with its version.
pub const STEER_COMPOSER: &str = "steer-2";

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

/// Wishes for help, in the languages that the bot speaks.
const HELP: [&str; 6] = ["help", "hilfe", "помощь", "помоги", "допомога", "עזרה"];

/// Wishes of people to be forgotten.
const FORGET_ME: [&str; 7] = [
    "forget me",
    "vergiss mich",
    "забудь меня",
    "забудь обо мне",
    "забудь мене",
    "שכח אותי",
    "תשכח אותי",
];

/// Wishes that what an answer says is forgotten.
const FORGET_THIS: [&str; 23] = [
    "forget this",
    "forget that",
    "forget it",
    "forget this case",
    "forget that case",
    "forget this answer",
    "forget that answer",
    "vergiss das",
    "vergiss es",
    "vergiss diese antwort",
    "забудь это",
    "забудь этот ответ",
    "забудь этот случай",
    "забудь про это",
    "забудь це",
    "забудь цю відповідь",
    "забудь цей випадок",
    "забудь про це",
    "שכח את זה",
    "תשכח את זה",
    "תשכחי את זה",
    "תשכח מזה",
    "תשכח את התשובה הזאת",
];

/// What stands before the colon of a correction.
const CORRECT: [&str; 15] = [
    "correct",
    "correction",
    "correct this",
    "correct it",
    "richtig",
    "korrektur",
    "berichtigung",
    "правильно",
    "исправь",
    "исправление",
    "виправ",
    "виправлення",
    "נכון",
    "תיקון",
    "תקן",
];

/// And before that of an answer.
const ANSWER: [&str; 12] = [
    "answer",
    "the answer",
    "answer this",
    "answer it",
    "antwort",
    "die antwort",
    "ответ",
    "ответ на это",
    "відповідь",
    "відповідь на це",
    "תשובה",
    "התשובה",
];

impl Instruction {
    /// What a text without the bot's names tells it to do.
    pub(super) fn of(text: &str) -> Option<Self> {
        let text = text.trim().trim_start_matches(['/', '!']);
        let plain = text.trim_end_matches(['.', '!']).to_lowercase();
        let words: Vec<&str> = plain.split_whitespace().collect();
        let plain = words.join(" ");
        let is_one_of = |wishes: &[&str]| wishes.contains(&plain.as_str());
        if is_one_of(&HELP) {
            return Some(Self::Help);
        }
        if is_one_of(&FORGET_ME) {
            return Some(Self::ForgetMe);
        }
        if is_one_of(&FORGET_THIS) {
            return Some(Self::ForgetCase);
        }
        match words.as_slice() {
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
            head if CORRECT.contains(&head) => Some(Self::Correct(rest.to_owned())),
            head if ANSWER.contains(&head) => Some(Self::Answer(rest.to_owned())),
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
    use threadlore_language::wording::{Language, Phrase, Wordings};

    use super::*;

    #[test]
    fn few_words_are_instructions() {
        use Instruction::{Answer, Correct, Docs, ForgetCase, ForgetMe, Help, Speak};
        let urls = |all: &[&str]| Docs(all.iter().map(|one| (*one).to_owned()).collect());
        for (text, told) in [
            ("help", Help),
            ("Помощь!", Help),
            ("допомога", Help),
            ("Vergiss mich", ForgetMe),
            ("забудь  меня", ForgetMe),
            ("забудь мене", ForgetMe),
            ("תשכח אותי", ForgetMe),
            ("забудь это", ForgetCase),
            ("Правильно: pipewire", Correct("pipewire".to_owned())),
            ("ответ: lsblk", Answer("lsblk".to_owned())),
            ("Antwort: lsblk", Answer("lsblk".to_owned())),
            ("תשובה: lsblk", Answer("lsblk".to_owned())),
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

    /// Whoever says to the bot what it says that can be said to it is understood.
    #[test]
    fn what_help_names_is_understood() {
        let builtin = Wordings::default();
        let mut named = 0;
        for language in Language::ALL {
            let voice = builtin.voice(None, language);
            let texts = [
                Phrase::Help {},
                Phrase::ModeOff {},
                Phrase::HowToForget {},
                Phrase::NothingOfYou {},
                Phrase::NothingOfAll {},
                Phrase::NothingLikeIt {},
            ];
            for text in texts.map(|phrase| voice.say(phrase)) {
                let quoted = text.split(['"', '„', '“', '«', '»']).skip(1).step_by(2);
                for quoted in quoted {
                    let said = quoted
                        .replace("https://…", "https://a")
                        .replace('…', "one two");
                    assert!(Instruction::of(&said).is_some(), "{language:?}: {quoted}");
                    named += 1;
                }
            }
        }
        assert!(named > 5 * 10, "{named}");
    }

    #[test]
    fn what_only_looks_like_one_is_a_question() {
        for text in [
            "",
            "help me with the wifi",
            "помощь нужна с wifi",
            "забудь",
            "вопрос: как?",
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
