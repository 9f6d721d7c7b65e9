//! What is kept for ever: the log, the keys that open it, blobs. Nothing works on it here.

use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use threadlore_log_local::{
    FileBlobs, LocalKeystore, LocalLog, load_or_create_secret, save_secret,
};
use threadlore_ports::{BlobStore, Clock, Keystore, RawLog};
use threadlore_settings::Settings;

use super::guard::opened;
use super::lock::DataDir;
use super::log;
use crate::exit::BadInput;

/// A data directory that this process owns, and what is kept in it or where its settings
/// say.
pub(crate) struct Kept {
    /// The truth.
    pub(crate) log: Arc<dyn RawLog>,
    pub(super) local: Option<Arc<LocalLog>>,
    /// What opens it.
    pub(crate) keys: Arc<dyn Keystore>,
    /// Long texts and attachments.
    pub(crate) blobs: Arc<dyn BlobStore>,
    /// The key that hashes people.
    pub(crate) people: [u8; 32],
    // Dropped last: the directory's lock.
    pub(super) dir: DataDir,
}

impl Kept {
    /// Opens it. A directory that is made now takes `people` for its own key, where there
    /// is one: under another key the same people would be others.
    ///
    /// # Errors
    /// The directory is in use, of another format or cannot be used; a secret is missing;
    /// the log cannot be opened.
    pub(crate) async fn open(
        settings: &Settings,
        clock: &Arc<dyn Clock>,
        people: Option<&[u8; 32]>,
    ) -> anyhow::Result<Self> {
        let dir = DataDir::open(&settings.data_dir)?;
        let (people, master) = secrets(settings, &dir, people)?;
        if dir.is_fresh() {
            dir.mark_made()?;
        }
        let path = dir.path();
        let keys = opened(&path.join("keys"), |dir| LocalKeystore::open(dir, master))?;
        let log::Log { log, local } = log::open(settings, path, clock).await?;
        let blobs = FileBlobs::open(&path.join("blobs"))?;
        Ok(Self {
            log,
            local,
            keys: Arc::new(keys),
            blobs: Arc::new(blobs),
            people,
            dir,
        })
    }

    /// The data directory.
    pub(crate) fn dir(&self) -> &Path {
        self.dir.path()
    }
}

/// The key that hashes people and the key that wraps keys. They are made once,
/// with the data directory; later a missing one stops the start (C2).
fn secrets(
    settings: &Settings,
    dir: &DataDir,
    people: Option<&[u8; 32]>,
) -> anyhow::Result<([u8; 32], [u8; 32])> {
    let own = dir.path().join("secrets");
    if dir.is_fresh() {
        std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&own)
            .with_context(|| format!("creating {}", own.display()))?;
    }
    let path = |chosen: &Option<PathBuf>, name: &str| {
        let own = || own.join(name);
        chosen.clone().unwrap_or_else(own)
    };
    let get = |path: &Path, key: &str| {
        load_or_create_secret(path, dir.is_fresh()).map_err(|e| {
            anyhow::Error::new(e).context(BadInput(format!(
                "nothing starts without the secret {}, because people and texts of the data \
                 directory are tied to it (settings key {key})",
                path.display()
            )))
        })
    };
    let file = path(&settings.people.hash_key_file, "people.key");
    if let Some(people) = people.filter(|_| dir.is_fresh() && !file.exists()) {
        save_secret(&file, people)?;
    }
    Ok((
        get(&file, "people.hash_key_file")?,
        get(
            &path(&settings.keystore.master_key_file, "master.key"),
            "keystore.master_key_file",
        )?,
    ))
}
