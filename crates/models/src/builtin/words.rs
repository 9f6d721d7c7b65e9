//! Words of a text, and how technical they are.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::lexicon::{COMMANDS, COMMON, IMPERATIVE, TECHNICAL, TROUBLE};

/// Words in normal form: lower case, without apostrophes and outer punctuation.
pub(super) fn words(text: &str) -> impl Iterator<Item = Cow<'_, str>> {
    text.split_whitespace()
        .map(|word| {
            let word =
                word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '/' | '~' | '$'));
            let word = word.trim_end_matches(|c: char| !c.is_alphanumeric());
            let is_plain = |b: u8| b.is_ascii() && !matches!(b, b'A'..=b'Z' | b'\'' | b'`');
            match word.bytes().all(is_plain) {
                true => Cow::Borrowed(word),
                false => Cow::Owned(word.to_lowercase().replace(['\'', '’', '`'], "")),
            }
        })
        .filter(|word| !word.is_empty())
}

/// Words without any signs, joined by single blanks, for phrases.
pub(super) fn plain(text: &str) -> String {
    if text.is_ascii() {
        return plain_ascii(text);
    }
    let text: String = text
        .chars()
        .filter(|c| !matches!(c, '\'' | '’' | '`'))
        .map(|c| {
            if c.is_alphanumeric() || c == '/' {
                c
            } else {
                ' '
            }
        })
        .collect();
    text.to_lowercase()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

fn plain_ascii(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut parted = false;
    for c in text.chars() {
        match c {
            '\'' | '`' => {}
            _ if c.is_ascii_alphanumeric() || c == '/' => {
                if parted && !plain.is_empty() {
                    plain.push(' ');
                }
                parted = false;
                plain.push(c.to_ascii_lowercase());
            }
            _ => parted = true,
        }
    }
    plain
}

/// Whether a name is also a word of the language.
pub(super) fn is_everyday(name: &str) -> bool {
    let name = name.to_lowercase();
    COMMON.has(&name) || TECHNICAL.has(&name) || IMPERATIVE.has(&name) || TROUBLE.has(&name)
}

/// How exact a word is: 3 for a piece of a command line or a path, 2 for an
/// address, a file, a package or a key, 0 for anything else.
pub(super) fn exactness(word: &str) -> usize {
    let outer = |c: char| {
        matches!(
            c,
            '"' | '\'' | '`' | '(' | ')' | ',' | '.' | '!' | '?' | ':' | ';' | '<' | '>'
        )
    };
    let bare = word.trim_matches(outer);
    let second = bare.chars().nth(1);
    let path = bare.starts_with(['/', '~'])
        && second.is_some_and(|c| c.is_alphanumeric() || c == '/')
        && bare.len() > 3;
    let flag = bare.strip_prefix('-').is_some_and(|rest| {
        rest.trim_start_matches('-')
            .starts_with(char::is_alphabetic)
            && !rest.starts_with("--")
            && !rest.ends_with('-')
    });
    let smiley = word.starts_with([':', ';']);
    if path && !bare.starts_with("//") || flag && !smiley || COMMANDS.has(bare) {
        return 3;
    }
    let keys = bare.contains('+') && bare.split('+').filter(|key| key.len() > 1).count() > 1;
    let arrow = matches!(word, "->" | "=>" | "-->" | "→");
    let address = bare.contains("://") || bare.starts_with("www.");
    let parts = || {
        bare.split(['-', '.', '_', '='])
            .filter(|part| part.len() > 1)
    };
    let host = [".com", ".org", ".net"]
        .iter()
        .any(|end| bare.ends_with(end));
    let named = bare.is_ascii()
        && bare.starts_with(|c: char| c.is_alphanumeric())
        && bare.contains(|c: char| c.is_alphabetic())
        && parts().count() > 1
        && !bare.contains("..")
        && !bare.contains(['/', ',']);
    let joined = named
        && !host
        && (bare.contains(['.', '_', '='])
            || parts().count() > 2
            || bare.contains(|c: char| c.is_ascii_digit()));
    if address || joined || keys || arrow {
        2
    } else {
        0
    }
}

/// How exact a text is, words beyond the third not counted.
pub(super) fn exact(text: &str) -> usize {
    text.split_whitespace()
        .map(exactness)
        .filter(|exact| *exact > 0)
        .take(3)
        .sum()
}

/// How technical a text is: exact pieces count three, known words one.
pub(super) fn weight(text: &str) -> usize {
    let words: Vec<Cow<'_, str>> = words(text).collect();
    technical(exact(text), words.iter().map(AsRef::as_ref))
}

/// The same, of a text with its words and how exact it is.
pub(super) fn technical<'w>(exact: usize, words: impl Iterator<Item = &'w str>) -> usize {
    let mut known: Vec<&str> = words.filter(|word| TECHNICAL.has(word)).collect();
    known.sort_unstable();
    known.dedup();
    3 * exact.min(3) + known.len().min(6)
}

fn matters(text: &str) -> BTreeSet<Cow<'_, str>> {
    words(text)
        .filter(|word| word.chars().count() > 2 && !COMMON.has(word) && !IMPERATIVE.has(word))
        .collect()
}

/// Whether two texts have a technical word or piece in common.
pub(super) fn share_a_topic(a: &str, b: &str) -> bool {
    let (a, b) = (matters(a), matters(b));
    a.intersection(&b).next().is_some()
}

/// The topic of a problem: the hashes of its meaningful words. It has no word of the text, so it
/// may be kept after the text was erased.
#[derive(Debug)]
pub(super) struct Topic(BTreeSet<u64>);

impl Topic {
    pub(super) fn of(text: &str) -> Self {
        let words = words(text).filter(|word| !COMMON.has(word));
        let hash = |word: Cow<'_, str>| {
            let mut hasher = DefaultHasher::new();
            word.hash(&mut hasher);
            hasher.finish()
        };
        Self(words.map(hash).collect())
    }

    /// Whether two texts are about the same problem: most of the words agree.
    pub(super) fn is_as(&self, other: &Self) -> bool {
        let longer = self.0.len().max(other.0.len());
        // No more than the shorter one can be shared: most pairs end here.
        if 5 * self.0.len().min(other.0.len()) < 3 * longer {
            return false;
        }
        let shared = self.0.intersection(&other.0).count();
        shared >= 4 && 5 * shared >= 3 * longer
    }
}
