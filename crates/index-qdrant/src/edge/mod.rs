//! The port, on shards of the engine.
//!
//! | on disk | holds |
//! |---|---|
//! | `LOCK` | the lock of the process that owns the directory |
//! | `cases_g1/`, … | one shard of the engine for each build |
//! | `cases_g1/SHAPE` | the vectors that the shard was made for; written when the shard is complete |
//!
//! Limitations of the engine, and how they are handled:
//! - It does not read its own write-ahead log, so points that were not flushed are lost with the
//!   process: every change is flushed before it returns.
//! - It never shortens that log: unused parts are removed here.
//! - It panics instead of returning some errors, for example when a flush and a change overlap:
//!   changes go one at a time, and a panic becomes an error.
//! - After a failed change it refuses all others: the shard is loaded again.
//!
//! A shard that cannot be loaded is removed and made anew from the rows in the tables.

mod collection;
mod convert;
mod engine;
mod room;
mod search;
mod shape;

use std::collections::HashMap;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use qdrant_edge::{
    OperationResult, PointInsertOperations, PointOperations, UpdateOperation, WithPayloadInterface,
    WithVector,
};
use threadlore_model::{CaseId, Found, Point, PointRow, SpaceId};
use threadlore_ports::{CaseIndex, Dense, Generation, Opened, PortError, Query, Scope, Within};

use self::collection::{Collection, Loaded};
use self::engine::blocking;
use crate::error::not_open;
use crate::filter::{Filter, by_space};

/// The index of cases in a directory of this machine.
pub struct EdgeIndex {
    dir: PathBuf,
    lock: Arc<File>,
    collections: Mutex<HashMap<Generation, Arc<Collection>>>,
}

impl EdgeIndex {
    /// Locks the directory, and creates it if it is missing. Nothing is loaded yet.
    ///
    /// # Errors
    /// `Broken` when the directory cannot be made or another process has it.
    pub fn open(dir: &Path) -> Result<Self, PortError> {
        let broken = |reason: String, source: std::io::Error| PortError::Broken {
            doing: "opening the index of cases",
            reason,
            source: Some(Box::new(source)),
        };
        let shown = dir.display();
        let unusable = |e| broken(format!("{shown} cannot be used: mend its permissions"), e);
        fs::create_dir_all(dir).map_err(unusable)?;
        let lock = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(dir.join("LOCK"))
            .map_err(unusable)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(e @ TryLockError::WouldBlock) => {
                let reason = format!(
                    "{shown} is in use: another threadlore runs on it; stop that one, or use \
                     another directory"
                );
                return Err(broken(reason, e.into()));
            }
            Err(TryLockError::Error(e)) => return Err(unusable(e)),
        }
        Ok(Self {
            dir: dir.to_owned(),
            lock: Arc::new(lock),
            collections: Mutex::default(),
        })
    }

    fn collections(&self) -> MutexGuard<'_, HashMap<Generation, Arc<Collection>>> {
        self.collections
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn collection(&self, build: Generation) -> Arc<Collection> {
        let mut collections = self.collections();
        let collection = collections.entry(build).or_insert_with(|| {
            let dir = self.dir.join(build.schema());
            Arc::new(Collection::new(dir, Arc::clone(&self.lock)))
        });
        Arc::clone(collection)
    }

    async fn look<T: Send + 'static>(
        &self,
        build: Generation,
        doing: &'static str,
        work: impl FnOnce(&Loaded) -> OperationResult<T> + Send + 'static,
    ) -> Result<T, PortError> {
        let collection = self.collection(build);
        let found = blocking(doing, move || collection.look(doing, work)).await?;
        found.ok_or_else(|| not_open(doing, build))
    }

    async fn change(
        &self,
        build: Generation,
        doing: &'static str,
        work: impl FnOnce(&Loaded) -> OperationResult<()> + Send + 'static,
    ) -> Result<(), PortError> {
        let collection = self.collection(build);
        let done = blocking(doing, move || collection.change(doing, work)).await?;
        done.ok_or_else(|| not_open(doing, build))
    }
}

#[async_trait]
impl CaseIndex for EdgeIndex {
    async fn open(&self, build: Generation, dense: Option<Dense>) -> Result<Opened, PortError> {
        let collection = self.collection(build);
        blocking("opening the index of cases", move || collection.open(dense)).await
    }

    async fn put(&self, build: Generation, points: Vec<Point>) -> Result<(), PortError> {
        self.change(build, "putting points", move |loaded| {
            let dense = loaded.dense;
            let points: Vec<_> = points
                .iter()
                .map(|point| convert::point(point, dense))
                .collect();
            if points.is_empty() {
                return Ok(());
            }
            let points = PointInsertOperations::PointsList(points);
            loaded.shard.update(UpdateOperation::PointOperation(
                PointOperations::UpsertPoints(points),
            ))
        })
        .await
    }

    async fn remove(
        &self,
        build: Generation,
        points: &[(SpaceId, CaseId)],
    ) -> Result<(), PortError> {
        let by_space = by_space(points);
        self.change(build, "removing points", move |loaded| {
            for (space, cases) in by_space {
                let those = convert::filter(&Filter::those(&space, cases))?;
                loaded.shard.update(UpdateOperation::PointOperation(
                    PointOperations::DeletePointsByFilter(those),
                ))?;
            }
            Ok(())
        })
        .await
    }

    async fn find(
        &self,
        build: Generation,
        scope: &Scope,
        within: &Within,
        query: &Query,
        limit: usize,
    ) -> Result<Vec<Found<CaseId>>, PortError> {
        let (filter, query) = (Filter::within(scope.space(), within), query.clone());
        self.look(build, "searching the index of cases", move |loaded| {
            let filter = convert::filter(&filter)?;
            search::find(&loaded.shard, loaded.dense, &filter, &query, limit)
        })
        .await
    }

    async fn rows(
        &self,
        build: Generation,
        after: Option<&(SpaceId, CaseId)>,
        max: usize,
    ) -> Result<Vec<PointRow>, PortError> {
        let doing = "reading rows of points";
        let after = after.map(|(_, case)| *case);
        let points = self
            .look(build, doing, move |loaded| {
                search::page(&loaded.shard, after, max)
            })
            .await?;
        convert::rows(doing, points)
    }

    async fn rows_of(
        &self,
        build: Generation,
        points: &[(SpaceId, CaseId)],
    ) -> Result<Vec<PointRow>, PortError> {
        let doing = "reading rows of points";
        let ids: Vec<_> = points.iter().map(|(_, case)| convert::id(*case)).collect();
        let found = self
            .look(build, doing, move |loaded| {
                let payload = Some(WithPayloadInterface::Bool(true));
                let vector = Some(WithVector::Bool(false));
                loaded.shard.retrieve(&ids, payload, vector)
            })
            .await?;
        let mut rows = convert::rows(doing, found)?;
        rows.retain(|row| points.contains(&(row.space.clone(), row.case)));
        Ok(rows)
    }

    async fn optimise(&self, build: Generation) -> Result<(), PortError> {
        self.change(build, "optimising the index of cases", |loaded| {
            loaded.shard.optimize()?;
            // For the segment that receives new points.
            shape::add_indexes(&loaded.shard)
        })
        .await
    }

    async fn drop_build(&self, build: Generation) -> Result<(), PortError> {
        let collection = self.collection(build);
        blocking("dropping a collection of the index", move || {
            collection.destroy()
        })
        .await
    }
}
