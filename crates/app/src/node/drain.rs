//! Whether anything is left to do.

use std::time::Duration;

use threadlore_model::{Group, Offset, Partition, Topic, TopicPartition};
use threadlore_ports::{Generations, PortError, Shard, Store};
use threadlore_runtime::{Buffer, Extractor, Intake, Processor, Promoter};

use super::Node;

/// A key that wants to be looked at within this time is something left to do;
/// one that waits longer (a pause of a live channel, an expiry) is not.
const SOON: Duration = Duration::from_secs(10);
/// Time between two looks.
const LOOK: Duration = Duration::from_millis(200);

/// What is left to do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Waiting {
    /// Records that a role has not taken yet.
    pub records: u64,
    /// Events not published, calls not answered, keys to look at soon.
    pub others: u64,
}

impl Node {
    /// What is left to do, over all roles and builds.
    ///
    /// # Errors
    /// What log and store say.
    pub async fn waiting(&self) -> Result<Waiting, PortError> {
        let mut left = Waiting::default();
        self.of_role::<Intake>(&mut left).await?;
        self.of_role::<Buffer>(&mut left).await?;
        self.of_role::<Extractor>(&mut left).await?;
        self.of_role::<Promoter>(&mut left).await?;
        for generation in self.store.generations().await? {
            let topic = generation.projection.topic();
            for n in 0..self.log.partitions(topic) {
                let shard = Shard {
                    group: generation.group(),
                    partition: partition(n),
                };
                self.of_shard(&shard, &[topic], &mut left).await?;
            }
        }
        Ok(left)
    }

    async fn of_role<P: Processor>(&self, left: &mut Waiting) -> Result<(), PortError> {
        for n in 0..self.log.partitions(P::INPUTS[0]) {
            let shard = Shard {
                group: Group::of_role(P::ROLE),
                partition: partition(n),
            };
            self.of_shard(&shard, P::INPUTS, left).await?;
        }
        Ok(())
    }

    async fn of_shard(
        &self,
        shard: &Shard,
        inputs: &[Topic],
        left: &mut Waiting,
    ) -> Result<(), PortError> {
        let positions = Store::positions(self.store.as_ref(), shard).await?;
        for &topic in inputs {
            let range = self
                .log
                .range(TopicPartition {
                    topic,
                    partition: shard.partition,
                })
                .await?;
            let next = positions
                .get(&topic)
                .copied()
                .unwrap_or(Offset(range.start.0));
            left.records += u64::try_from(range.end.0 - next.0).unwrap_or(0);
        }
        let soon = self.clock.now().plus(SOON);
        left.others += self.store.outbox(shard, 0, 1).await?.len() as u64;
        left.others += self.store.effects(shard).await?.len() as u64;
        let wakes = self.store.wakes(shard).await?;
        left.others += wakes.iter().filter(|wake| wake.at <= soon).count() as u64;
        Ok(())
    }

    /// Returns when nothing is left to do; `progress` is told what is.
    ///
    /// # Errors
    /// What log and store say.
    pub async fn drain(&self, progress: &dyn Fn(Waiting)) -> Result<(), PortError> {
        loop {
            let left = self.waiting().await?;
            progress(left);
            if left == Waiting::default() {
                return Ok(());
            }
            self.clock.sleep(LOOK).await;
        }
    }
}

fn partition(n: u32) -> Partition {
    Partition(i32::try_from(n).unwrap_or(i32::MAX))
}
