//! Which topics are not to be read now, because a key has enough of what they carry.

use std::collections::{BTreeSet, HashMap};

use threadlore_model::{Key, Topic};
use threadlore_roles::Flow;

/// Keys that have too much of something, or cannot go on without something.
#[derive(Debug, Default)]
pub(crate) struct Backpressure {
    flows: HashMap<Key, Flow>,
}

impl Backpressure {
    /// Notes what a key needs and what it has enough of.
    pub(crate) fn set(&mut self, key: &Key, flow: Flow) {
        if flow == Flow::default() {
            self.flows.remove(key);
        } else {
            self.flows.insert(key.clone(), flow);
        }
    }

    /// Topics of which a key has enough, but none that another key cannot go on without. So
    /// whatever is paused, the key that is full of it makes room, sooner or later.
    pub(crate) fn paused(&self) -> BTreeSet<Topic> {
        let flows = self.flows.values();
        let mut paused: BTreeSet<Topic> = flows.flat_map(|flow| &flow.full).copied().collect();
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
        Flow {
            full: vec![of],
            needs: None,
        }
    }

    #[test]
    fn a_topic_is_paused_until_no_key_is_full_of_it() {
        let mut pressure = Backpressure::default();
        pressure.set(&key("a"), full(Topic::ChatEvents));
        pressure.set(&key("b"), full(Topic::ChatEvents));
        pressure.set(&key("a"), Flow::default());
        assert_eq!(pressure.paused(), [Topic::ChatEvents].into());
        pressure.set(&key("b"), Flow::default());
        assert_eq!(pressure.paused(), [].into());
    }

    #[test]
    fn what_a_key_needs_is_read_although_another_is_full_of_it() {
        let mut pressure = Backpressure::default();
        pressure.set(&key("a"), full(Topic::ChatEvents));
        let needs = Flow {
            full: vec![Topic::ChatTurns],
            needs: Some(Topic::ChatEvents),
        };
        pressure.set(&key("b"), needs);
        assert_eq!(pressure.paused(), [Topic::ChatTurns].into());
    }
}
