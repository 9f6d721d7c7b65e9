//! A build that is filled from the log, and its comparison with the live one.

use futures::FutureExt as _;
use serde::{Deserialize, Serialize};
use threadlore_ports::{Generation, Generations as _};
use threadlore_replay::{Comparison, Ends, Filled, StopHere, Verdict, compare, fill, fill_points};

use super::{ReplayStage, Watcher};
use crate::feeding::Held;
use crate::node::Node;

/// Differing cells named at most.
const NAMED: usize = 20;

/// A build compared with the one that was live.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BuildComparison {
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
    pub digests: Vec<DigestPair>,
    /// The first cells that differ.
    pub different: Vec<String>,
}

/// What is in a table of two builds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DigestPair {
    /// The table.
    pub table: String,
    /// Rows of the live build.
    pub rows: u64,
    /// Their digest, in hexadecimal digits.
    pub live: String,
    /// That of the other one's.
    pub rebuilt: String,
}

impl Node {
    /// Fills a build up to `ends`, with its points. It ends before where `stop` says so.
    pub(super) async fn fill_build(
        &self,
        (build, ends): (Generation, &Ends),
        stop: StopHere<'_>,
        watcher: Watcher<'_>,
    ) -> anyhow::Result<Filled> {
        let progress = |done, total| watcher(ReplayStage::Folding(build, done, total));
        let filled = fill(
            &self.fold_ports(),
            self.generations(),
            (build, ends),
            self.replay_resources(),
            stop,
            &progress,
        )
        .boxed()
        .await?;
        if filled.is_whole {
            fill_points(build, &self.index_ports()).await?;
        }
        watcher(ReplayStage::Folded(build, filled));
        Ok(filled)
    }

    /// Brings the live build and a filled one to the same position, and compares them.
    pub(super) async fn beside_live(
        &self,
        held: &mut Held<'_>,
        (build, filled): (Generation, Filled),
    ) -> anyhow::Result<BuildComparison> {
        let projection = build.projection;
        let live = self.store.live(projection).await?;
        held.pause_level(live, build).await?;
        let Comparison {
            verdict,
            first,
            mut second,
            ..
        } = compare(
            self.generations(),
            Some(self.index.as_ref()),
            (live, build),
            self.log.partitions(projection.topic()),
            NAMED,
        )
        .await?;
        let equal = verdict == Verdict::Equal;
        let different = match verdict {
            Verdict::Equal => Vec::new(),
            Verdict::Elsewhere => vec!["the builds are at different positions".to_owned()],
            Verdict::Different(cells) => {
                let named = cells.into_iter().map(|cell| {
                    format!(
                        "table {}, row {}, column {}",
                        cell.table, cell.row, cell.column
                    )
                });
                named.collect()
            }
        };
        let digests = first.into_iter().map(|(table, (rows, live))| DigestPair {
            rebuilt: second
                .remove(&table)
                .map(|(_, hex)| hex)
                .unwrap_or_default(),
            table,
            rows,
            live,
        });
        Ok(BuildComparison {
            at: self.clock.now().to_string(),
            with: live.number,
            events: filled.events,
            seconds: filled.seconds,
            equal,
            digests: digests.collect(),
            different,
        })
    }
}
