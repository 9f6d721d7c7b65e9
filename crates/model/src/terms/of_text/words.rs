//! A text as its words.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{canonical_combining_class, is_combining_mark};

/// A run of letters and digits, lower case, without marks; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Word {
    /// Of a script that puts spaces between words. Thai, Lao, Khmer and Burmese
    /// count as such: they are found by their grams.
    Spaced(Vec<char>),
    /// Of Chinese or Japanese, where a run is no word but a clause.
    Unspaced(Vec<char>),
}

/// The role of a character within words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Spaced,
    Unspaced,
    Between,
}

/// The words among the first `most` characters.
///
/// Texts are decomposed for compatibility and combining marks are removed: no accents, no vowel
/// points of Hebrew and Arabic, `й` is `и`, full-width letters are letters. This is done to
/// documents and questions alike, so each spelling finds the other.
pub(super) fn words(text: &str, most: usize) -> Vec<Word> {
    let letters: Vec<char> = text
        .nfkd()
        .flat_map(char::to_lowercase)
        .filter(|c| !is_mark(*c))
        .take(most)
        .filter(|c| !is_joint(*c))
        .collect();
    letters
        .chunk_by(|a, b| kind(*a) == kind(*b))
        .filter_map(|run| match kind(run[0]) {
            Kind::Spaced => Some(Word::Spaced(run.to_vec())),
            Kind::Unspaced => Some(Word::Unspaced(run.to_vec())),
            Kind::Between => None,
        })
        .collect()
}

/// A mark that combines with the letter before it and is no letter itself, such as the vowel signs
/// of Hindi and Thai.
fn is_mark(c: char) -> bool {
    canonical_combining_class(c) != 0 || (is_combining_mark(c) && !c.is_alphanumeric())
}

/// A character inside words that is not part of them, as in `м'я`, `צה״ל` and `don’t`; also soft
/// hyphens and the line that stretches Arabic words.
const fn is_joint(c: char) -> bool {
    matches!(
        c,
        '\'' | '"' | '’' | 'ʼ' | '׳' | '״' | '\u{ad}' | '\u{640}' | '\u{200d}'
    )
}

fn kind(c: char) -> Kind {
    if !c.is_alphanumeric() {
        return Kind::Between;
    }
    match c {
        // Japanese syllables; ideographs and their repetition.
        '\u{3005}'..='\u{3007}'
        | '\u{3041}'..='\u{30ff}'
        | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}' => Kind::Unspaced,
        _ => Kind::Spaced,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> Vec<String> {
        words(text, 1000)
            .into_iter()
            .map(|word| match word {
                Word::Spaced(letters) | Word::Unspaced(letters) => letters.into_iter().collect(),
            })
            .collect()
    }

    #[track_caller]
    fn check(text: &str, expect: &[&str]) {
        assert_eq!(plain(text), expect);
    }

    #[test]
    fn words_are_bare() {
        check("Don’t PANIC, café!", &["dont", "panic", "cafe"]);
        check(
            "М'ясо й їжа, м’ясо, мʼясо",
            &["мясо", "и", "іжа", "мясо", "мясо"],
        );
        check("Ёлка и ещё", &["елка", "и", "еще"]);
        check("שָׁלוֹם לצה״ל, בְּבַיִת־סֵפֶר", &["שלום", "לצהל", "בבית", "ספר"]);
        check("الْعَرَبِيَّة أين كتـــاب", &["العربية", "اين", "كتاب"]);
        check(
            "İSTANBUL straße ﬁle Ｗｉｎ",
            &["istanbul", "straße", "file", "win"],
        );
    }

    #[test]
    fn code_and_addresses_fall_apart() {
        check("read_timeout=5s", &["read", "timeout", "5s"]);
        check(
            "https://example.org/a-b?q=1#top",
            &["https", "example", "org", "a", "b", "q", "1", "top"],
        );
        check("fn main() { x += 0x1F; }", &["fn", "main", "x", "0x1f"]);
    }

    #[test]
    fn emoji_are_between_words() {
        check("works👍🏽now 👨‍👩‍👧 ❤️", &["works", "now"]);
        check("🎉🔥", &[]);
    }

    #[test]
    fn scripts_without_spaces_are_runs() {
        check("我的卡丢了。怎么办？", &["我的卡丢了", "怎么办"]);
        // Without its two dots パ reads ハ: marks go everywhere.
        check("東京タワーへrustで", &["東京タワーへ", "rust", "て"]);
        check("การ์ด हिन्दी", &["การด", "हिनदी"]);
    }

    #[test]
    fn no_more_than_asked_for() {
        assert_eq!(words(&"a ".repeat(100), 10).len(), 5);
        // One character that decomposes to eighteen.
        assert_eq!(plain("\u{fdfa}").concat().chars().count(), 15);
    }
}
