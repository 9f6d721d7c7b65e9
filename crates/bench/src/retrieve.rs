//! Suite `retrieve`: is the paragraph that a question was asked about found first
//! among all paragraphs of its set, in English, Russian and Hebrew. And suite
//! `retrieve-locomo`: are the turns found that an answer rests on.

mod locomo;
mod paragraphs;

use crate::embedded::Model;
use crate::search::{SEARCHES, Search, with_model};
use crate::{Args, Row};
use paragraphs::Set;

pub(crate) use locomo::run as locomo;

/// Files with the names of their metrics.
const SETS: &[(&str, &str, &str)] = &[
    ("xquad.en.half.json", "en_r1", "en_mrr"),
    ("xquad.ru.half.json", "ru_r1", "ru_mrr"),
    ("heq.val.json", "he_r1", "he_mrr"),
];

/// The row of the product with a model.
const WITH_MODEL: &str = "builtin+model";

/// A row for each way to search; with a model one more.
///
/// # Errors
/// When the data or the model cannot be read.
pub(crate) fn run(args: &Args) -> anyhow::Result<Vec<Row>> {
    let folder = args.data.join("retrieval");
    let model = args.embedder.as_deref().map(Model::open).transpose()?;
    let mut sets = Vec::new();
    for (file, r1, mrr) in SETS {
        sets.push((Set::read(&folder.join(file))?, *r1, *mrr));
    }
    let mut rows = Vec::new();
    for (name, make) in SEARCHES {
        rows.push(row(name, &sets, |texts, _| Ok(make(texts)))?);
    }
    if let Some(model) = &model {
        let search = |texts: &[&str], questions: &[&str]| with_model(model, texts, questions);
        rows.push(row(WITH_MODEL, &sets, search)?);
    }
    Ok(rows)
}

/// The row of one way to search: from texts and the questions that will be asked of them.
fn row(
    name: &str,
    sets: &[(Set, &'static str, &'static str)],
    make: impl Fn(&[&str], &[&str]) -> anyhow::Result<Search>,
) -> anyhow::Result<Row> {
    let mut metrics = Vec::new();
    let mut reciprocal = Vec::new();
    for (set, r1, mrr) in sets {
        let texts: Vec<&str> = set.paragraphs.iter().map(String::as_str).collect();
        let questions = set.questions.iter();
        let questions: Vec<&str> = questions.map(|(question, _)| question.as_str()).collect();
        let ranks = ranks(set, &make(&texts, &questions)?);
        let all = ranks.len().max(1) as f64;
        let at_first = ranks.iter().filter(|rank| **rank == Some(1)).count();
        metrics.push((*r1, 100.0 * at_first as f64 / all));
        let sum: f64 = ranks.iter().flatten().map(|rank| 1.0 / *rank as f64).sum();
        reciprocal.push((*mrr, 100.0 * sum / all));
    }
    metrics.extend(reciprocal);
    Ok(Row {
        name: name.to_owned(),
        metrics,
    })
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
