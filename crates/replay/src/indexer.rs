//! Makes the points of one build from its rows, and keeps them as the rows are.

use std::collections::{HashMap, HashSet};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::future::select;
use threadlore_fold::{add_vector, point_of};
use threadlore_model::text_of_case;
use threadlore_model::{Case, CaseId, Group, Point, PointRow, SpaceId, Timestamp, vector_source};
use threadlore_ports::{DenseModel, Generation, IndexPorts, Opened, PortError};
use threadlore_stream::keep_working;
use tokio_util::sync::CancellationToken;

/// Time between two looks for marked rows, but where more of them waited than are taken at once.
/// A case of a busy channel changes several times meanwhile, and its point is made once.
const IDLE: Duration = Duration::from_millis(200);
/// Points and rows are compared this often.
const CHECK: Duration = Duration::from_secs(15 * 60);
/// After as many changes the collection is put in order: the more points were not, the
/// longer it takes to put one, and to put all in order takes the longer the more there
/// are. The best of three that were tried (suite `index` in docs/bench.md).
const OPTIMISE: usize = 20_000;
/// Rows or points compared at a time.
const PAGE: usize = 1000;

/// Makes points of a build's rows.
pub struct Indexer {
    ports: IndexPorts,
    build: Generation,
    group: Group,
    /// Changes since the collection was put in order.
    changed: usize,
    /// When points and rows were last compared.
    checked: Option<Timestamp>,
}

/// What a comparison of points and rows found, and had mended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Drift {
    /// Rows that had no point, or another one than they should: marked.
    pub missing: u64,
    /// Points whose row has none: removed.
    pub strays: u64,
}

impl Indexer {
    /// Makes the collection of the build ready; of one that was not there all rows are
    /// marked.
    ///
    /// # Errors
    /// What the ports say.
    pub async fn start(build: Generation, ports: IndexPorts) -> Result<Self, PortError> {
        let dense = ports.model.as_ref().map(DenseModel::dense);
        let opened = ports.index.open(build, dense).await?;
        let mut indexer = Self {
            group: Group::of_points(build.projection.name(), build.number),
            ports,
            build,
            changed: 0,
            checked: None,
        };
        if opened == Opened::Made {
            indexer.mark_missing().await?;
            indexer.checked = Some(indexer.ports.clock.now());
        }
        Ok(indexer)
    }

    /// Makes the points of at most `max` marked rows, and puts the collection in order
    /// after many; returns how many rows it took.
    ///
    /// # Errors
    /// What the ports say; marks stay then.
    pub async fn step(&mut self, max: usize) -> Result<usize, PortError> {
        let (index, source) = (&self.ports.index, &self.ports.source);
        let started = self.ports.clock.now();
        let marked = source.unindexed(self.build, max).await?;
        if marked.is_empty() {
            return Ok(0);
        }
        let cases: Vec<Case> = marked.iter().filter_map(|one| one.case.clone()).collect();
        let points = self.points(&cases).await?;
        let live: HashSet<_> = points.iter().map(|point| key(&point.row)).collect();
        let gone = marked.iter().map(|one| &one.key);
        let gone: Vec<_> = gone.filter(|key| !live.contains(key)).cloned().collect();
        let put = points.len();
        if put > 0 {
            index.put(self.build, points).await?;
        }
        if !gone.is_empty() {
            index.remove(self.build, &gone).await?;
        }
        source.indexed(self.build, &marked).await?;
        let seconds = self.ports.clock.now().since(started).as_secs_f64();
        let observer = &self.ports.observer;
        observer.committed(&self.group, marked.len(), put, seconds);
        self.changed += marked.len();
        if self.changed >= OPTIMISE {
            index.optimise(self.build).await?;
            self.changed = 0;
        }
        Ok(marked.len())
    }

    /// Makes points until no row is marked; returns how many rows it took.
    ///
    /// # Errors
    /// As [`Indexer::step`].
    pub async fn catch_up(&mut self, max: usize) -> Result<usize, PortError> {
        let mut all = 0;
        loop {
            match self.step(max).await? {
                0 => return Ok(all),
                some => all += some,
            }
        }
    }

    /// Makes points, and compares them with the rows once none waits and from time to time after
    /// that, until asked to stop. A row that waits differs from its point, and nothing is wrong.
    ///
    /// # Errors
    /// What the ports say.
    pub async fn run(&mut self, max: usize, stop: &CancellationToken) -> Result<(), PortError> {
        let clock = Arc::clone(&self.ports.clock);
        while !stop.is_cancelled() {
            if self.step(max).await? < max {
                if self.checked.is_none_or(|at| clock.now().since(at) >= CHECK) {
                    self.reconcile().await?;
                    self.checked = Some(clock.now());
                }
                select(pin!(clock.sleep(IDLE)), pin!(stop.cancelled())).await;
            }
        }
        Ok(())
    }

