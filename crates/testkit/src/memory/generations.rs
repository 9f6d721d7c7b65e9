//! Builds of projections in memory.

use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;
use threadlore_fold::{Digest, Row, RowKey, tables};
use threadlore_model::Partition;
use threadlore_ports::{
    Cell, Digests, Generation, Generations, PortError, Positions, Projection, Shard,
};

use super::MemoryStore;
use super::store::missing;

#[async_trait]
impl Generations for MemoryStore {
    async fn generations(&self) -> Result<Vec<Generation>, PortError> {
        Ok(self.lock().generations.keys().copied().collect())
    }

    async fn live(&self, projection: Projection) -> Result<Generation, PortError> {
        let mut data = self.lock();
        if let Some(live) = data.live.get(&projection) {
            return Ok(*live);
        }
        let first = data.create(projection);
        data.live.insert(projection, first);
        Ok(first)
    }

    async fn create(&self, projection: Projection) -> Result<Generation, PortError> {
        Ok(self.lock().create(projection))
    }

    async fn build_indexes(&self, generation: Generation) -> Result<(), PortError> {
        self.lock().existing(generation).map(|_| ())
    }

    async fn switch(&self, to: Generation) -> Result<(), PortError> {
        let mut data = self.lock();
        if !data.generations.contains_key(&to) {
            return Err(PortError::Refused {
                doing: "switching builds",
                reason: missing(to),
            });
        }
        data.live.insert(to.projection, to);
        Ok(())
    }

    async fn drop_generation(&self, generation: Generation) -> Result<(), PortError> {
        let mut data = self.lock();
        let refuse = |reason| {
            Err(PortError::Refused {
                doing: "dropping a build",
                reason,
            })
        };
        if data.live.get(&generation.projection) == Some(&generation) {
            return refuse(format!(
                "{generation} is live; switch to another build first"
            ));
        }
        if data.generations.remove(&generation).is_none() {
            return refuse(missing(generation));
        }
        let group = generation.group();
        data.shards.retain(|shard, _| shard.group != group);
        data.unindexed.remove(&generation);
        Ok(())
    }

    async fn positions(
        &self,
        generation: Generation,
        partitions: u32,
    ) -> Result<Vec<Positions>, PortError> {
        let group = generation.group();
        let data = self.lock();
        Ok((0..partitions)
            .map(|n| {
                let shard = Shard {
                    group: group.clone(),
                    partition: Partition(n as i32),
                };
                let owned = data.shards.get(&shard);
                owned.map(|s| s.owner.positions.clone()).unwrap_or_default()
            })
            .collect())
    }

    async fn digest(&self, generation: Generation) -> Result<Digests, PortError> {
        let data = self.lock();
        let rows = data.existing(generation)?;
        let mut digests: BTreeMap<&'static str, Digest> = tables(generation.projection)
            .map(|table| (table.name, Digest::default()))
            .collect();
        for row in rows.values() {
            row.digest(&mut digests);
        }
        Ok(digests
            .into_iter()
            .map(|(table, digest)| (table.to_owned(), (digest.rows(), digest.hex())))
            .collect())
    }

    async fn differences(
        &self,
        a: Generation,
        b: Generation,
        max: usize,
    ) -> Result<Vec<Cell>, PortError> {
        let data = self.lock();
        let (a, b) = (data.existing(a)?, data.existing(b)?);
        let keys: BTreeSet<&RowKey> = a.keys().chain(b.keys()).collect();
        Ok(keys
            .into_iter()
            .flat_map(|key| Row::differences(a.get(key), b.get(key)))
            .take(max)
            .map(|d| Cell {
                table: d.table.to_owned(),
                row: d.row,
                column: d.column.to_owned(),
            })
            .collect())
    }
}
