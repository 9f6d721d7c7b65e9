//! What one shard published to a partition, read page by page.

use threadlore_model::{Event, Offset, TopicPartition};
use threadlore_ports::{EventLog, PortError, Shard};
use threadlore_roles::Processor;
use threadlore_stream::{FoldPorts, first_offset};

/// Records that are read together.
pub(super) const PAGE: usize = 1000;

/// Whose events are read, and what they are read with.
pub(crate) struct Own<'a, P> {
    pub(crate) ports: &'a FoldPorts,
    pub(crate) processor: &'a P,
    pub(crate) shard: &'a Shard,
}

impl<P> Clone for Own<'_, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P> Copy for Own<'_, P> {}

/// Reads the events of one shard from one partition, without those that are repeats. It ends
/// where the partition ended when it was begun: what this owner itself publishes comes after.
#[derive(Debug)]
pub(super) struct OwnEvents {
    at: TopicPartition,
    start: Offset,
    next: Offset,
    end: Offset,
    /// The highest sequence read.
    highest: u64,
}

impl OwnEvents {
    /// At the start of a partition.
    pub(super) async fn begin(log: &dyn EventLog, at: TopicPartition) -> Result<Self, PortError> {
        let range = log.range(at).await?;
        let start = first_offset(at, &range)?;
        Ok(Self {
            at,
            start,
            next: start,
            end: range.end,
            highest: 0,
        })
    }

    /// The same records from the start once more.
    pub(super) fn again(&self) -> Self {
        Self {
            next: self.start,
            highest: 0,
            ..*self
        }
    }

    /// Where they are.
    pub(super) fn at(&self) -> TopicPartition {
        self.at
    }

    /// The offset of the next record to read; none at the end.
    pub(super) fn next(&self) -> Option<Offset> {
        (self.next < self.end).then_some(self.next)
    }

    /// The next page, with the offset of each event. It may hold nothing before the end.
    pub(super) async fn page<P: Processor>(
        &mut self,
        own: Own<'_, P>,
    ) -> Result<Vec<(Offset, Event)>, PortError> {
        let left = usize::try_from(self.end.0 - self.next.0).unwrap_or(0);
        let records = own.ports.log.read(self.at, self.next, left.min(PAGE));
        let records = records.await?;
        self.next = records.last().map_or(self.end, |last| last.offset.next());
        let mut events = Vec::new();
        for record in records {
            let Ok(event) = record.body else { continue };
            let Some(producer) = &event.envelope.producer else {
                continue;
            };
            if (&producer.group, producer.partition) != (&own.shard.group, own.shard.partition) {
                continue;
            }
            if producer.sequence > self.highest {
                self.highest = producer.sequence;
                events.push((record.offset, *event));
            }
        }
        Ok(events)
    }
}
