//! Settings of `buffer`.

use std::time::Duration;

/// Settings of `buffer`.
#[derive(Debug, Clone)]
pub struct BufferParams {
    /// Messages after which a window is announced. Default 40.
    pub window_count: u32,
    /// Silence in channel time after which it is. Default 10 minutes.
    pub pause: Duration,
    /// Wall-clock time after the last arrival after which the rest of imported history
    /// is, where no record says that the history ended. Default 10 minutes.
    pub idle: Duration,
    /// Messages of imported history that must have come before a thank-you is a reason. Default 8.
    pub min_for_resolution: u32,
    /// How long after a sign of resolution the window of a live channel is announced, so that what
    /// else is said then is in it; `None` where a sign counts there as in history. Default `None`: the
    /// settings choose it by what an extraction costs.
    pub debounce: Option<Duration>,
    /// A person's next message within this time belongs to the same turn. Default 2 seconds.
    pub turn_gap: Duration,
}

impl BufferParams {
    /// The defaults, which are those of the settings too.
    pub const DEFAULT: Self = Self {
        window_count: 40,
        pause: Duration::from_secs(600),
        idle: Duration::from_secs(600),
        min_for_resolution: 8,
        debounce: None,
        turn_gap: Duration::from_secs(2),
    };
}

impl Default for BufferParams {
    fn default() -> Self {
        Self::DEFAULT
    }
}
