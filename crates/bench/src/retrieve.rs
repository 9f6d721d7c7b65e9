//! Suite `retrieve`: is the paragraph that a question was asked about found first
//! among all paragraphs of its set, in English, Russian and Hebrew. And suite
//! `retrieve-locomo`: are the turns found that an answer rests on.

mod locomo;
mod paragraphs;

use std::path::Path;

use crate::Row;
use crate::search::{SEARCHES, Search};
use paragraphs::Set;

pub(crate) use locomo::run as locomo;

/// Files with the names of their metrics.
const SETS: &[(&str, &str, &str)] = &[
    ("xquad.en.half.json", "en_r1", "en_mrr"),
    ("xquad.ru.half.json", "ru_r1", "ru_mrr"),
    ("heq.val.json", "he_r1", "he_mrr"),
];

/// A row for each way to search.
///
/// # Errors
/// When the data cannot be read.
pub(crate) fn run(data: &Path) -> anyhow::Result<Vec<Row>> {
    let folder = data.join("retrieval");
    let mut sets = Vec::new();
    for (file, r1, mrr) in SETS {
        sets.push((Set::read(&folder.join(file))?, *r1, *mrr));
    }
    let rows = SEARCHES.iter().map(|(name, make)| {
        let mut first = Vec::new();
        let mut reciprocal = Vec::new();
        for (set, r1, mrr) in &sets {
            let texts: Vec<&str> = set.paragraphs.iter().map(String::as_str).collect();
            let ranks = ranks(set, &make(&texts));
            let all = ranks.len().max(1) as f64;
            let at_first = ranks.iter().filter(|rank| **rank == Some(1)).count();
            first.push((*r1, 100.0 * at_first as f64 / all));
            let sum: f64 = ranks.iter().flatten().map(|rank| 1.0 / *rank as f64).sum();
            reciprocal.push((*mrr, 100.0 * sum / all));
        }
        first.extend(reciprocal);
        Row {
            name: (*name).to_owned(),
            metrics: first,
        }
    });
    Ok(rows.collect())
}

/// Where the right paragraph stands for each question, from 1.
fn ranks(set: &Set, search: &Search) -> Vec<Option<usize>> {
    let questions = set.questions.iter();
    questions
        .map(|(question, right)| {
            let found = search(question);
            found
                .iter()
                .position(|(id, _)| id == right)
                .map(|at| at + 1)
        })
        .collect()
}
