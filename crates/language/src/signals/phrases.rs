//! Lists of words and phrases, searched among the words of a text.

use std::ops::Range;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// A list of phrases, indexed by first word when it is first used.
pub(super) struct Phrases(LazyLock<Index>);

type Index = FxHashMap<&'static str, Vec<Vec<&'static str>>>;

/// The index of a list, its phrases separated by commas.
pub(super) fn index(list: &'static str) -> Index {
    let mut index = Index::default();
    for phrase in list.split(',') {
        let mut words = phrase.split_whitespace();
        if let Some(first) = words.next() {
            index.entry(first).or_default().push(words.collect());
        }
    }
    index
}

impl Phrases {
    /// A list that is made by `make`.
    pub(super) const fn new(make: fn() -> Index) -> Self {
        Self(LazyLock::new(make))
    }

    /// The places of the list's phrases among `words`.
    pub(super) fn places<'a>(
        &'a self,
        words: &'a [&'a str],
    ) -> impl Iterator<Item = Range<usize>> + 'a {
        words.iter().enumerate().flat_map(move |(at, word)| {
            let ends = self.0.get(word).into_iter().flatten();
            ends.filter(move |rest| words[at + 1..].starts_with(rest))
                .map(move |rest| at..at + 1 + rest.len())
        })
    }

    /// Whether `words` contain a phrase of the list.
    pub(super) fn any(&self, words: &[&str]) -> bool {
        self.places(words).next().is_some()
    }

    /// Whether the list has `word` by itself.
    pub(super) fn has(&self, word: &str) -> bool {
        self.0
            .get(word)
            .is_some_and(|rests| rests.iter().any(Vec::is_empty))
    }
}
