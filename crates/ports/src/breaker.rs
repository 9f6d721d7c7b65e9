//! Leaves a dependency alone after it failed several times in a row.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use threadlore_model::Timestamp;

/// Counts failures and stops calls for a while.
///
/// *Closed*: calls go through; so many failures in a row open it. *Open*: no call
/// goes through until the pause is over. *Half-open*: one call goes through and
/// decides, and the others wait for what it finds. Its time is the caller's.
#[derive(Debug)]
pub struct Breaker {
    errors: u32,
    pause: Duration,
    state: Mutex<State>,
}

#[derive(Debug, Clone, Copy)]
enum State {
    Closed { failures: u32 },
    Open { until: Timestamp },
    HalfOpen,
}

impl Breaker {
    /// Opens after `errors` failures in a row (at least one), for `pause`.
    #[must_use]
    pub fn new(errors: u32, pause: Duration) -> Self {
        Self {
            errors: errors.max(1),
            pause,
            state: Mutex::new(State::Closed { failures: 0 }),
        }
    }

    /// Lets a call through, or not. Whoever was let through says how it went.
    #[must_use]
    pub fn admit(&self, now: Timestamp) -> Option<Admitted<'_>> {
        let mut state = self.state();
        let retry_at = match *state {
            State::Closed { .. } => None,
            State::Open { until } if until <= now => {
                *state = State::HalfOpen;
                Some(until)
            }
            State::Open { .. } | State::HalfOpen => return None,
        };
        Some(Admitted {
            breaker: self,
            retry_at,
        })
    }

    // A value that is copied in and out cannot be left half changed.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call that was let through. Dropped without a word, it says nothing about the
/// dependency: a half-open breaker then lets the next one try.
#[derive(Debug)]
#[must_use]
pub struct Admitted<'b> {
    breaker: &'b Breaker,
    /// For the one call of a half-open breaker: since when it may be tried.
    retry_at: Option<Timestamp>,
}

impl Admitted<'_> {
    /// The dependency answered.
    pub fn worked(mut self) {
        let mut state = self.breaker.state();
        // A call from before the breaker opened does not close it.
        if self.retry_at.take().is_some() || matches!(*state, State::Closed { .. }) {
            *state = State::Closed { failures: 0 };
        }
    }

    /// It did not.
    pub fn failed(mut self, now: Timestamp) {
        let until = now.plus(self.breaker.pause);
        let mut state = self.breaker.state();
        let tried = self.retry_at.take().is_some();
        *state = match *state {
            State::Closed { failures } if failures + 1 < self.breaker.errors => State::Closed {
                failures: failures + 1,
            },
            State::Closed { .. } => State::Open { until },
            _ if tried => State::Open { until },
            as_it_was => as_it_was,
        };
    }
}

impl Drop for Admitted<'_> {
    fn drop(&mut self) {
        if let Some(until) = self.retry_at {
            *self.breaker.state() = State::Open { until };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAUSE: Duration = Duration::from_secs(30);

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(seconds * 1000)
    }

    /// A breaker that opened at second 0.
    fn open() -> Breaker {
        let breaker = Breaker::new(5, PAUSE);
        for _ in 0..5 {
            breaker.admit(at(0)).expect("closed").failed(at(0));
        }
        breaker
    }

    #[test]
    fn opens_after_failures_in_a_row_only() {
        let breaker = Breaker::new(3, PAUSE);
        for _ in 0..4 {
            breaker.admit(at(0)).expect("closed").failed(at(0));
            breaker.admit(at(0)).expect("closed").failed(at(0));
            breaker.admit(at(0)).expect("closed").worked();
        }
        for _ in 0..3 {
            breaker.admit(at(0)).expect("closed").failed(at(0));
        }
        assert!(breaker.admit(at(0)).is_none());
    }

    #[test]
    fn nothing_goes_through_until_the_pause_is_over() {
        let breaker = open();
        assert!(breaker.admit(at(29)).is_none());
        assert!(breaker.admit(at(30)).is_some());
    }

    #[test]
    fn one_call_tries_and_closes_it() {
        let breaker = open();
        let tried = breaker.admit(at(30)).expect("half-open");
        assert!(breaker.admit(at(31)).is_none(), "only one");
        tried.worked();
        assert!(breaker.admit(at(31)).is_some());
        assert!(breaker.admit(at(31)).is_some());
    }

    #[test]
    fn one_call_tries_and_opens_it_again() {
        let breaker = open();
        breaker.admit(at(30)).expect("half-open").failed(at(40));
        assert!(breaker.admit(at(69)).is_none());
        assert!(breaker.admit(at(70)).is_some());
    }

    #[test]
    fn a_call_that_was_cut_off_leaves_it_to_the_next() {
        let breaker = open();
        drop(breaker.admit(at(30)).expect("half-open"));
        assert!(breaker.admit(at(30)).is_some());
    }

    #[test]
    fn a_call_from_before_it_opened_changes_nothing() {
        let breaker = Breaker::new(2, PAUSE);
        let (late, later) = (breaker.admit(at(0)), breaker.admit(at(0)));
        for _ in 0..2 {
            breaker.admit(at(0)).expect("closed").failed(at(0));
        }
        late.expect("closed").worked();
        later.expect("closed").failed(at(20));
        assert!(breaker.admit(at(29)).is_none());
        assert!(breaker.admit(at(30)).is_some());
    }
}
