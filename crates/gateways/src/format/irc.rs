//! Ubuntu-style IRC logs: `[HH:MM] <nick> text`, actions, lines of the system.
//!
//! The first day comes from outside or from a [line of the log](day_line); a
//! [clock](clock) that begins anew starts the next one. Times are UTC. IRC has no
//! message ids: one is made of minute, nick, text and the ordinal among equal lines.

mod clock;
mod day_line;

use std::collections::HashMap;
use std::io::BufRead;

use jiff::civil::Date;
use threadlore_model::{EventId, PlatformEvent, PlatformMessage, Timestamp};

use super::{ChatFile, ChatFormat, Line, Parser};
use crate::error::ImportError;
use crate::parsed::{Change, Parsed, SkipReason};
use crate::source::Source;
use crate::summary::{ClockNote, SHOWN};
use crate::target::Target;
use crate::text::{NAME_MAX, TEXT_MAX, cut, without_controls};

use clock::Clock;
pub use clock::{ClockHours, ClockStyle};
use day_line::DayLine;

const MINUTE_MS: i64 = 60_000;
const DAY_MINUTES: i64 = 24 * 60;

/// How many distinct messages of a day are remembered for counting repeats. After that the count
/// starts again, which bounds memory; equal lines this far apart within one minute count as one
/// message.
const COUNTED: usize = 100_000;

/// A nick as IRC compares them (RFC 1459: `[]\~` are the upper case of `{}|^`).
pub(crate) fn fold(nick: &str) -> String {
    nick.chars()
        .map(|c| match c {
            '[' => '{',
            ']' => '}',
            '\\' => '|',
            '~' => '^',
            other => other.to_ascii_lowercase(),
        })
        .collect()
}

/// The forms of a line.
#[derive(Debug, PartialEq, Eq)]
enum Shape<'a> {
    System,
    Said {
        /// Whether the line begins with its time.
        timed: bool,
        nick: &'a str,
        text: &'a str,
    },
    Other(SkipReason),
}

fn minute_of(clock: &str) -> Option<i64> {
    let (hours, minutes) = clock.split_once(':')?;
    let number = |digits: &str, below: i64| {
        let plain = digits.len() == 2 && digits.bytes().all(|b| b.is_ascii_digit());
        let value = if plain { digits.parse().ok()? } else { below };
        (value < below).then_some(value)
    };
    Some(number(hours, 24)? * 60 + number(minutes, 60)?)
}

/// The minute of the day at which a line begins, whatever follows.
fn clock_of(line: &str) -> Option<i64> {
    let (clock, _) = line.trim().strip_prefix('[')?.split_once(']')?;
    minute_of(clock)
}

fn shape(line: &str) -> Shape<'_> {
    let is_system = |text: &str| text == "===" || text.starts_with("=== ");
    if DayLine::parse(line).is_some() {
        return Shape::System;
    }
    let line = line.trim();
    let (timed, rest) = match line.strip_prefix('[').map(|rest| rest.split_once(']')) {
        None => (false, line),
        Some(None) => return Shape::Other(SkipReason::NotIrc),
        Some(Some((clock, rest))) => match minute_of(clock) {
            Some(_) => (true, rest.trim_start()),
            None => return Shape::Other(SkipReason::BadTime),
        },
    };
    if is_system(rest) {
        return Shape::System;
    }
    let (nick, text) = if let Some(said) = rest.strip_prefix('<') {
        let Some((nick, text)) = said.split_once('>') else {
            return Shape::Other(SkipReason::NotIrc);
        };
        // Some clients write the sender's rank in the channel before the nick.
        (nick.trim().trim_start_matches(['@', '+', '%', '&']), text)
    } else if let Some(did) = rest.strip_prefix("* ") {
        let did = did.trim_start();
        did.split_once(char::is_whitespace).unwrap_or((did, ""))
    } else {
        return Shape::Other(SkipReason::NotIrc);
    };
    if nick.is_empty() {
        return Shape::Other(SkipReason::NoSender);
    }
    if nick.contains(char::is_whitespace) {
        return Shape::Other(SkipReason::NotIrc);
    }
    Shape::Said {
        timed,
        nick,
        text: text.trim(),
    }
}

/// Whether a line can only be of an IRC log: a message with a time, or `=== `.
fn is_irc(line: &str) -> bool {
    matches!(shape(line), Shape::System | Shape::Said { timed: true, .. })
}

/// The first `YYYY-MM-DD` in a file's name that is a date.
fn date_in(name: &str) -> Option<Date> {
    let file = name.rsplit('/').next().unwrap_or(name).as_bytes();
    let digit = |at: usize| file.get(at).is_some_and(u8::is_ascii_digit);
    (0..file.len())
        .filter(|at| at.checked_sub(1).is_none_or(|before| !digit(before)) && !digit(at + 10))
        .filter_map(|at| std::str::from_utf8(file.get(at..at + 10)?).ok())
        .filter(|text| text.bytes().next().is_some_and(|b| b.is_ascii_digit()))
        .find_map(|text| text.parse().ok())
}

