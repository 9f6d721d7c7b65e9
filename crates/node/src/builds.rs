//! The builds that there are: what each is, how far it has read, and which is live.

use std::fmt;

use serde::Serialize;
use threadlore_model::{Offset, Partition, Run, TopicPartition};
use threadlore_ports::{Generation, Generations as _, PortError, Projection};
use threadlore_store_postgres::{AdvisoryLock, Listed};

use crate::error::{BadInput, Busy};
use crate::host::Host;
use crate::node::Node;
use crate::replays::BuildComparison;

/// What becomes of a replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReplayState {
    /// A process is at it.
    UnderWay,
    /// It stops at its next checkpoint, or has.
    Paused,
    /// No process is at it: it can go on.
    CutOff,
}

impl fmt::Display for ReplayState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnderWay => "under way",
            Self::Paused => "paused",
            Self::CutOff => "cut off",
        })
    }
}

/// A build and how far it is.
#[derive(Debug, Clone)]
pub struct Build {
    /// What it is.
    pub listed: Listed,
    /// Whether it is what readers read.
    pub is_live: bool,
    /// Of one that a replay fills.
    pub replay: Option<ReplayState>,
    /// What the last comparison with a live build showed.
    pub compared: Option<BuildComparison>,
    /// Records that are folded.
    pub folded: u64,
    /// Records that it will have folded when it is at the end of its topic, or where its replay ends.
    pub records: u64,
}

impl Node {
    /// All builds, ascending.
    ///
    /// # Errors
    /// What the tables and the log say.
    pub async fn builds(&self) -> Result<Vec<Build>, PortError> {
        let all = self.store.builds().await?;
        let mut compared = self.store.comparisons().await?;
        let mut builds = Vec::new();
        for of_one in all.chunk_by(|a, b| a.build.projection == b.build.projection) {
            let projection = of_one[0].build.projection;
            let live = self.store.live(projection).await?;
            let replay = self.store.replay(projection).await?;
            let state = match &replay {
                Some(replay) if replay.is_paused => ReplayState::Paused,
                Some(_) if self.store.are_builds_locked(projection).await? => ReplayState::UnderWay,
                Some(_) | None => ReplayState::CutOff,
            };
            let (topic, partitions) = (projection.topic(), self.log.partitions(projection.topic()));
            let mut ends = Vec::new();
            for number in 0..partitions {
                let partition = Partition(i32::try_from(number).unwrap_or(i32::MAX));
                let range = self.log.range(TopicPartition { topic, partition }).await?;
                ends.push((partition, range.end));
            }
            for &listed in of_one {
                let replay = replay
                    .as_ref()
                    .filter(|replay| replay.build == listed.build);
                let until = replay.and_then(|replay| replay.ends.as_ref());
                let positions = self.store.positions(listed.build, partitions).await?;
                let (mut folded, mut records) = (0, 0);
                for ((partition, end), positions) in ends.iter().zip(&positions) {
                    let end = until.and_then(|ends| ends.get(partition)).unwrap_or(end);
                    let read = positions.get(&topic).copied().unwrap_or(Offset(0));
                    folded += read.min(*end).0.unsigned_abs();
                    records += end.0.unsigned_abs();
                }
                builds.push(Build {
                    listed,
                    is_live: live == listed.build,
                    replay: replay.map(|_| state),
                    compared: compared
                        .remove(&listed.build)
                        .and_then(|noted| serde_json::from_str(&noted).ok()),
                    folded,
                    records,
                });
            }
        }
        Ok(builds)
    }
}

impl Host {
    /// Drops a build that is not live.
    ///
    /// # Errors
    /// `BadInput` where it is live, is not there, or is all that there is of a decision run; `Busy` while another process
    /// is at the builds; what store and index say.
    pub async fn drop_build(&self, build: Generation) -> anyhow::Result<()> {
        let node = &self.node;
        let feeding = self.start().await?;
        let mut held = feeding.hold(node, build.projection).await?;
        if node.store.live(build.projection).await? == build {
            return Err(BadInput(format!("{build} is live; switch to another build first")).into());
        }
        let builds = node.store.builds().await?;
        if !builds.iter().any(|listed| listed.build == build) {
            return Err(not_there(build).into());
        }
        if let Some(run) = alone_of_run(&builds, build) {
            return Err(BadInput(format!(
                "{build} is the only build of decision run {run}: `threadlore redecide drop {run}` drops \
                 the run"
            ))
            .into());
        }
        let under_way = node.store.replay(build.projection).await?;
        if under_way.is_some_and(|replay| replay.build == build) {
            node.store.end_replay(build.projection).await?;
        }
        held.drop_build(build).await?;
        held.feed().await
    }

