//! Which language a text is in, as far as the bot speaks it.

use serde::{Deserialize, Serialize};

/// A language that the bot speaks.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub enum Language {
    /// English, also for who writes in a language that it does not speak.
    #[default]
    #[serde(rename = "en")]
    English,
    /// German.
    #[serde(rename = "de")]
    German,
    /// Russian, also for other languages in Cyrillic.
    #[serde(rename = "ru")]
    Russian,
    /// Ukrainian.
    #[serde(rename = "uk")]
    Ukrainian,
    /// Hebrew.
    #[serde(rename = "he")]
    Hebrew,
}

/// Words of English. No word stands in two of these lists.
const ENGLISH: &str = "the and is are how what why where which when can could does do did my me you your i i'm \
    it it's this that these those there of to for from with on at by not no but if or any some have has had \
    get getting anyone someone please help after before into out about thanks thank would should work works \
    working error using need";
/// Of German. None that French, Spanish, Portuguese, Dutch or the Nordic languages have too: who writes those is
/// spoken to in English.
const GERMAN: &str = "und ist sind warum wieso wo welche welcher welches wenn kann kannst könnte mein meine \
    meinen meinem ich wir ihr mir mich dir dich nicht kein keine aber oder ein eine einen einem einer mit auf für \
    bei nach vom zum zur über unter habe haben geht gehen jemand bitte danke hilfe noch schon auch nur immer \
    fehler funktioniert läuft gibt muss soll dass weil";
/// Of Russian, and letters that Ukrainian has not.
const RUSSIAN: &str = "что как когда где почему зачем если или это эта этот нет есть кто чем была было можно \
    нужно надо могу можешь работает помогите подскажите спасибо привет всем меня мне мой кого только уже ещё еще \
    потом после чтобы от из тоже очень сделать делать будет ошибка";
const RUSSIAN_LETTERS: &str = "ыэёъ";
/// The same of Ukrainian.
const UKRAINIAN: &str = "що як коли де чому навіщо якщо або це ця цей ні є хто чим можна треба потрібно можу \
    можеш працює допоможіть підкажіть дякую привіт усім всім мене мені мій тільки вже ще потім після \
    щоб від із теж дуже зробити робити буде помилка й";
const UKRAINIAN_LETTERS: &str = "іїєґ";

impl Language {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::English,
        Self::German,
        Self::Russian,
        Self::Ukrainian,
        Self::Hebrew,
    ];

    /// Its code of ISO 639-1, which is the name of its file.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
            Self::Russian => "ru",
            Self::Ukrainian => "uk",
            Self::Hebrew => "he",
        }
    }

    /// The built-in words.
    pub(super) const fn builtin(self) -> &'static str {
        match self {
            Self::English => include_str!("en.toml"),
            Self::German => include_str!("de.toml"),
            Self::Russian => include_str!("ru.toml"),
            Self::Ukrainian => include_str!("uk.toml"),
            Self::Hebrew => include_str!("he.toml"),
        }
    }

    /// The language in which somebody is spoken to: that of the first of these texts which tells it, the
    /// likest first. Where none does, that of a script, else English.
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut by_script = None;
        for text in texts {
            match told_by(text) {
                Some((language, true)) => return language,
                Some((language, false)) => by_script = by_script.or(Some(language)),
                None => {}
            }
        }
        by_script.unwrap_or_default()
    }
}

/// The language of a text, and whether more than its script tells it. A word in another script, such as
/// a command or a name, is outnumbered.
fn told_by(text: &str) -> Option<(Language, bool)> {
    let lower = text.to_lowercase().replace('’', "'");
    let words = lower.split(|c: char| !c.is_alphabetic() && c != '\'');
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let count = |is: &dyn Fn(&str) -> bool| words.iter().filter(|word| is(word)).count();
    let has = |list: &str, word: &str| list.split_whitespace().any(|one| one == word);
    let (english, german) = (
        count(&|word| has(ENGLISH, word)),
        count(&|word| has(GERMAN, word) || word.contains('ß')),
    );
    let is_cyrillic = |c: char| ('\u{400}'..='\u{4ff}').contains(&c);
    let cyrillic = count(&|word| word.contains(is_cyrillic));
    let hebrew = count(&|word| word.contains(|c: char| ('\u{5d0}'..='\u{5ea}').contains(&c)));
    if hebrew > cyrillic.max(english).max(german) {
        return Some((Language::Hebrew, true));
    }
    if cyrillic > english.max(german) {
        let sign = |list: &str, letters: &str| {
            count(&|word| has(list, word)) + count(&|word| word.contains(|c| letters.contains(c)))
        };
        let russian = sign(RUSSIAN, RUSSIAN_LETTERS);
        let ukrainian = sign(UKRAINIAN, UKRAINIAN_LETTERS);
        return Some(match ukrainian > russian {
            true => (Language::Ukrainian, true),
            false => (Language::Russian, russian > ukrainian),
        });
    }
    match (english, german) {
        (0, 0) => None,
        (english, german) if german > english => Some((Language::German, true)),
        // Other languages have one or the other of these words too.
        _ => Some((Language::English, true)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_tells_two_languages() {
        let lists = [ENGLISH, GERMAN, RUSSIAN, UKRAINIAN];
        let words = lists.iter().flat_map(|list| list.split_whitespace());
        let mut words: Vec<&str> = words.collect();
        let count = words.len();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), count);
        let has = |list: &str, letters: &str| list.contains(|c| letters.contains(c));
        assert!(!has(RUSSIAN, UKRAINIAN_LETTERS) && !has(UKRAINIAN, RUSSIAN_LETTERS));
    }
}
