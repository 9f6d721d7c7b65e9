//! A file as a stream of items.

use std::io::{self, BufRead};
use std::time::Duration;

use jiff::civil::Date;
use threadlore_model::Timestamp;

use crate::irc::{ClockStyle, Irc};
use crate::jsonl::JsonLines;
use crate::lines::{Found, Lines};
use crate::parsed::{Change, Item, Parsed, SkipReason};
use crate::summary::{ClockNote, SHOWN};
use crate::target::Target;
use crate::text::{decode, without_controls};

/// A clock that runs ahead of ours by more than this is not believed.
const AHEAD: Duration = Duration::from_secs(24 * 60 * 60);

/// How far a source has read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Position {
    /// Bytes read.
    pub bytes: u64,
    /// Lines read.
    pub lines: u64,
}

#[derive(Debug)]
enum Parser {
    Irc(Irc),
    JsonLines(JsonLines),
}

/// The lines of one file in order, each read into an [`Item`]. Holds one line
/// of at most 1 MiB at a time.
#[derive(Debug)]
pub struct Source<R> {
    lines: Lines<R>,
    parser: Parser,
    latest: Timestamp,
    /// The clock of an IRC log.
    clock: Option<ClockStyle>,
    /// The first lines at which it began anew.
    turned: Vec<u64>,
}

impl<R: BufRead> Source<R> {
    /// An IRC log with the day of its first line and the style of its clock; `now` is the wall
    /// clock, for detecting dates in the future.
    #[must_use]
    pub fn irc(reader: R, target: Target, date: Date, style: ClockStyle, now: Timestamp) -> Self {
        let parser = Parser::Irc(Irc::new(target, date, style));
        Self {
            clock: Some(style),
            ..Self::new(reader, parser, now)
        }
    }

    /// JSON lines; `now` is the wall clock, for detecting dates in the future.
    #[must_use]
    pub fn json_lines(reader: R, target: Target, now: Timestamp) -> Self {
        let parser = Parser::JsonLines(JsonLines::new(target));
        Self::new(reader, parser, now)
    }

    fn new(reader: R, parser: Parser, now: Timestamp) -> Self {
        Self {
            lines: Lines::new(reader),
            parser,
            latest: now.plus(AHEAD),
            clock: None,
            turned: Vec::new(),
        }
    }

    /// The detected clock of an IRC log, if it influenced the times of the lines.
    pub(crate) fn clock_note(&self, file: &str) -> Option<ClockNote> {
        let (Some(style), Parser::Irc(irc)) = (self.clock, &self.parser) else {
            return None;
        };
        let note = ClockNote {
            file: file.to_owned(),
            clock: style.hours,
            afternoon: style.afternoon,
            turns: irc.turns(),
            first: self.turned.clone(),
        };
        (!note.is_plain()).then_some(note)
    }

    /// How far was read.
    #[must_use]
    pub fn position(&self) -> Position {
        Position {
            bytes: self.lines.bytes,
            lines: self.lines.count,
        }
    }

    /// The reader of the lines.
    pub(crate) fn reader(&self) -> &R {
        self.lines.reader()
    }

    fn read(&mut self) -> io::Result<Option<Item>> {
        let Some(found) = self.lines.advance()? else {
            return Ok(None);
        };
        let mut changes = Vec::new();
        let parsed = match found {
            Found::TooLong => Parsed::skip(SkipReason::LineTooLong),
            Found::Line { ended } => self.parse(ended, &mut changes),
        };
        let parsed = match parsed {
            Parsed::Event(event) => match self.untimely(event.envelope.time) {
                Some(reason) => Parsed::skip(reason),
                None => Parsed::Event(event),
            },
            other => other,
        };
        // Alterations count only for imported lines.
        if !matches!(parsed, Parsed::Event(_)) {
            changes.clear();
        }
        Ok(Some(Item {
            line: self.lines.count,
            parsed,
            changes,
        }))
    }

    fn untimely(&self, time: Timestamp) -> Option<SkipReason> {
        if !(Timestamp::EARLIEST..=Timestamp::LATEST).contains(&time) {
            Some(SkipReason::OutOfRange)
        } else if time > self.latest {
            Some(SkipReason::Future)
        } else {
            None
        }
    }

    fn parse(&mut self, ended: bool, changes: &mut Vec<Change>) -> Parsed {
        let mut line = self.lines.line();
        if self.lines.count == 1 {
            line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
        }
        let (text, fallback) = decode(line);
        match &mut self.parser {
            Parser::JsonLines(_) if fallback => Parsed::skip(SkipReason::NotUtf8),
            _ if text.trim().is_empty() => Parsed::Blank,
            Parser::JsonLines(json) => json.line(&text, ended, changes),
            Parser::Irc(irc) => {
                if fallback {
                    changes.push(Change::Decoded);
                }
                let clean = without_controls(&text);
                if clean.len() < text.len() {
                    changes.push(Change::ControlsRemoved);
                }
                let turns = irc.turns();
                let parsed = irc.line(&clean, changes);
                if irc.turns() > turns && self.turned.len() < SHOWN {
                    self.turned.push(self.lines.count);
                }
                parsed
            }
        }
    }
}

impl<R: BufRead> Iterator for Source<R> {
    type Item = io::Result<Item>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}
