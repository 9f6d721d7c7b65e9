//! What a shard had decided before its state was lost, read from the log.
//!
//! A shard that is not recovered reads each input topic from the start up to the
//! highest cause found in it, folds what it reads and what that had led to, and
//! decides nothing, on records or timers: its state is whole only once all topics
//! are there. Then it reads what it wrote itself to the end. Then work goes on as
//! usual, and every key is looked at once for what was asked for and never done.

use std::collections::{BTreeMap, HashMap};

use threadlore_model::{Event, EventId, Key, Offset, Partition, Producer, Topic, TopicPartition};
use threadlore_ports::{
    Changes, Consumer, EventLog, FoldPorts, PortError, Positions, Shard, Vault, first_offset,
};

use crate::Processor;
use crate::batch::Counters;

/// Ids inserted at once when a lost set of accepted ids is rebuilt.
const ACCEPTED_CHUNK: usize = 5000;

/// What the log says this shard decided.
#[derive(Debug, Default)]
pub(crate) struct Recovery {
    /// Highest cause per key and input topic.
    decided: HashMap<Key, BTreeMap<Topic, Offset>>,
    /// What was decided, per key, in the order of decision.
    outputs: HashMap<Key, Vec<(TopicPartition, Offset, Event)>>,
    /// Highest cause per input topic: past them the recovery is through.
    ends: BTreeMap<Topic, Offset>,
    /// Up to where everything was decided on, whether or not anything followed.
    settled: Positions,
    /// The last sequence found.
    sequence: u64,
    /// Ids of platform events that were accepted.
    accepted: Vec<EventId>,
    /// How far it is.
    pub(crate) stage: Stage,
    /// Where the topics that the shard both reads and writes ended.
    written: Positions,
}

/// The two parts of a recovery.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Stage {
    /// What was decided on is folded; nothing is decided.
    #[default]
    Fold,
    /// What the shard wrote and may not have read is read; no timer fires and no
    /// slow call is asked for, because what follows may have settled it.
    CatchUp,
}

impl Recovery {
    /// Finds out what the shard decided, puts back which platform events it had
    /// accepted, and lets its consumer read up to the highest cause.
    pub(crate) async fn begin<P: Processor>(
        ports: &FoldPorts,
        (shard, epoch, counters): (&Shard, i64, &mut Counters),
        settled: Positions,
        consumer: &mut Consumer,
    ) -> Result<Self, PortError> {
        let topics = (P::INPUTS, P::OUTPUTS);
        let log = ports.log.as_ref();
        let mut found = Self::read(log, &ports.vault, shard, topics, P::FOLDS_OUTPUT).await?;
        found.settle(settled, P::OUTPUTS);
        counters.sequence = counters.sequence.max(found.sequence);
        // Published twice, an event is there twice.
        found.accepted.sort_unstable();
        found.accepted.dedup();
        for ids in found.accepted.chunks(ACCEPTED_CHUNK) {
            let have = ports.store.accepted(shard, ids).await?;
            let new = ids.iter().filter(|id| !have.contains(id));
            let changes = Changes {
                accepted: new.copied().collect(),
                positions: consumer.positions().clone(),
                marks: consumer.marks().clone(),
                sequence: counters.sequence,
                ..Changes::default()
            };
            ports.store.commit(shard, epoch, changes).await?;
        }
        consumer.read_until(Some(found.bounds()));
        Ok(found)
    }

    /// Takes over how far everything was decided on. What the shard wrote itself is read in
    /// the second stage anyway.
    fn settle(&mut self, settled: Positions, outputs: &[Topic]) {
        for (topic, next) in &settled {
            let last = Offset(next.0 - 1);
            if last.0 >= 0 && !outputs.contains(topic) {
                let end = self.ends.entry(*topic).or_insert(last);
                *end = last.max(*end);
            }
        }
        self.settled = settled;
    }

    /// Goes on to the second stage.
    pub(crate) fn catch_up(&mut self, consumer: &mut Consumer) {
        self.stage = Stage::CatchUp;
        consumer.read_until(Some(self.bounds()));
    }

