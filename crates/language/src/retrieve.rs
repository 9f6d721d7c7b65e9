//! The order of an index's results, and the choice among them.
//!
//! Every leg (words, stems, grams, a model's vector) has its own candidates, with scores of its own
//! kind. Divided by the best score of their leg, scores are comparable, and their weighted sum is
//! the rank. Scores of a model's vectors are close together and far from 0, so they are measured
//! from the worst candidate instead.
//!
//! If all legs agree, the first candidate has 1. That means it is the best of the candidates, not
//! that it is good: [`similar`] compares two texts independently of others.
//!
//! A leg that did not answer, or found nothing, lowers no score: only the weights of the other legs
//! count then.

mod content;
mod forms;
mod similar;
mod synonyms;

use std::collections::BTreeMap;

use threadlore_model::{Found, Leg};

pub use content::{Content, telling_words};
pub use forms::{ASKS_THE_SAME, Corpus, Forms};
pub use similar::{COMPARER, Rarity, Weighed, similar, weighed};
pub use synonyms::{BadLine, Synonyms, expanded};

/// The weight of a leg: the best of a handful that were tried on paragraphs in three languages
/// (XQuAD en and ru, HeQ he), the dense leg with multilingual-e5-small and 15 candidates. With the
/// dense leg, recall@1 went from 93.6, 91.7, 93.2 to 95.6, 93.8, 94.1; with plain division by the
/// best score it was 94.6, 92.5, 93.4. Twice the dense weight costs Hebrew two points, a language
/// in which the model alone finds 83.6.
#[must_use]
pub const fn weight(leg: Leg) -> f32 {
    match leg {
        Leg::Words => 0.1,
        Leg::Stems => 0.2,
        Leg::Grams => 0.7,
        Leg::Dense => 0.5,
    }
}

/// The score of a hit in one leg.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LegScore {
    /// Which leg.
    pub leg: Leg,
    /// Its own score.
    pub raw: f32,
    /// Its share of the hit's score. The shares of a hit sum up to the score.
    pub share: f32,
}

/// A result, with the reasons for its rank.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit<T> {
    /// The id of the result.
    pub id: T,
    /// 0 to 1.
    pub score: f32,
    /// By leg, in the order of [`Leg`]; those that did not find it are left out.
    pub legs: Vec<LegScore>,
}

impl<T> Hit<T> {
    /// The leg's own score, if it found the hit.
    #[must_use]
    pub fn raw(&self, leg: Leg) -> Option<f32> {
        self.legs.iter().find(|of| of.leg == leg).map(|of| of.raw)
    }
}

/// One ranking of the candidates of all legs, best first; equal scores by id. A leg that is given
/// twice counts as one.
#[must_use]
pub fn fuse<T: Ord + Clone>(found: &[Found<T>]) -> Vec<Hit<T>> {
    let mut scores: BTreeMap<Leg, BTreeMap<&T, f32>> = BTreeMap::new();
    for Found { leg, candidates } in found {
        for (id, raw) in candidates {
            if raw.is_finite() && *raw > 0.0 {
                let best = scores.entry(*leg).or_default().entry(id).or_default();
                *best = best.max(*raw);
            }
        }
    }
    let all: f32 = scores.keys().map(|leg| weight(*leg)).sum();
    let mut legs_of: BTreeMap<&T, Vec<LegScore>> = BTreeMap::new();
    for (leg, scores) in scores {
        let best = scores.values().copied().fold(0.0, f32::max);
        let worst = match leg {
            Leg::Dense => scores.values().copied().fold(best, f32::min),
            Leg::Words | Leg::Stems | Leg::Grams => 0.0,
        };
        for (id, raw) in scores {
            // All candidates of one score are all the best.
            let part = if best > worst {
                (raw - worst) / (best - worst)
            } else {
                1.0
            };
            let share = weight(leg) / all * part;
            legs_of
                .entry(id)
                .or_default()
                .push(LegScore { leg, raw, share });
        }
    }
    let hits = legs_of.into_iter().map(|(id, legs)| Hit {
        id: id.clone(),
        score: legs.iter().map(|leg| leg.share).sum::<f32>().min(1.0),
        legs,
    });
    let mut hits: Vec<Hit<T>> = hits.collect();
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
    hits
}

/// How much of a ranking is handed on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cut {
    /// A hit below this score is left out.
    pub score: f32,
    /// Hits at most.
    pub most: usize,
    /// Characters of all hits together at most.
    pub characters: usize,
}

impl Default for Cut {
    fn default() -> Self {
        Self {
            score: 0.15,
            most: 5,
            characters: 8_000,
        }
    }
}

/// The hits within the limits, in their order. One that is too long for the remaining characters is
/// left out; a shorter one after it may still fit.
#[must_use]
pub fn cut<T>(hits: Vec<Hit<T>>, limits: &Cut, length: impl Fn(&T) -> usize) -> Vec<Hit<T>> {
    let mut left = limits.characters;
    hits.into_iter()
        .filter(|hit| hit.score >= limits.score)
        .filter(|hit| match left.checked_sub(length(&hit.id)) {
            Some(rest) => {
                left = rest;
                true
            }
            None => false,
        })
        .take(limits.most)
        .collect()
}

#[cfg(test)]
mod tests;
