//! Time as milliseconds since 1970-01-01T00:00:00Z, and the channel clock.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A moment, in milliseconds since the Unix epoch.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The earliest moment a chat message may claim: 1970-01-01.
    pub const EARLIEST: Self = Self(0);
    /// The latest moment that is accepted: 9999-12-31T00:00:00Z.
    pub const LATEST: Self = Self(253_402_214_400_000);

    /// A moment from milliseconds since the epoch.
    #[must_use]
    pub const fn from_millis(ms: i64) -> Self {
        Self(ms)
    }

    /// Milliseconds since the epoch.
    #[must_use]
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// This moment moved later by `by`, stopping at the end of time.
    #[must_use]
    pub fn plus(self, by: Duration) -> Self {
        Self(self.0.saturating_add(millis(by)))
    }

    /// This moment moved earlier by `by`.
    #[must_use]
    pub fn minus(self, by: Duration) -> Self {
        Self(self.0.saturating_sub(millis(by)))
    }

    /// How long after `earlier` this moment is; zero when it is not after it.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}

impl FromStr for Timestamp {
    type Err = String;

    /// RFC 3339, with any zone.
    fn from_str(text: &str) -> Result<Self, String> {
        let at: jiff::Timestamp = text.parse().map_err(|e: jiff::Error| e.to_string())?;
        Ok(Self(at.as_millisecond()))
    }
}

fn millis(d: Duration) -> i64 {
    i64::try_from(d.as_millis()).unwrap_or(i64::MAX)
}

impl fmt::Display for Timestamp {
    /// RFC 3339 in UTC, or the milliseconds when out of the calendar's range.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(at) => at.fmt(f),
            Err(_) => write!(f, "{} ms", self.0),
        }
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// How far a sender's clock may be ahead of ours before its times are clamped.
const AHEAD: Duration = Duration::from_secs(5 * 60);

/// The time of one channel: the largest event time seen, each clamped to its
/// arrival plus five minutes. The wall clock moves it on only while the
/// channel's last message arrived live, so imported history behaves as lived.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelClock {
    latest: Timestamp,
    arrived: Timestamp,
    live: bool,
}

impl ChannelClock {
    /// Records an event's own time and the time of its arrival in the log. The order of the calls
    /// does not matter: the latest arrival decides whether the channel is live.
    pub fn observe(&mut self, event_time: Timestamp, arrival: Timestamp) {
        let live = Self::is_live_event(event_time, arrival);
        self.latest = self.latest.max(Self::clamp(event_time, arrival));
        self.live = match arrival.cmp(&self.arrived) {
            Ordering::Greater => live,
            Ordering::Equal => self.live || live,
            Ordering::Less => self.live,
        };
        self.arrived = self.arrived.max(arrival);
    }

    /// Whether an event arrived when it happened, and is no history.
    #[must_use]
    pub fn is_live_event(event_time: Timestamp, arrival: Timestamp) -> bool {
        event_time >= arrival.minus(AHEAD)
    }

    /// The sender's time, but not more than five minutes after the arrival.
    #[must_use]
    pub fn clamp(event_time: Timestamp, arrival: Timestamp) -> Timestamp {
        event_time.min(arrival.plus(AHEAD))
    }

    /// Channel time, given the wall clock.
    #[must_use]
    pub fn now(&self, wall: Timestamp) -> Timestamp {
        if self.live {
            self.latest.plus(wall.since(self.arrived))
        } else {
            self.latest
        }
    }

    /// Whether the last message arrived live.
    #[must_use]
    pub fn is_live(&self) -> bool {
        self.live
    }

    /// The wall-clock time of the last arrival.
    #[must_use]
    pub fn arrived(&self) -> Timestamp {
        self.arrived
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(seconds * 1000)
    }

    #[test]
    fn history_stands_still_and_live_moves_on() {
        let mut clock = ChannelClock::default();
        clock.observe(at(100), at(1_000_000));
        assert_eq!(clock.now(at(2_000_000)), at(100));
        clock.observe(at(1_000_000), at(1_000_001));
        assert_eq!(clock.now(at(1_000_011)), at(1_000_010));
    }

    #[test]
    fn a_clock_far_ahead_is_clamped() {
        let mut clock = ChannelClock::default();
        clock.observe(at(9_999_999), at(1000));
        assert_eq!(clock.now(at(1000)), at(1300));
    }

    #[test]
    fn the_order_of_observation_does_not_matter() {
        let events = [(100, 1_000_000), (1_000_000, 1_000_001), (7, 1_000_001)];
        let fold = |order: [usize; 3]| {
            let mut clock = ChannelClock::default();
            for i in order {
                clock.observe(at(events[i].0), at(events[i].1));
            }
            clock
        };
        for order in [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            assert_eq!(fold(order), fold([0, 1, 2]));
        }
        assert!(fold([0, 1, 2]).is_live());
    }

    #[test]
    fn times_at_both_ends_do_not_overflow() {
        let mut clock = ChannelClock::default();
        let ends = [i64::MIN, -1, 0, i64::MAX].map(Timestamp::from_millis);
        for event in ends {
            for arrival in ends {
                clock.observe(event, arrival);
                assert!(clock.now(ends[0]) <= clock.now(ends[3]));
            }
        }
    }

    #[test]
    fn prints_rfc_3339() {
        assert_eq!(at(0).to_string(), "1970-01-01T00:00:00Z");
    }
}
