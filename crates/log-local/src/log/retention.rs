//! Deletion of records from the start of a partition: those older than their topic's retention, and
//! those of the inbox that every reader has processed.

use std::collections::BTreeMap;
use std::ops::Range;

use fjall::PersistMode;
use threadlore_model::{Offset, Partition, Timestamp, TopicPartition};
use threadlore_ports::PortError;

use super::Inner;
use crate::frame;
use crate::inbox::SEALED;
use crate::partition::Part;

pub(super) const RETAINING: &str = "dropping old records";
pub(super) const TRUNCATING: &str = "truncating the inbox";

/// Records that one step drops at most.
pub(super) const STEP: usize = 1000;

impl Inner {
    /// Drops at most one step of records that were appended before `before`.
    pub(super) fn retain(&self, at: TopicPartition, before: Timestamp) -> Result<usize, PortError> {
        let is_old = |_, frame: &[u8]| frame::appended(frame).is_none_or(|time| time < before);
        self.drop_first(RETAINING, at, is_old)
    }

    /// Drops records from the start of a partition for as long as `is_to_go`, at most one step.
    fn drop_first(
        &self,
        doing: &'static str,
        at: TopicPartition,
        is_to_go: impl Fn(Offset, &[u8]) -> bool,
    ) -> Result<usize, PortError> {
        let part = self.part(doing, at)?;
        let tail = part.lock();
        let Range { start, end } = part.range();
        let mut batch = self.db.batch().durability(Some(self.durability));
        let mut next = start;
        let all = part.records.range(part.key(start)..part.key(end));
        for found in all.take(STEP) {
            let (key, frame) = found.into_inner().map_err(self.database(doing))?;
            if !is_to_go(next, &frame) {
                break;
            }
            batch.remove(&part.records, key);
            next = next.next();
        }
        let gone = (next.0 - start.0) as usize;
        if gone > 0 {
            batch.insert(&self.marks, at.to_string(), tail.mark(next, end));
            // Readers see the new start first, so reads of deleted records are refused.
            part.start_at(next);
            batch.commit().map_err(self.database(doing))?;
        }
        Ok(gone)
    }

    /// Drops records before these offsets, and the keys that nothing is sealed with any more.
    pub(super) fn truncate(
        &self,
        before: &BTreeMap<TopicPartition, Offset>,
    ) -> Result<(), PortError> {
        self.renew_key()?;
        for (at, before) in before {
            let is_to_go = |offset, _: &[u8]| offset < *before;
            while self.drop_first(TRUNCATING, *at, is_to_go)? == STEP {}
        }
        // The deletion must be durable before the key is removed.
        let durable = self.db.persist(PersistMode::SyncAll);
        durable.map_err(self.database(TRUNCATING))?;
        let starts = self
            .sealed_parts()
            .map(|(at, part)| (at, part.range().start));
        self.keys.remove_unused(TRUNCATING, &starts.collect())
    }

    fn renew_key(&self) -> Result<(), PortError> {
        // In the order in which appends lock them.
        let locked: Vec<_> = self
            .sealed_parts()
            .map(|(at, part)| (at, part, part.lock()))
            .collect();
        let ends = locked.iter().map(|(at, part, _)| (*at, part.end()));
        self.keys.renew(TRUNCATING, ends.collect())
    }

    fn sealed_parts(&self) -> impl Iterator<Item = (Partition, &Part)> {
        let parts = self.parts.iter().filter(|(at, _)| at.topic == SEALED);
        parts.map(|(at, part)| (at.partition, part))
    }
}
