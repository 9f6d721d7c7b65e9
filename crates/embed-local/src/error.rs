//! What can be wrong with a model's files.

use std::io;
use std::path::{Path, PathBuf};

/// Why a model cannot be used, or not be had.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file cannot be read.
    #[error("{} cannot be read: is it there, whole, and readable?", path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A directory has no model.
    #[error(
        "{} has no model: there is no model.json in it. Get one with `threadlore models pull`",
        dir.display()
    )]
    NoModel {
        /// Which directory.
        dir: PathBuf,
    },
    /// A file is not what the model's manifest says.
    #[error(
        "{} is not the file that model.json names: {what}. Get the model anew with `threadlore \
         models pull`",
        path.display()
    )]
    Changed {
        /// Which file.
        path: PathBuf,
        /// What is different.
        what: String,
    },
    /// A file has what cannot be read as a model.
    #[error("{} cannot be used as a model: {what}", path.display())]
    Broken {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// There is not enough memory.
    #[error(
        "the model in {} needs about {needed_mb} MB of memory and only {available_mb} MB are \
         free: free some, raise the limit of this process, or choose a smaller model",
        dir.display()
    )]
    Memory {
        /// Which model.
        dir: PathBuf,
        /// What it needs, in millions of bytes.
        needed_mb: u64,
        /// What there is.
        available_mb: u64,
    },
    /// A file cannot be written.
    #[error("{} cannot be written: is there room, and may this user write there?", path.display())]
    Write {
        /// Which file or directory.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// This is no name of a model.
    #[error(
        "{0:?} cannot be the name of a model: 1 to 100 letters, digits, `.`, `_` or `-`, beginning \
         with a letter or digit"
    )]
    Name(String),
    /// No model of this name is known.
    #[error(
        "it is not known where to get the model {0}: name a directory, or its URL, with --from, or \
         take all-minilm-l6-v2 (English) or multilingual-e5-small"
    )]
    Unknown(String),
    /// A server does not have it.
    #[error("{0} is not there (the server answered 404): look at the address")]
    NotThere(String),
    /// A file cannot be fetched.
    #[error("{url} cannot be fetched: {what}")]
    Fetch {
        /// From where.
        url: String,
        /// What is wrong.
        what: String,
        /// Why.
        source: Option<reqwest::Error>,
    },
    /// `pip` did not download the package.
    #[error(
        "`python3 -m pip download {package}` did not get the package: {what}. Get its file in \
         another way, and name it with --from"
    )]
    Pip {
        /// Which package.
        package: &'static str,
        /// What happened.
        what: String,
    },
    /// A package is not the one that is known.
    #[error(
        "{} is not {package}, or not whole: its SHA-256 is {found}, not {wanted}",
        path.display()
    )]
    OtherPackage {
        /// Which file.
        path: PathBuf,
        /// The package that is known.
        package: &'static str,
        /// Its hash.
        found: String,
        /// The hash of the one that is known.
        wanted: &'static str,
    },
    /// The program ends.
    #[error("the work was stopped")]
    Stopped(#[source] tokio::task::JoinError),
    /// No thread can be started.
    #[error("the thread that computes vectors cannot be started")]
    Thread(#[source] rayon::ThreadPoolBuildError),
}

impl Error {
    pub(crate) fn read(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        Self::Read { path, source }
    }

    pub(crate) fn write(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        Self::Write { path, source }
    }

    pub(crate) fn broken(path: &Path, what: impl Into<String>) -> Self {
        Self::Broken {
            path: path.to_owned(),
            what: what.into(),
        }
    }
}
