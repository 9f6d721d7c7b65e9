//! Features of a single line, in any language.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;
use threadlore_model::{Hint, Line, Outcome};

use crate::signals::{hint, is_greeting};

/// Words for the one spoken to.
static YOU: LazyLock<FxHashSet<&str>> = LazyLock::new(|| {
    FxHashSet::from_iter([
        "you",
        "your",
        "youre",
        "yours",
        "u",
        "ur",
        "youll",
        "youve",
        "ты",
        "тебе",
        "тебя",
        "тобой",
        "твой",
        "твоя",
        "вы",
        "вам",
        "вас",
        "ваш",
        "ти",
        "тобі",
        "твій",
        "ви",
        "вами",
        "אתה",
        "את",
        "לך",
        "שלך",
        "אתם",
        "לכם",
        "أنت",
        "انت",
        "لك",
        "عندك",
        "tu",
        "te",
        "usted",
        "vous",
        "votre",
        "du",
        "dir",
        "dich",
        "dein",
        "sie",
        "você",
        "seu",
        "sua",
        "ty",
        "ci",
        "sen",
        "sana",
    ])
});
/// Words for the speaker.
static ME: LazyLock<FxHashSet<&str>> = LazyLock::new(|| {
    FxHashSet::from_iter([
        "i",
        "im",
        "ive",
        "my",
        "me",
        "ill",
        "id",
        "mine",
        "we",
        "я",
        "мне",
        "меня",
        "мной",
        "мой",
        "моя",
        "мое",
        "мы",
        "нас",
        "у",
        "мені",
        "мене",
        "мій",
        "ми",
        "אני",
        "לי",
        "שלי",
        "אצלי",
        "אנחנו",
        "أنا",
        "انا",
        "عندي",
        "لي",
        "yo",
        "mi",
        "je",
        "jai",
        "moi",
        "mon",
        "ma",
        "ich",
        "mir",
        "mich",
        "mein",
        "eu",
        "meu",
        "minha",
        "ja",
        "mam",
        "ben",
        "benim",
        "bana",
        "io",
        "mio",
    ])
});
/// Words that begin an answer.
static ANSWERS: LazyLock<FxHashSet<&str>> = LazyLock::new(|| {
    FxHashSet::from_iter([
        "yes",
        "no",
        "yeah",
        "yep",
        "yup",
        "nope",
        "nah",
        "ok",
        "okay",
        "k",
        "sure",
        "right",
        "exactly",
        "true",
        "ah",
        "oh",
        "hm",
        "hmm",
        "heh",
        "lol",
        "haha",
        "well",
        "and",
        "but",
        "or",
        "so",
        "also",
        "because",
        "cause",
        "then",
        "nm",
        "nevermind",
        "great",
        "cool",
        "sorry",
        "да",
        "нет",
        "ага",
        "угу",
        "ок",
        "ладно",
        "точно",
        "и",
        "но",
        "а",
        "тогда",
        "так",
        "ні",
        "нє",
        "та",
        "але",
        "і",
        "тоді",
        "добре",
        "כן",
        "לא",
        "אוקיי",
        "אוקי",
        "נכון",
        "אז",
        "אבל",
        "גם",
        "نعم",
        "لا",
        "اه",
        "طيب",
        "تمام",
        "لكن",
        "sí",
        "si",
        "vale",
        "pero",
        "oui",
        "non",
        "mais",
        "daccord",
        "ja",
        "nein",
        "doch",
        "aber",
        "und",
        "sim",
        "não",
        "mas",
        "tak",
        "nie",
        "ale",
        "evet",
        "hayır",
        "tamam",
    ])
});
/// The most words of a line that are analysed.
const MOST: usize = 200;

/// The features of a single line.
#[derive(Debug, Clone)]
pub(super) struct Look {
    /// What the text says of a problem.
    pub(super) hint: Hint,
    pub(super) asks: bool,
    pub(super) outcome: usize,
    pub(super) greets: bool,
    pub(super) words: usize,
    pub(super) bot: bool,
    pub(super) command: bool,
    /// It speaks of the one spoken to.
    pub(super) you: bool,
    /// It speaks of the speaker.
    pub(super) me: bool,
    /// It begins as an answer does.
    pub(super) answers: bool,
    /// It has the address of a page.
    pub(super) page: bool,
    /// It ends as if more were to come.
    pub(super) open: bool,
}

impl Look {
    /// `rest` is the text after an address.
    pub(super) fn of(line: &Line, rest: &str) -> Self {
        let text = line.text.as_str();
        let plain: String = rest
            .chars()
            .filter(|c| !matches!(c, '\'' | '’'))
            .flat_map(char::to_lowercase)
            .collect();
        let words = || {
            plain
                .split(|c: char| !c.is_alphanumeric())
                .filter(|word| !word.is_empty())
                .take(MOST)
        };
        let hint = hint(text);
        Self {
            hint,
            asks: hint.question,
            outcome: match hint.outcome {
                None => 0,
                Some(Outcome::Thanks) => 1,
                Some(Outcome::Works) => 2,
                Some(Outcome::Fails) => 3,
            },
            greets: is_greeting(text),
            words: text.split_whitespace().count(),
            bot: line.bot,
            command: text.starts_with(['!', '/']) && text.len() > 1,
            you: words().any(|word| YOU.contains(word)),
            me: words().any(|word| ME.contains(word)),
            answers: words().next().is_some_and(|word| ANSWERS.contains(word)),
            page: text.contains("://"),
            open: text.trim_end().ends_with([',', ':', '…', '-', '،'])
                || text.trim_end().ends_with(".."),
        }
    }
}
