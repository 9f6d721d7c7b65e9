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
    /// Messages that must have come before a thank-you is a reason. Default 8.
    pub min_for_resolution: u32,
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
        turn_gap: Duration::from_secs(2),
    };
}

impl Default for BufferParams {
    fn default() -> Self {
        Self::DEFAULT
    }
}
