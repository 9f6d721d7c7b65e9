//! A new generation from offset 0: rows folded in memory batch by batch and copied in, indexes
//! at the end. Each batch is one transaction with the positions after it, so that a
//! replay that was killed or paused goes on where the last batch ended.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use futures::future::{BoxFuture, ready};
use futures::{FutureExt, StreamExt, TryStreamExt, stream};
use threadlore_model::{Offset, Partition, Timestamp, TopicPartition};
use threadlore_ports::{EventLog, Generation, Generations, IndexPorts, PortError, Projection};
use threadlore_stream::FoldPorts;

use crate::reader::Bounds;
use crate::{Indexer, Projector};

/// What a rebuild may take.
#[derive(Debug, Clone, Copy)]
pub struct Resources {
    /// Memory, in bytes; about, because it is estimated.
    pub memory: usize,
    /// Partitions that are folded side by side. More than there are processors only wait for each
    /// other: with four on two processors a rebuild took a tenth longer than with two.
    pub partitions: usize,
}

impl Default for Resources {
    /// 256 MiB, two partitions.
    fn default() -> Self {
        Self {
            memory: 256 * 1024 * 1024,
            partitions: 2,
        }
    }
}

/// Records of a batch at most while live work goes on in the same process: a message that comes
/// waits for what is under way.
const BESIDE_LIVE: usize = 100;

/// Of the memory of a partition, what each of two batches takes (one is written, one read), in
/// eighths; the rest remembers which rows were written.
const EIGHTHS_OF_BATCH: usize = 3;

/// Cases whose points are made at once.
const POINTS: usize = 2000;

