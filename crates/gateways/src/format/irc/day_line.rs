//! Lines in which a client wrote the day into its log: `--- Day changed Fri Jul 03 2009`.

use jiff::civil::Date;

/// How such lines begin, in the clients that write them.
const BEGINNINGS: [&str; 9] = [
    "--- Day changed",
    "--- Log opened",
    "--- Log closed",
    "**** BEGIN LOGGING AT",
    "**** ENDING LOGGING AT",
    "Session Start:",
    "Session Time:",
    "Session Ident:",
    "Session Close:",
];

const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

/// The day that a line gives for the lines after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DayLine {
    /// The day.
    Day(Date),
    /// The day, and the minute of it.
    Minute(Date, i64),
    /// That a day begins, in words from which the date cannot be read.
    NextDay,
    /// Nothing that can be read.
    Unknown,
}

impl DayLine {
    /// `None` for lines of another kind.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let line = line.trim();
        let begins = |with: &&str| {
            let head = line.get(..with.len());
            head.is_some_and(|head| head.eq_ignore_ascii_case(with))
        };
        let beginning = BEGINNINGS.iter().find(|with| begins(with))?;
        let rest = &line[beginning.len()..];
        Some(
            match (date(rest), rest.split_whitespace().find_map(minute)) {
                (Some(date), Some(minute)) => Self::Minute(date, minute),
                (Some(date), None) => Self::Day(date),
                (None, _) if beginning.ends_with("Day changed") => Self::NextDay,
                (None, _) => Self::Unknown,
            },
        )
    }

    /// The day that it names.
    pub(super) const fn date(self) -> Option<Date> {
        match self {
            Self::Day(date) | Self::Minute(date, _) => Some(date),
            Self::NextDay | Self::Unknown => None,
        }
    }
}

/// A date in the order of `ctime` or any other with the month in letters, or as
/// `YYYY-MM-DD`.
fn date(text: &str) -> Option<Date> {
    let words = || text.split(|c: char| c.is_whitespace() || c == ',');
    if let Some(date) = words().find_map(|word| word.parse().ok()) {
        return Some(date);
    }
    let number = |word: &str, digits: std::ops::RangeInclusive<usize>| {
        let plain = digits.contains(&word.len()) && word.bytes().all(|b| b.is_ascii_digit());
        plain.then(|| word.parse::<i16>().ok()).flatten()
    };
    let month = words().find_map(|word| {
        let word = word.get(..3)?.to_ascii_lowercase();
        MONTHS.iter().position(|month| *month == word)
    })?;
    let day = words().find_map(|word| number(word, 1..=2))?;
    let year = words().find_map(|word| number(word, 4..=4))?;
    Date::new(year, i8::try_from(month + 1).ok()?, i8::try_from(day).ok()?).ok()
}

/// The minute of the day of `HH:MM` or `HH:MM:SS`.
fn minute(word: &str) -> Option<i64> {
    super::minute_of(word.get(..5)?).filter(|_| word.len() == 5 || word.as_bytes()[5] == b':')
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn clients_write_the_day_in_these_forms() {
        for (line, expect) in [
            (
                "--- Day changed Fri Jul 03 2009",
                Some(DayLine::Day(date(2009, 7, 3))),
            ),
            (
                "--- Log opened Thu Jul 02 14:03:11 2009",
                Some(DayLine::Minute(date(2009, 7, 2), 14 * 60 + 3)),
            ),
            (
                "**** BEGIN LOGGING AT Thu Jul  2 00:03:11 2009",
                Some(DayLine::Minute(date(2009, 7, 2), 3)),
            ),
            (
                "Session Start: Thu Jul 02 14:03:11 2009",
                Some(DayLine::Minute(date(2009, 7, 2), 14 * 60 + 3)),
            ),
            (
                "--- day changed Fri, 03 July 2009",
                Some(DayLine::Day(date(2009, 7, 3))),
            ),
            (
                "--- Day changed 2009-07-03",
                Some(DayLine::Day(date(2009, 7, 3))),
            ),
            ("--- Day changed пт июл 03 2009", Some(DayLine::NextDay)),
            ("--- Day changed Fri Feb 31 2009", Some(DayLine::NextDay)),
            ("--- Log opened", Some(DayLine::Unknown)),
            ("Session Start: é:é:é Jul 2", Some(DayLine::Unknown)),
            ("=== ann has joined #x", None),
            ("[10:00] --- Day changed Fri Jul 03 2009", None),
            ("--- ünï", None),
            ("", None),
        ] {
            assert_eq!(DayLine::parse(line), expect, "{line:?}");
        }
    }
}
