//! The words of the remembered lines, and how much it says that two lines
//! share one: the rarer, the more.

use std::collections::{BTreeMap, HashMap, VecDeque};

/// Words shorter than this carry no topic, unless their script writes no vowels.
const SHORTEST: usize = 4;
/// The shortest in a script that writes no vowels.
const SHORTEST_CONSONANTAL: usize = 3;
/// How many letters identify a word: endings change, stems do not.
const STEM: usize = 6;
/// The most words of one line that are analysed.
const MOST: usize = 60;
/// A word in more lines than this says nothing.
const COMMON: usize = 24;

/// Which lines have a word.
#[derive(Debug, Clone, Default)]
pub(super) struct Words {
    lines: HashMap<String, VecDeque<usize>>,
}

impl Words {
    /// The weight of the words that earlier lines from `first` on share with a
    /// line, by earlier line.
    pub(super) fn shared(
        &self,
        stems: &[String],
        first: usize,
        remembered: usize,
    ) -> Vec<(usize, usize)> {
        let mut shared: BTreeMap<usize, usize> = BTreeMap::new();
        for stem in stems {
            let Some(lines) = self.lines.get(stem) else {
                continue;
            };
            if lines.len() > COMMON {
                continue;
            }
            let weight = weight(lines.len(), remembered);
            for line in lines.iter().rev().take_while(|line| **line >= first) {
                *shared.entry(*line).or_default() += weight;
            }
        }
        shared.into_iter().collect()
    }

    pub(super) fn learn(&mut self, line: usize, stems: &[String]) {
        for stem in stems {
            self.lines.entry(stem.clone()).or_default().push_back(line);
        }
    }

    /// Forgets the oldest line with these words.
    pub(super) fn forget(&mut self, stems: &[String]) {
        for stem in stems {
            if let Some(lines) = self.lines.get_mut(stem) {
                lines.pop_front();
                if lines.is_empty() {
                    self.lines.remove(stem);
                }
            }
        }
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }
}

/// Four times the logarithm to base 2, in whole numbers, of how rare a word is.
fn weight(lines: usize, remembered: usize) -> usize {
    let log = |n: usize| {
        let whole = n.max(1).ilog2() as usize;
        whole * 4 + ((n << 2) >> whole) % 4
    };
    log(remembered.max(64)).saturating_sub(log(lines))
}

/// The distinct words of a text that may carry a topic, each by its stem.
pub(super) fn stems(text: &str) -> Vec<String> {
    let mut stems: Vec<String> = tokens(text).filter_map(stem).take(MOST).collect();
    stems.sort_unstable();
    stems.dedup();
    stems
}

/// The stem of a word, the same for all of its endings. Hebrew and Arabic words also lose their
/// attached prefixes.
fn stem(token: &str) -> Option<String> {
    let lower = token.to_lowercase();
    let mut letters: &str = lower.trim_matches(is_name_sign);
    let consonantal = letters.chars().next().is_some_and(is_consonantal);
    if consonantal {
        letters = without_prefix(letters);
    }
    let least = if consonantal {
        SHORTEST_CONSONANTAL
    } else {
        SHORTEST
    };
    if letters.chars().count() < least {
        return None;
    }
    // A word with digits or signs is a name of something, and stays whole.
    if letters.chars().all(char::is_alphabetic) {
        Some(letters.chars().take(STEM).collect())
    } else {
        Some(letters.to_owned())
    }
}

/// Hebrew and Arabic letters.
fn is_consonantal(c: char) -> bool {
    matches!(c, '\u{0590}'..='\u{05FF}' | '\u{0600}'..='\u{06FF}' | '\u{0750}'..='\u{077F}')
}

fn without_prefix(word: &str) -> &str {
    let long = |rest: &&str| rest.chars().count() >= SHORTEST_CONSONANTAL;
    let particle = word.strip_prefix(['و', 'ف', 'ب', 'ل', 'ك']).unwrap_or(word);
    if let Some(rest) = particle.strip_prefix("ال").filter(long) {
        return rest;
    }
    word.strip_prefix(['ה', 'ו', 'ב', 'ל', 'מ', 'ש', 'כ'])
        .filter(|rest| rest.chars().count() > SHORTEST_CONSONANTAL)
        .unwrap_or(word)
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

/// The quotations of a text, as words: between quotation marks, or after `>`.
pub(super) fn quotes(text: &str) -> Vec<Vec<String>> {
    let spoken = |part: &str| -> Vec<String> { tokens(part).map(str::to_lowercase).collect() };
    if let Some(quoted) = text.trim_start().strip_prefix('>') {
        return vec![spoken(quoted.split('\n').next().unwrap_or_default())];
    }
    let mut parts = text.split(['"', '“', '”', '„', '«', '»', '″']);
    let mut quotes = Vec::new();
    parts.next();
    while let (Some(quoted), Some(_)) = (parts.next(), parts.next()) {
        let words = spoken(quoted);
        if words.len() > 1 {
            quotes.push(words);
        }
    }
    quotes.truncate(4);
    quotes
}
