//! A map whose entries are stored one by one.

use std::collections::BTreeMap;
use std::ops::Deref;

use serde::{Deserialize, Deserializer};

/// A map that knows which of its entries changed since they were last asked for,
/// so that a large state is not written whole for each of them. Entries are read
/// as in a map, and changed by [`Parts::insert`] and [`Parts::remove`] only.
///
/// It is no part of the serialised state. Read from one that was written whole,
/// all of it counts as changed.
#[derive(Debug, Clone)]
pub struct Parts<K, V> {
    all: BTreeMap<K, V>,
    /// What changed, and whether it is stored: what came and went since then never was.
    changed: BTreeMap<K, bool>,
}

impl<K: Ord + Copy, V> Parts<K, V> {
    /// Adds or replaces an entry.
    pub fn insert(&mut self, key: K, value: V) {
        let is_stored = self.all.insert(key, value).is_some();
        self.changed.entry(key).or_insert(is_stored);
    }

    /// Removes an entry.
    pub fn remove(&mut self, key: &K) -> Option<V> {
        let removed = self.all.remove(key)?;
        if !*self.changed.entry(*key).or_insert(true) {
            self.changed.remove(key);
        }
        Some(removed)
    }

    /// Takes in an entry as it was stored.
    pub fn put_stored(&mut self, key: K, value: V) {
        self.all.insert(key, value);
    }

    /// What changed since this was last asked: an entry, or `None` for one that
    /// is gone.
    pub fn take_changed(&mut self) -> impl Iterator<Item = (K, Option<&V>)> {
        let changed = std::mem::take(&mut self.changed);
        changed.into_keys().map(|key| (key, self.all.get(&key)))
    }
}

impl<K, V> Default for Parts<K, V> {
    fn default() -> Self {
        Self {
            all: BTreeMap::new(),
            changed: BTreeMap::new(),
        }
    }
}

/// For reading.
impl<K, V> Deref for Parts<K, V> {
    type Target = BTreeMap<K, V>;

    fn deref(&self) -> &BTreeMap<K, V> {
        &self.all
    }
}

/// By the entries; when they were stored does not matter.
impl<K: PartialEq, V: PartialEq> PartialEq for Parts<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.all == other.all
    }
}

impl<K: Eq, V: Eq> Eq for Parts<K, V> {}

impl<K: Ord + Copy, V> FromIterator<(K, V)> for Parts<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let all: BTreeMap<K, V> = entries.into_iter().collect();
        let changed = all.keys().map(|key| (*key, false)).collect();
        Self { all, changed }
    }
}

impl<'de, K, V> Deserialize<'de> for Parts<K, V>
where
    K: Deserialize<'de> + Ord + Copy,
    V: Deserialize<'de>,
{
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(BTreeMap::deserialize(from)?.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(parts: &mut Parts<u8, char>) -> Vec<(u8, Option<char>)> {
        let changed = parts.take_changed();
        changed.map(|(key, value)| (key, value.copied())).collect()
    }

    #[test]
    fn what_changed_is_told_once() {
        let mut parts = Parts::default();
        parts.put_stored(1, 'a');
        parts.put_stored(2, 'b');
        assert_eq!(changed(&mut parts), []);
        parts.insert(2, 'c');
        parts.insert(3, 'd');
        assert_eq!(parts.remove(&1), Some('a'));
        assert_eq!(parts.remove(&9), None);
        let expected = [(1, None), (2, Some('c')), (3, Some('d'))];
        assert_eq!(changed(&mut parts), expected);
        assert_eq!(changed(&mut parts), []);
        parts.insert(7, 'x');
        parts.remove(&7);
        assert_eq!(changed(&mut parts), [], "it came and went");
        parts.insert(2, 'd');
        parts.remove(&2);
        assert_eq!(changed(&mut parts), [(2, None)]);
        parts.insert(2, 'c');
        assert_eq!(parts, [(2, 'c'), (3, 'd')].into_iter().collect());
    }
}
