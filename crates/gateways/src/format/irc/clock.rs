//! The clock of an IRC log: the day, and the half of the day, of a bare `HH:MM`.
//!
//! A 24-hour clock sooner or later shows an hour from 13 on, or both 00 and 12. A 12-hour clock
//! never does, and falls back both at noon and at midnight. The beginning of the log decides which
//! clock wrote it, so that reading the log again gives the same times.

use std::io::BufRead;

use jiff::civil::Date;
use serde::Serialize;

use super::DAY_MINUTES;
use super::day_line::DayLine;
use super::stamp::Stamp;
use crate::lines::Lines;

/// The most bytes of a log that are read to detect its clock.
const LOOK_AHEAD: u64 = 16 << 20;
/// The longest beginning of a line that has its time, and more.
const LONGEST_STAMP: usize = 32;
const EPOCH: Date = Date::constant(1970, 1, 1);
/// Half a day, in minutes.
const HALF: i64 = DAY_MINUTES / 2;
/// A clock that falls back by at most so many minutes was corrected, for summer
/// time or by its operator.
const CORRECTION: i64 = 60;
/// The same across midnight, where a larger one looks like a silent channel.
const MIDNIGHT_CORRECTION: i64 = 5;
/// A silence of at most so many minutes makes 12 hours likelier than a silence
/// that is half a day longer.
const SILENCE: i64 = 6 * 60;

/// How the times of a log are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum ClockHours {
    /// 00:00 to 23:59.
    #[serde(rename = "24-hour")]
    Day,
    /// 12:00 to 11:59, or 00:00 to 11:59, twice a day.
    #[serde(rename = "12-hour")]
    HalfDay,
}

impl ClockHours {
    /// Minutes after which the clock begins anew.
    const fn period(self) -> i64 {
        match self {
            Self::Day => DAY_MINUTES,
            Self::HalfDay => HALF,
        }
    }
}

/// The clock of a log, detected from its beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockStyle {
    /// How they are written.
    pub hours: ClockHours,
    /// Whether the first one is after noon, which only a clock of 12 hours leaves open.
    pub afternoon: bool,
}

impl ClockStyle {
    /// Detects it from the beginning of a log, at most 16 MiB. A read error is ignored here,
    /// because the import will meet it again.
    #[must_use]
    pub fn detect(log: impl BufRead) -> Self {
        let (mut evidence, mut lines) = (Evidence::default(), Lines::new(log.take(LOOK_AHEAD)));
        while let Ok(Some(_)) = lines.advance() {
            if evidence.add(lines.line()) {
                break;
            }
        }
        evidence.style()
    }
}

/// The evidence of the lines so far.
#[derive(Debug, Default)]
struct Evidence {
    first: Option<i64>,
    last: Option<i64>,
    zero: bool,
    twelve: bool,
    /// An hour that a clock of 12 hours does not have.
    whole_day: bool,
    /// The clock fell back as one of 12 hours does.
    half_day: bool,
    /// The same times read as a 12-hour clock, until a line names the day.
    half: Option<Clock>,
    /// Whether the first time is after noon, by a line that names the day.
    afternoon: Option<bool>,
    /// Whether a line named the day.
    dated: bool,
}

impl Evidence {
    /// Adds a line; returns true once no other line can change the result.
    fn add(&mut self, line: &[u8]) -> bool {
        let line = line.trim_ascii();
        if let Some(minute) = time(line) {
            self.add_time(minute);
        } else if let Some(day) = std::str::from_utf8(line).ok().and_then(DayLine::parse) {
            self.add_day(day);
        }
        self.whole_day
    }

    fn add_time(&mut self, minute: i64) {
        self.zero |= minute < 60;
        self.twelve |= minute / 60 == 12;
        self.whole_day |= minute / 60 > 12 || (self.zero && self.twelve);
        if let Some(last) = self.last {
            let fell = last - minute;
            self.half_day |= fell > CORRECTION && HALF - fell <= SILENCE;
        }
        if !self.dated {
            let half = ClockStyle {
                hours: ClockHours::HalfDay,
                afternoon: false,
            };
            self.half
                .get_or_insert_with(|| Clock::new(half, EPOCH))
                .show(minute);
        }
        self.first = self.first.or(Some(minute));
        self.last = Some(minute);
    }