/// The day that a log's own first lines name, before any line with a time.
fn first_day(head: &[u8]) -> Option<Date> {
    let head = String::from_utf8_lossy(head);
    let mut lines = head.lines().take_while(|line| clock_of(line).is_none());
    lines.find_map(|line| DayLine::parse(line)?.date())
}

/// The format.
pub(super) struct Form;

impl ChatFormat for Form {
    fn name(&self) -> &'static str {
        "irc"
    }

    fn is_format_of(&self, lines: &[&str]) -> bool {
        lines.iter().any(|line| is_irc(line))
    }

    fn parser(&self, file: ChatFile<'_>) -> Result<Box<dyn Parser>, ImportError> {
        let date = file.options.date.or_else(|| date_in(file.name));
        let date = date.or_else(|| first_day(file.head));
        let date = date.ok_or_else(|| ImportError::NoDate(file.name.to_owned()))?;
        let style = ClockStyle::detect(file.content);
        let target = file.options.target.clone();
        Ok(Box::new(Irc::new(target, date, style)))
    }
}

impl<R: BufRead> Source<R> {
    /// An IRC log with the day of its first line and the style of its clock; `now` is the wall
    /// clock, for detecting dates in the future.
    #[must_use]
    pub fn irc(reader: R, target: Target, date: Date, style: ClockStyle, now: Timestamp) -> Self {
        Self::new(reader, Box::new(Irc::new(target, date, style)), now)
    }
}

/// Reads the lines of one log in order.
#[derive(Debug)]
struct Irc {
    target: Target,
    style: ClockStyle,
    clock: Clock,
    /// How often each message was seen since the clock began anew.
    seen: HashMap<EventId, u32>,
    /// The first lines at which the clock began anew.
    turned: Vec<u64>,
}

impl Parser for Irc {
    fn read(&mut self, line: Line<'_>, changes: &mut Vec<Change>) -> Parsed {
        let clean = without_controls(line.text);
        if clean.len() < line.text.len() {
            changes.push(Change::ControlsRemoved);
        }
        let turns = self.clock.turns;
        let parsed = self.line(&clean, changes);
        if self.clock.turns > turns && self.turned.len() < SHOWN {
            self.turned.push(line.number);
        }
        parsed
    }

    fn clock_note(&self, file: &str) -> Option<ClockNote> {
        let note = ClockNote {
            file: file.to_owned(),
            clock: self.style.hours,
            afternoon: self.style.afternoon,
            turns: self.clock.turns,
            first: self.turned.clone(),
        };
        (!note.is_plain()).then_some(note)
    }
}

impl Irc {
    fn new(target: Target, date: Date, style: ClockStyle) -> Self {
        Self {
            target,
            style,
            clock: Clock::new(style, date),
            seen: HashMap::new(),
            turned: Vec::new(),
        }
    }

    /// Reads a line that has no control characters.
    fn line(&mut self, line: &str, changes: &mut Vec<Change>) -> Parsed {
        self.pass_time(line);
        let (nick, text) = match shape(line) {
            Shape::System => return Parsed::System,
            Shape::Other(reason) => return Parsed::skip(reason),
            Shape::Said { nick, text, .. } => (nick, text),
        };
        if text.is_empty() {
            return Parsed::skip(SkipReason::NoText);
        }
        if nick.len() > NAME_MAX {
            return Parsed::skip(SkipReason::BadId);
        }
        let kept = cut(text, TEXT_MAX);
        if kept.len() < text.len() {
            changes.push(Change::TextCut);
        }
        let time = Timestamp::from_millis(self.clock.now() * MINUTE_MS);
        let native_id = self.native_id(time, nick, kept);
        let message = PlatformMessage {
            channel: self.target.channel.clone(),
            native_id: native_id.clone(),
            author_id: fold(nick),
            author_name: Some(nick.to_owned()),
            author_is_bot: self.target.bots.has(nick),
            text: kept.to_owned(),
            sent_at: time,
            reply_to: None,
            mentions: Vec::new(),
            thread_root: None,
            to_bot: false,
        };
        self.target
            .event(PlatformEvent::Message(&native_id), message, time)
    }

    /// Advances the clock to the time of a line of any kind.
    fn pass_time(&mut self, line: &str) {
        let turns = self.clock.turns;
        if let Some(minute) = clock_of(line) {
            self.clock.show(minute);
        } else if let Some(day) = DayLine::parse(line) {
            self.clock.enter(day);
        }
        if self.clock.turns > turns {
            self.seen.clear();
        }
    }

    fn native_id(&mut self, time: Timestamp, nick: &str, text: &str) -> String {
        let minute = time.as_millis().to_string();
        let content = EventId::of_content("irc line", &[&minute, nick, text]);
        if self.seen.len() >= COUNTED && !self.seen.contains_key(&content) {
            self.seen.clear();
        }
        let seen = self.seen.entry(content).or_default();
        *seen += 1;
        if *seen == 1 {
            content.to_string()
        } else {
            format!("{content}.{seen}")
        }
    }
}

#[cfg(test)]
mod tests;
