//! Words of a line, lower-cased, and which of them say something.

use std::collections::HashMap;

/// A word, numbered in order of first appearance in the window.
pub(super) type Word = u32;

/// Words of the lines of a window.
pub(super) struct Vocabulary {
    /// Per line the distinct words that few lines share, ascending.
    rare: Vec<Vec<Word>>,
}

/// Words shorter than this carry no topic.
const SHORTEST: usize = 4;
/// A word in more than this part of the lines (one in so many) is not rare.
const RARE_PART: usize = 40;
/// A word in this many lines is rare in every window.
const RARE_ALWAYS: usize = 5;
/// More words of one line than this are not looked at.
const MOST: usize = 200;

impl Vocabulary {
    pub(super) fn new<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let mut numbers: HashMap<String, Word> = HashMap::new();
        let mut spread: Vec<usize> = Vec::new();
        let mut lines: Vec<Vec<Word>> = Vec::new();
        for text in texts {
            let mut words: Vec<Word> = tokens(text)
                .filter(|token| token.chars().count() >= SHORTEST)
                .take(MOST)
                .map(|token| {
                    let next = Word::try_from(numbers.len()).unwrap_or(Word::MAX);
                    *numbers.entry(token.to_lowercase()).or_insert(next)
                })
                .collect();
            words.sort_unstable();
            words.dedup();
            spread.resize(numbers.len(), 0);
            for word in &words {
                spread[*word as usize] += 1;
            }
            lines.push(words);
        }
        let most = RARE_ALWAYS.max(lines.len() / RARE_PART);
        for words in &mut lines {
            words.retain(|word| spread[*word as usize] <= most);
        }
        Self { rare: lines }
    }

    /// How many rare words two lines share.
    pub(super) fn shared(&self, a: usize, b: usize) -> usize {
        let (mut left, mut right) = (self.rare[a].as_slice(), self.rare[b].as_slice());
        let mut count = 0;
        while let ([l, ..], [r, ..]) = (left, right) {
            match l.cmp(r) {
                std::cmp::Ordering::Less => left = &left[1..],
                std::cmp::Ordering::Greater => right = &right[1..],
                std::cmp::Ordering::Equal => {
                    count += 1;
                    (left, right) = (&left[1..], &right[1..]);
                }
            }
        }
        count
    }
}

/// Runs of letters, digits and the signs that names and file names contain.
pub(super) fn tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || is_name_sign(c)))
        .filter(|token| !token.is_empty())
}

/// Signs that chat names may contain beside letters and digits.
pub(super) fn is_name_sign(c: char) -> bool {
    matches!(
        c,
        '_' | '-' | '[' | ']' | '{' | '}' | '\\' | '`' | '^' | '|'
    )
}
