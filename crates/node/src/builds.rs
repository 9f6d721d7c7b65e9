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
    /// Of one that a replay fills: `under way` or `paused`.
    pub replay: Option<&'static str>,
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
        let mut builds = Vec::new();
        for of_one in all.chunk_by(|a, b| a.build.projection == b.build.projection) {
            let projection = of_one[0].build.projection;
            let live = self.store.live(projection).await?;
            let replay = self.store.replay(projection).await?;
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
                    replay: replay.map(|replay| match replay.is_paused {
                        true => "paused",
                        false => "under way",
                    }),
                    folded,
                    records,
                });
            }
        }
        Ok(builds)
    }
}
