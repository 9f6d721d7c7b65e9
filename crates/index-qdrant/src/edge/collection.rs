//! One shard of the engine, with its locks.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use qdrant_edge::{EdgeShard, OperationResult};
use threadlore_ports::{Dense, Opened, PortError};

use super::engine::attempt;
use super::{room, shape};
use crate::error::unavailable;

/// The engine's log is shortened when it has this many segments of four megabytes.
const LONG_LOG: usize = 64;

/// A shard that is loaded.
pub(crate) struct Loaded {
    pub(crate) shard: EdgeShard,
    pub(crate) dense: Option<Dense>,
}

/// The shard of one build, loaded or not.
pub(crate) struct Collection {
    dir: PathBuf,
    /// Held while the shard is changed or flushed, because the engine panics when a flush and a
    /// change overlap. Searches go on meanwhile.
    changing: Mutex<()>,
    loaded: RwLock<Option<Loaded>>,
    /// Locked as long as anything of the directory is in use.
    _lock: Arc<File>,
}

impl Collection {
    pub(crate) fn new(dir: PathBuf, lock: Arc<File>) -> Self {
        Self {
            dir,
            changing: Mutex::new(()),
            loaded: RwLock::new(None),
            _lock: lock,
        }
    }

    /// Loads the shard, or makes it.
    pub(crate) fn open(&self, dense: Option<Dense>) -> Result<Opened, PortError> {
        let mut loaded = self.write();
        if loaded.as_ref().is_some_and(|l| l.dense == dense) {
            return Ok(Opened::Found);
        }
        let parent = self.dir.parent().unwrap_or(&self.dir);
        room::check("opening the index of cases", parent)?;
        close(&mut loaded);
        if self.dir.exists() {
            match shape::load(&self.dir, dense) {
                Ok(shard) => {
                    *loaded = Some(Loaded { shard, dense });
                    return Ok(Opened::Found);
                }
                Err(error) => tracing::warn!(
                    dir = %self.dir.display(),
                    error = &error as &dyn std::error::Error,
                    "the index cannot be used and is made anew from the rows"
                ),
            }
            remove(&self.dir)?;
        }
        let shard = shape::make(&self.dir, dense)?;
        *loaded = Some(Loaded { shard, dense });
        Ok(Opened::Made)
    }

    /// Reads from the shard; `None` when it is not open.
    pub(crate) fn look<T>(
        &self,
        doing: &'static str,
        work: impl FnOnce(&Loaded) -> OperationResult<T>,
    ) -> Result<Option<T>, PortError> {
        let loaded = self.read();
        loaded
            .as_ref()
            .map(|loaded| attempt(doing, || work(loaded)))
            .transpose()
    }

    /// Changes the shard and flushes it; `None` when it is not open.
    pub(crate) fn change(
        &self,
        doing: &'static str,
        work: impl FnOnce(&Loaded) -> OperationResult<()>,
    ) -> Result<Option<()>, PortError> {
        let _alone = self.alone();
        room::check(doing, &self.dir)?;
        let outcome = self.look(doing, |loaded| {
            work(loaded)?;
            loaded.shard.flush();
            Ok(())
        });
        let long = || shape::closed_logs(&self.dir).is_ok_and(|logs| logs.len() > LONG_LOG);
        if outcome.is_err() || matches!(outcome, Ok(Some(()))) && long() {
            self.reload();
        }
        outcome
    }

    /// Closes the shard and loads it again. It stays closed when that fails: the next
    /// `open` makes it anew.
    fn reload(&self) {
        let mut loaded = self.write();
        let Some(dense) = loaded.as_ref().map(|loaded| loaded.dense) else {
            return;
        };
        close(&mut loaded);
        match shape::load(&self.dir, dense) {
            Ok(shard) => *loaded = Some(Loaded { shard, dense }),
            Err(error) => tracing::warn!(
                dir = %self.dir.display(),
                error = &error as &dyn std::error::Error,
                "the index cannot be loaded again and is closed"
            ),
        }
    }

    /// Closes the shard and removes its directory.
    pub(crate) fn destroy(&self) -> Result<(), PortError> {
        let _alone = self.alone();
        let mut loaded = self.write();
        close(&mut loaded);
        remove(&self.dir)
    }

    fn alone(&self) -> MutexGuard<'_, ()> {
        self.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self) -> RwLockReadGuard<'_, Option<Loaded>> {
        self.loaded.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Option<Loaded>> {
        self.loaded.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Collection {
    fn drop(&mut self) {
        close(&mut self.write());
    }
}

/// The engine flushes a shard when it is dropped, and panics when that fails.
fn close(loaded: &mut Option<Loaded>) {
    let Some(loaded) = loaded.take() else { return };
    let dropped = attempt("closing the index of cases", || {
        drop(loaded);
        Ok(())
    });
    if let Err(error) = dropped {
        tracing::warn!(
            error = &error as &dyn std::error::Error,
            "the index was not flushed"
        );
    }
}

/// Removes a directory, or a file that has its place.
fn remove(dir: &Path) -> Result<(), PortError> {
    let removed = match fs::symlink_metadata(dir) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(dir),
        Ok(_) => fs::remove_file(dir),
        Err(e) => Err(e),
    };
    match removed {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            Err(unavailable("removing a collection of the index", e))
        }
        _ => Ok(()),
    }
}
