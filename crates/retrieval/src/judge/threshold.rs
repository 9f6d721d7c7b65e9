//! The threshold that fits a user's own questions: the same answers are chosen again from what was
//! found, as other thresholds would have it.

use super::{Expected, Tally};
use crate::ask::answer;
use crate::measure::Thresholds;
use crate::search::Retrieved;

/// A question, what it should get, and what was found for it.
#[derive(Debug, Clone, Copy)]
pub struct Trial<'a> {
    /// The question.
    pub question: &'a str,
    /// What it should get.
    pub expected: &'a Expected,
    /// What was found.
    pub found: &'a Retrieved,
}

/// A setting that says where a vector alone makes a case close.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Threshold {
    /// `embedder.stands_out_at`.
    StandsOutAt,
    /// `embedder.close_at`.
    CloseAt,
}

/// A value of a threshold, and what it would have given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Suggestion {
    /// The setting.
    pub threshold: Threshold,
    /// Its value.
    pub value: u32,
    /// What it gives.
    pub tally: Tally,
}

/// The values that are tried, with the same distance from one to the next.
const STEP: usize = 5;

impl Threshold {
    /// The setting's name.
    #[must_use]
    pub const fn setting(self) -> &'static str {
        match self {
            Self::StandsOutAt => "embedder.stands_out_at",
            Self::CloseAt => "embedder.close_at",
        }
    }

    fn values(self) -> impl Iterator<Item = u32> {
        let (first, last) = match self {
            Self::StandsOutAt => (5, 500),
            Self::CloseAt => (300, 995),
        };
        (first..=last).step_by(STEP)
    }

    /// The thresholds with this value in place of their own.
    fn put(self, value: u32, into: Thresholds) -> Thresholds {
        match self {
            Self::StandsOutAt => Thresholds {
                stands_out_at: value,
                ..into
            },
            Self::CloseAt => Thresholds {
                close_at: Some(value),
                ..into
            },
        }
    }
}

/// What thresholds would have given.
#[must_use]
pub fn tally(trials: &[Trial<'_>], at: Thresholds) -> Tally {
    let mut tally = Tally::default();
    for trial in trials {
        let candidates = trial.found.at(at);
        let reply = answer(&candidates, trial.question);
        let place = trial.expected.place(&candidates);
        tally.add(trial.expected, trial.expected.judge(&reply), place);
    }
    tally
}

/// The value of a threshold whose replies are worth most, see [`Tally::worth`], the other threshold
/// as it is. Of equal values the middle one of the longest row of neighbours is taken: it is the
/// furthest from where it gets worse.
#[must_use]
pub fn suggest(
    threshold: Threshold,
    trials: &[Trial<'_>],
    now: Thresholds,
    cost: u32,
) -> Option<Suggestion> {
    let tried = threshold.values().map(|value| Suggestion {
        threshold,
        value,
        tally: tally(trials, threshold.put(value, now)),
    });
    let tried: Vec<Suggestion> = tried.collect();
    let worth = |one: &Suggestion| one.tally.worth(cost);
    let best = tried.iter().map(worth).max()?;
    let rows = tried.chunk_by(|a, b| worth(a) == worth(b));
    let rows = rows.filter(|row| row.first().is_some_and(|one| worth(one) == best));
    // Of rows of equal length the one with the higher, stricter values.
    let longest = rows.max_by_key(|row| row.len())?;
    longest.get(longest.len() / 2).copied()
}
