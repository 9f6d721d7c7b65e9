//! Which rows of a build were written, as far as it is remembered.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use threadlore_fold::{RowKey, touched};
use threadlore_model::{Event, Projection};

/// Bytes that a remembered row takes while the set grows: 9 for its place in the table, at a
/// load of 7/16 at the least, and as much again for the table that it grows out of.
const PER_ROW: usize = 32;

/// Hashes of the keys of rows that may be there. Two keys with one hash only mean that a row is
/// looked for in vain.
#[derive(Debug)]
pub(crate) struct Written {
    projection: Projection,
    hashes: HashSet<u64>,
    max: usize,
}

impl Written {
    /// Nothing was written; remembers in at most so many bytes.
    pub(crate) fn new(projection: Projection, bytes: usize) -> Self {
        Self {
            projection,
            hashes: HashSet::new(),
            max: bytes / PER_ROW,
        }
    }

    /// For each event whether its row is known not to be there.
    pub(crate) fn is_new(&self, events: &[Event]) -> Vec<bool> {
        let rows = events.iter().map(|event| touched(self.projection, event));
        let is_new = rows.map(|row| row.is_none_or(|row| !self.hashes.contains(&hash(&row))));
        is_new.collect()
    }

    /// Remembers the rows of what was written; whether there was room for them.
    #[must_use]
    pub(crate) fn insert(&mut self, events: &[Event]) -> bool {
        let rows = events
            .iter()
            .filter_map(|event| touched(self.projection, event));
        self.hashes.extend(rows.map(|row| hash(&row)));
        self.hashes.len() <= self.max
    }
}

fn hash(row: &RowKey) -> u64 {
    let mut hasher = DefaultHasher::new();
    row.hash(&mut hasher);
    hasher.finish()
}