    /// Makes the build before the live one live again: that one, and the one that was live.
    ///
    /// # Errors
    /// `BadInput` where there is none; `Busy` while another process is at the builds; what the store says.
    pub async fn roll_back(
        &self,
        projection: Projection,
    ) -> anyhow::Result<(Generation, Generation)> {
        let store = &self.node.store;
        let (_lock, live, builds) = self.node.lock_live(projection).await?;
        let run = run_of(&builds, live);
        // Those of another decision run are gone back to by `redecide rollback`.
        let of_projection = builds.iter().filter(|b| b.build.projection == projection);
        let usable = of_projection.filter(|b| b.is_own && b.is_fed);
        let (same, others): (Vec<&Listed>, Vec<&Listed>) = usable.partition(|b| Some(b.run) == run);
        let before = same.into_iter().map(|listed| listed.build);
        let before = before.filter(|b| b.number < live.number).max();
        let before = before.ok_or_else(|| {
            BadInput(match others.is_empty() {
                false => format!(
                    "{live} is the oldest build of its decision run: there is none to go back to; \
                     `threadlore redecide rollback` goes back to the run before"
                ),
                true => format!("{live} is the oldest build: there is none to go back to"),
            })
        })?;
        store.switch(before).await?;
        Ok((before, live))
    }

    /// Makes a build live that is kept and fed; returns the one that was.
    ///
    /// # Errors
    /// `BadInput` where it cannot be: it is not there, is live, is not fed, or is of another decision run; `Busy` while
    /// another process is at the builds; what the store says.
    pub async fn make_live(&self, build: Generation) -> anyhow::Result<Generation> {
        let (store, projection) = (&self.node.store, build.projection);
        let (_lock, live, builds) = self.node.lock_live(projection).await?;
        let Some(listed) = builds.iter().find(|listed| listed.build == build) else {
            return Err(not_there(build).into());
        };
        let reason = match () {
            () if live == build => "is live already".to_owned(),
            () if listed.until.is_some() => {
                "has what was appended before a time alone, and never goes live".to_owned()
            }
            () if !listed.is_own => {
                "was made by another version, with other tables: go back to that version".to_owned()
            }
            () if !listed.is_fed => {
                "is not whole: a replay fills it, and goes on with `threadlore replay resume`"
                    .to_owned()
            }
            () if Some(listed.run) != run_of(&builds, live) => format!(
                "shows decision run {run}: `threadlore redecide switch {run}` makes that live",
                run = listed.run
            ),
            () => {
                store.switch(build).await?;
                return Ok(live);
            }
        };
        Err(BadInput(format!("{build} {reason}")).into())
    }
}

impl Node {
    /// The right to change the builds of a projection, the live one, and all that there are.
    async fn lock_live(
        &self,
        projection: Projection,
    ) -> anyhow::Result<(AdvisoryLock, Generation, Vec<Listed>)> {
        let lock = self.store.lock_builds(projection).await?;
        let lock = lock.ok_or(Busy(projection))?;
        let live = self.store.live(projection).await?;
        Ok((lock, live, self.store.builds().await?))
    }
}

fn not_there(build: Generation) -> BadInput {
    BadInput(format!(
        "{build} does not exist; `threadlore replay list` shows what there is"
    ))
}

fn run_of(builds: &[Listed], build: Generation) -> Option<Run> {
    let found = builds.iter().find(|listed| listed.build == build);
    found.map(|listed| listed.run)
}

/// The decision run that no other build shows.
fn alone_of_run(builds: &[Listed], build: Generation) -> Option<Run> {
    let mut fed = builds
        .iter()
        .filter(|b| b.is_fed && b.build.projection == Projection::Cases);
    let run = fed.clone().find(|b| b.build == build)?.run;
    (!fed.any(|b| b.run == run && b.build != build)).then_some(run)
}
