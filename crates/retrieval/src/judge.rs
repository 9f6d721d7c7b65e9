//! What a reply is worth where the right one is known, and where the right case is among the
//! candidates. `threadlore eval` and the suite `answers` of the benchmarks judge by it.

mod tally;
mod threshold;

use threadlore_model::{Case, CaseId};

pub use tally::{Tally, WITHIN};
pub use threshold::{Suggestion, Trial, suggest, tally};

use crate::ask::{Candidate, Reply};

/// What a question should get.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expected {
    /// Nothing: no case answers it.
    Silence,
    /// The answer of this case.
    Case(CaseId),
    /// An answer that has one of these texts in it, see [`one_line`].
    Text(Vec<String>),
}

/// What became of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// The reply is the expected answer.
    Right,
    /// The reply is the expected answer, as a suggestion.
    Suggested,
    /// The reply is another one, or says that the problem is known where it is not.
    Wrong,
    /// Nothing was said, or that the problem is known and not solved. Where silence is expected,
    /// that nothing was said is as it should be.
    Silent,
}

impl Expected {
    /// Whether a text is the expected answer.
    fn is_in(&self, text: &str) -> bool {
        let text = one_line(text);
        match self {
            Self::Silence | Self::Case(_) => false,
            Self::Text(wanted) => wanted.iter().any(|wanted| text.contains(wanted.as_str())),
        }
    }

    /// Whether an answer with this text, from this case, is the expected one.
    fn is_answer(&self, text: &str, from: Option<CaseId>) -> bool {
        match self {
            Self::Case(case) => from == Some(*case),
            Self::Silence | Self::Text(_) => self.is_in(text),
        }
    }

    /// Whether a case holds the expected answer.
    #[must_use]
    pub fn is_held_by(&self, case: &Case) -> bool {
        let answer = case.solution.as_deref().or(case.suggestion.as_deref());
        self.is_answer(answer.unwrap_or_default(), Some(case.case))
    }

    /// Judges a reply.
    #[must_use]
    pub fn judge(&self, reply: &Reply) -> Outcome {
        match reply {
            Reply::Answered { text, citations }
                if self.is_answer(text, citations.first().map(|first| first.case)) =>
            {
                Outcome::Right
            }
            Reply::Suggested { text, citation, .. }
                if self.is_answer(text, Some(citation.case)) =>
            {
                Outcome::Suggested
            }
            Reply::LookedUp { text, .. } if self.is_in(text) => Outcome::Right,
            Reply::Answered { .. } | Reply::Suggested { .. } | Reply::LookedUp { .. } => {
                Outcome::Wrong
            }
            Reply::Tracked { .. } if *self == Self::Silence => Outcome::Wrong,
            Reply::Tracked { .. } | Reply::Silent(_) => Outcome::Silent,
        }
    }

    /// The place, from 1 on, of the first candidate that holds the expected answer. The closest
    /// candidate is first, and of equally close ones the first that was found, as a reply is chosen.
    #[must_use]
    pub fn place(&self, candidates: &[Candidate]) -> Option<usize> {
        let mut ranked: Vec<&Candidate> = candidates.iter().collect();
        ranked.sort_by_key(|one| std::cmp::Reverse(one.close));
        let at = ranked.iter().position(|one| self.is_held_by(&one.case));
        at.map(|at| at + 1)
    }
}

/// The text with single spaces.
#[must_use]
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
