//! The closing count of an import.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use threadlore_model::{Body, Timestamp};

use crate::bots::Habits;
use crate::format::ClockHours;
use crate::parsed::{Item, Parsed, SkipReason};

/// Lines named per reason, and per clock.
pub(crate) const SHOWN: usize = 3;
/// Files named, of those that were passed over and of those with a clock.
const FILES_SHOWN: usize = 20;

/// How many lines, and which are the first of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Lines.
    pub count: u64,
    /// The first three.
    pub first: Vec<Place>,
}

/// A line of a file, with details of its problem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Place {
    /// Name of the file, without its directory.
    pub file: String,
    /// Line number, from 1.
    pub line: u64,
    /// The field and its problem, if it is about one field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

impl fmt::Display for Place {
    /// As compilers write it: `chat.jsonl:12: field "text": missing`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)?;
        match &self.detail {
            Some(detail) => write!(f, ": {detail}"),
            None => Ok(()),
        }
    }
}

impl Tally {
    fn add(&mut self, place: impl FnOnce() -> Place) {
        self.count += 1;
        if self.first.len() < SHOWN {
            self.first.push(place());
        }
    }
}

/// A file of which nothing could be imported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PassedOver {
    /// Its name, without its directory.
    pub file: String,
    /// The reason, with a description of the file.
    pub why: String,
}

/// The detected clock of an IRC log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClockNote {
    /// Name of the file, without its directory.
    pub file: String,
    /// How its times are written.
    pub clock: ClockHours,
    /// Whether the first time was read as after noon; always known for a 24-hour clock.
    pub afternoon: bool,
    /// How often the clock began anew.
    pub turns: u64,
    /// The first three lines at which it did.
    pub first: Vec<u64>,
}

impl ClockNote {
    /// Whether times are as they are written, on the day of the first line.
    pub(crate) const fn is_plain(&self) -> bool {
        self.turns == 0 && matches!(self.clock, ClockHours::Day)
    }
}

impl fmt::Display for ClockNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (file, half) = (&self.file, ["morning", "afternoon"]);
        match self.clock {
            ClockHours::Day => write!(f, "{file}: read as a 24-hour clock")?,
            ClockHours::HalfDay => write!(
                f,
                "{file}: read as a 12-hour clock, from the {}",
                half[usize::from(self.afternoon)]
            )?,
        }
        let what = match self.clock {
            ClockHours::Day => "a new day begins",
            ClockHours::HalfDay => "noon or midnight passes",
        };
        let lines: Vec<String> = self.first.iter().map(u64::to_string).collect();
        match self.turns {
            0 => Ok(()),
            1 => write!(f, "; {what} at line {}", lines.join(", ")),
            n if n <= SHOWN as u64 => write!(f, "; {what} at lines {}", lines.join(", ")),
            n => write!(f, "; {what} {n} times, first at lines {}", lines.join(", ")),
        }
    }
}

/// The result of importing a file. `lines` is always the sum of the imported events (messages,
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
    /// Files whose content has changed since an earlier import of this name. They were imported
    /// from their beginning.
    pub replaced: Vec<String>,
    /// Skipped lines, by reason.
    pub skipped: BTreeMap<&'static str, Tally>,
    /// Altered lines, by the kind of the alteration.
    pub changed: BTreeMap<&'static str, Tally>,
    /// Time of the latest event, whichever run appended it.
    #[serde(skip)]
    pub last: Option<Timestamp>,
    /// Files of which nothing could be imported.
    pub passed_over: Vec<PassedOver>,
    /// The detected clocks of IRC logs, where they influenced any time.
    pub clocks: Vec<ClockNote>,
    /// Who writes as programs do, and was not named as a bot.
    pub look_like_bots: Habits,
}

impl Summary {
    /// Events appended by this run.
    #[must_use]
    pub fn taken(&self) -> u64 {
        self.messages + self.edits + self.redactions + self.reactions
    }

    /// The number of skipped lines.
    #[must_use]
    pub fn skipped_lines(&self) -> u64 {
        self.skipped.values().map(|tally| tally.count).sum()
    }

