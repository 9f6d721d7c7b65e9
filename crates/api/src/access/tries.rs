//! How many tries of something there may be in a minute, by a name and in all.

use std::num::NonZeroU32;
use std::time::Duration;

use governor::clock::{Clock as _, DefaultClock};
use governor::state::keyed::HashMapStateStore;
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};

/// So many tries of a name in a minute, and of all names.
const EACH: NonZeroU32 = NonZeroU32::new(10).expect("not 0");
const ALL: NonZeroU32 = NonZeroU32::new(60).expect("not 0");

/// Counts tries.
pub(super) struct Tries {
    each: RateLimiter<String, HashMapStateStore<String>, DefaultClock>,
    all: DefaultDirectRateLimiter,
}

impl Default for Tries {
    fn default() -> Self {
        Self {
            each: RateLimiter::hashmap(Quota::per_minute(EACH)),
            all: RateLimiter::direct(Quota::per_minute(ALL)),
        }
    }
}

impl Tries {
    /// One more of a name.
    ///
    /// # Errors
    /// There were too many: how long to wait.
    pub(super) fn count_of(&self, name: &str) -> Result<(), Duration> {
        // All of them first, so that no more names are kept than are let through.
        self.count()?;
        self.each.retain_recent();
        let counted = self.each.check_key(&name.to_owned());
        counted.map_err(|not_before| not_before.wait_time_from(self.each.clock().now()))
    }

    /// One more, of whatever name.
    ///
    /// # Errors
    /// There were too many: how long to wait.
    pub(super) fn count(&self) -> Result<(), Duration> {
        let counted = self.all.check();
        counted.map_err(|not_before| not_before.wait_time_from(self.all.clock().now()))
    }
}
