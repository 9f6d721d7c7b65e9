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
    /// No thread can be started.
    #[error("the thread that computes vectors cannot be started")]
    Thread(#[source] rayon::ThreadPoolBuildError),
}

impl Error {
    pub(crate) fn read(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        Self::Read { path, source }
    }

    pub(crate) fn broken(path: &Path, what: impl Into<String>) -> Self {
        Self::Broken {
            path: path.to_owned(),
            what: what.into(),
        }
    }
}
