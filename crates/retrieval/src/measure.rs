//! What other settings would have given; searches by words or by vectors alone; how long the stages
//! took.

use std::time::Duration;

use crate::ask::Candidate;
use crate::search::Retrieved;

/// What a case is found by, and close by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// Words, and vectors where there is a model.
    Both,
    /// The same, without what answers were worth.
    Untried,
    /// Words alone.
    Words,
    /// Vectors alone.
    Vectors,
}

impl Retrieved {
    /// The candidates as they would be where so many of a hundred answers may be wrong.
    #[must_use]
    pub fn at(&self, wrong_at_most: u32) -> Vec<Candidate> {
        let both = self.candidates.iter().zip(&self.signs);
        both.map(|(one, signs)| Candidate {
            case: one.case.clone(),
            close: signs.closeness(wrong_at_most),
            score: one.score,
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
