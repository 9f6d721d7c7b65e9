//! What a line begins with: its time, and in some clients its day.

use jiff::civil::Date;

use super::minute_of;
use crate::parsed::SkipReason;

/// The beginning of a line that has a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp<'a> {
    /// The day, where each line has it.
    pub(super) date: Option<Date>,
    /// The minute of the day.
    pub(super) minute: i64,
    /// The second of the minute; 0 where the log does not say it.
    pub(super) second: i64,
    /// Whether a tab follows, which parts the nick from the text too.
    pub(super) tabs: bool,
    /// What follows.
    pub(super) rest: &'a str,
}

impl<'a> Stamp<'a> {
    /// `[HH:MM]`, `HH:MM `, either with seconds and with the day before it; `None` for a line without
    /// one.
    ///
    /// # Errors
    /// Brackets that have no time in them, or are not closed.
    pub(super) fn of(line: &'a str) -> Result<Option<Self>, SkipReason> {
        // A line of nothing but a mark and a tab has its tab to keep.
        let line = line.trim_start();
        if let Some(inside) = line.strip_prefix('[') {
            let (inside, rest) = inside.split_once(']').ok_or(SkipReason::NotIrc)?;
            let (date, clock) = day_before(inside);
            let (minute, second) = clock_of(clock).ok_or(SkipReason::BadTime)?;
            return Ok(Some(Self {
                date,
                minute,
                second,
                tabs: false,
                rest: rest.trim(),
            }));
        }
        let (date, behind) = day_before(line);
        let Some((clock, rest)) = behind.split_once([' ', '\t']) else {
            return Ok(None);
        };
        let tabs = behind.as_bytes().get(clock.len()) == Some(&b'\t');
        Ok(clock_of(clock).map(|(minute, second)| Self {
            date,
            minute,
            second,
            tabs,
            rest: match tabs {
                true => rest.trim_end(),
                false => rest.trim(),
            },
        }))
    }
}

/// A day that a text begins with, and what follows it.
fn day_before(text: &str) -> (Option<Date>, &str) {
    let day = text.get(..10).and_then(|day| day.parse().ok());
    match (day, text.get(10..)) {
        (Some(day), Some(rest)) if rest.starts_with([' ', 'T']) => (Some(day), &rest[1..]),
        _ => (None, text),
    }
}

/// `HH:MM` or `HH:MM:SS`: the minute of the day, and the second.
fn clock_of(clock: &str) -> Option<(i64, i64)> {
    let clock = clock.trim();
    let (minute, second) = match clock.len() {
        5 => (clock, "00"),
        8 => (clock.get(..5)?, clock.get(5..)?.strip_prefix(':')?),
        _ => return None,
    };
    let second = match second.bytes().all(|b| b.is_ascii_digit()) {
        true => second.parse().ok().filter(|second| *second < 60)?,
        false => return None,
    };
    Some((minute_of(minute)?, second))
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn clients_begin_lines_in_these_forms() {
        let at = |date, minute, second, tabs, rest| {
            Ok(Some(Stamp {
                date,
                minute,
                second,
                tabs,
                rest,
            }))
        };
        let day = Some(date(2024, 5, 1));
        for (line, expect) in [
            ("[12:34] <ann> hi ", at(None, 754, 0, false, "<ann> hi")),
            ("[12:34:56] <ann> hi", at(None, 754, 56, false, "<ann> hi")),
            ("12:34 < ann> hi", at(None, 754, 0, false, "< ann> hi")),
            (
                "12:34:56  * ann waves",
                at(None, 754, 56, false, "* ann waves"),
            ),
            (
                "[2024-05-01 12:34:56] <ann> hi",
                at(day, 754, 56, false, "<ann> hi"),
            ),
            (
                "[2024-05-01T12:34] <ann> hi",
                at(day, 754, 0, false, "<ann> hi"),
            ),
            (
                "2024-05-01 12:34:56\tann\thi",
                at(day, 754, 56, true, "ann\thi"),
            ),
            (
                "2024-05-01 12:34:56\t *\tann waves",
                at(day, 754, 56, true, " *\tann waves"),
            ),
            ("<ann> hi", Ok(None)),
            ("12:34", Ok(None)),
            ("2024-05-01", Ok(None)),
            ("12:345 x", Ok(None)),
            ("", Ok(None)),
            ("[12:60] x", Err(SkipReason::BadTime)),
            ("[12:34:60] x", Err(SkipReason::BadTime)),
            ("[12:34:5é] x", Err(SkipReason::BadTime)),
            ("[link](x) y", Err(SkipReason::BadTime)),
            ("[12:34", Err(SkipReason::NotIrc)),
        ] {
            assert_eq!(Stamp::of(line), expect, "{line:?}");
        }
    }
}
