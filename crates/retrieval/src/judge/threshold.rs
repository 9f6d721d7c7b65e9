//! The threshold that fits a user's own questions: the same answers are chosen again from what was
//! found, as other values of the setting would have it.

use super::{Expected, Tally};
use crate::ask::answer;
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

/// A value of `answer.wrong_at_most`, and what it would have given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Suggestion {
    /// The value.
    pub wrong_at_most: u32,
    /// What it gives.
    pub tally: Tally,
}

/// The values that are tried: all that the setting takes.
const VALUES: std::ops::RangeInclusive<u32> = 1..=60;

/// What a value of `answer.wrong_at_most` would have given.
#[must_use]
pub fn tally(trials: &[Trial<'_>], wrong_at_most: u32) -> Tally {
    let mut tally = Tally::default();
    for trial in trials {
        let candidates = trial.found.at(wrong_at_most);
        let reply = answer(&candidates, trial.question);
        let place = trial.expected.place(&candidates);
        tally.add(trial.expected, trial.expected.judge(&reply), place);
    }
    tally
}

/// The value whose replies are worth most, see [`Tally::worth`]. Of equal values the middle one of
/// the longest row of neighbours is taken: it is the furthest from where it gets worse.
#[must_use]
pub fn suggest(trials: &[Trial<'_>], cost: u32) -> Option<Suggestion> {
    let tried = VALUES.map(|wrong_at_most| Suggestion {
        wrong_at_most,
        tally: tally(trials, wrong_at_most),
    });
    let tried: Vec<Suggestion> = tried.collect();
    let worth = |one: &Suggestion| one.tally.worth(cost);
    let best = tried.iter().map(worth).max()?;
    let rows = tried.chunk_by(|a, b| worth(a) == worth(b));
    let rows = rows.filter(|row| row.first().is_some_and(|one| worth(one) == best));
    // Of rows of equal length the stricter one.
    let longest = rows.rev().max_by_key(|row| row.len())?;
    longest.get(longest.len() / 2).copied()
}
