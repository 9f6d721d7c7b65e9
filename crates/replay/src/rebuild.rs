//! A new generation from offset 0, and its comparison with another.

use futures::future::try_join_all;
use threadlore_model::{Offset, Partition, TopicPartition};
use threadlore_ports::{
    CaseIndex, Cell, Digests, FoldPorts, Generation, Generations, IndexPorts, PortError, Positions,
    Projection,
};

use crate::points::{differing_points, digest_of_points};
use crate::{Indexer, Projector};

/// Records folded per transaction in a replay.
const BATCH: usize = 2000;

/// A build that caught up with the log.
#[derive(Debug, Clone)]
pub struct Rebuilt {
    /// The new build.
    pub generation: Generation,
    /// Records folded.
    pub events: u64,
    /// Wall-clock seconds it took.
    pub seconds: f64,
}

impl Rebuilt {
    /// Records per second.
    #[must_use]
    pub fn events_per_second(&self) -> f64 {
        if self.seconds > 0.0 {
            self.events as f64 / self.seconds
        } else {
            0.0
        }
    }
}

/// Builds a new generation from offset 0 up to where the log ended when it
/// began, all partitions side by side; that of cases with its points, where there is
/// an index. `progress` is told the records folded so
/// far and the records to fold.
///
/// # Errors
/// What the ports say; `Broken`, before anything is made, where records of the projection's
/// topic were deleted.
pub async fn rebuild(
    ports: &FoldPorts,
    index: Option<&IndexPorts>,
    generations: &dyn Generations,
    projection: Projection,
    progress: &(dyn Fn(u64, u64) + Send + Sync),
) -> Result<Rebuilt, PortError> {
    let started = ports.clock.now();
    let mut parts = Vec::new();
    let mut total = 0;
    for n in 0..ports.log.partitions(projection.topic()) {
        let partition = Partition(i32::try_from(n).unwrap_or(i32::MAX));
        let at = TopicPartition {
            topic: projection.topic(),
            partition,
        };
        let range = ports.log.range(at).await?;
        if range.start > Offset(0) {
            return Err(truncated(at, range.start));
        }
        total += u64::try_from(range.end.0 - range.start.0).unwrap_or(0);
        parts.push((partition, range.end));
    }
    let generation = generations.create(projection).await?;
    let done = std::sync::atomic::AtomicU64::new(0);
    let folds = parts.into_iter().map(|(partition, end)| {
        let done = &done;
        async move {
            let mut projector = Projector::start(generation, partition, ports.clone()).await?;
            while projector.position() < end {
                let read = projector.step(BATCH).await? as u64;
                let folded = done.fetch_add(read, std::sync::atomic::Ordering::Relaxed) + read;
                progress(folded, total);
            }
            Ok::<(), PortError>(())
        }
    });
    try_join_all(folds).await?;
    if let (Some(ports), Projection::Cases) = (index, projection) {
        let mut indexer = Indexer::start(generation, ports.clone()).await?;
        indexer.catch_up(BATCH).await?;
        ports.index.optimise(generation).await?;
    }
    Ok(Rebuilt {
        generation,
        events: done.into_inner(),
        seconds: ports.clock.now().since(started).as_secs_f64(),
    })
}

/// A build of what is left would lack what the deleted records said.
fn truncated(at: TopicPartition, first: Offset) -> PortError {
    PortError::broken(
        "rebuilding from the log",
        format!(
            "replay impossible before offset {first} of {at}: it is the first record left there, \
             those before it were deleted. The live build stays as it is, with what they said; to \
             replay, restore the topic with all its records"
        ),
    )
}

/// What a comparison says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Same rows at the same positions.
    Equal,
    /// The builds stand at different positions, so nothing can be said yet.
    Elsewhere,
    /// Rows differ.
    Different(Vec<Cell>),
}

/// Two builds side by side.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// What it says.
    pub verdict: Verdict,
    /// Positions at which they stand (those of the first).
    pub positions: Vec<Positions>,
    /// Digests of the first, per table, and of its points.
    pub first: Digests,
    /// Digests of the second.
    pub second: Digests,
}

/// Compares two builds of one projection, those of cases with their points, where
/// there is an index; at most `max` differing cells are named.
///
/// # Errors
/// What the store says.
pub async fn compare(
    generations: &dyn Generations,
    index: Option<&dyn CaseIndex>,
    (a, b): (Generation, Generation),
    partitions: u32,
    max: usize,
) -> Result<Comparison, PortError> {
    let positions = generations.positions(a, partitions).await?;
    let others = generations.positions(b, partitions).await?;
    let (mut first, mut second) = (generations.digest(a).await?, generations.digest(b).await?);
    let index = index.filter(|_| a.projection == Projection::Cases);
    if let Some(index) = index {
        for (build, digests) in [(a, &mut first), (b, &mut second)] {
            let points = digest_of_points(index, build).await?;
            digests.insert("points".to_owned(), (points.rows(), points.hex()));
        }
    }
    let verdict = if positions != others {
        Verdict::Elsewhere
    } else if first == second {
        Verdict::Equal
    } else {
        let mut cells = generations.differences(a, b, max).await?;
        if let Some(index) = index {
            let left = max.saturating_sub(cells.len());
            cells.extend(differing_points(index, (a, b), left).await?);
        }
        Verdict::Different(cells)
    };
    Ok(Comparison {
        verdict,
        positions,
        first,
        second,
    })
}
