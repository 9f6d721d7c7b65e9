//! What the closeness of a case is made of, so that it can be said what other thresholds would
//! give; and searches by words or by vectors alone.

use std::time::Duration;

use crate::ask::{Candidate, closeness_of_vectors, closeness_standing_out};
use crate::search::Retrieved;

/// What a case is found by, and close by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// Words, and vectors where there is a model.
    Both,
    /// Words alone.
    Words,
    /// Vectors alone.
    Vectors,
}

/// Where the vector of a case alone makes it close: the settings `embedder.close_at` and
/// `embedder.stands_out_at`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thresholds {
    /// The cosine, in thousandths. With `None`, no cosine alone does.
    pub close_at: Option<u32>,
    /// How far it stands out among those of others, in hundredths of the spread of the model's
    /// cosines.
    pub stands_out_at: u32,
}

/// What the closeness of a case is made of.
#[derive(Debug, Clone, Copy)]
pub struct Measured {
    /// Its closeness by words, in thousandths.
    pub words: u32,
    /// The cosine of its vector with the question's, if that leg found it.
    pub cosine: Option<f32>,
    /// How far that cosine stands out, in spreads.
    pub stands_out: Option<f32>,
}

impl Measured {
    /// The closeness, in thousandths: by whichever of the three it is closest.
    #[must_use]
    pub fn closeness(&self, at: Thresholds) -> u32 {
        let by_vector = self.cosine.zip(at.close_at);
        let by_vector = by_vector.map_or(0, |(cosine, at)| closeness_of_vectors(cosine, at));
        let standing = self.stands_out;
        let standing = standing.map_or(0, |by| closeness_standing_out(by, at.stands_out_at));
        self.words.max(by_vector).max(standing)
    }
}

impl Retrieved {
    /// The candidates as they would be with other thresholds.
    #[must_use]
    pub fn at(&self, thresholds: Thresholds) -> Vec<Candidate> {
        let both = self.candidates.iter().zip(&self.measured);
        both.map(|(one, measured)| Candidate {
            case: one.case.clone(),
            close: measured.closeness(thresholds),
        })
        .collect()
    }
}

/// How long the stages of a search took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Took {
    /// The model, for the vector of the question.
    pub model: Duration,
    /// The index.
    pub index: Duration,
    /// The rows of what the index found.
    pub tables: Duration,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::CLOSE;

    #[test]
    fn a_case_is_as_close_as_the_closest_of_its_measures() {
        let measured = Measured {
            words: 300,
            cosine: Some(0.9),
            stands_out: Some(0.5),
        };
        let close = |close_at, stands_out_at| {
            measured.closeness(Thresholds {
                close_at,
                stands_out_at,
            })
        };
        assert_eq!(close(None, 100), 300, "by words");
        assert!(close(Some(900), 100) >= CLOSE, "by the cosine");
        assert!(close(None, 50) >= CLOSE, "because it stands out");
        assert!(close(Some(901), 51) < CLOSE);
    }
}
