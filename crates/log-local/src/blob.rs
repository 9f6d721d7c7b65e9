//! Blobs as files.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use threadlore_ports::{BlobStore, PortError, check_name};

use crate::error::{blocking, io as broken};
use crate::files;

/// A [`BlobStore`] in a directory: `whole/` holds one file per blob, `new/` those
/// that are being written, under names that no other writer has. Several handles,
/// of one process or of many, may work on one directory.
#[derive(Debug)]
pub struct FileBlobs {
    dir: PathBuf,
}

impl FileBlobs {
    /// The blobs of a directory, which is made when the first one is stored.
    #[must_use]
    pub fn at(dir: &Path) -> Self {
        Self {
            dir: dir.to_owned(),
        }
    }

    /// Removes files that a killed process left half-written. To be called by the
    /// one owner of the directory before anything is stored: a file that another
    /// handle is writing would be removed, too.
    ///
    /// # Errors
    /// `Broken` when the directory cannot be used.
    pub fn remove_leftovers(&self) -> Result<(), PortError> {
        let remove = || -> io::Result<()> {
            let entries = match fs::read_dir(self.new_dir()) {
                Err(e) if e.kind() == ErrorKind::NotFound => return Ok(()),
                entries => entries?,
            };
            for entry in entries {
                fs::remove_file(entry?.path())?;
            }
            Ok(())
        };
        remove().map_err(|e| broken("opening the blobs", &self.dir, e))
    }

    fn new_dir(&self) -> PathBuf {
        self.dir.join("new")
    }

    fn whole_dir(&self) -> PathBuf {
        self.dir.join("whole")
    }

    /// Names have no `%`, so a flat file per blob never meets a directory.
    fn path(&self, name: &str) -> Result<PathBuf, PortError> {
        check_name(name)?;
        Ok(self.whole_dir().join(name.replace('/', "%")))
    }
}

fn unavailable(doing: &'static str, source: io::Error) -> PortError {
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
        let dirs = [self.new_dir(), self.whole_dir()];
        let bytes = bytes.to_vec();
        blocking(doing, move || {
            let put = || {
                for dir in &dirs {
                    files::make_dir(dir)?;
                }
                files::put(&path, &dirs[0], &bytes)
            };
            put().map_err(|e| unavailable(doing, e))
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
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(()),
            Err(e) => Err(unavailable(doing, e)),
        })
        .await
    }

    async fn names(&self, after: Option<&str>, max: usize) -> Result<Vec<String>, PortError> {
        let doing = "listing the blobs";
        let (dir, after) = (self.whole_dir(), after.map(str::to_owned));
        blocking(doing, move || {
            // The first ones only, however many there are.
            let mut names = BTreeSet::new();
            let entries = match fs::read_dir(dir) {
                Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
                entries => entries.map_err(|e| unavailable(doing, e))?,
            };
            for entry in entries {
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
