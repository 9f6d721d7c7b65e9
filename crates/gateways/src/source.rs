//! A file as a stream of items.

use std::io::{self, BufRead};
use std::time::Duration;

use threadlore_model::Timestamp;

use crate::format::{Line, Parser};
use crate::lines::{Found, Lines};
use crate::parsed::{Change, Item, Parsed, SkipReason};
use crate::summary::ClockNote;
use crate::text::decode;

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

/// The lines of one file in order, each read into an [`Item`]. Holds one line
/// of at most 1 MiB at a time.
#[derive(Debug)]
pub struct Source<R> {
    lines: Lines<R>,
    parser: Box<dyn Parser>,
    latest: Timestamp,
}

impl<R: BufRead> Source<R> {
    /// The lines that a parser reads; `now` is the wall clock, for detecting dates in the future.
    pub(crate) fn new(reader: R, parser: Box<dyn Parser>, now: Timestamp) -> Self {
        Self {
            lines: Lines::new(reader),
            parser,
            latest: now.plus(AHEAD),
        }
    }

    /// The detected clock of the file, if it influenced the times of the lines.
    pub(crate) fn clock_note(&self, file: &str) -> Option<ClockNote> {
        self.parser.clock_note(file)
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
        if fallback && self.parser.wants_utf8() {
            return Parsed::skip(SkipReason::NotUtf8);
        }
        if text.trim().is_empty() {
            return Parsed::Blank;
        }
        if fallback {
            changes.push(Change::Decoded);
        }
        let line = Line {
            number: self.lines.count,
            text: &text,
            ended,
        };
        self.parser.read(line, changes)
    }
}

impl<R: BufRead> Iterator for Source<R> {
    type Item = io::Result<Item>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}
