//! What became of the questions in one way of searching.

use std::time::Duration;

use serde::Serialize;
use threadlore_ports::Clock;
use threadlore_retrieval::judge::{Outcome, Tally, Trial};
use threadlore_retrieval::{By, Degraded, Retrieval, Retrieved, reply_to};

use super::Question;
use crate::output::Output;

/// Everything that was found, in the order of the questions.
pub(super) struct Measured {
    pub(super) found: Vec<Found>,
    pub(super) tally: Tally,
    pub(super) took: Stages,
    /// Questions for which a part of the search did not answer.
    pub(super) degraded: Vec<(Degraded, usize)>,
}

/// What was found for one question.
pub(super) struct Found {
    retrieved: Retrieved,
    pub(super) outcome: Outcome,
    pub(super) place: Option<usize>,
}

/// The time of each stage, in milliseconds.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Stages {
    pub(super) model: Spread,
    pub(super) index: Spread,
    pub(super) tables: Spread,
    pub(super) all: Spread,
}

/// The median, and the time within which 95 of 100 questions were done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(super) struct Spread {
    pub(super) p50: u64,
    pub(super) p95: u64,
}

impl Spread {
    fn of(times: impl Iterator<Item = Duration>) -> Self {
        let mut times: Vec<u64> = times.map(|time| time.as_millis() as u64).collect();
        times.sort_unstable();
        let at = |share: usize| {
            let at = (times.len() * share).div_ceil(100).saturating_sub(1);
            times.get(at).copied().unwrap_or_default()
        };
        Self {
            p50: at(50),
            p95: at(95),
        }
    }
}

/// Asks all questions in one way.
pub(super) async fn measure(
    by: By,
    (retrieval, clock): (&Retrieval, &dyn Clock),
    questions: &[Question],
    out: &Output,
) -> Measured {
    let retrieval = retrieval.by(by);
    // The first search also makes what all of them share.
    if let Some(first) = questions.first() {
        retrieval.search(first.asked(), 1).await;
    }
    let steps = out.steps(
        &format!("asking {}", name(by)),
        questions.len() as u64,
        false,
    );
    let (mut found, mut times, mut tally) = (Vec::new(), Vec::new(), Tally::default());
    let mut degraded: Vec<(Degraded, usize)> = Vec::new();
    for (done, question) in (1..).zip(questions) {
        let started = clock.now();
        let (retrieved, reply) = reply_to(&retrieval, question.asked(), &[]).await;
        times.push(clock.now().since(started));
        for part in &retrieved.record.degraded {
            match degraded.iter_mut().find(|(known, _)| known == part) {
                Some((_, count)) => *count += 1,
                None => degraded.push((*part, 1)),
            }
        }
        let outcome = question.expected.judge(&reply);
        let place = question.expected.place(&retrieved.candidates);
        tally.add(&question.expected, outcome, place);
        found.push(Found {
            retrieved,
            outcome,
            place,
        });
        steps.at(done, questions.len() as u64);
    }
    steps.done("done");
    let stage = |of: fn(&Retrieved) -> Duration| {
        Spread::of(found.iter().map(move |one: &Found| of(&one.retrieved)))
    };
    let took = Stages {
        model: stage(|one| one.took.model),
        index: stage(|one| one.took.index),
        tables: stage(|one| one.took.tables),
        all: Spread::of(times.into_iter()),
    };
    Measured {
        found,
        tally,
        took,
        degraded,
    }
}

impl Measured {
    /// The questions with what was found, for other thresholds.
    pub(super) fn trials<'a>(&'a self, questions: &'a [Question]) -> Vec<Trial<'a>> {
        let both = questions.iter().zip(&self.found);
        both.map(|(question, found)| Trial {
            question: &question.line.question,
            expected: &question.expected,
            found: &found.retrieved,
        })
        .collect()
    }
}

/// A way of searching, in words.
pub(super) const fn name(by: By) -> &'static str {
    match by {
        By::Words => "by words",
        By::Vectors => "by vectors",
        By::Both => "by both",
        By::Untried => "without outcomes",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_is_of_the_times_in_their_order() {
        let of = |times: &[u64]| {
            let spread = Spread::of(times.iter().copied().map(Duration::from_millis));
            (spread.p50, spread.p95)
        };
        assert_eq!(of(&[]), (0, 0));
        assert_eq!(of(&[7]), (7, 7));
        assert_eq!(of(&[9, 1, 5, 3]), (3, 9));
        let hundred: Vec<u64> = (1..=100).rev().collect();
        assert_eq!(of(&hundred), (50, 95));
    }
}
