//! Time and waiting.

use std::time::Duration;

use async_trait::async_trait;
use threadlore_model::Timestamp;

/// The only source of wall-clock time and of waiting, so that a simulation can
/// stand in for both.
#[async_trait]
pub trait Clock: Send + Sync {
    /// The wall clock.
    fn now(&self) -> Timestamp;
    /// Returns after `by` has passed on this clock.
    async fn sleep(&self, by: Duration);
}
