//! Replays: a projection is built from the log again, compared with its live build, and goes live. One that was
//! paused or cut off goes on from its last checkpoint.
//!
//! | file | holds |
//! |---|---|
//! | `rebuild` | filling a build, and its comparison with the live one |

mod rebuild;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use serde::Serialize;
use threadlore_model::Timestamp;
use threadlore_ports::{Generation, Generations as _, PortError, Projection};
use threadlore_replay::{Ends, Filled, ends};
use threadlore_store_postgres::Replay as UnderWay;

pub use rebuild::{BuildComparison, DigestPair};

use crate::error::BadInput;
use crate::feeding::Held;
use crate::host::Host;
use crate::node::Node;

/// Which replay is wanted.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReplayRequest {
    /// With what was appended before this time alone: such a build never goes live.
    pub until: Option<Timestamp>,
    /// Whether to go on with what is under way, whatever it is.
    pub resumes: bool,
    /// Whether the new build goes live if it equals the live one.
    pub switches: bool,
}

/// How far a replay is.
#[derive(Debug, Clone, Copy)]
pub enum ReplayStage {
    /// The tables that it was filling are gone, so it begins with the first event.
    BeginsAgain(Generation),
    /// It goes on where it was: events that are folded, of how many.
    GoesOn(Generation, u64, u64),
    /// Events that are folded, of how many.
    Folding(Generation, u64, u64),
    /// This call folded what was left, or was asked to pause.
    Folded(Generation, Filled),
}

/// Who is shown how far a replay is.
pub type Watcher<'a> = &'a (dyn Fn(ReplayStage) + Send + Sync);

/// What became of a replay.
#[derive(Debug, Clone)]
pub enum ReplayEnd {
    /// The build is whole, and compared with the live one.
    Compared {
        /// The build.
        build: Generation,
        /// Its comparison with the one that was live.
        compared: BuildComparison,
        /// Whether it is live now.
        is_live: bool,
    },
    /// The build is whole, and as of a time.
    Until(BuildUntil),
    /// It was asked to pause: the build, and the events that this call folded.
    Paused(Generation, u64),
}

/// A build with what was appended before a time.
#[derive(Debug, Clone, Serialize)]
pub struct BuildUntil {
    /// Of what it is one.
    pub projection: &'static str,
    /// Its number.
    pub number: u32,
    /// The schema of its tables.
    pub schema: String,
    /// The time.
    pub until: String,
    /// Offsets before which it ends, by partition.
    pub ends: Vec<i64>,
    /// Events that were folded.
    pub events: u64,
    /// How long that took.
    pub seconds: f64,
    /// What is in its tables.
    pub digests: Vec<TableDigest>,
}

/// What is in a table of a build.
#[derive(Debug, Clone, Serialize)]
pub struct TableDigest {
    /// The table.
    pub table: String,
    /// Its rows.
    pub rows: u64,
    /// Their digest, in hexadecimal digits.
    pub digest: String,
}

/// Why a pause or a resumption is refused.
#[must_use]
pub fn none_under_way(projection: Option<Projection>) -> BadInput {
    let of = projection.map_or_else(String::new, |p| format!(" of {}", p.name()));
    BadInput(format!(
        "no replay{of} is under way; `threadlore replay` begins one"
    ))
}

impl Host {
    /// Replays a projection.
    ///
    /// # Errors
    /// `Busy` while another process is at its builds; `BadInput` where another replay of it is under way, or none that
    /// could go on; what log, store and index say.
    pub fn replay<'a>(
        &'a self,
        projection: Projection,
        request: ReplayRequest,
        watcher: Watcher<'a>,
    ) -> BoxFuture<'a, anyhow::Result<ReplayEnd>> {
        let work = async move {
            let feeding = self.start().await?;
            let node = &self.node;
            let mut held = feeding.hold(node, projection).await?;
            let ended = replay(node, &mut held, projection, request, watcher).await?;
            // First, so that a roll-back is left whenever this is cut off.
            held.feed().await?;
            match ended {
                ReplayEnd::Compared {
                    build, compared, ..
                } if compared.equal && request.switches => {
                    node.store.switch(build).await?;
                    Ok(ReplayEnd::Compared {
                        build,
                        compared,
                        is_live: true,
                    })
                }
                ended => Ok(ended),
            }
        };
        work.boxed()
    }

    /// Asks the replay of a projection to pause at its next checkpoint, in whichever process it is.
    ///
    /// # Errors
    /// `BadInput` where none is under way; what the store says.
    pub async fn pause_replay(&self, projection: Projection) -> anyhow::Result<()> {
        match self.node.store.pause_replay(projection, true).await? {
            true => Ok(()),
            false => Err(none_under_way(Some(projection)).into()),
        }
    }

    /// Builds a projection again and compares it with the live build; the new one is dropped.
    ///
    /// # Errors
    /// `Busy` while another process is at its builds; what log, store and index say.
    pub async fn verify(
        &self,
        projection: Projection,
        watcher: Watcher<'_>,
    ) -> anyhow::Result<(Generation, BuildComparison)> {
        let feeding = self.start().await?;
        let node = &self.node;
        let mut held = feeding.hold(node, projection).await?;
        let ends = ends(node.log.as_ref(), projection, None).await?;
        let build = node.store.create(projection).await?;
        let never = || futures::future::ready(Ok(false)).boxed();
        // If it is cut off, whoever looks at the builds next drops the new one.
        let filled = node.fill_build((build, &ends), &never, watcher).await?;
        let compared = node.beside_live(&mut held, (build, filled)).await?;
        held.drop_build(build).await?;
        held.feed().await?;
        Ok((build, compared))
    }
}

