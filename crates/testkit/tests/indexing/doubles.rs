//! Clocks, and parts that fail or never answer.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use threadlore_model::{CaseId, Found, Point, PointRow, SpaceId, Timestamp};
use threadlore_ports::{
    CaseIndex, Cell, Clock, Dense, Digests, EmbedEngine, EmbedFor, Generation, Generations, Opened,
    PortError, Positions, Projection, Query, Scope, Within,
};
use threadlore_testkit::MemoryIndex;

use crate::desk::MODEL;

/// No sleep but one of no length ever ends.
pub(crate) struct Still;

#[async_trait]
impl Clock for Still {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_000)
    }
    async fn sleep(&self, _by: Duration) {
        std::future::pending::<()>().await;
    }
}

/// Every wait is over at once.
pub(crate) struct Hasty;

#[async_trait]
impl Clock for Hasty {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_000)
    }
    async fn sleep(&self, _by: Duration) {}
}

/// An index that fails, or never answers, while it is told to; it counts.
#[derive(Default)]
pub(crate) struct Broken {
    inner: MemoryIndex,
    pub(crate) hangs: AtomicBool,
    pub(crate) searches: AtomicUsize,
    pub(crate) optimised: AtomicUsize,
}

#[async_trait]
impl CaseIndex for Broken {
    async fn open(&self, build: Generation, dense: Option<Dense>) -> Result<Opened, PortError> {
        self.inner.open(build, dense).await
    }
    async fn put(&self, build: Generation, points: Vec<Point>) -> Result<(), PortError> {
        self.inner.put(build, points).await
    }
    async fn remove(
        &self,
        build: Generation,
        points: &[(SpaceId, CaseId)],
    ) -> Result<(), PortError> {
        self.inner.remove(build, points).await
    }
    async fn find(
        &self,
        _build: Generation,
        _scope: &Scope,
        _within: &Within,
        _query: &Query,
        _limit: usize,
    ) -> Result<Vec<Found<CaseId>>, PortError> {
        self.searches.fetch_add(1, Ordering::Relaxed);
        if self.hangs.load(Ordering::Relaxed) {
            return std::future::pending().await;
        }
        away("searching", "the index")
    }
    async fn rows(
        &self,
        build: Generation,
        after: Option<&(SpaceId, CaseId)>,
        max: usize,
    ) -> Result<Vec<PointRow>, PortError> {
        self.inner.rows(build, after, max).await
    }
    async fn rows_of(
        &self,
        build: Generation,
        points: &[(SpaceId, CaseId)],
    ) -> Result<Vec<PointRow>, PortError> {
        self.inner.rows_of(build, points).await
    }
    async fn optimise(&self, _build: Generation) -> Result<(), PortError> {
        self.optimised.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
    async fn drop_build(&self, build: Generation) -> Result<(), PortError> {
        self.inner.drop_build(build).await
    }
}

/// A model that makes one vector of everything, or none.
pub(crate) struct Model {
    pub(crate) works: bool,
}

#[async_trait]
impl EmbedEngine for Model {
    fn model(&self) -> &str {
        MODEL
    }
    fn dimensions(&self) -> u32 {
        2
    }
    async fn embed(
        &self,
        texts: &[String],
        what_for: EmbedFor,
    ) -> Result<Vec<Vec<f32>>, PortError> {
        if !self.works {
            return away("asking", "the model");
        }
        // Texts on other subjects have cosines of 0 and 0.6 with any question.
        let others = [vec![0.0, 1.0], vec![0.6, 0.8]];
        Ok(match what_for {
            EmbedFor::Query => vec![vec![1.0, 0.0]; texts.len()],
            EmbedFor::Passage => others.into_iter().cycle().take(texts.len()).collect(),
        })
    }
}

/// Tables that do not answer.
pub(crate) struct NoTables;

fn no_tables<T>() -> Result<T, PortError> {
    away("reading", "the database")
}

fn away<T>(doing: &'static str, what: &'static str) -> Result<T, PortError> {
    Err(PortError::Unavailable {
        doing,
        what,
        source: None,
    })
}

#[async_trait]
impl Generations for NoTables {
    async fn generations(&self) -> Result<Vec<Generation>, PortError> {
        no_tables()
    }
    async fn live(&self, _projection: Projection) -> Result<Generation, PortError> {
        no_tables()
    }
    async fn create(&self, _projection: Projection) -> Result<Generation, PortError> {
        no_tables()
    }
    async fn build_indexes(&self, _generation: Generation) -> Result<(), PortError> {
        no_tables()
    }
    async fn switch(&self, _to: Generation) -> Result<(), PortError> {
        no_tables()
    }
    async fn drop_generation(&self, _generation: Generation) -> Result<(), PortError> {
        no_tables()
    }
    async fn positions(
        &self,
        _generation: Generation,
        _partitions: u32,
    ) -> Result<Vec<Positions>, PortError> {
        no_tables()
    }
    async fn digest(&self, _generation: Generation) -> Result<Digests, PortError> {
        no_tables()
    }
    async fn differences(
        &self,
        _a: Generation,
        _b: Generation,
        _max: usize,
    ) -> Result<Vec<Cell>, PortError> {
        no_tables()
    }
}
