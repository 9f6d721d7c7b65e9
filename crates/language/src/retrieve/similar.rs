//! The similarity of two texts: the cosine of their grams, where terms that are rare among the
//! known texts count more, and long texts count as more similar than short ones.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;
use threadlore_model::{SparseVector, alike_terms};

/// The name of this comparison with its version, which grows with every change of a similarity.
pub const COMPARER: &str = "alike-1";

/// A text with as many different grams is long enough (about fifty words; 97 of 100
/// questions of BANKING77's train.csv have fewer).
const ENOUGH: f32 = 300.0;
/// How much shorter texts are discounted. For two questions of usual length, 0.8 of the cosine is
/// left. On train.csv, with 4 of 100 merges wrong, 37 % are merged rightly instead of 26 %, and the
/// nearest has the same intent for 84.4 % instead of 84.1 %. A larger value is worse again (0.15:
/// 84.2 %).
const BELIEF: f32 = 0.1;

/// How many known texts contain each term.
#[derive(Debug, Clone, Default)]
pub struct Rarity {
    texts: u32,
    with: FxHashMap<u32, u32>,
    /// What a term counts by how many texts contain it.
    weights: OnceLock<Vec<f32>>,
}

impl Rarity {
    /// Among these texts, by [`alike_terms`](threadlore_model::alike_terms).
    #[must_use]
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a SparseVector>) -> Self {
        let mut rarity = Self::default();
        for terms in texts {
            rarity.add(terms);
        }
        rarity
    }

    /// One more text is known.
    pub fn add(&mut self, terms: &SparseVector) {
        self.texts += 1;
        self.weights = OnceLock::new();
        for (hash, _) in terms.terms() {
            *self.with.entry(*hash).or_default() += 1;
        }
    }

    /// The weighed text, for comparison with others among the same known texts.
    #[must_use]
    pub fn weigh(&self, terms: &SparseVector) -> Weighed {
        let each = terms.terms().iter();
        let terms: Vec<(u32, f32)> = each
            .map(|(hash, weight)| (*hash, weight * self.weight(*hash)))
            .collect();
        let length = dot(&terms, &terms).sqrt();
        let belief = (terms.len() as f32 / ENOUGH).min(1.0).powf(BELIEF);
        let factor = if length > 0.0 { belief / length } else { 0.0 };
        Weighed { terms, factor }
    }

    fn weight(&self, hash: u32) -> f32 {
        let weights = self.weights.get_or_init(|| {
            let counts = (0..=self.texts).map(|with| with as f32);
            counts.map(|with| weight(self.texts as f32, with)).collect()
        });
        let with = self.with.get(&hash).copied().unwrap_or(0);
        weights.get(with as usize).copied().unwrap_or_default()
    }
}

/// What a term counts that is in `with` of `all` texts. Far less than BM25's IDF, its fourth root on
/// either side: with all of it, a few rare words outweigh what the texts have in common (2,500
/// questions of BANKING77's train.csv against all others: the nearest has the same intent for
/// 84.2 % instead of 79.8 %).
fn weight(all: f32, with: f32) -> f32 {
    let idf = (1.0 + (all - with + 0.5) / (with + 0.5)).ln();
    idf.sqrt().sqrt()
}

/// A text with weighed terms, for [`similar`].
#[derive(Debug, Clone)]
pub struct Weighed {
    /// Sorted by hash.
    terms: Vec<(u32, f32)>,
    /// By which a product with these terms becomes a similarity.
    factor: f32,
}

/// The similarity of two texts, 0 to 1, both weighed by the same [`Rarity`]. It is the same in both
/// directions, and 0 for texts without a term.
///
/// It is their cosine, with a discount for short texts: two long ones that agree by half have more
/// in common than two short ones. A text is most similar to itself, but only a long one (fifty
/// words) reaches 1: "Help!" twice is weak evidence of one problem.
#[must_use]
pub fn similar(a: &Weighed, b: &Weighed) -> f32 {
    (dot(&a.terms, &b.terms) * (a.factor * b.factor)).clamp(0.0, 1.0)
}

/// A text whose terms have all the same weight. Weights by rarity change little (suite `silence` in
/// docs/bench.md), and would make what is compared depend on other texts.
#[must_use]
pub fn weighed(text: &str) -> Weighed {
    Rarity::default().weigh(&alike_terms(text))
}

/// Many texts, each of which is compared with the same text in one pass: by the terms that they share.
#[derive(Debug, Default)]
pub(super) struct WeighedTexts {
    /// Of each term the texts that have it, by their places, with its weight.
    postings: FxHashMap<u32, Vec<(usize, f32)>>,
    factors: Vec<f32>,
}

impl WeighedTexts {
    pub(super) fn of(texts: impl IntoIterator<Item = Weighed>) -> Self {
        let mut all = Self::default();
        for (place, text) in texts.into_iter().enumerate() {
            for (hash, weight) in text.terms {
                all.postings.entry(hash).or_default().push((place, weight));
            }
            all.factors.push(text.factor);
        }
        all
    }

    /// How similar each of them is, in their order; the same as [`similar`] says of each.
    pub(super) fn similar(&self, to: &Weighed) -> Vec<f32> {
        let mut sums = vec![0.0; self.factors.len()];
        for (hash, weight) in &to.terms {
            for (place, other) in self.postings.get(hash).into_iter().flatten() {
                sums[*place] += weight * other;
            }
        }
        let each = sums.into_iter().zip(&self.factors);
        each.map(|(sum, factor)| (sum * (to.factor * factor)).clamp(0.0, 1.0))
            .collect()
    }
}

/// Of two vectors that are sorted by hash.
fn dot(a: &[(u32, f32)], b: &[(u32, f32)]) -> f32 {
    let (mut sum, mut at) = (0.0, 0);
    for (hash, weight) in a {
        while b.get(at).is_some_and(|(other, _)| other < hash) {
            at += 1;
        }
        if let Some((other, factor)) = b.get(at)
            && other == hash
        {
            sum += weight * factor;
        }
    }
    sum
}
