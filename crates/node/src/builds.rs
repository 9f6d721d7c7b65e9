//! The builds that there are: what each is, and how far it has read.

use threadlore_model::{Offset, Partition, TopicPartition};
use threadlore_ports::{Generations as _, PortError};
use threadlore_store_postgres::Listed;

use crate::Node;

/// A build and how far it is.
#[derive(Debug, Clone)]
pub struct Build {
    /// What it is.
    pub listed: Listed,
    /// Whether it is what readers read.
    pub is_live: bool,
    /// Of one that a replay fills: whether that was asked to pause.
    pub replay: Option<bool>,
    /// Records that are folded.
    pub folded: u64,
    /// Records that it will have folded when it is at the end of its topic, or where its replay ends.
    pub records: u64,
}

impl Build {
    /// What a replay does with it, in words.
    #[must_use]
    pub fn replay(&self) -> Option<&'static str> {
        let is_paused = self.replay?;
        Some(if is_paused { "paused" } else { "under way" })
    }
}

impl Node {
    /// All builds, ascending.
    ///
    /// # Errors
    /// What the tables and the log say.
    pub async fn builds(&self) -> Result<Vec<Build>, PortError> {
        let mut builds = Vec::new();
        for listed in self.store.builds().await? {
            let build = listed.build;
            let live = self.store.live(build.projection).await?;
            let replay = self.store.replay(build.projection).await?;
            let replay = replay.filter(|replay| replay.build == build);
            let ends = replay.as_ref().and_then(|replay| replay.ends.as_ref());
            let topic = build.projection.topic();
            let positions = self
                .store
                .positions(build, self.log.partitions(topic))
                .await?;
            let (mut folded, mut records) = (0, 0);
            for (number, positions) in positions.iter().enumerate() {
                let partition = Partition(i32::try_from(number).unwrap_or(i32::MAX));
                let range = self.log.range(TopicPartition { topic, partition }).await?;
                let end = ends.and_then(|ends| ends.get(&partition)).copied();
                let end = end.unwrap_or(range.end);
                let read = positions.get(&topic).copied().unwrap_or(Offset(0));
                folded += read.min(end).0.unsigned_abs();
                records += end.0.unsigned_abs();
            }
            builds.push(Build {
                listed,
                is_live: live == build,
                replay: replay.map(|replay| replay.is_paused),
                folded,
                records,
            });
        }
        Ok(builds)
    }
}
