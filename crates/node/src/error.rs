//! Why a node is not opened, or does not do what it was asked for. Other errors are those of its
//! parts: of ports, of the settings and of the private PostgreSQL.

use std::path::{Path, PathBuf};

use threadlore_model::ChannelId;
use threadlore_ports::Projection;

/// The data directory is owned by another process.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct InUse(pub String);

impl InUse {
    /// By the process of this id.
    pub fn by(data_dir: &Path, process: &str) -> Self {
        Self(format!(
            "the data directory {} is in use by process {process}: stop that one first, or choose \
             another with --data-dir",
            data_dir.display()
        ))
    }
}

/// Input that cannot be used; the sentence says what to change.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BadInput(pub String);

/// The live builds were made by another version, whose tables or folds are not those of this one.
#[derive(Debug, thiserror::Error)]
#[error(
    "another version of Threadlore made the tables that are live ({0}), and this one reads and fills only its \
     own: run `threadlore migrate` with this version, which makes them from the log beside those and \
     switches to them"
)]
pub struct OtherVersion(pub String);

/// Another process changes the builds of a projection.
#[derive(Debug, thiserror::Error)]
#[error(
    "another process is at work on the builds of {}: try again once it is done",
    .0.name()
)]
pub struct Busy(pub Projection);

/// The same file is being imported into the same channel.
#[derive(Debug, thiserror::Error)]
#[error(
    "{} is being imported into {channel} by another command: wait until that one is done",
    file.display()
)]
pub struct ImportedAlready {
    /// The file.
    pub file: PathBuf,
    /// The channel.
    pub channel: ChannelId,
}
