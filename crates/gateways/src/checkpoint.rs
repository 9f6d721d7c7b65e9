//! How far an import got, kept beside the log so that a broken one goes on.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use threadlore_model::Timestamp;
use threadlore_ports::{BlobStore, PortError};

use crate::import::ImportOptions;

/// Lines of a file whose events are durable.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Checkpoint {
    /// How many, from the start.
    pub(crate) lines: u64,
    /// Whether that is all of them.
    pub(crate) finished: bool,
    /// Time of the latest event among them.
    #[serde(default)]
    pub(crate) last: Option<Timestamp>,
}

impl Checkpoint {
    /// The blob of an import: named by what is read, and by where it goes and
    /// what changes the ids, so that a file imported into another channel is new.
    pub(crate) fn name(options: &ImportOptions, file: &str, size: u64, head: &[u8]) -> String {
        let date = options
            .date
            .map(|date| date.to_string())
            .unwrap_or_default();
        let format = options.format.map_or("", |format| format.name());
        let mut hash = Sha256::new();
        for part in [
            options.target.space.as_str().as_bytes(),
            options.target.channel.as_str().as_bytes(),
            format.as_bytes(),
            date.as_bytes(),
            file.as_bytes(),
            &size.to_be_bytes(),
            head,
        ] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        format!("imports/{:x}.json", hash.finalize())
    }

    /// The checkpoint of that name; none yet is the beginning. So is one that
    /// cannot be understood, because reading a file twice does no harm.
    pub(crate) async fn load(blobs: &dyn BlobStore, name: &str) -> Result<Self, PortError> {
        let Some(bytes) = blobs.get(name).await? else {
            return Ok(Self::default());
        };
        Ok(serde_json::from_slice(&bytes).unwrap_or_else(|error| {
            tracing::warn!(name, %error, "checkpoint cannot be understood; the import starts from line 1");
            Self::default()
        }))
    }

    pub(crate) async fn save(self, blobs: &dyn BlobStore, name: &str) -> Result<(), PortError> {
        let text = serde_json::to_vec(&self)
            .map_err(|error| PortError::broken("keeping a checkpoint", error.to_string()))?;
        blobs.put(name, &text).await
    }
}
