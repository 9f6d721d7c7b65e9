//! The port, on collections in memory with a snapshot each in a directory of this machine.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use async_trait::async_trait;
use threadlore_model::{CaseId, Found, Point, PointRow, SpaceId};
use threadlore_ports::{CaseIndex, Dense, Generation, Opened, PortError, Query, Scope, Within};

use crate::collection::Collection;
use crate::snapshot;

type Shared = Arc<RwLock<Collection>>;

/// The index of cases in this process. One process has a directory: the owner of the data directory
/// that it is in.
pub struct LocalIndex {
    dir: PathBuf,
    collections: Mutex<HashMap<Generation, Shared>>,
}

impl LocalIndex {
    /// Makes the directory if it is missing. Nothing is read yet.
    ///
    /// # Errors
    /// `Broken` when the directory cannot be made.
    pub fn open(dir: &Path) -> Result<Self, PortError> {
        fs::create_dir_all(dir).map_err(|error| PortError::Broken {
            doing: "opening the index of cases",
            reason: format!("{} cannot be used: mend its permissions", dir.display()),
            source: Some(Box::new(error)),
        })?;
        Ok(Self {
            dir: dir.to_owned(),
            collections: Mutex::default(),
        })
    }

    fn collections(&self) -> MutexGuard<'_, HashMap<Generation, Shared>> {
        self.collections
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn file(&self, build: Generation) -> PathBuf {
        self.dir.join(format!("{}.index", build.schema()))
    }

    fn collection(&self, build: Generation, doing: &'static str) -> Result<Shared, PortError> {
        let collections = self.collections();
        let open = collections.get(&build).cloned();
        open.ok_or_else(|| PortError::Refused {
            doing,
            reason: format!("the index of {build} is not open: open it first"),
        })
    }
}

fn read(collection: &Shared) -> RwLockReadGuard<'_, Collection> {
    collection.read().unwrap_or_else(PoisonError::into_inner)
}

fn write(collection: &Shared) -> RwLockWriteGuard<'_, Collection> {
    collection.write().unwrap_or_else(PoisonError::into_inner)
}

/// The snapshot of a build with vectors of this model, if there is one that can be used.
fn load(file: &Path, dense: Option<Dense>) -> Option<Collection> {
    let shown = file.display();
    match snapshot::read(file) {
        Ok(Some(collection)) if collection.dense == dense => Some(collection),
        Ok(Some(_)) => {
            tracing::info!("the snapshot {shown} has vectors of another model: it is not used");
            None
        }
        Ok(None) => {
            tracing::warn!(
                "the snapshot {shown} is damaged or of another version: the index is made again of \
                 the rows"
            );
            None
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => {
            tracing::warn!(%error, "the snapshot {shown} cannot be read: the index is made again of the rows");
            None
        }
    }
}

/// Writes the snapshot of what changed; searches go on meanwhile. Without one the next start makes the
/// index of the rows.
fn save(shared: &Shared, file: &Path) {
    // A change that panicked left a collection that is not whole: its snapshot would be trusted.
    let Ok(mut collection) = shared.write() else {
        return;
    };
    let changed = std::mem::take(&mut collection.changed);
    if changed == 0 {
        return;
    }
    collection.compact();
    let collection = RwLockWriteGuard::downgrade(collection);
    let written = snapshot::write(&collection, file);
    drop(collection);
    if let Err(error) = written {
        write(shared).changed += changed;
        tracing::warn!(
            %error,
            "the snapshot {} cannot be written: the next start makes the index of the rows",
            file.display()
        );
    }
}

/// Runs work that takes milliseconds on a thread where it holds nothing else up.
async fn blocking<T: Send + 'static>(
    doing: &'static str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, PortError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| PortError::broken(doing, error.to_string()))
}

#[async_trait]
impl CaseIndex for LocalIndex {
    async fn open(&self, build: Generation, dense: Option<Dense>) -> Result<Opened, PortError> {
        let known = self.collections().get(&build).cloned();
        if known.is_some_and(|known| read(&known).dense == dense) {
            return Ok(Opened::Found);
        }
        let file = self.file(build);
        let loaded = blocking("opening the index of cases", move || load(&file, dense)).await?;
        let opened = match loaded {
            Some(_) => Opened::Found,
            None => Opened::Made,
        };
        let collection = loaded.unwrap_or_else(|| Collection::new(dense));
        let mut collections = self.collections();
        collections.insert(build, Arc::new(RwLock::new(collection)));
        Ok(opened)
    }

    async fn put(&self, build: Generation, points: Vec<Point>) -> Result<(), PortError> {
        const DOING: &str = "putting points";
        let collection = self.collection(build, DOING)?;
        let put = blocking(DOING, move || write(&collection).put(points));
        put.await?
            .map_err(|error| PortError::broken(DOING, error.to_string()))
    }

    async fn remove(
        &self,
        build: Generation,
        points: &[(SpaceId, CaseId)],
    ) -> Result<(), PortError> {
        let collection = self.collection(build, "removing points")?;
        let mut collection = write(&collection);
        points.iter().for_each(|key| collection.remove(key));
        Ok(())
    }

    async fn find(
        &self,
        build: Generation,
        scope: &Scope,
        within: &Within,
        query: &Query,
        limit: usize,
    ) -> Result<Vec<Found<CaseId>>, PortError> {
        const DOING: &str = "searching the index of cases";
        let collection = self.collection(build, DOING)?;
        let (space, within, query) = (scope.space().clone(), within.clone(), query.clone());
        let find = move || read(&collection).find(&space, &within, &query, limit);
        blocking(DOING, find).await
    }

    async fn rows(
        &self,
        build: Generation,
        after: Option<&(SpaceId, CaseId)>,
        max: usize,
    ) -> Result<Vec<PointRow>, PortError> {
        let collection = self.collection(build, "reading rows of points")?;
        let rows = read(&collection).rows(after, max);
        Ok(rows)
    }

    async fn rows_of(
        &self,
        build: Generation,
        points: &[(SpaceId, CaseId)],
    ) -> Result<Vec<PointRow>, PortError> {
        let collection = self.collection(build, "reading rows of points")?;
        let collection = read(&collection);
        Ok(points
            .iter()
            .filter_map(|key| collection.row(key))
            .collect())
    }

    async fn optimise(&self, build: Generation) -> Result<(), PortError> {
        const DOING: &str = "putting the index of cases in order";
        let collection = self.collection(build, DOING)?;
        let file = self.file(build);
        blocking(DOING, move || save(&collection, &file)).await
    }

    async fn drop_build(&self, build: Generation) -> Result<(), PortError> {
        let dropped = self.collections().remove(&build);
        // A snapshot that is being written is waited for, and none is written afterwards.
        let mut dropped = dropped.as_ref().map(write);
        if let Some(collection) = &mut dropped {
            collection.changed = 0;
        }
        match fs::remove_file(self.file(build)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(PortError::Unavailable {
                doing: "dropping a collection of the index",
                what: "the directory of the index",
                source: Some(Box::new(error)),
            }),
            _ => Ok(()),
        }
    }
}

impl Drop for LocalIndex {
    fn drop(&mut self) {
        let collections = std::mem::take(&mut *self.collections());
        for (build, collection) in collections {
            save(&collection, &self.file(build));
        }
    }
}