    /// Compares points and rows both ways: marks rows whose point is not as
    /// it should be, removes points that no row has.
    ///
    /// # Errors
    /// What the ports say.
    pub async fn reconcile(&self) -> Result<Drift, PortError> {
        let drift = Drift {
            missing: self.mark_missing().await?,
            strays: self.remove_strays().await?,
        };
        if drift != Drift::default() {
            self.ports.observer.repaired(drift.missing, drift.strays);
            tracing::warn!(
                build = %self.build,
                missing = drift.missing,
                strays = drift.strays,
                "points of the index were not as the rows; they are made again"
            );
        }
        Ok(drift)
    }

    /// The points of those cases that have one, with the vectors of their texts.
    async fn points(&self, cases: &[Case]) -> Result<Vec<Point>, PortError> {
        let mut points: Vec<Point> = cases.iter().filter_map(point_of).collect();
        let Some(DenseModel { name, .. }) = &self.ports.model else {
            return Ok(points);
        };
        let keys: Vec<(SpaceId, CaseId)> = points.iter().map(|point| key(&point.row)).collect();
        let vectors = self.ports.source.vectors(name, &keys).await?;
        let mut vectors: HashMap<_, _> = vectors
            .into_iter()
            .map(|one| ((one.key, one.source), one.vector))
            .collect();
        let texts = cases.iter().filter_map(|case| {
            let source = vector_source(&text_of_case(case)?);
            Some(((case.space.clone(), case.case), source))
        });
        let sources: HashMap<_, _> = texts.collect();
        for point in &mut points {
            let of = key(&point.row);
            let source = sources.get(&of).copied();
            if let Some(vector) = source.and_then(|source| vectors.remove(&(of, source))) {
                add_vector(point, name, vector);
            }
        }
        Ok(points)
    }

    async fn mark_missing(&self) -> Result<u64, PortError> {
        let (index, source) = (&self.ports.index, &self.ports.source);
        let (mut after, mut missing) = (None, 0);
        loop {
            let cases = source.cases_after(self.build, after.as_ref(), PAGE).await?;
            let Some(last) = cases.last() else {
                return Ok(missing);
            };
            after = Some((last.space.clone(), last.case));
            let wanted = self.points(&cases).await?.into_iter();
            let wanted: Vec<PointRow> = wanted.map(|point| point.row).collect();
            let keys: Vec<(SpaceId, CaseId)> = wanted.iter().map(key).collect();
            let found = by_key(index.rows_of(self.build, &keys).await?);
            let differs = |row: &&PointRow| found.get(&key(row)) != Some(row);
            let differing: Vec<_> = wanted.iter().filter(differs).map(key).collect();
            if !differing.is_empty() {
                source.mark(self.build, &differing).await?;
                missing += differing.len() as u64;
            }
        }
    }

    async fn remove_strays(&self) -> Result<u64, PortError> {
        let (index, source) = (&self.ports.index, &self.ports.source);
        let (mut after, mut strays) = (None, 0);
        loop {
            let points = index.rows(self.build, after.as_ref(), PAGE).await?;
            let Some(last) = points.last() else {
                return Ok(strays);
            };
            after = Some(key(last));
            let keys: Vec<(SpaceId, CaseId)> = points.iter().map(key).collect();
            let cases = source.cases_of(self.build, &keys).await?;
            let live = cases.iter().filter_map(point_of);
            let live: HashSet<_> = live.map(|point| key(&point.row)).collect();
            let stray: Vec<_> = keys.into_iter().filter(|k| !live.contains(k)).collect();
            if !stray.is_empty() {
                index.remove(self.build, &stray).await?;
                strays += stray.len() as u64;
            }
        }
    }
}

fn key(row: &PointRow) -> (SpaceId, CaseId) {
    (row.space.clone(), row.case)
}

fn by_key(rows: Vec<PointRow>) -> HashMap<(SpaceId, CaseId), PointRow> {
    rows.into_iter().map(|row| (key(&row), row)).collect()
}

/// Runs an indexer, and a new one after each passing fault, until asked to stop.
///
/// # Errors
/// What is no passing fault: a promise is broken.
pub async fn keep_indexing(
    build: Generation,
    ports: IndexPorts,
    max: usize,
    stop: CancellationToken,
) -> Result<(), PortError> {
    let name = format!("indexer of {build}");
    let start = || async {
        let mut indexer = Indexer::start(build, ports.clone()).await?;
        let stop = &stop;
        Ok(async move { indexer.run(max, stop).await })
    };
    let (clock, observer) = (ports.clock.as_ref(), ports.observer.as_ref());
    keep_working(&name, clock, observer, &stop, start).await
}
