//! The builds of the tables, and replays that make others from the log.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use threadlore_model::Run;
use threadlore_node::{
    Build, BuildComparison, DigestPair, Host, Node, ReplayEnd, ReplayRequest, ReplayStage,
    ReplayState,
};
use threadlore_ports::{Generation, Projection};
use tokio::sync::watch;
use utoipa::ToSchema;

use crate::jobs::{self, Jobs, Stage as _};
use crate::refused::Refused;

/// How a replay ends that the end of its process cuts off.
const CUT_OFF: &str = "The process stops: the replay goes on where it was once it is resumed.";

/// The builds of all tables.
#[derive(Debug, Serialize, ToSchema)]
pub struct BuildList {
    /// By projection and number.
    pub builds: Vec<BuildLine>,
}

/// A build of the tables of a projection.
#[derive(Debug, Serialize, ToSchema)]
pub struct BuildLine {
    /// Of what it is one: `messages`, `cases`, `memories`, `turns`, `deliveries`, `outcomes`, `channels` or `vectors`.
    pub projection: &'static str,
    /// Its number.
    pub number: u32,
    /// Whether it is what everybody reads.
    pub live: bool,
    /// The decision run that it shows, of a build of cases.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u32>)]
    pub run: Option<Run>,
    /// Of one with what was appended before a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Of one that a replay fills: `under-way`, `paused`, or `cut-off` where its process ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub replay: Option<ReplayState>,
    /// Records that are folded.
    pub folded: u64,
    /// Of how many.
    pub records: u64,
    /// Whether another version made it, with other tables: it is not fed. It is there so that this version can be gone
    /// back from.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub other_version: bool,
    /// What a replay showed when it compared it with the live one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compared: Option<ComparisonResult>,
    /// Whether it is kept and fed, so that it can be made live.
    #[serde(skip)]
    pub is_kept: bool,
}

/// A build compared with the one that was live.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ComparisonResult {
    /// When they were compared.
    pub at: String,
    /// The number of the live build.
    pub with: u32,
    /// Events that were folded for it, by the process that made it whole.
    pub events: u64,
    /// How long that took.
    pub seconds: f64,
    /// Whether they are equal, table by table.
    pub equal: bool,
    /// What is in the tables of both.
    pub digests: Vec<TableDigests>,
    /// The first cells that differ.
    pub different: Vec<String>,
}

/// What is in a table of two builds.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct TableDigests {
    /// The table.
    pub table: String,
    /// Rows of the live build.
    pub rows: u64,
    /// Their digest, in hexadecimal digits.
    pub live: String,
    /// That of the other one's.
    pub rebuilt: String,
}

impl From<BuildComparison> for ComparisonResult {
    fn from(of: BuildComparison) -> Self {
        let digests = of.digests.into_iter().map(|pair| {
            let DigestPair {
                table,
                rows,
                live,
                rebuilt,
            } = pair;
            TableDigests {
                table,
                rows,
                live,
                rebuilt,
            }
        });
        Self {
            at: of.at,
            with: of.with,
            events: of.events,
            seconds: of.seconds,
            equal: of.equal,
            digests: digests.collect(),
            different: of.different,
        }
    }
}

impl From<Build> for BuildLine {
    fn from(build: Build) -> Self {
        let Build {
            listed,
            is_live,
            replay,
            compared,
            folded,
            records,
        } = build;
        let Generation { projection, number } = listed.build;
        Self {
            projection: projection.name(),
            number,
            live: is_live,
            run: (projection == Projection::Cases).then_some(listed.run),
            until: listed.until.map(|until| until.to_string()),
            replay,
            folded,
            records,
            other_version: !listed.is_own,
            compared: compared.map(ComparisonResult::from),
            is_kept: !is_live && listed.is_own && listed.is_fed && listed.until.is_none(),
        }
    }
}

/// All builds.
///
/// # Errors
/// What the tables and the log say.
pub async fn builds(node: &Node) -> anyhow::Result<BuildList> {
    let builds = node.builds().await?.into_iter();
    Ok(BuildList {
        builds: builds.map(BuildLine::from).collect(),
    })
}

/// How far a replay is.
#[derive(Debug, Clone)]
pub(crate) enum Stage {
    /// Another one goes before it, or it looks what there is.
    Waits,
    /// So many of so many events are folded into this build.
    Folding(Generation, u64, u64),
    /// All are folded; the build is compared with the live one.
    Compares,
    /// It has ended.
    Ended(ReplayEnd),
    /// It has not been done, and why.
    NotDone(String),
}

impl jobs::Stage for Stage {
    fn goes_on(&self) -> bool {
        !matches!(self, Self::Ended(_) | Self::NotDone(_))
    }

    fn percent(&self) -> Option<u64> {
        match self {
            Self::Folding(_, done, total) => Some(done * 100 / (*total).max(1)),
            _ => None,
        }
    }

    fn cut_off() -> Self {
        Self::NotDone(CUT_OFF.to_owned())
    }
}

/// The replays that this process was asked for, one at a time; the last of each projection.
#[derive(Default)]
pub(crate) struct Replays {
    last: Mutex<BTreeMap<Projection, watch::Receiver<Stage>>>,
    pub(crate) jobs: Jobs,
}

impl Replays {
    /// Replays a projection from now on.
    ///
    /// # Errors
    /// `Busy` while this process is at one of the projection.
    pub(crate) fn begin(
        &self,
        host: &Arc<Host>,
        projection: Projection,
        request: ReplayRequest,
    ) -> Result<watch::Receiver<Stage>, Refused> {
        let (stage, seen) = watch::channel(Stage::Waits);
        {
            let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
            if last
                .get(&projection)
                .map(jobs::stage)
                .is_some_and(|stage| stage.goes_on())
            {
                return Err(Refused::Busy(format!(
                    "A replay of {} goes on already.",
                    projection.name()
                )));
            }
            last.insert(projection, seen.clone());
        }
        let host = Arc::clone(host);
        self.jobs.begin(async move {
            let watcher = |at: ReplayStage| {
                let now = match at {
                    ReplayStage::BeginsAgain(_) => return,
                    ReplayStage::GoesOn(build, done, total)
                    | ReplayStage::Folding(build, done, total) => {
                        Stage::Folding(build, done, total)
                    }
                    ReplayStage::Folded(..) => Stage::Compares,
                };
                stage.send_replace(now);
            };
            let ended = match host.replay(projection, request, &watcher).await {
                Ok(ended) => Stage::Ended(ended),
                Err(error) => {
                    let why = format!("{error:#}");
                    tracing::warn!(projection = projection.name(), why, "a replay was not done");
                    Stage::NotDone(why)
                }
            };
            stage.send_replace(ended);
        });
        Ok(seen)
    }

    /// How far the last one of a projection is that this process was asked for.
    pub(crate) fn of(&self, projection: Projection) -> Option<Stage> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.get(&projection).map(jobs::stage)
    }
}
