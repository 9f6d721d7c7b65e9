//! Counts over many questions.

use super::{Expected, Outcome};

/// Among how many of the closest candidates the right case is looked for.
pub const WITHIN: [usize; 3] = [1, 3, 5];

/// What became of many questions.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Tally {
    /// Questions that have an answer.
    pub with_answer: u32,
    /// Of these, those that got it, as a suggestion or not.
    pub right: u32,
    /// Of those that got it, those that got it as a suggestion.
    pub suggested: u32,
    /// Of those with an answer, those that got another one.
    pub wrong: u32,
    /// Questions that nothing answers.
    pub without_answer: u32,
    /// Of these, those that got one all the same.
    pub wrongly_answered: u32,
    /// Of those with an answer, those whose right case is among the first candidates, see
    /// [`WITHIN`].
    pub within: [u32; WITHIN.len()],
    /// The sum of 1 over the place of the right case.
    reciprocals: f64,
}

impl Tally {
    /// Counts a question. `place` is that of the right case, see [`Expected::place`].
    pub fn add(&mut self, expected: &Expected, outcome: Outcome, place: Option<usize>) {
        if *expected == Expected::Silence {
            self.without_answer += 1;
            self.wrongly_answered += u32::from(outcome != Outcome::Silent);
            return;
        }
        self.with_answer += 1;
        self.right += u32::from(matches!(outcome, Outcome::Right | Outcome::Suggested));
        self.suggested += u32::from(outcome == Outcome::Suggested);
        self.wrong += u32::from(outcome == Outcome::Wrong);
        for (count, within) in self.within.iter_mut().zip(WITHIN) {
            *count += u32::from(place.is_some_and(|place| place <= within));
        }
        self.reciprocals += place.map_or(0.0, |place| 1.0 / place as f64);
    }

    /// Questions with an answer about which nothing was said.
    #[must_use]
    pub const fn silent(&self) -> u32 {
        self.with_answer - self.right - self.wrong
    }

    /// Questions that nothing answers about which nothing was said.
    #[must_use]
    pub const fn rightly_silent(&self) -> u32 {
        self.without_answer - self.wrongly_answered
    }

    /// The mean reciprocal rank of the right case among the candidates; `None` without a question
    /// that has an answer.
    #[must_use]
    pub fn mrr(&self) -> Option<f64> {
        (self.with_answer > 0).then(|| self.reciprocals / f64::from(self.with_answer))
    }

    /// What the replies are worth, where a wrong one costs as much as `cost` right ones bring.
    #[must_use]
    pub fn worth(&self, cost: u32) -> i64 {
        let wrong = i64::from(self.wrong) + i64::from(self.wrongly_answered);
        i64::from(self.right) - i64::from(cost) * wrong
    }
}