    /// Whether the file has nothing but blanks.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lines == self.blank && self.passed_over.is_empty()
    }

    /// Whether the file had lines, and none of them could be imported, now or earlier.
    #[must_use]
    pub fn took_nothing(&self) -> bool {
        let refused = self.skipped_lines() > 0 || !self.passed_over.is_empty();
        refused && self.taken() + self.system + self.earlier == 0
    }

    /// Whether an earlier run had done the whole file.
    #[must_use]
    pub fn was_done(&self) -> bool {
        self.lines > 0 && self.lines == self.earlier
    }

    /// Why nothing of a file could be imported, which `looks` like this.
    pub(crate) fn why_nothing(&self, looks: &str) -> String {
        let of_form = |reason: &SkipReason| self.skipped.contains_key(reason.text());
        if SkipReason::OF_FORM.iter().any(of_form) {
            format!(
                "none of its lines can be imported; it looks like {looks}; docs/import-format.md \
                 says what is read"
            )
        } else {
            "none of its lines can be imported, for the reasons above".to_owned()
        }
    }

    /// Adds the count of another file.
    pub fn merge(&mut self, other: Self) {
        self.last = self.last.max(other.last);
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
        self.passed_over.extend(other.passed_over);
        self.clocks.extend(other.clocks);
        self.look_like_bots.merge(other.look_like_bots);
    }

    /// Records when a line was said and how, also of one that an earlier run appended.
    pub(crate) fn date(&mut self, item: &Item) {
        if let Parsed::Event(event) = &item.parsed {
            self.last = self.last.max(Some(event.envelope.time));
            if let Body::PlatformMessage(message) = &event.body {
                self.look_like_bots.look(message);
            }
        }
    }

    /// Adds a file that was not read.
    pub fn pass_over(&mut self, file: &str, why: String) {
        let file = base(file).to_owned();
        self.passed_over.push(PassedOver { file, why });
    }

    pub(crate) fn add(&mut self, file: &str, item: &Item) {
        let place = |detail: Option<&String>| Place {
            file: base(file).to_owned(),
            line: item.line,
            detail: detail.cloned(),
        };
        self.lines += 1;
        match &item.parsed {
            Parsed::System | Parsed::Admins(_) => self.system += 1,
            Parsed::Blank => self.blank += 1,
            Parsed::Skip(skip) => {
                let tally = self.skipped.entry(skip.reason.text()).or_default();
                tally.add(|| place(skip.detail.as_ref()));
            }
            Parsed::Event(event) => match event.body {
                Body::PlatformEdit(_) => self.edits += 1,
                Body::PlatformRedaction(_) => self.redactions += 1,
                Body::PlatformReaction(_) => self.reactions += 1,
                _ => self.messages += 1,
            },
        }
        for change in &item.changes {
            let tally = self.changed.entry(change.text()).or_default();
            tally.add(|| place(None));
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
        if self.was_done() && self.passed_over.is_empty() {
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
                write!(f, "\n  {kind} {}: {reason}", tally.count)?;
                for place in &tally.first {
                    write!(f, "\n    {place}")?;
                }
                if tally.count > tally.first.len() as u64 {
                    write!(f, "\n    …")?;
                }
            }
        }
        let passed_over = self.passed_over.iter();
        list(
            f,
            passed_over.map(|one| format!("passed over {}: {}", one.file, one.why)),
        )?;
        list(f, self.clocks.iter().map(ToString::to_string))?;
        match self.look_like_bots.bots() {
            bots if bots.is_empty() => Ok(()),
            bots => write!(
                f,
                "\n  these write as programs do, and count as people: {0} (with --bots '{0}' they count as bots)",
                bots.join(",")
            ),
        }
    }
}

/// One a line, and how many more there are.
fn list(f: &mut fmt::Formatter<'_>, lines: impl ExactSizeIterator<Item = String>) -> fmt::Result {
    let more = lines.len().saturating_sub(FILES_SHOWN);
    for line in lines.take(FILES_SHOWN) {
        write!(f, "\n  {line}")?;
    }
    match more {
        0 => Ok(()),
        more => write!(f, "\n  … and {more} more files"),
    }
}

/// The name of a file without its directory.
pub(crate) fn base(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file)
}
