//! Logs of IRC clients: `[HH:MM] <nick> text`, actions, lines of the system, and the forms of irssi
//! (`HH:MM < nick> text`), WeeChat (`YYYY-MM-DD HH:MM:SS`, nick and text between tabs), mIRC and ZNC
//! (`[HH:MM:SS]`). What a line begins with is its [stamp].
//!
//! The first day comes from outside or from a [line of the log](day_line); a
//! [clock](clock) that begins anew starts the next one. Times are UTC; lines of one minute or second follow
//! each other by a [millisecond](crate::moments). IRC has no message ids: one is made of minute, nick, text and the ordinal among equal
//! lines.

mod clock;
mod day_line;
mod stamp;

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::BufRead;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use threadlore_model::{EventId, PlatformEvent, PlatformMessage, Timestamp};

use super::{ChatFile, ChatFormat, Line, Parser};
use crate::error::ImportError;
use crate::moments::Moments;
use crate::parsed::{Change, Parsed, SkipReason};
use crate::source::Source;
use crate::summary::{ClockNote, SHOWN};
use crate::target::Target;
use crate::text::{NAME_MAX, TEXT_MAX, cut, without_controls};

use clock::Clock;
pub use clock::{ClockHours, ClockStyle};
use day_line::DayLine;
use stamp::Stamp;

const MINUTE_MS: i64 = 60_000;
const DAY_MINUTES: i64 = 24 * 60;
/// Ranks in a channel, as they stand before a nick.
const RANKS: [char; 6] = ['@', '+', '%', '&', '~', ' '];

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

/// A text without mIRC's colours: the mark and the numbers behind it.
fn without_colours(text: &str) -> Cow<'_, str> {
    const COLOUR: char = '\u{3}';
    if !text.contains(COLOUR) {
        return Cow::Borrowed(text);
    }
    let number = |text: &str| text.bytes().take(2).take_while(u8::is_ascii_digit).count();
    let mut parts = text.split(COLOUR);
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let front = number(part);
        let rest = &part[front..];
        let behind = match rest.strip_prefix(',') {
            Some(back) if front > 0 && number(back) > 0 => &back[number(back)..],
            _ => rest,
        };
        plain.push_str(behind);
    }
    Cow::Owned(plain)
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

/// What clients begin a line of the system with, behind its time.
const OF_SYSTEM: [&str; 2] = ["*** ", "-!-"];
/// The marks of WeeChat in place of a nick.
const MARKS: [&str; 4] = ["-->", "<--", "--", "=!="];

/// Whether what stands behind `* ` and a nick is said by the client, as mIRC writes it.
fn is_of_client(text: &str) -> bool {
    const SAYS: [&str; 8] = [
        "has joined #",
        "has left #",
        "has quit IRC",
        "sets mode: ",
        "is now known as ",
        "was kicked by ",
        "changes topic to ",
        "sets topic to ",
    ];
    let behind_host = text
        .strip_prefix('(')
        .and_then(|text| text.split_once(") "));
    match behind_host {
        Some((host, says)) => {
            host.contains('@') && ["has ", "Quit"].iter().any(|begin| says.starts_with(begin))
        }
        None => SAYS.iter().any(|begin| text.starts_with(begin)),
    }
}

