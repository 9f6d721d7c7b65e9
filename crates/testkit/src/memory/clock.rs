//! A clock for tests in which time has no part.

use std::time::Duration;

use async_trait::async_trait;
use threadlore_model::Timestamp;
use threadlore_ports::Clock;

/// Time stands still, and sleeps end at once.
#[derive(Debug, Clone, Copy)]
pub struct StoppedClock;

#[async_trait]
impl Clock for StoppedClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_760_000_000_000)
    }

    async fn sleep(&self, _by: Duration) {}
}
