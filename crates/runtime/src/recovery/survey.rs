//! The first pass over what a shard published: what has to be known before an input is folded.

use std::collections::HashSet;

use threadlore_model::{Event, EventId, Partition, Subject, Topic, TopicPartition};
use threadlore_ports::{Changes, PortError, Positions};
use threadlore_roles::Processor;

use super::outputs::Outputs;
use super::own_events::{Own, OwnEvents};
use crate::batch::Counters;

/// Ids inserted at once when a lost set of accepted ids is rebuilt.
const ACCEPTED_CHUNK: usize = 5000;

/// What the first pass found.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// After the highest cause of each input topic.
    pub(super) ends: Positions,
    /// What is to be folded again.
    pub(super) outputs: Outputs,
}

impl Survey {
    /// Reads everything that the shard published, takes over its last sequence, destroys the
    /// keys of what it erased, and stores the ids of platform events that it accepted.
    pub(super) async fn read<P: Processor>(
        own: Own<'_, P>,
        epoch: i64,
        start: &Positions,
        counters: &mut Counters,
    ) -> Result<Self, PortError> {
        let mut found = Self::default();
        let log = own.ports.log.as_ref();
        let mut accepted = Vec::new();
        for &topic in P::OUTPUTS {
            let partition = own.shard.partition;
            let mut events = OwnEvents::begin(log, TopicPartition { topic, partition }).await?;
            let stream = P::FOLDS_OUTPUT.then(|| found.outputs.add_stream(events.again()));
            while events.next().is_some() {
                for (offset, event) in surveyed(own, &mut events, counters).await? {
                    let Some(cause) = event.envelope.cause else {
                        continue;
                    };
                    let next = cause.offset.next();
                    let end = found.ends.entry(cause.at.topic).or_insert(next);
                    *end = next.max(*end);
                    match stream {
                        Some(stream) => {
                            let key = event.envelope.key;
                            found.outputs.note((stream, offset), key, &cause, P::INPUTS);
                        }
                        None => accepted.push(event.envelope.id),
                    }
                }
                if accepted.len() >= ACCEPTED_CHUNK {
                    let ids = std::mem::take(&mut accepted);
                    store_accepted(own, epoch, start, (ids, counters.sequence)).await?;
                }
            }
        }
        store_accepted(own, epoch, start, (accepted, counters.sequence)).await?;
        let dead = P::INPUTS.iter().filter_map(|topic| topic.dead_letters());
        for topic in dead.chain([Topic::LogSkips]) {
            for n in 0..log.partitions(topic) {
                let partition = Partition(i32::try_from(n).unwrap_or(i32::MAX));
                let mut events = OwnEvents::begin(log, TopicPartition { topic, partition }).await?;
                while events.next().is_some() {
                    surveyed(own, &mut events, counters).await?;
                }
            }
        }
        found.outputs.close();
        Ok(found)
    }
}

/// The next page of events, whose sequences and erasures are taken over.
async fn surveyed<P: Processor>(
    own: Own<'_, P>,
    events: &mut OwnEvents,
    counters: &mut Counters,
) -> Result<Vec<(threadlore_model::Offset, Event)>, PortError> {
    let page = events.page(own).await?;
    let producers = page
        .iter()
        .filter_map(|(_, e)| e.envelope.producer.as_ref());
    let sequences = producers.filter(|producer| producer.group == own.shard.group);
    let last = sequences.map(|producer| producer.sequence).max();
    counters.sequence = counters.sequence.max(last.unwrap_or(0));
    // The state may have been lost between the append and the destruction of the keys.
    let erased = page.iter().filter_map(|(_, event)| event.erased_subject());
    let erased: Vec<Subject> = erased.collect();
    own.ports.vault.destroy(&erased).await?;
    Ok(page)
}

/// Stores those of the ids that the store does not have.
async fn store_accepted<P: Processor>(
    own: Own<'_, P>,
    epoch: i64,
    positions: &Positions,
    (mut ids, sequence): (Vec<EventId>, u64),
) -> Result<(), PortError> {
    // Published twice, an event is there twice.
    ids.sort_unstable();
    ids.dedup();
    let store = &own.ports.store;
    for ids in ids.chunks(ACCEPTED_CHUNK) {
        let have: HashSet<EventId> = store.accepted(own.shard, ids).await?;
        let new = ids.iter().filter(|id| !have.contains(id));
        let changes = Changes {
            accepted: new.copied().collect(),
            positions: positions.clone(),
            sequence,
            ..Changes::default()
        };
        store.commit(own.shard, epoch, changes).await?;
    }
    Ok(())
}
