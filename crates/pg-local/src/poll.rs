//! Waiting for a condition that no handle reports.

use std::time::Duration;

const STEP: Duration = Duration::from_millis(10);

/// Asks `check` every 10 ms until it gives a value, for about `limit`.
/// `None` when the time is over. The limit counts pauses, not clock time, so a
/// machine that slept does not end the wait early.
pub(crate) fn poll<T>(limit: Duration, mut check: impl FnMut() -> Option<T>) -> Option<T> {
    let mut waited = Duration::ZERO;
    loop {
        if let Some(value) = check() {
            return Some(value);
        }
        if waited >= limit {
            return None;
        }
        pause();
        waited += STEP;
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the pause between two looks at another process, on a thread of its own; no rule depends on it"
)]
fn pause() {
    std::thread::sleep(STEP);
}
