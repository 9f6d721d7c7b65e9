//! Whether live work goes on in this process, for what can make room for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use threadlore_model::Timestamp;

/// How long after the last live batch work still counts as going on.
const RECENT: Duration = Duration::from_secs(1);

/// When a role in this process last took something from the log. Clones share it.
#[derive(Debug, Clone)]
pub struct Traffic(Arc<AtomicI64>);

impl Default for Traffic {
    fn default() -> Self {
        Self(Arc::new(AtomicI64::new(Timestamp::EARLIEST.as_millis())))
    }
}

impl Traffic {
    /// A role took something.
    pub fn note(&self, now: Timestamp) {
        self.0.fetch_max(now.as_millis(), Ordering::Relaxed);
    }

    /// Whether a role took something within the last second.
    #[must_use]
    pub fn is_live(&self, now: Timestamp) -> bool {
        let last = Timestamp::from_millis(self.0.load(Ordering::Relaxed));
        last.plus(RECENT) > now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traffic_is_live_for_a_second_after_it_was_noted() {
        let (traffic, at) = (Traffic::default(), Timestamp::from_millis);
        assert!(!traffic.is_live(at(5_000)), "nothing was taken yet");
        traffic.clone().note(at(5_000));
        traffic.note(at(4_000));
        assert!(traffic.is_live(at(5_999)));
        assert!(!traffic.is_live(at(6_000)));
    }
}
