//! Suite `dedup`: questions of BANKING77 with the same intent are the same
//! problem. Has the nearest known question the intent of a new one, and what
//! would be merged at the threshold. And suite `dedup-merges`: the same of the
//! known questions among themselves, over thresholds; for choosing one.

pub(crate) mod csv;

use std::path::Path;

use threadlore_language::retrieve::{Rarity, Weighed, similar};
use threadlore_model::{SparseVector, alike_terms, document_terms, query_terms};
use threadlore_roles::ExtractorParams;

use crate::Row;
use crate::search::{Postings, SEARCHES};
use csv::Labelled;

/// As many candidates of the index are compared with a text.
const CANDIDATES: usize = 100;

/// The most similar known text: whether it has the intent, and how similar it is.
struct Nearest {
    right: bool,
    similarity: f32,
}

/// What is known, ready to be compared with.
struct Memory<'a> {
    texts: &'a [Labelled],
    weighed: Vec<Weighed>,
    rarity: Rarity,
    postings: Postings,
}

/// A row for each way to find the nearest; on test, with train as what is known.
///
/// # Errors
/// When the data cannot be read.
pub(crate) fn run(data: &Path) -> anyhow::Result<Vec<Row>> {
    let folder = data.join("intents");
    let known = csv::read(&folder.join("train.csv"))?;
    let new = csv::read(&folder.join("test.csv"))?;
    let memory = Memory::of(&known);
    let nearest: Vec<Nearest> = new.iter().map(|text| memory.nearest(text, None)).collect();
    let mut metrics = vec![("nn1", right(&nearest))];
    let merge_at = ExtractorParams::default().merge_at as f32 / 1000.0;
    metrics.extend(merges(&nearest, merge_at));
    let mut rows = vec![Row {
        name: "builtin".to_owned(),
        metrics,
    }];
    let texts: Vec<&str> = known.iter().map(|known| known.text.as_str()).collect();
    for (name, make) in SEARCHES {
        let search = make(&texts);
        let right = new.iter().filter(|text| {
            let found = search(&text.text);
            found
                .first()
                .is_some_and(|(at, _)| known[*at].intent == text.intent)
        });
        let name = if *name == "builtin" {
            "retrieval"
        } else {
            name
        };
        rows.push(Row {
            name: name.to_owned(),
            metrics: vec![("nn1", percent(right.count(), new.len()))],
        });
    }
    Ok(rows)
}

/// A row for each threshold; each question of train against all others.
///
/// # Errors
/// When the data cannot be read.
pub(crate) fn thresholds(data: &Path) -> anyhow::Result<Vec<Row>> {
    let known = csv::read(&data.join("intents").join("train.csv"))?;
    let memory = Memory::of(&known);
    let each = known.iter().enumerate();
    let nearest: Vec<Nearest> = each
        .map(|(at, text)| memory.nearest(text, Some(at)))
        .collect();
    let rows = (10..20).map(|twentieths| {
        let threshold = twentieths as f32 / 20.0;
        let mut metrics = vec![("nn1", right(&nearest))];
        metrics.extend(merges(&nearest, threshold));
        Row {
            name: format!("train@{threshold:.2}"),
            metrics,
        }
    });
    Ok(rows.collect())
}

impl<'a> Memory<'a> {
    fn of(texts: &'a [Labelled]) -> Self {
        let each = || texts.iter().map(|known| known.text.as_str());
        let terms: Vec<SparseVector> = each().map(alike_terms).collect();
        let rarity = Rarity::of(&terms);
        let grams: Vec<SparseVector> = each().map(|text| document_terms(text).grams).collect();
        Self {
            texts,
            weighed: terms.iter().map(|terms| rarity.weigh(terms)).collect(),
            rarity,
            postings: Postings::of(grams.iter()),
        }
    }

    /// The most similar of the index's candidates, the text's own place left out.
    fn nearest(&self, text: &Labelled, own: Option<usize>) -> Nearest {
        let weighed = self.rarity.weigh(&alike_terms(&text.text));
        let found = self.postings.search(&query_terms(&text.text).grams);
        let others = found.iter().filter(|(at, _)| Some(*at) != own);
        let compared = others.take(CANDIDATES).map(|(at, _)| {
            let similarity = similar(&weighed, &self.weighed[*at]);
            (similarity, *at)
        });
        let best = compared.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        Nearest {
            right: best.is_some_and(|(_, at)| self.texts[at].intent == text.intent),
            similarity: best.map_or(0.0, |(similarity, _)| similarity),
        }
    }
}

fn right(nearest: &[Nearest]) -> f64 {
    percent(nearest.iter().filter(|n| n.right).count(), nearest.len())
}

/// What would be merged at a threshold.
fn merges(nearest: &[Nearest], threshold: f32) -> [(&'static str, f64); 3] {
    let merged = nearest.iter().filter(|n| n.similarity >= threshold);
    let (right, wrong): (Vec<&Nearest>, Vec<&Nearest>) = merged.partition(|n| n.right);
    let merged = right.len() + wrong.len();
    [
        ("false_merges", percent(wrong.len(), merged)),
        ("merge_recall", percent(right.len(), nearest.len())),
        ("merged", percent(merged, nearest.len())),
    ]
}

fn percent(part: usize, of: usize) -> f64 {
    100.0 * part as f64 / of.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labelled(text: &str, intent: &str) -> Labelled {
        Labelled {
            text: text.to_owned(),
            intent: intent.to_owned(),
        }
    }

    #[test]
    fn false_merges_are_a_share_of_the_merges() {
        let nearest = [(true, 0.9), (false, 0.9), (true, 0.8), (false, 0.2)]
            .map(|(right, similarity)| Nearest { right, similarity });
        let figures = merges(&nearest, 0.85);
        assert_eq!(figures.map(|(_, value)| value), [50.0, 25.0, 50.0]);
    }

    #[test]
    fn a_text_is_not_its_own_neighbour() {
        let known = [
            labelled("my card was stolen", "stolen"),
            labelled("the card got stolen", "stolen"),
            labelled("change my pin", "pin"),
        ];
        let nearest = Memory::of(&known).nearest(&known[0], Some(0));
        assert!(nearest.right && nearest.similarity < 0.99);
    }
}