    /// Reads everything the shard published.
    async fn read(
        log: &dyn EventLog,
        vault: &Vault,
        shard: &Shard,
        (inputs, outputs): (&[Topic], &[Topic]),
        keep_bodies: bool,
    ) -> Result<Self, PortError> {
        let mut found = Self::default();
        for &topic in outputs {
            let at = TopicPartition {
                topic,
                partition: shard.partition,
            };
            found.scan(log, vault, shard, at, Some(keep_bodies)).await?;
            if inputs.contains(&topic) {
                found.written.insert(topic, log.range(at).await?.end);
            }
        }
        let dead = inputs.iter().filter_map(|topic| topic.dead_letters());
        for topic in dead.chain([Topic::LogSkips]) {
            for n in 0..log.partitions(topic) {
                let partition = Partition(i32::try_from(n).unwrap_or(i32::MAX));
                let at = TopicPartition { topic, partition };
                found.scan(log, vault, shard, at, None).await?;
            }
        }
        Ok(found)
    }

    /// `keep`: `None` looks at sequences only, `Some(bodies)` at decisions too.
    async fn scan(
        &mut self,
        log: &dyn EventLog,
        vault: &Vault,
        shard: &Shard,
        at: TopicPartition,
        keep: Option<bool>,
    ) -> Result<(), PortError> {
        let ours = |producer: &Producer| {
            producer.group == shard.group && producer.partition == shard.partition
        };
        let mut from = first_offset(at, &log.range(at).await?)?;
        let mut highest = 0;
        loop {
            let records = log.read(at, from, 1000).await?;
            let Some(last) = records.last() else {
                return Ok(());
            };
            from = last.offset.next();
            let mut events = Vec::new();
            for event in records.into_iter().filter_map(|r| r.body.ok()) {
                let Some(producer) = event.envelope.producer.as_ref().filter(|p| ours(p)) else {
                    continue;
                };
                if producer.sequence > highest {
                    highest = producer.sequence;
                    events.push(*event);
                }
            }
            self.sequence = self.sequence.max(highest);
            let Some(bodies) = keep else { continue };
            if bodies {
                events = vault
                    .open(events)
                    .await?
                    .into_iter()
                    .filter_map(Result::ok)
                    .collect();
            }
            for event in events {
                let Some(cause) = event.envelope.cause.clone() else {
                    continue;
                };
                let key = event.envelope.key.clone();
                let tops = [
                    self.decided
                        .entry(key.clone())
                        .or_default()
                        .entry(cause.at.topic),
                    self.ends.entry(cause.at.topic),
                ];
                for top in tops {
                    let top = top.or_insert(cause.offset);
                    *top = (*top).max(cause.offset);
                }
                if bodies {
                    let outputs = self.outputs.entry(key).or_default();
                    outputs.push((cause.at, cause.offset, event));
                } else {
                    self.accepted.push(event.envelope.id);
                }
            }
        }
    }

    /// Whether the stage is through.
    pub(crate) fn is_through(&self, positions: &Positions) -> bool {
        let bounds = self.bounds();
        let mut bounds = bounds.iter();
        bounds.all(|(topic, end)| positions.get(topic).is_none_or(|next| next >= end))
    }

    /// Whether an input's consequences stand in the log, those of slow calls
    /// included.
    pub(crate) fn is_decided(&self, key: &Key, topic: Topic, offset: Offset) -> bool {
        if self.settled.get(&topic).is_some_and(|next| offset < *next) {
            return true;
        }
        self.decided
            .get(key)
            .and_then(|tops| tops.get(&topic))
            .is_some_and(|top| offset <= *top)
    }

    /// What an input had led to.
    pub(crate) fn outputs(&mut self, key: &Key, at: TopicPartition, offset: Offset) -> Vec<Event> {
        let Some(outputs) = self.outputs.get_mut(key) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        outputs.retain(|(cause, place, event)| {
            let hit = *cause == at && *place == offset;
            if hit {
                found.push(event.clone());
            }
            !hit
        });
        found
    }

    /// Where to read up to. First past the highest cause of each topic: in the
    /// order of one topic everything up to it was decided before it, and what that
    /// led to was published before.
    fn bounds(&self) -> Positions {
        match self.stage {
            Stage::Fold => {
                let ends = self.ends.iter();
                ends.map(|(topic, end)| (*topic, end.next())).collect()
            }
            Stage::CatchUp => self.written.clone(),
        }
    }
}
