//! The beginning of a message: `[01/05/2024, 12:00:00] Ann: ` as iPhones write it, `5/1/24, 12:00 PM - Ann: ` as
//! Android does, in the order, with the signs and the clock of the phone's language.

use jiff::civil::DateTime;

/// The longest name of a writer, in characters; what is longer before a colon is no name.
const NAME: usize = 100;

/// Which number of a date is what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    DayMonthYear,
    MonthDayYear,
    YearMonthDay,
}

impl Order {
    pub(super) const ALL: [Self; 3] = [Self::DayMonthYear, Self::MonthDayYear, Self::YearMonthDay];
}

/// Which half of the day a time is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Clock {
    /// The clock has 24 hours.
    Whole,
    Morning,
    Afternoon,
}

/// When a message was written, and by whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Head {
    date: [i16; 3],
    time: [i8; 3],
    pub(super) clock: Clock,
    /// Nobody for what the app says.
    pub(super) author: Option<String>,
    /// Date and time as they are written.
    pub(super) written: String,
}

/// The first line of a message: its head, and the text behind it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FirstLine<'a> {
    pub(super) head: Head,
    pub(super) text: &'a str,
}

impl Head {
    /// The moment, without a zone; `None` where it is none in this order.
    pub(super) fn at(&self, order: Order) -> Option<DateTime> {
        let [first, second, third] = self.date;
        let (year, month, day) = match order {
            Order::DayMonthYear => (third, second, first),
            Order::MonthDayYear => (third, first, second),
            Order::YearMonthDay => (first, second, third),
        };
        let year = if year < 100 { year + 2000 } else { year };
        let [hour, minute, second] = self.time;
        let hour = match (self.clock, hour) {
            (Clock::Whole, hour) => hour,
            (_, 0 | 13..) => return None,
            (Clock::Morning, 12) => 0,
            (Clock::Afternoon, 12) => 12,
            (Clock::Morning, hour) => hour,
            (Clock::Afternoon, hour) => hour + 12,
        };
        let (month, day) = (i8::try_from(month).ok()?, i8::try_from(day).ok()?);
        DateTime::new(year, month, day, hour, minute, second, 0).ok()
    }
}

/// The head of a message at the beginning of a line.
pub(super) fn head(line: &str) -> Option<FirstLine<'_>> {
    let line = line.trim_start_matches(is_mark);
    let (is_iphone, mut rest) = match line.strip_prefix('[') {
        Some(rest) => (true, rest),
        None => (false, line),
    };
    let start = rest;
    let mut date = [0; 3];
    let mut separator = None;
    for (n, part) in date.iter_mut().enumerate() {
        let (number, behind) = number(rest, 4)?;
        *part = number;
        rest = behind;
        if n < 2 {
            let sign = rest.chars().next().filter(|c| "/.-".contains(*c))?;
            if *separator.get_or_insert(sign) != sign {
                return None;
            }
            rest = rest[1..].trim_start_matches(' ');
        }
    }
    let behind = rest
        .trim_start_matches(['.', ','])
        .trim_start_matches(is_blank);
    if behind.len() == rest.len() {
        return None;
    }
    rest = behind;
    let mut time = [0; 3];
    for (n, part) in time.iter_mut().enumerate() {
        let (number, behind) = number(rest, 2)?;
        *part = i8::try_from(number).ok()?;
        rest = behind;
        match rest.chars().next() {
            Some(':' | '.') if n < 2 && rest[1..].starts_with(|c: char| c.is_ascii_digit()) => {
                rest = &rest[1..];
            }
            _ if n == 0 => return None,
            _ => break,
        }
    }
    let (clock, behind) = half(rest, is_iphone)?;
    let written = start[..start.len() - behind.len()].trim().to_owned();
    let rest = match is_iphone {
        true => behind.strip_prefix(']')?.strip_prefix(' ')?,
        false => behind.strip_prefix(" - ")?,
    };
    let (author, text) = author(rest);
    // iPhones put a name before what the app says, too; logs of IRC have brackets, and names in others.
    let is_irc = rest.starts_with(['<', '*', '-']);
    if is_irc || (is_iphone && author.is_none()) {
        return None;
    }
    let head = Head {
        date,
        time,
        clock,
        author,
        written,
    };
    Some(FirstLine { head, text })
}

/// Which half of the day it says, and what is behind it.
fn half(rest: &str, is_iphone: bool) -> Option<(Clock, &str)> {
    let end = match is_iphone {
        true => rest.find(']')?,
        false => rest.find(" - ")?,
    };
    let letters = rest[..end].chars().filter(|c| c.is_alphabetic());
    let word: String = letters.flat_map(char::to_lowercase).take(12).collect();
    let clock = match word.as_str() {
        "" if rest[..end].chars().all(is_blank) => Clock::Whole,
        "am" | "vorm" | "дп" | "לפנהצ" => Clock::Morning,
        "pm" | "nachm" | "пп" | "אחהצ" => Clock::Afternoon,
        _ => return None,
    };
    Some((clock, &rest[end..]))
}

/// Who writes, and what; nobody, where the app does.
fn author(rest: &str) -> (Option<String>, &str) {
    let Some((name, text)) = rest.split_once(':') else {
        return (None, rest);
    };
    let text = match text.strip_prefix(' ') {
        Some(text) => text,
        // A message that begins with a line break.
        None if text.is_empty() => text,
        None => return (None, rest),
    };
    let name = name.trim_matches(|c| is_mark(c) || is_blank(c));
    // Android puts `~ ` before who is not among the phone's contacts.
    let name = name
        .strip_prefix('~')
        .unwrap_or(name)
        .trim_start_matches(is_blank);
    match name.chars().count() {
        1..=NAME => (Some(name.to_owned()), text),
        _ => (None, rest),
    }
}

