//! What is kept for ever: the log, the keys that open it, blobs. Nothing works on it here.

use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use threadlore_log_local::{
    FileBlobs, LocalKeystore, LocalLog, load_or_create_secret, save_secret,
};
use threadlore_ports::{Clock, Keystore, Observer, RawLog, Wrapping};
use threadlore_settings::Settings;
use threadlore_store_postgres::PostgresKeystore;

use crate::error::BadInput;
use crate::guard::opened;
use crate::lock::DataDir;
use crate::log;

/// What is kept where the settings say: in a data directory, which this process then owns,
/// or elsewhere.
pub struct Kept {
    /// The truth.
    pub log: Arc<dyn RawLog>,
    pub(crate) local: Option<Arc<LocalLog>>,
    /// What opens it.
    pub keys: Arc<dyn Keystore>,
    /// The key that hashes people.
    pub people: [u8; 32],
    /// How far imports came.
    pub blobs: Arc<FileBlobs>,
    data_dir: PathBuf,
    // Dropped last: the directory's lock. None where nothing is kept there.
    pub(crate) dir: Option<DataDir>,
}

impl Kept {
    /// Opens it. A directory that is made now takes `people` for its own key, where there
    /// is one: under another key the same people would be others.
    ///
    /// # Errors
    /// The directory is in use, of another format or cannot be used; a secret is missing;
    /// the log cannot be opened.
    pub async fn open(
        settings: &Settings,
        clock: &Arc<dyn Clock>,
        observer: &Arc<dyn Observer>,
        people: Option<&[u8; 32]>,
    ) -> anyhow::Result<Self> {
        let own = !settings.in_data_dir().is_empty();
        let dir = own.then(|| DataDir::open(&settings.data_dir)).transpose()?;
        let (people, wrapping) = secrets(settings, dir.as_ref(), people)?;
        if let Some(dir) = dir.as_ref().filter(|dir| dir.is_fresh()) {
            dir.mark_made()?;
        }
        let data_dir = match &dir {
            Some(dir) => dir.path().to_owned(),
            None => settings.data_dir.clone(),
        };
        let blobs = Arc::new(FileBlobs::at(&data_dir.join("blobs")));
        if dir.is_some() {
            // No import runs before this process is open.
            blobs.remove_leftovers()?;
        }
        let keys = keystore(settings, &data_dir, wrapping).await?;
        let log::Log { log, local } = log::open(settings, &data_dir, clock, observer).await?;
        Ok(Self {
            log,
            local,
            keys,
            people,
            blobs,
            data_dir,
            dir,
        })
    }

    /// The data directory, whether or not anything is in it.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.data_dir
    }
}

/// The keys that seal texts: files in the directory, or rows of a database.
async fn keystore(
    settings: &Settings,
    dir: &Path,
    wrapping: Wrapping,
) -> anyhow::Result<Arc<dyn Keystore>> {
    Ok(match &settings.keystore.url {
        Some(url) => Arc::new(PostgresKeystore::connect(url.reveal(), wrapping).await?),
        None => Arc::new(opened(&dir.join("keys"), |dir| {
            LocalKeystore::open(dir, wrapping)
        })?),
    })
}

/// The key that hashes people, and what wraps keys. The secrets are made once,
/// with the data directory; later, and without one, a missing one stops the start.
fn secrets(
    settings: &Settings,
    dir: Option<&DataDir>,
    people: Option<&[u8; 32]>,
) -> anyhow::Result<([u8; 32], Wrapping)> {
    let own = settings.data_dir.join("secrets");
    let is_fresh = dir.is_some_and(DataDir::is_fresh);
    if is_fresh {
        std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&own)
            .with_context(|| format!("creating {}", own.display()))?;
    }
    let get = |path: &Path, key: &str, create: bool| {
        load_or_create_secret(path, create).map_err(|e| {
            anyhow::Error::new(e).context(BadInput(format!(
                "nothing starts without the secret {}, because people and texts of the log are \
                 tied to it (settings key {key})",
                path.display()
            )))
        })
    };
    let file = people_key_file(settings);
    if let Some(people) = people.filter(|_| is_fresh && !file.exists()) {
        save_secret(&file, people)?;
    }
    let keystore = &settings.keystore;
    let master = keystore.master_key_file.clone();
    let master = master.unwrap_or_else(|| own.join("master.key"));
    let second = keystore.second_master_key_file.as_ref();
    let second = second.map(|file| get(file, "keystore.second_master_key_file", false));
    let people = get(&file, "people.hash_key_file", is_fresh)?;
    let master = get(&master, "keystore.master_key_file", is_fresh)?;
    let wrapping = Wrapping::under(master).reading(second.transpose()?);
    Ok((people, wrapping))
}

/// The key that signs links to the pages, and sessions. It is made when it is missing, where the
/// settings name no file: then those that were signed before count no more.
///
/// # Errors
/// The file cannot be read or made, or is open to other users.
pub(crate) fn session_key(settings: &Settings) -> anyhow::Result<[u8; 32]> {
    let own = || settings.data_dir.join("secrets/session.key");
    let named = settings.api.session_key_file.clone();
    let is_own = named.is_none();
    let path = named.unwrap_or_else(own);
    if is_own && settings.in_data_dir().is_empty() {
        let sentence = "no file is named for the key that signs sessions: with the log and the tables \
                        elsewhere there is no data directory to keep one; set `api.session_key_file`";
        return Err(BadInput(sentence.to_owned()).into());
    }
    load_or_create_secret(&path, is_own).map_err(|e| {
        anyhow::Error::new(e).context(BadInput(format!(
            "the key that signs sessions cannot be read from {} (settings key api.session_key_file)",
            path.display()
        )))
    })
}

/// The file with the key that hashes people.
#[must_use]
pub fn people_key_file(settings: &Settings) -> PathBuf {
    let own = || settings.data_dir.join("secrets/people.key");
    settings.people.hash_key_file.clone().unwrap_or_else(own)
}
