//! The states of keys that were used last.

use hashlink::LinkedHashMap;
use threadlore_model::Key;
use threadlore_roles::KeyState;

use crate::key_entry::KeyEntry;

/// States in memory, of which those used longest ago leave one by one. A state that was
/// changed since the last commit stays: the store does not have it yet.
#[derive(Debug)]
pub(crate) struct StateCache<S> {
    /// Those used last come last.
    entries: LinkedHashMap<Key, Cached<S>>,
    capacity: usize,
    /// As many of those used last keep what is derived from them, which may be larger
    /// than they are.
    with_derived: usize,
    /// The last batch that is committed.
    committed: u64,
}

#[derive(Debug)]
struct Cached<S> {
    entry: KeyEntry<S>,
    /// The last batch that changed it.
    batch: u64,
}

impl<S: KeyState + Default> StateCache<S> {
    pub(crate) fn new(capacity: usize, with_derived: usize) -> Self {
        Self {
            entries: LinkedHashMap::new(),
            capacity,
            with_derived,
            committed: 0,
        }
    }

    pub(crate) fn get(&self, key: &Key) -> Option<&KeyEntry<S>> {
        self.entries.get(key).map(|cached| &cached.entry)
    }

    pub(crate) fn get_mut(&mut self, key: &Key) -> Option<&mut KeyEntry<S>> {
        self.entries.get_mut(key).map(|cached| &mut cached.entry)
    }

    /// The state of a key; an empty one where it has none.
    pub(crate) fn entry(&mut self, key: &Key) -> &mut KeyEntry<S> {
        let cached = self.entries.entry(key.clone()).or_insert_with(|| Cached {
            entry: KeyEntry::default(),
            batch: 0,
        });
        &mut cached.entry
    }

    pub(crate) fn contains(&self, key: &Key) -> bool {
        self.entries.contains_key(key)
    }

    /// Takes in what the store has of a key.
    pub(crate) fn insert(&mut self, key: Key, entry: KeyEntry<S>) {
        self.entries.insert(key, Cached { entry, batch: 0 });
    }

    pub(crate) fn remove(&mut self, key: &Key) {
        self.entries.remove(key);
    }

    /// A batch changed the state of a key.
    pub(crate) fn changed(&mut self, key: &Key, batch: u64) {
        if let Some(cached) = self.entries.to_back(key) {
            cached.batch = batch;
        }
    }

    /// What a batch changed is in the store, and what batches before it changed.
    pub(crate) fn committed(&mut self, batch: u64) {
        self.committed = batch;
    }

    /// Makes room: states used longest ago leave one by one.
    pub(crate) fn evict(&mut self) {
        while self.entries.len() > self.capacity {
            let oldest = self.entries.front().map(|(_, cached)| cached.batch);
            if oldest.is_none_or(|batch| batch > self.committed) {
                return;
            }
            self.entries.pop_front();
        }
    }

    /// Drops what is derived from states that as many others were used after; `used` were
    /// used since the last time.
    pub(crate) fn drop_derived(&mut self, used: usize) {
        let others = self.entries.values_mut().rev().skip(self.with_derived);
        for cached in others.take(used) {
            cached.entry.state.drop_derived();
        }
    }
}

#[cfg(test)]
mod tests {
    use threadlore_model::ChannelClock;

    use super::*;

    #[derive(Debug, Default, PartialEq)]
    struct Number {
        clock: ChannelClock,
        derived: bool,
    }

    impl KeyState for Number {
        type Part = ();

        fn drop_derived(&mut self) {
            self.derived = false;
        }
        fn clock(&self) -> &ChannelClock {
            &self.clock
        }
        fn clock_mut(&mut self) -> &mut ChannelClock {
            &mut self.clock
        }
    }

    fn key(n: u64) -> Key {
        Key::parse(&format!("a/test:{n}")).expect("a key")
    }

    /// Keys 1 to 4, changed by the batch of the same number, in a cache for two.
    fn four() -> StateCache<Number> {
        let mut cache = StateCache::<Number>::new(2, 1);
        for n in 1..=4 {
            cache.entry(&key(n)).state.derived = true;
            cache.changed(&key(n), n);
        }
        cache
    }

    fn cached(cache: &StateCache<Number>) -> Vec<u64> {
        (1..=4).filter(|n| cache.contains(&key(*n))).collect()
    }

    #[test]
    fn states_used_longest_ago_leave_one_by_one() {
        // given
        let mut cache = four();
        cache.committed(4);
        cache.changed(&key(1), 4);
        // when
        cache.evict();
        // then
        assert_eq!(cached(&cache), [1, 4]);
    }

    #[test]
    fn a_state_stays_until_its_batch_is_committed() {
        // given
        let mut cache = four();
        cache.committed(1);
        // when
        cache.evict();
        // then
        assert_eq!(cached(&cache), [2, 3, 4]);
        cache.committed(2);
        cache.evict();
        assert_eq!(cached(&cache), [3, 4]);
    }

    #[test]
    fn only_those_used_last_keep_what_is_derived() {
        let mut cache = four();
        cache.drop_derived(2);
        let derived = |n| cache.get(&key(n)).is_some_and(|entry| entry.state.derived);
        let kept: Vec<u64> = (1..=4).filter(|n| derived(*n)).collect();
        // The first one was dropped earlier, had it been used earlier.
        assert_eq!(kept, [1, 4]);
    }
}
