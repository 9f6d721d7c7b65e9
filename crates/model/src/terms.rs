//! The search terms of a text: a sparse vector for each leg of the search. They are in this crate
//! because both rules and folds use them, and neither depends on the other.

mod of_text;

use serde::{Deserialize, Serialize};

pub use of_text::{
    MOST_CHARACTERS, TERMS_VERSION, alike_terms, document_terms, query_terms, words_of,
};

/// Hashes of terms with their weights.
///
/// **Invariant:** hashes are sorted and unique; weights are positive and finite.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SparseVector(Vec<(u32, f32)>);

impl SparseVector {
    /// Takes terms in any order. Of a repeated term the larger weight is kept. Weights that are
    /// not positive and finite are left out.
    #[must_use]
    pub fn new(mut terms: Vec<(u32, f32)>) -> Self {
        terms.retain(|(_, weight)| weight.is_finite() && *weight > 0.0);
        terms.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
        terms.dedup_by_key(|(hash, _)| *hash);
        Self(terms)
    }

    /// The terms, sorted by hash.
    #[must_use]
    pub fn terms(&self) -> &[(u32, f32)] {
        &self.0
    }

    /// Whether there is no term at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The three sparse legs of a text.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Terms {
    /// Whole words.
    pub words: SparseVector,
    /// Beginnings of words.
    pub stems: SparseVector,
    /// Runs of characters within words.
    pub grams: SparseVector,
}

/// One way in which a text is looked for. The names are those of the vectors in
/// the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Leg {
    /// [`Terms::words`].
    Words,
    /// [`Terms::stems`].
    Stems,
    /// [`Terms::grams`].
    Grams,
    /// The vector of a model.
    Dense,
}

impl Leg {
    /// Every leg.
    pub const ALL: [Self; 4] = [Self::Words, Self::Stems, Self::Grams, Self::Dense];
    /// The legs that are computed from the text alone.
    pub const SPARSE: [Self; 3] = [Self::Words, Self::Stems, Self::Grams];

    /// The name of the vector.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Words => "words",
            Self::Stems => "stems",
            Self::Grams => "grams",
            Self::Dense => "dense",
        }
    }
}

impl Terms {
    /// The vector of a leg; `None` for the dense one.
    #[must_use]
    pub const fn leg(&self, leg: Leg) -> Option<&SparseVector> {
        match leg {
            Leg::Words => Some(&self.words),
            Leg::Stems => Some(&self.stems),
            Leg::Grams => Some(&self.grams),
            Leg::Dense => None,
        }
    }

    /// Whether no leg has a term, because the text has no letter and no digit.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty() && self.stems.is_empty() && self.grams.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_sorted_and_stand_once() {
        let vector = SparseVector::new(vec![
            (7, 1.0),
            (3, 0.5),
            (7, 2.0),
            (1, 0.0),
            (2, f32::NAN),
            (4, -1.0),
        ]);
        assert_eq!(vector.terms(), [(3, 0.5), (7, 2.0)]);
    }

    #[test]
    fn the_dense_leg_has_no_terms() {
        let terms = Terms::default();
        assert!(terms.is_empty());
        for leg in Leg::ALL {
            assert_eq!(terms.leg(leg).is_some(), Leg::SPARSE.contains(&leg));
        }
    }
}
