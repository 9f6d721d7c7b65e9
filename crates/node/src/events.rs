//! Events about a case, a turn or an answer, read from the log.
//!
//! A process remembers where the records of a partition are, once it has read it: 12 bytes for each that names one of
//! these. Whoever looks at a case then waits for its records alone, however long the log is.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use threadlore_model::{
    Body, ChannelId, Event, Group, Key, Offset, Role, SpaceId, Topic, TopicPartition,
};
use threadlore_ports::{EventLog, PortError, Record, place};
use threadlore_stream::load_skips;
use uuid::Uuid;

use crate::node::Node;

/// Records read at a time.
const READ: usize = 1000;
/// Records that are so near to each other are read together.
const NEAR: i64 = 100;

/// The offsets of records by what they name, of the partitions that were read.
#[derive(Default)]
pub(crate) struct RecordIndex(
    Mutex<BTreeMap<TopicPartition, Arc<tokio::sync::Mutex<PartitionIndex>>>>,
);

/// The same of one partition, as far as it was read.
#[derive(Default)]
struct PartitionIndex {
    next: Offset,
    /// The ids that records name, shortened, each beside its record. A shortened one may be several.
    named: Vec<u32>,
    offsets: Vec<Offset>,
}

impl PartitionIndex {
    fn add(&mut self, record: &Record) {
        self.next = record.offset.next();
        let Ok(event) = &record.body else { return };
        for id in named(&event.body).into_iter().flatten() {
            self.named.push(short(id));
            self.offsets.push(record.offset);
        }
    }

    /// The records that may name one of these, in their order, those that are near to each other together: the first
    /// and the last of them.
    fn runs(&self, ids: &[Uuid]) -> Vec<(Offset, Offset)> {
        let ids: Vec<u32> = ids.iter().map(|id| short(*id)).collect();
        let mut runs: Vec<(Offset, Offset)> = Vec::new();
        for (id, offset) in self.named.iter().zip(&self.offsets) {
            if !ids.contains(id) {
                continue;
            }
            match runs.last_mut() {
                Some((_, last)) if offset.0 - last.0 <= NEAR => *last = *offset,
                _ => runs.push((*offset, *offset)),
            }
        }
        runs
    }
}

/// The end of an id, which is as good as random.
fn short(id: Uuid) -> u32 {
    let [.., a, b, c, d] = id.into_bytes();
    u32::from_be_bytes([a, b, c, d])
}

/// The cases, turns and answers that an event of these topics is about.
fn named(body: &Body) -> [Option<Uuid>; 2] {
    let (first, second) = match body {
        Body::CaseMerged(e) => (Some(e.case.as_uuid()), Some(e.into.as_uuid())),
        Body::MergeRequested(e) => (Some(e.case.as_uuid()), e.into.map(|into| into.as_uuid())),
        Body::CorrectionRequested(e) => (Some(e.case.as_uuid()), None),
        Body::ArchiveRequested(e) => (Some(e.case.as_uuid()), None),
        Body::ErasureRequested(e) => (Some(e.case.as_uuid()), None),
        Body::TurnConsidered(e) => (Some(e.turn.as_uuid()), None),
        Body::AnswerComposed(e) => (Some(e.turn.as_uuid()), None),
        Body::AnswerRated(e) => (Some(e.turn.as_uuid()), None),
        Body::AnswerWithdrawn(e) => (Some(e.answer.as_uuid()), None),
        Body::OutcomeRecorded(e) => (Some(e.answer.as_uuid()), None),
        other => (other.case().map(|case| case.as_uuid()), None),
    };
    [first, second]
}

impl RecordIndex {
    /// Reads a partition on to its end, and says where records may be that name one of these.
    async fn runs(
        &self,
        log: &dyn EventLog,
        at: TopicPartition,
        ids: &[Uuid],
    ) -> Result<Vec<(Offset, Offset)>, PortError> {
        let read = {
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(all.entry(at).or_default())
        };
        let mut read = read.lock().await;
        let range = log.range(at).await?;
        read.next = read.next.max(range.start);
        while read.next < range.end {
            let records = log.read(at, read.next, READ).await?;
            if records.is_empty() {
                break;
            }
            records.iter().for_each(|record| read.add(record));
        }
        Ok(read.runs(ids))
    }
}

impl Node {
    /// The events of a channel in a topic that name one of these cases, turns or answers and are about something, in
    /// the order of the log, each once, opened, with topic, partition and offset of its record. One that does not open,
    /// because a key is destroyed, is left out: it is a dead letter of the projector, or has nothing left to say.
    ///
    /// # Errors
    /// What log and keystore say.
    pub async fn events_about(
        &self,
        topic: Topic,
        (space, channel): (&SpaceId, &ChannelId),
        ids: &[Uuid],
        is_about: impl Fn(&Event) -> bool,
    ) -> anyhow::Result<Vec<(Event, String)>> {
        let log = self.log.as_ref();
        let key = Key::of_channel(space, channel);
        let at = place(log, topic, key.as_str().as_bytes());
        let skipped = load_skips(log, &Group::of_role(Role::Projector)).await?;
        let mut seen = HashSet::new();
        let (mut events, mut places): (Vec<Event>, Vec<Offset>) = (Vec::new(), Vec::new());
        for (first, last) in self.record_index.runs(log, at, ids).await? {
            let mut next = first;
            while next <= last {
                let most = usize::try_from(last.0 - next.0 + 1).unwrap_or(READ);
                let records = log.read(at, next, most.min(READ)).await?;
                let Some(end) = records.last() else { break };
                next = end.offset.next();
                for record in records {
                    let offset = record.offset;
                    if let Ok(event) = record.body
                        && offset <= last
                        && event.envelope.space == *space
                        && is_about(&event)
                        && !skipped.contains(&(at, offset))
                        // A crash may have published it twice.
                        && seen.insert(event.envelope.id)
                    {
                        events.push(*event);
                        places.push(offset);
                    }
                }
            }
        }
        let opened = self.vault.open(events).await?;
        let placed = opened.into_iter().zip(places);
        let placed =
            placed.filter_map(|(event, offset)| Some((event.ok()?, format!("{at}/{offset}"))));
        Ok(placed.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_one_id_are_read_together_where_they_are_near() {
        let id = |n: u128| Uuid::from_u128(n);
        let mut read = PartitionIndex::default();
        for (n, offset) in [(7, 3), (8, 5), (7, 9), (7, 200), (9, 201), (7, 300)] {
            read.named.push(short(id(n)));
            read.offsets.push(Offset(offset));
        }
        let runs = |ids: &[Uuid]| -> Vec<(i64, i64)> {
            let runs = read.runs(ids).into_iter();
            runs.map(|(first, last)| (first.0, last.0)).collect()
        };
        assert_eq!(runs(&[id(7)]), [(3, 9), (200, 300)]);
        assert_eq!(runs(&[id(8), id(9)]), [(5, 5), (201, 201)]);
        assert_eq!(runs(&[id(1)]), []);
        assert_eq!(runs(&[]), []);
    }
}
