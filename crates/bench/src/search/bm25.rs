//! The yardsticks: BM25 as it is usually set up (k1 1.2, b 0.75, the average
//! length of the texts themselves), over lower-case words or over their
//! three-character runs.

use std::collections::HashMap;

use threadlore_model::SparseVector;

use super::Postings;

const K1: f32 = 1.2;
const B: f32 = 0.75;

/// From a text to its terms.
pub(super) type Split = fn(&str) -> Vec<String>;

pub(super) struct Bm25 {
    split: Split,
    numbers: HashMap<String, u32>,
    postings: Postings,
}

impl Bm25 {
    pub(super) fn of(texts: &[&str], split: Split) -> Self {
        let mut numbers = HashMap::new();
        let counted: Vec<HashMap<u32, f32>> = texts
            .iter()
            .map(|text| {
                let mut counts = HashMap::new();
                for term in split(text) {
                    let next = numbers.len() as u32;
                    *counts
                        .entry(*numbers.entry(term).or_insert(next))
                        .or_default() += 1.0;
                }
                counts
            })
            .collect();
        let length = |counts: &HashMap<u32, f32>| counts.values().sum::<f32>();
        let usual = counted.iter().map(length).sum::<f32>() / counted.len().max(1) as f32;
        let vectors: Vec<SparseVector> = counted
            .iter()
            .map(|counts| {
                let long = K1 * (1.0 - B + B * length(counts) / usual);
                let weight = |times: f32| times * (K1 + 1.0) / (times + long);
                let terms = counts.iter().map(|(term, times)| (*term, weight(*times)));
                SparseVector::new(terms.collect())
            })
            .collect();
        Self {
            split,
            numbers,
            postings: Postings::of(vectors.iter()),
        }
    }

    pub(super) fn search(&self, question: &str) -> Vec<(usize, f32)> {
        let terms = (self.split)(question).into_iter();
        let known = terms.filter_map(|term| Some((*self.numbers.get(&term)?, 1.0)));
        self.postings.search(&SparseVector::new(known.collect()))
    }
}

/// Lower-case runs of letters and digits.
pub(super) fn words(text: &str) -> Vec<String> {
    let text = text.to_lowercase();
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Three characters in a row of each word and its ends.
pub(super) fn trigrams(text: &str) -> Vec<String> {
    let mut grams = Vec::new();
    for word in words(text) {
        let letters: Vec<char> = format!("_{word}_").chars().collect();
        grams.extend(letters.windows(3).map(|run| run.iter().collect::<String>()));
    }
    grams
}
