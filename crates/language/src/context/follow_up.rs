//! Follow-up questions, which are understood only with the one before: "and on fedora?".

use crate::retrieve::telling_words;

/// What such a question begins with, in the languages that the bot speaks.
const BEGINNINGS: &[&str] = &[
    "and",
    "but",
    "or",
    "also",
    "what about",
    "how about",
    "what if",
    "what of",
    "same for",
    "same with",
    "und",
    "aber",
    "oder",
    "auch",
    "was ist mit",
    "wie ist es mit",
    "wie sieht es mit",
    "а",
    "и",
    "но",
    "или",
    "что насчёт",
    "что насчет",
    "как насчёт",
    "как насчет",
    "тоже",
    "і",
    "й",
    "але",
    "або",
    "що щодо",
    "як щодо",
    "теж",
    "ומה",
    "ואיך",
    "ואם",
    "וגם",
    "אבל",
    "או",
    "מה עם",
    "מה לגבי",
];

/// More words than this are a question of their own, whatever they begin with.
const MOST: usize = 12;

/// Whether a text is a follow-up question: it begins as such do, or has no word that says what it is about. One is enough to be looked up by itself: "when do we deploy?"
#[must_use]
pub fn is_follow_up(text: &str) -> bool {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| !word.is_empty())
        .take(MOST + 1)
        .collect();
    if words.is_empty() || words.len() > MOST {
        return false;
    }
    let begins = BEGINNINGS.iter().any(|beginning| {
        let mut wanted = beginning.split(' ');
        let count = beginning.split(' ').count();
        words.len() > count
            && words
                .iter()
                .take(count)
                .all(|word| wanted.next() == Some(word))
    });
    begins || telling_words(text).next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_so_or_has_no_word_of_its_own_is_one() {
        for text in [
            "and on fedora?",
            "what about ubuntu 22.04 with kde?",
            "but how, if it is encrypted?",
            "why?",
            "anyone?",
            "und unter windows?",
            "а на федоре?",
            "что насчёт windows 11?",
            "а якщо диск зашифрований?",
            "ומה עם לינוקס?",
        ] {
            assert!(is_follow_up(text), "{text}");
        }
    }

    #[test]
    fn what_stands_by_itself_is_none() {
        for text in [
            "",
            "🎉",
            "how do I mount an iso image on fedora?",
            "when do we deploy?",
            "android emulator does not start with kvm",
            "oracle listener refuses connections",
            "and now the whole cluster is down because etcd lost its quorum after the upgrade to 3.6 this morning",
            "как примонтировать образ диска на федоре?",
        ] {
            assert!(!is_follow_up(text), "{text}");
        }
    }
}
