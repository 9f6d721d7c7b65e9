//! What the database said a short time ago of those who send requests.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use threadlore_model::Timestamp;

/// How long it is known, before the database is asked again.
const KNOWN: Duration = Duration::from_secs(5);

/// What was looked up, by its key.
#[derive(Debug)]
pub(super) struct Lookups<T>(Mutex<HashMap<String, (Timestamp, T)>>);

impl<T> Default for Lookups<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone> Lookups<T> {
    /// What was found less than [`KNOWN`] ago.
    pub(super) fn get(&self, key: &str, now: Timestamp) -> Option<T> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, found) = known.get(key)?;
        (now.since(*at) < KNOWN).then(|| found.clone())
    }

    pub(super) fn put(&self, key: String, now: Timestamp, found: T) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|_, (at, _)| now.since(*at) < KNOWN);
        known.insert(key, (now, found));
    }

    /// The next to ask has the database asked.
    pub(super) fn forget(&self, key: &str) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.remove(key);
    }
}
