//! Words and phrases by which prose is judged, lower case, without apostrophes.

mod phrases;
mod technical;
mod words;

pub(super) use phrases::*;
pub(super) use technical::*;
pub(super) use words::*;

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};

/// A set of words, built when it is first used.
pub(super) struct Words(LazyLock<FxHashSet<&'static str>>);

impl Words {
    const fn new(make: fn() -> FxHashSet<&'static str>) -> Self {
        Self(LazyLock::new(make))
    }

    pub(super) fn has(&self, word: &str) -> bool {
        self.0.contains(word)
    }
}

fn set(words: &'static str) -> FxHashSet<&'static str> {
    words.split_whitespace().collect()
}

/// A list of phrases, indexed by first word when it is first used.
pub(super) struct Phrases(LazyLock<FxHashMap<&'static str, Vec<&'static str>>>);

impl Phrases {
    const fn new(make: fn() -> FxHashMap<&'static str, Vec<&'static str>>) -> Self {
        Self(LazyLock::new(make))
    }

    /// The longest phrase with which a text begins. The text is in plain words.
    pub(super) fn at_start(&self, plain: &str) -> Option<&'static str> {
        let first = plain.split(' ').next()?;
        let phrases = self.0.get(first)?.iter().copied();
        let begins = |phrase: &&str| {
            plain
                .strip_prefix(phrase)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        phrases.filter(begins).max_by_key(|phrase| phrase.len())
    }

    /// Whether a text of plain words contains a phrase.
    pub(super) fn within(&self, plain: &str) -> bool {
        let starts = plain.match_indices(' ').map(|(at, _)| at + 1);
        std::iter::once(0)
            .chain(starts)
            .any(|at| self.at_start(&plain[at..]).is_some())
    }

    /// Whether a word is a phrase by itself.
    pub(super) fn has(&self, word: &str) -> bool {
        self.0
            .get(word)
            .is_some_and(|phrases| phrases.contains(&word))
    }
}

fn phrases(list: &'static str) -> FxHashMap<&'static str, Vec<&'static str>> {
    let mut index: FxHashMap<&'static str, Vec<&'static str>> = FxHashMap::default();
    for phrase in list.split(',').map(str::trim) {
        let first = phrase.split(' ').next().unwrap_or_default();
        index.entry(first).or_default().push(phrase);
    }
    index
}