    fn add_day(&mut self, day: DayLine) {
        if !self.dated && matches!(day, DayLine::Day(_) | DayLine::NextDay) {
            // Midnight: the number of passed noons and midnights gives the first half of the day.
            let halves = self.half.as_ref().map(Clock::halves);
            self.afternoon = Some(halves.is_some_and(|halves| halves.is_multiple_of(2)));
        }
        self.dated |= day != DayLine::Unknown;
        self.last = None;
    }

    /// How often a clock of 12 hours began anew.
    fn turns(&self) -> u64 {
        self.half.as_ref().map_or(0, |half| half.turns)
    }

    fn style(&self) -> ClockStyle {
        let hours = match self.half_day && !self.whole_day {
            true => ClockHours::HalfDay,
            false => ClockHours::Day,
        };
        // The hour as it is written, unless the log would leave its day with it.
        let noon = self.first.is_some_and(|first| first >= HALF) && self.turns() == 0;
        let afternoon = self.afternoon.unwrap_or(noon);
        ClockStyle { hours, afternoon }
    }
}

/// The beginning of a day, in minutes since the epoch.
fn midnight(date: Date) -> i64 {
    i64::from((date - EPOCH).get_days()) * DAY_MINUTES
}

/// The minute of the day at which a line begins.
fn time(line: &[u8]) -> Option<i64> {
    let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
    // A text behind it may be in any encoding.
    let stamp = line.get(..line.len().min(LONGEST_STAMP))?;
    let stamp = String::from_utf8_lossy(stamp);
    let stamp = Stamp::of(&stamp).ok()??;
    stamp.date.is_none().then_some(stamp.minute)
}

/// The time that passes from line to line.
#[derive(Debug)]
pub(super) struct Clock {
    hours: ClockHours,
    /// When the clock began anew last, in minutes since the epoch.
    base: i64,
    /// Minutes since then.
    minute: i64,
    /// How often it began anew.
    pub(super) turns: u64,
}

impl Clock {
    /// At the beginning of a log whose first line is of `date`.
    pub(super) fn new(style: ClockStyle, date: Date) -> Self {
        let later = style.afternoon && style.hours == ClockHours::HalfDay;
        Self {
            hours: style.hours,
            base: midnight(date) + if later { HALF } else { 0 },
            minute: 0,
            turns: 0,
        }
    }

    /// Minutes since the epoch.
    pub(super) const fn now(&self) -> i64 {
        self.base + self.minute
    }

    /// Advances to a line at which the clock shows this minute of the day.
    pub(super) fn show(&mut self, minute: i64) {
        let period = self.hours.period();
        let minute = minute % period;
        if self.minute - minute > CORRECTION {
            self.base += period;
            self.turns += 1;
        } else if self.turns > 0 && minute - self.minute >= period - MIDNIGHT_CORRECTION {
            self.base -= period;
            self.turns -= 1;
        }
        self.minute = minute;
    }

    /// Advances to a line that names the day. A repeated day changes nothing.
    pub(super) fn enter(&mut self, line: DayLine) {
        let today = self.now().div_euclid(DAY_MINUTES);
        let to = match line {
            DayLine::Day(date) => midnight(date),
            DayLine::Minute(date, minute) => midnight(date) + minute,
            DayLine::NextDay if self.just_turned() => return,
            DayLine::NextDay => (today + 1) * DAY_MINUTES,
            DayLine::Unknown => return,
        };
        if to.div_euclid(DAY_MINUTES) == today && to <= self.now() {
            return;
        }
        let period = self.hours.period();
        self.minute = to.rem_euclid(period);
        self.base = to - self.minute;
    }

    /// Whether a line behind midnight preceded the line about it.
    fn just_turned(&self) -> bool {
        self.turns > 0 && self.now().rem_euclid(DAY_MINUTES) <= MIDNIGHT_CORRECTION
    }

    /// How often it began anew, up to a midnight that a line names now.
    fn halves(&self) -> u64 {
        let behind = self.turns > 0 && self.minute <= MIDNIGHT_CORRECTION;
        self.turns - u64::from(behind)
    }
}
