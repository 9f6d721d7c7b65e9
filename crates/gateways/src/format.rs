//! Which format a file has.

use std::fmt;
use std::str::FromStr;

use crate::irc::is_irc;

/// How many lines are searched for the forms of an IRC log.
const LOOKED_AT: usize = 20;

/// A format that can be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Ubuntu-style IRC logs.
    Irc,
    /// Our JSON lines, see `docs/import-format.md`.
    JsonLines,
}

/// A format name that is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("format {0:?} is not known: write irc or jsonl")]
pub struct UnknownFormat(String);

impl Format {
    /// The name in options: `irc` or `jsonl`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Irc => "irc",
            Self::JsonLines => "jsonl",
        }
    }

    /// The format by the file's extension and its first bytes; `None` if neither shows it.
    pub(crate) fn detect(name: &str, head: &[u8]) -> Option<Self> {
        let extension = name.rsplit_once('.').map(|(_, extension)| extension);
        if extension.is_some_and(|e| ["jsonl", "ndjson"].contains(&e)) {
            return Some(Self::JsonLines);
        }
        let head = String::from_utf8_lossy(head);
        let head = head.trim_start_matches('\u{feff}');
        let mut lines = head.lines().filter(|l| !l.trim().is_empty());
        if lines.clone().next()?.trim_start().starts_with('{') {
            return Some(Self::JsonLines);
        }
        lines
            .by_ref()
            .take(LOOKED_AT)
            .any(is_irc)
            .then_some(Self::Irc)
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
        [Self::Irc, Self::JsonLines]
            .into_iter()
            .find(|format| format.name() == name)
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
    fn names_go_both_ways() {
        for format in [Format::Irc, Format::JsonLines] {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        let error = "slack".parse::<Format>().expect_err("unknown");
        assert!(error.to_string().contains("slack"), "{error}");
    }
}