fn shape(line: &str) -> Shape<'_> {
    if DayLine::parse(line).is_some() {
        return Shape::System;
    }
    let (timed, tabs, rest) = match Stamp::of(line) {
        Ok(Some(stamp)) => (true, stamp.tabs, stamp.rest),
        Ok(None) => (false, false, line.trim()),
        Err(reason) => return Shape::Other(reason),
    };
    let is_ubuntus = rest == "===" || rest.starts_with("=== ");
    if is_ubuntus || timed && OF_SYSTEM.iter().any(|begin| rest.starts_with(begin)) {
        return Shape::System;
    }
    let (nick, text) = if tabs {
        let (nick, text) = rest.split_once('\t').unwrap_or((rest, ""));
        match nick.trim() {
            mark if MARKS.contains(&mark) => return Shape::System,
            "*" => text.split_once(char::is_whitespace).unwrap_or((text, "")),
            nick => (nick.trim_start_matches(RANKS), text),
        }
    } else if let Some(said) = rest.strip_prefix('<') {
        let Some((nick, text)) = said.split_once('>') else {
            return Shape::Other(SkipReason::NotIrc);
        };
        // Some clients write the sender's rank in the channel before the nick.
        (nick.trim().trim_start_matches(RANKS), text)
    } else if let Some(did) = rest.strip_prefix("* ") {
        let did = did.trim_start();
        let (nick, text) = did.split_once(char::is_whitespace).unwrap_or((did, ""));
        if timed && is_of_client(text.trim()) {
            return Shape::System;
        }
        (nick, text)
    } else if timed && is_notice(rest) {
        return Shape::System;
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

/// Whether it is a notice: `-NickServ- text`.
fn is_notice(text: &str) -> bool {
    let nick = text
        .strip_prefix('-')
        .and_then(|text| text.split_once("- "));
    nick.is_some_and(|(nick, _)| !nick.is_empty() && !nick.contains(char::is_whitespace))
}

/// Whether a line can only be of an IRC log: a message with a time, or `=== `.
fn is_irc(line: &str) -> bool {
    matches!(shape(line), Shape::System | Shape::Said { timed: true, .. })
}

/// The first `YYYY-MM-DD`, else `YYYYMMDD`, in a file's name that is a date.
fn date_in(name: &str) -> Option<Date> {
    let file = name.rsplit('/').next().unwrap_or(name).as_bytes();
    let digit = |at: usize| file.get(at).is_some_and(u8::is_ascii_digit);
    let of_length = |length: usize| {
        let alone = move |at: &usize| {
            at.checked_sub(1).is_none_or(|before| !digit(before)) && !digit(at + length)
        };
        (0..file.len())
            .filter(alone)
            .filter_map(move |at| std::str::from_utf8(file.get(at..at + length)?).ok())
            .filter(|text| text.bytes().next().is_some_and(|b| b.is_ascii_digit()))
    };
    let plain = |text: &str| Date::strptime("%Y%m%d", text).ok();
    let long = of_length(10).find_map(|text| text.parse().ok());
    long.or_else(|| of_length(8).find_map(plain))
}

/// The day that a log's own first lines name, before any line with a time alone.
fn first_day(head: &[u8]) -> Option<Date> {
    let head = String::from_utf8_lossy(head);
    for line in head.lines() {
        if let Some(date) = DayLine::parse(line).and_then(DayLine::date) {
            return Some(date);
        }
        if let Ok(Some(stamp)) = Stamp::of(line) {
            return stamp.date;
        }
    }
    None
}

/// The format.
pub(super) struct Form;

impl ChatFormat for Form {
    fn name(&self) -> &'static str {
        "irc"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["weechatlog"]
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
        let mut irc = Irc::new(target, date, style);
        if let Some(zone) = &file.options.timezone {
            irc.zone = zone.clone();
        }
        Ok(Box::new(irc))
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
    /// The zone of the clock.
    zone: TimeZone,
    /// The second of the minute, where the log says it.
    second: i64,
    moments: Moments,
    /// The first lines at which the clock began anew.
    turned: Vec<u64>,
}

impl Parser for Irc {
    fn read(&mut self, line: Line<'_>, changes: &mut Vec<Change>) -> Parsed {
        let plain = without_colours(line.text);
        let clean = without_controls(&plain);
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
            zone: TimeZone::UTC,
            second: 0,
            moments: Moments::default(),
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
        let minute = self.in_utc(self.clock.now() * MINUTE_MS);
        let native_id = self.native_id(Timestamp::from_millis(minute), nick, kept);
        let written = minute + self.second * 1000;
        let time = Timestamp::from_millis(written + self.moments.later(written));
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

    /// A moment in UTC, of what the clock of the log shows then. An hour that a zone leaves out is the one
    /// behind it, and of one that it has twice this is the first.
    fn in_utc(&self, shown: i64) -> i64 {
        let civil = jiff::Timestamp::from_millisecond(shown);
        let civil = civil.map(|shown| TimeZone::UTC.to_datetime(shown));
        let exact = civil.and_then(|civil| self.zone.to_timestamp(civil));
        exact.map_or(shown, |exact| exact.as_millisecond())
    }

    /// Advances the clock to the time of a line of any kind.
    fn pass_time(&mut self, line: &str) {
        let turns = self.clock.turns;
        if let Ok(Some(stamp)) = Stamp::of(line) {
            self.second = stamp.second;
            match stamp.date {
                Some(date) => self.clock.enter(DayLine::Minute(date, stamp.minute)),
                None => self.clock.show(stamp.minute),
            }
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