/// A number of at most so many digits, and what is behind it.
fn number(text: &str, digits: usize) -> Option<(i16, &str)> {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    match end {
        0 => None,
        n if n > digits => None,
        n => Some((text[..n].parse().ok()?, &text[n..])),
    }
}

/// Blanks of one line, those between a time and its half of the day among them.
fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\u{a0}' | '\u{202f}')
}

/// Signs that nobody sees and that say in which direction one reads.
pub(super) fn is_mark(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str, order: Order) -> (String, Option<String>, String) {
        let found = head(line).unwrap_or_else(|| panic!("{line:?} begins a message"));
        let at = found
            .head
            .at(order)
            .map_or("none".to_owned(), |at| at.to_string());
        (at, found.head.author, found.text.to_owned())
    }

    #[test]
    fn each_phone_writes_a_moment_in_its_way() {
        use Order::{DayMonthYear as Dmy, MonthDayYear as Mdy, YearMonthDay as Ymd};
        for (line, order, at) in [
            ("[01/05/2024, 09:07:03] Ann: hi", Dmy, "2024-05-01T09:07:03"),
            (
                "\u{200e}[5/1/24, 9:07:03\u{202f}PM] Ann: hi",
                Mdy,
                "2024-05-01T21:07:03",
            ),
            ("[01.05.24, 09:07:03] Ann: hi", Dmy, "2024-05-01T09:07:03"),
            (
                "[2024-05-01, 9:07:03 AM] Ann: hi",
                Ymd,
                "2024-05-01T09:07:03",
            ),
            (
                "[1/5/2024 9:07:03 p. m.] Ann: hi",
                Dmy,
                "2024-05-01T21:07:03",
            ),
            ("5/1/24, 12:00 AM - Ann: hi", Mdy, "2024-05-01T00:00:00"),
            (
                "5/1/24, 12:00\u{202f}PM - Ann: hi",
                Mdy,
                "2024-05-01T12:00:00",
            ),
            ("01/05/2024, 21:07 - Ann: hi", Dmy, "2024-05-01T21:07:00"),
            ("01.05.24, 21:07 - Ann: hi", Dmy, "2024-05-01T21:07:00"),
            ("1.5.2024, 21:07 - Ann: hi", Dmy, "2024-05-01T21:07:00"),
            ("1. 5. 2024 21.07 - Ann: hi", Dmy, "2024-05-01T21:07:00"),
            ("2024-05-01 21:07 - Ann: hi", Ymd, "2024-05-01T21:07:00"),
            ("01-05-2024 21:07 - Ann: hi", Dmy, "2024-05-01T21:07:00"),
            (
                "2024/05/01, 9:07 p.m. - Ann: hi",
                Ymd,
                "2024-05-01T21:07:00",
            ),
            ("1.5.2024, 9:07 אחה״צ - Ann: hi", Dmy, "2024-05-01T21:07:00"),
        ] {
            let read = read(line, order);
            assert_eq!(
                read,
                (at.to_owned(), Some("Ann".to_owned()), "hi".to_owned()),
                "{line:?}"
            );
        }
    }

    #[test]
    fn who_writes_is_before_the_first_colon_and_the_app_is_nobody() {
        let of = |rest: &str| {
            let line = format!("01/05/2024, 12:00 - {rest}");
            let (_, author, text) = read(&line, Order::DayMonthYear);
            (author, text)
        };
        let by = |name: &str, text: &str| (Some(name.to_owned()), text.to_owned());
        assert_eq!(of("Ann: see: it works"), by("Ann", "see: it works"));
        assert_eq!(of("~\u{202f}Bob B.: hi"), by("Bob B.", "hi"));
        assert_eq!(
            of("\u{202a}+49 170 1234567\u{202c}: hi"),
            by("+49 170 1234567", "hi")
        );
        assert_eq!(of("Ann:"), by("Ann", ""));
        for app in [
            "Ann created group \"Help\"",
            "You joined using this group's link",
            "https://x.org",
        ] {
            assert_eq!(of(app), (None, app.to_owned()));
        }
        let long = format!("{}: hi", "x".repeat(NAME + 1));
        assert_eq!(of(&long), (None, long.clone()));
    }

    #[test]
    fn other_lines_begin_no_message() {
        for line in [
            "",
            "hi",
            "[09:07] <ann> hi",
            "[09:07:03] ann: hi",
            "[2024-05-01 09:07] <ann> hi",
            "[2024-05-01 09:07:03] <ann> bob: hi",
            "[2024-05-01 09:07:03] *** ann joined: #help",
            "2024-05-01T12:00:00Z ann hi",
            "01/05/2024 is the day - Ann: hi",
            "1/2 - a: b",
            "01/05.2024, 12:00 - Ann: hi",
            "10:30 - Ann: hi",
            "[01/05/2024, 12:00:00 Ann: hi",
            "01/05/2024, 12 - Ann: hi",
            "01/05/2024, 12:00 noon - Ann: hi",
            "12345/05/2024, 12:00 - Ann: hi",
            "[01/05/2024, 12:00:00]",
            "é/05/2024, 12:00 - Ann: hi",
        ] {
            assert_eq!(head(line), None, "{line:?}");
        }
    }
}
