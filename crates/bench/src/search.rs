//! Ways to search, exact and in memory: the built-in legs, fused as the product
//! does, and two yardsticks.

mod bm25;
mod postings;

use threadlore_language::retrieve::fuse;
use threadlore_model::{Found, Leg, Terms, document_terms, query_terms};

use crate::embedded::{Model, nearest};
use bm25::Bm25;
pub(crate) use postings::Postings;

/// Candidates for a question, best first: positions of texts with their scores.
/// Those that share no term with it are left out.
pub(crate) type Search = Box<dyn Fn(&str) -> Vec<(usize, f32)>>;

/// From texts to a way to search them.
type Make = fn(&[&str]) -> Search;

/// Every way by name.
pub(crate) const SEARCHES: &[(&str, Make)] = &[
    ("builtin", builtin),
    ("words-bm25", words),
    ("trigrams-bm25", trigrams),
];

/// Candidates that `ask` wants of each leg: three results, three times as many, for each leg.
pub(crate) const OF_LEG: usize = 9 * Leg::ALL.len();

/// The sparse legs and that of a model, fused; for these questions.
///
/// # Errors
/// What the model says.
pub(crate) fn with_model(
    model: &Model,
    texts: &[&str],
    questions: &[&str],
) -> anyhow::Result<Search> {
    let (legs, known) = (Legs::of(texts), model.passages(texts)?);
    let vectors = model.questions(questions)?;
    Ok(Box::new(move |question| {
        let mut found = legs.found(question);
        found.extend(
            vectors
                .get(question)
                .map(|asked| nearest(&known, asked, OF_LEG)),
        );
        let hits = fuse(&found).into_iter();
        hits.map(|hit| (hit.id, hit.score)).collect()
    }))
}

/// The three sparse legs, fused.
pub(crate) fn builtin(texts: &[&str]) -> Search {
    let legs = Legs::of(texts);
    Box::new(move |question| {
        let hits = fuse(&legs.found(question)).into_iter();
        hits.map(|hit| (hit.id, hit.score)).collect()
    })
}

/// What the sparse legs find, each for itself.
pub(crate) struct Legs([(Leg, Postings); 3]);

impl Legs {
    pub(crate) fn of(texts: &[&str]) -> Self {
        let terms: Vec<Terms> = texts.iter().map(|text| document_terms(text)).collect();
        let of_leg = |leg| Postings::of(terms.iter().filter_map(|terms| terms.leg(leg)));
        Self(Leg::SPARSE.map(|leg| (leg, of_leg(leg))))
    }

    pub(crate) fn found(&self, question: &str) -> Vec<Found<usize>> {
        let terms = query_terms(question);
        let found = self.0.iter().filter_map(|(leg, postings)| {
            let candidates = postings.search(terms.leg(*leg)?);
            Some(Found {
                leg: *leg,
                candidates,
            })
        });
        found.collect()
    }
}

fn words(texts: &[&str]) -> Search {
    yardstick(texts, bm25::words)
}

fn trigrams(texts: &[&str]) -> Search {
    yardstick(texts, bm25::trigrams)
}

fn yardstick(texts: &[&str], split: bm25::Split) -> Search {
    let index = Bm25::of(texts, split);
    Box::new(move |question| index.search(question))
}

/// Best first; equal scores in the order of the texts.
fn ranked(mut candidates: Vec<(usize, f32)>) -> Vec<(usize, f32)> {
    candidates.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    candidates
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_finds_the_text_with_the_words() {
        let texts = [
            "the wifi is slow",
            "my card was stolen",
            "how to mount a disk",
        ];
        for (name, make) in SEARCHES {
            let found = make(&texts)("stolen card");
            assert_eq!(found[0].0, 1, "{name}");
            assert!(make(&texts)("🎉").is_empty(), "{name}");
        }
    }
}
