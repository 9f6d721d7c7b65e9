//! Blobs as files.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use threadlore_ports::{BlobStore, PortError, check_name};

use crate::error::{blocking, io};
use crate::files;

/// A [`BlobStore`] in a directory: `whole/` holds one file per blob, `new/` those
/// that are being written.
#[derive(Debug)]
pub struct FileBlobs {
    dir: PathBuf,
    written: AtomicU64,
}

impl FileBlobs {
    /// Opens or creates the directory. What an earlier run left half-written goes.
    ///
    /// # Errors
    /// `Broken` when the directory cannot be used.
    pub fn open(dir: &Path) -> Result<Self, PortError> {
        let doing = "opening the blobs";
        let new = dir.join("new");
        let prepare = || {
            if new.try_exists()? {
                fs::remove_dir_all(&new)?;
            }
            fs::create_dir_all(&new)?;
            fs::create_dir_all(dir.join("whole"))?;
            files::sync_parent(&new)
        };
        prepare().map_err(|e| io(doing, dir, e))?;
        Ok(Self {
            dir: dir.to_owned(),
            written: AtomicU64::new(0),
        })
    }

    /// Names have no `%`, so a flat file per blob never meets a directory.
    fn path(&self, name: &str) -> Result<PathBuf, PortError> {
        check_name(name)?;
        Ok(self.dir.join("whole").join(name.replace('/', "%")))
    }
}

fn unavailable(doing: &'static str, source: std::io::Error) -> PortError {
    PortError::Unavailable {
        doing,
        what: "the directory of blobs",
        source: Some(Box::new(source)),
    }
}

#[async_trait]
impl BlobStore for FileBlobs {
    async fn put(&self, name: &str, bytes: &[u8]) -> Result<(), PortError> {
        let doing = "storing a blob";
        let path = self.path(name)?;
        let number = self.written.fetch_add(1, Ordering::Relaxed);
        let temporary = self.dir.join("new").join(number.to_string());
        let bytes = bytes.to_vec();
        blocking(doing, move || {
            files::put(&path, &temporary, &bytes, 0o600).map_err(|e| unavailable(doing, e))
        })
        .await
    }

    async fn get(&self, name: &str) -> Result<Option<Vec<u8>>, PortError> {
        let doing = "reading a blob";
        let path = self.path(name)?;
        blocking(doing, move || {
            files::read(&path).map_err(|e| unavailable(doing, e))
        })
        .await
    }

    async fn delete(&self, name: &str) -> Result<(), PortError> {
        let doing = "removing a blob";
        let path = self.path(name)?;
        blocking(doing, move || match fs::remove_file(&path) {
            Ok(()) => files::sync_parent(&path).map_err(|e| unavailable(doing, e)),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(()),
            Err(e) => Err(unavailable(doing, e)),
        })
        .await
    }

    async fn names(&self, after: Option<&str>, max: usize) -> Result<Vec<String>, PortError> {
        let doing = "listing the blobs";
        let (dir, after) = (self.dir.join("whole"), after.map(str::to_owned));
        blocking(doing, move || {
            // The first ones only, however many there are.
            let mut names = BTreeSet::new();
            for entry in fs::read_dir(dir).map_err(|e| unavailable(doing, e))? {
                let entry = entry.map_err(|e| unavailable(doing, e))?;
                let name = entry.file_name().to_string_lossy().replace('%', "/");
                if after.as_ref().is_none_or(|after| name > *after) && names.insert(name) {
                    while names.len() > max {
                        names.pop_last();
                    }
                }
            }
            Ok(names.into_iter().collect())
        })
        .await
    }
}
