//! Which topics are not to be read now, because keys have enough of what they carry.

use std::collections::{BTreeSet, HashMap};

use threadlore_model::{Key, Topic};
use threadlore_roles::Flow;

/// Keys that have too much of something, or cannot go on without something.
///
/// A key that is full of a topic stops the reading of that topic: it is behind, and soon makes room
/// by itself. A key that is full while a call about it is not answered is *held*: nobody knows how
/// long that takes. Its records wait in its state instead, so that other keys go on, until too many
/// records are held.
#[derive(Debug, Default)]
pub(crate) struct Backpressure {
    /// Records of held keys, taken together, above which they stop the reading too.
    limit: usize,
    flows: HashMap<Key, Flow>,
    /// Full keys with a call that is not answered, and how many records waited when they became
    /// that.
    held: HashMap<Key, usize>,
}

impl Backpressure {
    /// `limit`: records that held keys may have, taken together.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            ..Self::default()
        }
    }

    /// Notes what a key needs and what it has enough of. `calls`: a call about it is not answered.
    /// Returns whether the key is held from now on. One that was held before counts as new only
    /// after half of its records were taken, so that a key at the edge is not reported again and
    /// again.
    pub(crate) fn set(&mut self, key: &Key, flow: Flow, calls: bool) -> bool {
        let mut is_new = false;
        let before = self.held.get(key).copied();
        if !flow.full.is_empty() && calls {
            is_new = before.is_none();
            self.held.entry(key.clone()).or_insert(flow.waiting);
        } else if before.is_some_and(|before| flow.waiting <= before / 2) {
            self.held.remove(key);
        }
        if flow.full.is_empty() && flow.needs.is_none() {
            self.flows.remove(key);
        } else {
            self.flows.insert(key.clone(), flow);
        }
        is_new
    }

    /// How many keys are held.
    pub(crate) fn held(&self) -> usize {
        self.held.len()
    }

    /// Topics of which a key has enough, but none that another key cannot go on without. So
    /// whatever is paused, the key that is full of it makes room, sooner or later.
    pub(crate) fn paused(&self, calls: impl Fn(&Key) -> bool) -> BTreeSet<Topic> {
        let full = || self.flows.iter().filter(|(_, flow)| !flow.full.is_empty());
        let held = full().filter(|(key, _)| calls(key));
        let held: usize = held.map(|(_, flow)| flow.waiting).sum();
        let stops = full().filter(|(key, _)| held > self.limit || !calls(key));
        let mut paused: BTreeSet<Topic> = stops.flat_map(|(_, flow)| &flow.full).copied().collect();
        for needed in self.flows.values().filter_map(|flow| flow.needs) {
            paused.remove(&needed);
        }
        paused
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> Key {
        Key::parse(name).expect("a key")
    }

    fn full(of: Topic) -> Flow {
        waiting(of, 1)
    }

    fn waiting(of: Topic, waiting: usize) -> Flow {
        Flow {
            full: vec![of],
            waiting,
            needs: None,
        }
    }

    #[test]
    fn a_topic_is_paused_until_no_key_is_full_of_it() {
        let mut pressure = Backpressure::new(10);
        pressure.set(&key("a"), full(Topic::ChatEvents), false);
        pressure.set(&key("b"), full(Topic::ChatEvents), false);
        pressure.set(&key("a"), Flow::default(), false);
        assert_eq!(pressure.paused(|_| false), [Topic::ChatEvents].into());
        pressure.set(&key("b"), Flow::default(), false);
        assert_eq!(pressure.paused(|_| false), [].into());
    }

    #[test]
    fn what_a_key_needs_is_read_although_another_is_full_of_it() {
        let mut pressure = Backpressure::new(10);
        pressure.set(&key("a"), full(Topic::ChatEvents), false);
        let needs = Flow {
            full: vec![Topic::ChatTurns],
            waiting: 1,
            needs: Some(Topic::ChatEvents),
        };
        pressure.set(&key("b"), needs, false);
        assert_eq!(pressure.paused(|_| false), [Topic::ChatTurns].into());
    }

    #[test]
    fn keys_that_wait_for_answers_stop_the_reading_only_when_too_many_records_are_held() {
        let mut pressure = Backpressure::new(10);
        let all = |_: &Key| true;
        pressure.set(&key("a"), waiting(Topic::ChatEvents, 6), true);
        pressure.set(&key("b"), waiting(Topic::ChatEvents, 4), true);
        assert_eq!(pressure.paused(all), [].into());
        pressure.set(&key("b"), waiting(Topic::ChatEvents, 5), true);
        assert_eq!(pressure.paused(all), [Topic::ChatEvents].into());
        // Once its call is answered, a full key takes up what waits before more is read.
        pressure.set(&key("b"), waiting(Topic::ChatEvents, 4), false);
        let first = |k: &Key| *k == key("a");
        assert_eq!(pressure.paused(first), [Topic::ChatEvents].into());
    }

    #[test]
    fn a_held_key_is_reported_once_until_half_of_its_records_are_taken() {
        let mut pressure = Backpressure::new(10);
        let mut set = |records, calls| {
            let flow = match records {
                0..4 => Flow {
                    waiting: records,
                    ..Flow::default()
                },
                _ => waiting(Topic::ChatEvents, records),
            };
            (pressure.set(&key("a"), flow, calls), pressure.held())
        };
        assert_eq!(set(4, false), (false, 0), "no call is open");
        assert_eq!(set(4, true), (true, 1));
        assert_eq!(set(9, true), (false, 1));
        assert_eq!(set(3, false), (false, 1));
        assert_eq!(set(4, true), (false, 1), "fewer than half were taken");
        assert_eq!(set(2, false), (false, 0));
        assert_eq!(set(4, true), (true, 1));
    }
}