/// Asks whether a rebuild is to stop here.
pub type StopHere<'a> = &'a (dyn Fn() -> BoxFuture<'a, Result<bool, PortError>> + Send + Sync);

/// Offsets before which a rebuild ends, one for each partition of the projection's topic.
pub type Ends = BTreeMap<Partition, Offset>;

/// What was folded.
#[derive(Debug, Clone, Copy)]
pub struct Filled {
    /// Records that this call folded.
    pub events: u64,
    /// Wall-clock seconds it took.
    pub seconds: f64,
    /// Whether the build is whole: `false` where it was asked to stop before.
    pub is_whole: bool,
}

/// A build that caught up with the log.
#[derive(Debug, Clone, Copy)]
pub struct Rebuilt {
    /// The new build.
    pub generation: Generation,
    /// Records folded.
    pub events: u64,
    /// Wall-clock seconds it took.
    pub seconds: f64,
}

/// Where a rebuild of a projection ends: the ends of its topic now or, with a time, the first
/// records that were appended then or later.
///
/// # Errors
/// What the log says; `Broken` where records of the topic were deleted.
pub async fn ends(
    log: &dyn EventLog,
    projection: Projection,
    until: Option<Timestamp>,
) -> Result<Ends, PortError> {
    let mut ends = Ends::new();
    for n in 0..log.partitions(projection.topic()) {
        let partition = Partition(i32::try_from(n).unwrap_or(i32::MAX));
        let at = TopicPartition {
            topic: projection.topic(),
            partition,
        };
        let range = log.range(at).await?;
        if range.start > Offset(0) {
            return Err(truncated(at, range.start));
        }
        let end = match until {
            None => range.end,
            Some(time) => first_since(log, at, range.end, time).await?,
        };
        ends.insert(partition, end);
    }
    Ok(ends)
}

/// The first record of a partition that was appended at a time or later, else `end`; times never
/// go back in a partition.
///
/// # Errors
/// What the log says.
pub async fn first_since(
    log: &dyn EventLog,
    at: TopicPartition,
    end: Offset,
    time: Timestamp,
) -> Result<Offset, PortError> {
    let (mut low, mut high) = (0, end.0);
    while low < high {
        let middle = low + (high - low) / 2;
        let record = log.read(at, Offset(middle), 1).await?.into_iter().next();
        match record.is_some_and(|record| record.appended < time) {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    Ok(Offset(low))
}

/// Folds a build up to `ends`, from its positions on, several partitions side by side, and makes
/// its indexes. While roles take something from the log in this process, its batches are
/// small. `stop` is asked after each batch of a partition;
/// partitions that were not begun then are not begun.
/// `progress` gets the number of records that are folded and of all that will be.
///
/// # Errors
/// What the ports say. What was committed before stays, and the next call goes on from there.
pub async fn fill(
    ports: &FoldPorts,
    generations: &dyn Generations,
    (generation, ends): (Generation, &Ends),
    Resources { memory, partitions }: Resources,
    stop: StopHere<'_>,
    progress: &(dyn Fn(u64, u64) + Send + Sync),
) -> Result<Filled, PortError> {
    let started = ports.clock.now();
    let total = ends.values().map(|end| end.0.unsigned_abs()).sum();
    let (before, folded) = (AtomicU64::new(0), AtomicU64::new(0));
    let is_stopped = AtomicBool::new(false);
    let parallel = partitions.clamp(1, ends.len().max(1));
    let share = memory / parallel;
    let batch = share * EIGHTHS_OF_BATCH / 8;
    let each: Vec<(Partition, Offset)> = ends.iter().map(|(p, end)| (*p, *end)).collect();
    let folds = each.into_iter().map(|(partition, end)| {
        let (before, folded, is_stopped) = (&before, &folded, &is_stopped);
        async move {
            if is_stopped.load(Ordering::Relaxed) {
                return Ok(false);
            }
            let mut projector = Projector::start(generation, partition, ports.clone()).await?;
            projector.remember_rows(share - 2 * batch);
            projector.read_until(end);
            let there = projector.position().0.unsigned_abs();
            before.fetch_add(there, Ordering::Relaxed);
            while projector.position() < end {
                let mut bounds = Bounds::bytes(batch);
                if ports.traffic.is_live(ports.clock.now()) {
                    bounds.records = BESIDE_LIVE;
                }
                let read = projector.step_ahead(bounds).await? as u64;
                if read == 0 {
                    return Err(ends_before(
                        generation,
                        partition,
                        projector.position(),
                        end,
                    ));
                }
                let done = folded.fetch_add(read, Ordering::Relaxed) + read;
                progress(before.load(Ordering::Relaxed) + done, total);
                if projector.position() < end && stop().await? {
                    is_stopped.store(true, Ordering::Relaxed);
                    return Ok(false);
                }
            }
            Ok::<_, PortError>(true)
        }
    });
    let folds = stream::iter(folds).buffer_unordered(parallel);
    let whole: Vec<bool> = folds.try_collect().await?;
    let is_whole = whole.into_iter().all(|is_whole| is_whole);
    if is_whole {
        generations.build_indexes(generation).await?;
    }
    Ok(Filled {
        events: folded.into_inner(),
        seconds: ports.clock.now().since(started).as_secs_f64(),
        is_whole,
    })
}

/// Makes the points of a build of cases that was filled; of other builds there are none.
///
/// # Errors
/// What the ports say.
pub async fn fill_points(generation: Generation, ports: &IndexPorts) -> Result<(), PortError> {
    if generation.projection != Projection::Cases {
        return Ok(());
    }
    let mut indexer = Indexer::start(generation, ports.clone()).await?;
    indexer.catch_up(POINTS).await?;
    ports.index.optimise(generation).await
}

/// Builds a new generation from offset 0 up to where the log ends now, that of cases with its
/// points, where there is an index.
///
/// # Errors
/// What the ports say; `Broken`, before anything is made, where records of the projection's
/// topic were deleted.
pub async fn rebuild(
    ports: &FoldPorts,
    index: Option<&IndexPorts>,
    generations: &dyn Generations,
    projection: Projection,
) -> Result<Rebuilt, PortError> {
    let started = ports.clock.now();
    let ends = ends(ports.log.as_ref(), projection, None).await?;
    let generation = generations.create(projection).await?;
    let (plan, never) = ((generation, &ends), || ready(Ok(false)).boxed());
    let resources = Resources::default();
    let filled = fill(ports, generations, plan, resources, &never, &|_, _| {}).await?;
    if let Some(index) = index {
        fill_points(generation, index).await?;
    }
    Ok(Rebuilt {
        generation,
        events: filled.events,
        seconds: ports.clock.now().since(started).as_secs_f64(),
    })
}

fn ends_before(build: Generation, partition: Partition, at: Offset, end: Offset) -> PortError {
    let topic = build.projection.topic();
    PortError::broken(
        "rebuilding from the log",
        format!("{topic}/{partition} gives no record at offset {at}, and is to end at {end}"),
    )
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