async fn replay(
    node: &Node,
    held: &mut Held<'_>,
    projection: Projection,
    request: ReplayRequest,
    watcher: Watcher<'_>,
) -> anyhow::Result<ReplayEnd> {
    let under_way = match node.store.replay(projection).await? {
        Some(under_way) if !node.store.has_tables(under_way.build).await? => {
            watcher(ReplayStage::BeginsAgain(under_way.build));
            node.store.end_replay(projection).await?;
            if node.store.generations().await?.contains(&under_way.build) {
                held.drop_build(under_way.build).await?;
            }
            None
        }
        None if request.resumes => return Err(none_under_way(Some(projection)).into()),
        under_way => under_way,
    };
    let (build, ends) = match under_way {
        Some(under_way) => go_on(node, under_way, request, watcher).await?,
        None => begin(node, projection, request.until).await?,
    };
    let is_paused = || asked_to_pause(node, projection);
    let filled = node.fill_build((build, &ends), &is_paused, watcher).await?;
    if !filled.is_whole {
        return Ok(ReplayEnd::Paused(build, filled.events));
    }
    let mut builds = node.store.builds().await?.into_iter();
    let until = builds
        .find(|listed| listed.build == build)
        .and_then(|listed| listed.until);
    if let Some(until) = until {
        let ended = built_until(node, (build, filled), (until, &ends)).await?;
        node.store.end_replay(projection).await?;
        return Ok(ReplayEnd::Until(ended));
    }
    let compared = node.beside_live(held, (build, filled)).await?;
    // First, so that a build that is done is not taken for what was cut off.
    node.store.feed(build, true).await?;
    node.store.end_replay(projection).await?;
    node.store
        .note_comparison(build, &serde_json::to_string(&compared)?)
        .await?;
    Ok(ReplayEnd::Compared {
        build,
        compared,
        is_live: false,
    })
}

fn asked_to_pause(node: &Node, projection: Projection) -> BoxFuture<'_, Result<bool, PortError>> {
    let asked = async move {
        let replay = node.store.replay(projection).await?;
        Ok(replay.is_some_and(|replay| replay.is_paused))
    };
    asked.boxed()
}

/// Makes a build and notes that it is being filled.
async fn begin(
    node: &Node,
    projection: Projection,
    until: Option<Timestamp>,
) -> anyhow::Result<(Generation, Ends)> {
    let ends = ends(node.log.as_ref(), projection, until).await?;
    let build = node.store.create(projection).await?;
    let until = until.map(|until| (until, &ends));
    node.store.begin_replay(build, until).await?;
    Ok((build, ends))
}

/// Takes up a replay that was paused or cut off.
async fn go_on(
    node: &Node,
    under_way: UnderWay,
    request: ReplayRequest,
    watcher: Watcher<'_>,
) -> anyhow::Result<(Generation, Ends)> {
    let (build, projection) = (under_way.build, under_way.build.projection);
    if request.until.is_some() || (under_way.ends.is_some() && !request.resumes) {
        return Err(BadInput(format!(
            "a replay of {name} is under way, into {build}: `threadlore replay resume --projection \
             {name}` goes on with it, `threadlore replay drop --projection {name} {}` gives it up",
            build.number,
            name = projection.name(),
        ))
        .into());
    }
    node.store.pause_replay(projection, false).await?;
    let now = ends(node.log.as_ref(), projection, None).await?;
    let ends = under_way.ends.unwrap_or(now);
    let partitions = node.log.partitions(projection.topic());
    let done = node.store.positions(build, partitions).await?;
    let done = done.iter().filter_map(|at| at.get(&projection.topic()));
    let (done, total): (i64, i64) = (
        done.map(|offset| offset.0).sum(),
        ends.values().map(|end| end.0).sum(),
    );
    watcher(ReplayStage::GoesOn(
        build,
        done.unsigned_abs(),
        total.unsigned_abs(),
    ));
    Ok((build, ends))
}

async fn built_until(
    node: &Node,
    (build, filled): (Generation, Filled),
    (until, ends): (Timestamp, &Ends),
) -> anyhow::Result<BuildUntil> {
    let digests = node.store.digest(build).await?;
    let tables = digests
        .into_iter()
        .map(|(table, (rows, digest))| TableDigest {
            table,
            rows,
            digest,
        });
    Ok(BuildUntil {
        projection: build.projection.name(),
        number: build.number,
        schema: build.schema(),
        until: until.to_string(),
        ends: ends.values().map(|end| end.0).collect(),
        events: filled.events,
        seconds: filled.seconds,
        digests: tables.collect(),
    })
}
