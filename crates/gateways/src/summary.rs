//! The closing count of an import.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use threadlore_model::Body;

use crate::parsed::{Item, Parsed};

/// Line numbers kept per reason.
const SHOWN: usize = 3;

/// How many lines, and where the first of them stand.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Lines.
    pub count: u64,
    /// Numbers of the first three.
    pub first: Vec<u64>,
}

impl Tally {
    fn add(&mut self, line: u64) {
        self.count += 1;
        if self.first.len() < SHOWN {
            self.first.push(line);
        }
    }
}

/// What became of a file. `lines` is always the sum of what was taken (messages,
/// edits, redactions, reactions), `system`, `blank`, `skipped` and `earlier`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Lines of the file.
    pub lines: u64,
    /// Messages appended.
    pub messages: u64,
    /// Edits appended.
    pub edits: u64,
    /// Redactions appended.
    pub redactions: u64,
    /// Reactions appended, added and removed ones.
    pub reactions: u64,
    /// Lines of the log about itself.
    pub system: u64,
    /// Lines of blanks.
    pub blank: u64,
    /// Lines that an earlier run had done.
    pub earlier: u64,
    /// Files whose content is not what an earlier import had read under this name: they
    /// were imported from their beginning.
    pub replaced: Vec<String>,
    /// Lines not taken, by reason.
    pub skipped: BTreeMap<&'static str, Tally>,
    /// Lines taken after an alteration, by what it was.
    pub changed: BTreeMap<&'static str, Tally>,
}

impl Summary {
    /// Events appended by this run.
    #[must_use]
    pub fn taken(&self) -> u64 {
        self.messages + self.edits + self.redactions + self.reactions
    }

    /// Lines not taken for any reason.
    #[must_use]
    pub fn skipped_lines(&self) -> u64 {
        self.skipped.values().map(|tally| tally.count).sum()
    }

    /// Whether the file has nothing but blanks.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lines == self.blank
    }

    /// Whether an earlier run had done the whole file.
    #[must_use]
    pub fn was_done(&self) -> bool {
        self.lines > 0 && self.lines == self.earlier
    }

    /// Adds the count of another file. Line numbers are those of each file.
    pub fn merge(&mut self, other: Self) {
        self.lines += other.lines;
        self.messages += other.messages;
        self.edits += other.edits;
        self.redactions += other.redactions;
        self.reactions += other.reactions;
        self.system += other.system;
        self.blank += other.blank;
        self.earlier += other.earlier;
        self.replaced.extend(other.replaced);
        for (into, from) in [
            (&mut self.skipped, other.skipped),
            (&mut self.changed, other.changed),
        ] {
            for (reason, tally) in from {
                let sum = into.entry(reason).or_default();
                sum.count += tally.count;
                sum.first.extend(tally.first);
                sum.first.truncate(SHOWN);
            }
        }
    }

    pub(crate) fn add(&mut self, item: &Item) {
        self.lines += 1;
        match &item.parsed {
            Parsed::System => self.system += 1,
            Parsed::Blank => self.blank += 1,
            Parsed::Skip(reason) => {
                self.skipped
                    .entry(reason.text())
                    .or_default()
                    .add(item.line);
            }
            Parsed::Event(event) => match event.body {
                Body::PlatformEdit(_) => self.edits += 1,
                Body::PlatformRedaction(_) => self.redactions += 1,
                Body::PlatformReaction(_) => self.reactions += 1,
                _ => self.messages += 1,
            },
        }
        for change in &item.changes {
            self.changed
                .entry(change.text())
                .or_default()
                .add(item.line);
        }
    }

    pub(crate) fn add_earlier(&mut self, lines: u64) {
        self.lines += lines;
        self.earlier += lines;
    }
}

impl fmt::Display for Summary {
    /// The count in words, one fact a line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("nothing in it");
        }
        if self.was_done() {
            return write!(
                f,
                "nothing new: all {} lines were imported before",
                self.earlier
            );
        }
        write!(f, "{} lines: {} messages", self.lines, self.messages)?;
        for (count, what) in [
            (self.edits, "edits"),
            (self.redactions, "redactions"),
            (self.reactions, "reactions"),
            (self.system, "system lines"),
            (self.blank, "blank lines"),
            (self.earlier, "lines imported before"),
            (self.skipped_lines(), "lines skipped"),
        ] {
            if count > 0 {
                write!(f, ", {count} {what}")?;
            }
        }
        for file in &self.replaced {
            write!(
                f,
                "\n  {file} was replaced or changed since it was imported before, so it was \
                 imported from its beginning"
            )?;
        }
        for (kind, tallies) in [("skipped", &self.skipped), ("altered", &self.changed)] {
            for (reason, tally) in tallies {
                let lines: Vec<String> = tally.first.iter().map(u64::to_string).collect();
                let more = if tally.count > SHOWN as u64 {
                    ", …"
                } else {
                    ""
                };
                let lines = lines.join(", ");
                write!(
                    f,
                    "\n  {kind} {}: {reason} (line {lines}{more})",
                    tally.count
                )?;
            }
        }
        Ok(())
    }
}
