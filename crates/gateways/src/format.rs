//! The formats of chat files. A format is a module below this one and an entry in the table here;
//! its name in options and in the help follows from the entry.

mod irc;
mod jsonl;

use std::fmt;
use std::io::BufRead;
use std::str::FromStr;

use crate::error::ImportError;
use crate::import::ImportOptions;
use crate::parsed::{Change, Parsed};
use crate::summary::ClockNote;

pub(crate) use irc::fold;
pub use irc::{ClockHours, ClockStyle};

/// How many lines are searched for the forms of a format.
const LOOKED_AT: usize = 20;
/// How names of logs end that may be of any format.
const COMMON: [&str; 2] = ["txt", "log"];

/// What a format says of itself.
trait ChatFormat {
    /// The name in options.
    fn name(&self) -> &'static str;

    /// How names of files end that can only be of this format.
    fn extensions(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether a file is of the format, by its first lines that are not blank.
    fn is_format_of(&self, lines: &[&str]) -> bool;

    /// Begins to read a file.
    fn parser(&self, file: ChatFile<'_>) -> Result<Box<dyn Parser>, ImportError>;
}

/// A file whose lines will be read.
pub(crate) struct ChatFile<'a> {
    /// Its path.
    pub(crate) name: &'a str,
    pub(crate) options: &'a ImportOptions,
    /// Its first bytes.
    pub(crate) head: &'a [u8],
    /// A reader at its start, for those who have to look further.
    pub(crate) content: &'a mut dyn BufRead,
}

/// Reads the lines of one file in order.
pub(crate) trait Parser: fmt::Debug + Send {
    /// Whether a line that is not UTF-8 is skipped. Else it is read as windows-1252.
    fn wants_utf8(&self) -> bool {
        false
    }

    /// Reads a line that is not blank.
    fn read(&mut self, line: Line<'_>, changes: &mut Vec<Change>) -> Parsed;

    /// The detected clock of the file, if it influenced the times of the lines.
    fn clock_note(&self, _file: &str) -> Option<ClockNote> {
        None
    }
}

/// A line as the parsers see it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<'a> {
    /// Line number, from 1.
    pub(crate) number: u64,
    pub(crate) text: &'a str,
    /// Whether a line feed followed; else the file stops within the line.
    pub(crate) ended: bool,
}

macro_rules! formats {
    ($($(#[$doc:meta])* $format:ident in $module:ident,)+) => {
        /// A format that can be imported.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Format { $($(#[$doc])* $format),+ }

        impl Format {
            /// Every format, in the order in which a file is compared with them.
            pub const ALL: &'static [Self] = &[$(Self::$format),+];

            fn format(self) -> &'static dyn ChatFormat {
                match self { $(Self::$format => &$module::Form),+ }
            }
        }
    };
}

formats! {
    /// Our JSON lines, see `docs/import-format.md`.
    JsonLines in jsonl,
    /// Ubuntu-style IRC logs.
    Irc in irc,
}

/// A format name that is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("format {0:?} is not known: write {names}", names = Format::names())]
pub struct UnknownFormat(String);

impl Format {
    /// The name in options.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.format().name()
    }

    /// The names of all formats, for a sentence: `jsonl or irc`.
    #[must_use]
    pub fn names() -> String {
        listed(Self::ALL.iter().map(|format| format.name()))
    }

    /// How names of logs end.
    pub(crate) fn extensions() -> impl Iterator<Item = &'static str> {
        let own = Self::ALL.iter().flat_map(|f| f.format().extensions());
        COMMON.into_iter().chain(own.copied())
    }

    /// The format by the file's extension and its first bytes; `None` if neither shows it.
    pub(crate) fn detect(name: &str, head: &[u8]) -> Option<Self> {
        let mut all = Self::ALL.iter().copied();
        let name = name.strip_suffix(".gz").unwrap_or(name);
        if let Some((_, extension)) = name.rsplit_once('.')
            && let Some(format) = all
                .clone()
                .find(|f| f.format().extensions().contains(&extension))
        {
            return Some(format);
        }
        let head = String::from_utf8_lossy(head);
        let head = head.trim_start_matches('\u{feff}');
        let lines = head.lines().filter(|l| !l.trim().is_empty());
        let lines: Vec<&str> = lines.take(LOOKED_AT).collect();
        all.find(|f| f.format().is_format_of(&lines))
    }

    /// Begins to read a file of this format.
    pub(crate) fn parser(self, file: ChatFile<'_>) -> Result<Box<dyn Parser>, ImportError> {
        self.format().parser(file)
    }
}

/// Words for a sentence: `a, b or c`.
pub(crate) fn listed<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<&str> = words.into_iter().collect();
    match words.as_slice() {
        [first @ .., end] if !first.is_empty() => format!("{} or {end}", first.join(", ")),
        words => words.concat(),
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;
    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        let mut all = Self::ALL.iter().copied();
        all.find(|format| format.name() == name)
            .ok_or_else(|| UnknownFormat(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extension_and_first_lines_tell() {
        for (name, head, expect) in [
            ("a.jsonl", "anything", Some(Format::JsonLines)),
            ("a.ndjson", "", Some(Format::JsonLines)),
            (
                "a.txt",
                "\u{feff}\n {\"type\":1}\n",
                Some(Format::JsonLines),
            ),
            (
                "a.txt",
                "{\"type\":1}\n[12:00] <ann> hi",
                Some(Format::JsonLines),
            ),
            ("a.txt", "[12:00] <ann> hi", Some(Format::Irc)),
            ("a", "\n=== ann has joined #x\n", Some(Format::Irc)),
            ("a", "log opened\n[12:00]  * ann waves\n", Some(Format::Irc)),
            ("README.md", "# Title\n* a point\n[link](x) <b>\n", None),
            ("a.txt", "1000 1000 -\n", None),
            ("a.txt", "", None),
        ] {
            assert_eq!(
                Format::detect(name, head.as_bytes()),
                expect,
                "{name} {head:?}"
            );
        }
    }

    #[test]
    fn names_go_both_ways_and_differ() {
        for format in Format::ALL {
            assert_eq!(format.to_string().parse(), Ok(*format));
        }
        let error = "slack".parse::<Format>().expect_err("unknown");
        assert!(error.to_string().contains("slack"), "{error}");
        assert!(error.to_string().ends_with(&Format::names()), "{error}");
    }

    #[test]
    fn words_are_listed_as_in_a_sentence() {
        assert_eq!(listed(["a"]), "a");
        assert_eq!(listed(["a", "b"]), "a or b");
        assert_eq!(listed(["a", "b", "c"]), "a, b or c");
    }
}
