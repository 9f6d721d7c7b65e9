//! The body of a call: JSON lines, taken as a whole or not at all.

use std::fmt;
use std::io::Cursor;

use threadlore_model::{Event, Timestamp};

use crate::history::ended;
use crate::parsed::{Parsed, Skip, SkipReason};
use crate::source::Source;
use crate::target::Target;

/// What a body says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Batch {
    /// What happened in the channel, in the order of the lines.
    pub events: Vec<Event>,
    /// The admins of the channel, by its last line that says so.
    pub admins: Option<Vec<String>>,
}

/// Why a body is not taken; no value of a line is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BadBody {
    /// It has nothing but blanks.
    Empty,
    /// A line is wrong: its number, from 1, and why.
    Line(u64, Skip),
}

impl BadBody {
    /// The number of the line, from 1.
    #[must_use]
    pub const fn line(&self) -> Option<u64> {
        match self {
            Self::Empty => None,
            Self::Line(line, _) => Some(*line),
        }
    }
}

impl Batch {
    /// Adds that the history of the channel ends with it.
    pub fn end_history(&mut self, target: &Target) {
        let last = self.events.iter().map(|event| event.envelope.time).max();
        if let Some(last) = last {
            let lines = self.events.len() as u64;
            self.events.push(ended(target, lines, last));
        }
    }
}

impl fmt::Display for BadBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, skip) = match self {
            Self::Empty => {
                return f.write_str("The body has no event. Write one JSON object a line.");
            }
            Self::Line(line, skip) => (line, skip),
        };
        let problem = match (&skip.detail, skip.reason) {
            (Some(detail), _) => detail,
            (None, SkipReason::CutOff) => "the body ends within a JSON value",
            (None, SkipReason::NotJson) => "not a JSON object that is on one line",
            (None, reason) => reason.text(),
        };
        write!(
            f,
            "Line {line} cannot be taken: {problem}. Nothing of the body was taken: correct the \
             line, and send the whole body again."
        )
    }
}

/// Reads all lines of a body; `now` is the wall clock, for dates in the future.
///
/// # Errors
/// A line is wrong, or there is none.
pub fn read(body: &[u8], target: Target, now: Timestamp) -> Result<Batch, BadBody> {
    let mut batch = Batch::default();
    // Reading from memory does not fail.
    for item in Source::json_lines(Cursor::new(body), target, now, None).flatten() {
        match item.parsed {
            Parsed::Event(event) => batch.events.push(*event),
            Parsed::Admins(people) => batch.admins = Some(people),
            Parsed::System | Parsed::Blank => {}
            Parsed::Skip(skip) => return Err(BadBody::Line(item.line, skip)),
        }
    }
    if batch == Batch::default() {
        return Err(BadBody::Empty);
    }
    Ok(batch)
}

#[cfg(test)]
mod tests;
