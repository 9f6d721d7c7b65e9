//! When keys want to be woken: the time that follows from a state, and all of them in order.

use std::collections::{BTreeSet, HashMap};

use threadlore_model::{Key, Timestamp};
use threadlore_roles::{KeyState, WakeAt};

/// The wall-clock time at which a state wants to be examined: channel time only
/// moves with the wall clock while the channel is live.
pub(crate) fn due<S: KeyState>(state: &S, wake: WakeAt) -> Option<Timestamp> {
    let clock = state.clock();
    let by_channel = wake
        .channel
        .filter(|_| clock.is_live())
        .map(|at| clock.arrived().plus(at.since(clock.now(clock.arrived()))));
    match (by_channel, wake.wall) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// Keys by the time at which they want to be woken.
#[derive(Debug, Default)]
pub(crate) struct Timers {
    by_time: BTreeSet<(Timestamp, Key)>,
    by_key: HashMap<Key, Timestamp>,
}

impl Timers {
    /// Sets a key's timer in place of the one it has; `None` stops it.
    pub(crate) fn set(&mut self, key: &Key, at: Option<Timestamp>) {
        if let Some(old) = self.by_key.remove(key) {
            self.by_time.remove(&(old, key.clone()));
        }
        if let Some(at) = at {
            self.by_key.insert(key.clone(), at);
            self.by_time.insert((at, key.clone()));
        }
    }

    pub(crate) fn next(&self) -> Option<Timestamp> {
        self.by_time.first().map(|(at, _)| *at)
    }

    /// Keys that are due, earliest first, at most `max`.
    pub(crate) fn due(&self, now: Timestamp, max: usize) -> Vec<Key> {
        self.by_time
            .iter()
            .take_while(|(at, _)| *at <= now)
            .take(max)
            .map(|(_, key)| key.clone())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(ms)
    }

    fn key(name: &str) -> Key {
        Key::parse(name).expect("a key")
    }

    fn timers(all: &[(&str, i64)]) -> Timers {
        let mut timers = Timers::default();
        for (name, ms) in all {
            timers.set(&key(name), Some(at(*ms)));
        }
        timers
    }

    #[test]
    fn keys_that_are_due_come_earliest_first_and_not_too_many() {
        let timers = timers(&[("a", 30), ("b", 10), ("c", 20), ("d", 40)]);
        assert_eq!(timers.due(at(30), 9), [key("b"), key("c"), key("a")]);
        assert_eq!(timers.due(at(30), 2), [key("b"), key("c")]);
        assert_eq!(timers.due(at(9), 9), []);
        assert_eq!(timers.next(), Some(at(10)));
    }

    #[test]
    fn a_key_has_one_timer() {
        let mut timers = timers(&[("a", 10), ("a", 30)]);
        assert_eq!(timers.due(at(10), 9), []);
        assert_eq!(timers.due(at(30), 9), [key("a")]);
        timers.set(&key("a"), None);
        assert_eq!((timers.next(), timers.due(at(99), 9)), (None, vec![]));
    }
}
