//! Why an import did not take place, or stopped.

use std::io;
use std::path::PathBuf;

use threadlore_ports::PortError;

use crate::format::{Format, listed};

/// Why an import failed. Lines that cannot be imported are no error: they are counted in the
/// [`Summary`](crate::Summary).
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// No such file or directory.
    #[error("{} does not exist; give the path of a log or of a directory of logs", .0.display())]
    NotFound(PathBuf),
    /// No permission.
    #[error("{} may not be read by this user; change its permissions", .0.display())]
    Denied(PathBuf),
    /// A device, a socket, a pipe.
    #[error("{} is neither a file nor a directory; save the log to a file first", .0.display())]
    NotAFile(PathBuf),
    /// A directory without logs.
    #[error("{} has no logs; their names end in {}", .0.display(), endings())]
    NoLogs(PathBuf),
    /// Another failure of opening.
    #[error("{} cannot be opened", .path.display())]
    Open {
        /// What.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// Reading failed midway.
    #[error("{file}: reading failed after line {line}; run the same import again and it goes on")]
    Read {
        /// Where.
        file: String,
        /// Lines that were read.
        line: u64,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The first lines are of no known format.
    #[error(
        "{file}: not of a format that is known; it looks like {looks}; if it is of one all the \
         same, name it (--format {names}), see docs/import-format.md",
        names = Format::names()
    )]
    UnknownFormat {
        /// Which file.
        file: String,
        /// A description of its first bytes.
        looks: String,
    },
    /// An export or an archive that is there only in part, or that something changed.
    #[error("{file}: {why}; nothing of it was taken: get it again, or name another")]
    Damaged {
        /// Which file.
        file: String,
        /// What is wrong, and where.
        why: String,
    },
    /// The disk that files are unpacked to is full.
    #[error(
        "{file}: there is no room to unpack it in {}; nothing of it was taken: free some space there, or name \
         another directory in the environment variable TMPDIR",
        std::env::temp_dir().display()
    )]
    NoRoom {
        /// Which file.
        file: String,
    },
    /// An export without anything that may be imported as it is.
    #[error(
        "{file}: no chat of the export has messages that many can read{}",
        of(left_out)
    )]
    NoChats {
        /// Which file.
        file: String,
        /// What is there.
        left_out: Vec<String>,
    },
    /// An IRC log of an unknown day.
    #[error(
        "{0}: the day is not known; put YYYY-MM-DD into the file's name, or name \
         the day of a single file with --date"
    )]
    NoDate(String),
    /// The log refused a batch.
    #[error(
        "{file}: what follows line {line} was not taken by the log; what precedes it is safe: \
         run the same import again and it goes on there"
    )]
    Append {
        /// Which file.
        file: String,
        /// The last line that is durable.
        line: u64,
        /// Why.
        #[source]
        source: PortError,
    },
    /// The checkpoint could not be read or written.
    #[error(
        "{file}: the import's checkpoint {name} cannot be read or written; nothing is lost: run it again"
    )]
    Checkpoint {
        /// Which file.
        file: String,
        /// The blob.
        name: String,
        /// Why.
        #[source]
        source: PortError,
    },
}

/// What is there and is left out, for a sentence.
fn of(left_out: &[String]) -> String {
    match left_out {
        [] => String::new(),
        some => format!(
            " ({} conversations of a few people are left out: export one alone to import it)",
            some.len()
        ),
    }
}

/// How names of logs end, for a sentence.
fn endings() -> String {
    let endings: Vec<String> = Format::extensions().map(|e| format!(".{e}")).collect();
    listed(endings.iter().map(String::as_str))
}

impl ImportError {
    /// Whether the error is about the content of one file, so that other files can still be
    /// imported.
    #[must_use]
    pub const fn is_about_content(&self) -> bool {
        matches!(
            self,
            Self::UnknownFormat { .. }
                | Self::NoDate(_)
                | Self::Damaged { .. }
                | Self::NoChats { .. }
        )
    }
}
