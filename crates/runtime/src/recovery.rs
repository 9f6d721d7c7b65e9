//! What a shard had decided before its state was lost, read from the log.
//!
//! A shard that is not recovered reads each input topic from the start up to the
//! highest cause found in it, folds what it reads and what that had led to, and
//! decides nothing, on records or timers: its state is whole only once all topics
//! are there. Then work goes on as usual, and every key is looked at once for what was
//! asked for and never done.
//!
//! A processor that queues takes each key's records in one order, so each key goes over
//! from what was decided to what is to be decided by itself: nothing waits for other keys.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::Arc;

use threadlore_model::{
    Cause, Event, EventId, Key, Offset, Partition, Subject, Topic, TopicPartition,
};
use threadlore_ports::{
    Changes, Consumer, EventLog, FoldPorts, PortError, Positions, Shard, Vault, first_offset,
};
use threadlore_roles::Processor;

use crate::batch::Counters;

/// Ids inserted at once when a lost set of accepted ids is rebuilt.
const ACCEPTED_CHUNK: usize = 5000;

/// What the log says this shard decided.
#[derive(Debug, Default)]
pub(crate) struct Recovery {
    /// Highest cause per key and input topic.
    decided: HashMap<Key, BTreeMap<Topic, Offset>>,
    /// What was decided, per key, in the order of the log.
    outputs: HashMap<Key, VecDeque<(Cause, Arc<Event>)>>,
    /// Keys of which an input was read in this recovery.
    met: HashSet<Key>,
    /// What this batch took out of `outputs`, and the keys that it met.
    taken_out: Vec<(Key, Cause, Arc<Event>)>,
    met_now: Vec<Key>,
    /// Next offset per input topic with which the recovery is through.
    ends: Positions,
    /// Up to where everything was decided on, whether or not anything followed.
    settled: Positions,
    /// The last sequence found.
    sequence: u64,
    /// Ids of platform events that were accepted.
    accepted: Vec<EventId>,
}

/// What became of a record before the state was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Past {
    /// It was decided on: what it led to, if anything, is in the log.
    Decided,
    /// It was not.
    Undecided,
    /// A window that led to nothing, or about which a call was not answered. It is asked
    /// about once more, when all that was decided is known.
    Unknown,
}

impl Recovery {
    /// Finds out what the shard decided, puts back which platform events it had
    /// accepted, and lets its consumer read up to the highest cause.
    pub(crate) async fn begin<P: Processor>(
        ports: &FoldPorts,
        processor: &P,
        (shard, epoch, counters): (&Shard, i64, &mut Counters),
        settled: Positions,
        consumer: &mut Consumer,
    ) -> Result<Self, PortError> {
        let mut found = Self::default();
        found.read(ports, processor, shard).await?;
        found.settle(settled);
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
                sequence: counters.sequence,
                ..Changes::default()
            };
            ports.store.commit(shard, epoch, changes).await?;
        }
        if P::QUEUES {
            // A record may wait for a turn that only a later one of another topic brings.
            for &topic in P::INPUTS {
                let partition = shard.partition;
                let end = ports
                    .log
                    .range(TopicPartition { topic, partition })
                    .await?
                    .end;
                found.ends.insert(topic, end);
            }
        } else {
            found.skip_before(consumer.positions());
            consumer.read_until(Some(found.ends.clone()));
        }
        Ok(found)
    }

    /// Takes over how far everything was decided on.
    fn settle(&mut self, settled: Positions) {
        for (topic, next) in &settled {
            if next.0 > 0 {
                let end = self.ends.entry(*topic).or_insert(*next);
                *end = (*next).max(*end);
            }
        }
        self.settled = settled;
    }

    /// After a crash in the middle of a recovery: what was folded before it is left out.
    fn skip_before(&mut self, positions: &Positions) {
        for outputs in self.outputs.values_mut() {
            outputs.retain(|(cause, _)| {
                let next = positions.get(&cause.at.topic);
                next.is_none_or(|next| cause.offset >= *next)
            });
        }
    }

    /// Reads everything the shard published.
    async fn read<P: Processor>(
        &mut self,
        ports: &FoldPorts,
        processor: &P,
        shard: &Shard,
    ) -> Result<(), PortError> {
        for &topic in P::OUTPUTS {
            let at = TopicPartition {
                topic,
                partition: shard.partition,
            };
            self.scan(ports, processor, shard, at, Some(P::FOLDS_OUTPUT))
                .await?;
        }
        let dead = P::INPUTS.iter().filter_map(|topic| topic.dead_letters());
        for topic in dead.chain([Topic::LogSkips]) {
            for n in 0..ports.log.partitions(topic) {
                let partition = Partition(i32::try_from(n).unwrap_or(i32::MAX));
                let at = TopicPartition { topic, partition };
                self.scan(ports, processor, shard, at, None).await?;
            }
        }
        Ok(())
    }

    /// `keep`: `None` looks at sequences only, `Some(bodies)` at decisions too.
    async fn scan<P: Processor>(
        &mut self,
        ports: &FoldPorts,
        processor: &P,
        shard: &Shard,
        at: TopicPartition,
        keep: Option<bool>,
    ) -> Result<(), PortError> {
        let log: &dyn EventLog = ports.log.as_ref();
        let vault: &Vault = &ports.vault;
        let mut from = first_offset(at, &log.range(at).await?)?;
        let mut highest = HashMap::new();
        loop {
            let records = log.read(at, from, 1000).await?;
            let Some(last) = records.last() else {
                return Ok(());
            };
            from = last.offset.next();
            let mut events = Vec::new();
            for event in records.into_iter().filter_map(|r| r.body.ok()) {
                let Some(producer) = event.envelope.producer.clone() else {
                    continue;
                };
                if producer.partition != shard.partition || !processor.is_own(&producer) {
                    continue;
                }
                if producer.group == shard.group {
                    self.sequence = self.sequence.max(producer.sequence);
                }
                let highest = highest.entry(producer.group).or_insert(0);
                if producer.sequence > *highest {
                    *highest = producer.sequence;
                    events.push(*event);
                }
            }
            // The state may have been lost between the append and the destruction of the keys.
            let erased: Vec<Subject> = events.iter().filter_map(Event::erased_subject).collect();
            vault.destroy(&erased).await?;
            match keep {
                Some(true) => {
                    let opened = vault.open(events).await?;
                    self.keep(opened.into_iter().filter_map(Result::ok), true);
                }
                Some(false) => self.keep(events.into_iter(), false),
                None => {}
            }
        }
    }

    fn keep(&mut self, events: impl Iterator<Item = Event>, bodies: bool) {
        for event in events {
            let Some(cause) = event.envelope.cause.clone() else {
                continue;
            };
            let key = event.envelope.key.clone();
            let tops = self.decided.entry(key.clone()).or_default();
            let top = tops.entry(cause.at.topic).or_insert(cause.offset);
            *top = cause.offset.max(*top);
            let next = cause.offset.next();
            let end = self.ends.entry(cause.at.topic).or_insert(next);
            *end = next.max(*end);
            if bodies {
                let outputs = self.outputs.entry(key).or_default();
                outputs.push_back((cause, Arc::new(event)));
            } else {
                self.accepted.push(event.envelope.id);
            }
        }
    }

    /// Whether the recovery is through.
    pub(crate) fn is_through(&self, positions: &Positions) -> bool {
        let mut ends = self.ends.iter();
        ends.all(|(topic, end)| positions.get(topic).is_none_or(|next| next >= end))
    }

    /// Whether a queued record was decided on before: something it or a later one led to
    /// stands in the log, or all of its topic was decided on up to here.
    pub(crate) fn past_of(&self, key: &Key, cause: &Cause) -> Past {
        let settled = self.settled.get(&cause.at.topic);
        if settled.is_some_and(|next| cause.offset < *next) {
            return Past::Decided;
        }
        if !self.has_outputs(key) {
            return Past::Undecided;
        }
        let tops = self.decided.get(key);
        let top = tops.and_then(|tops| tops.get(&cause.at.topic));
        let covered = top.is_some_and(|top| cause.offset <= *top);
        // Live records are taken while a call about a window before them is not answered.
        if covered || cause.at.topic != Topic::ChatTurns {
            Past::Decided
        } else {
            Past::Unknown
        }
    }

    /// Whether the log has decisions of the key that are not folded yet.
    pub(crate) fn has_outputs(&self, key: &Key) -> bool {
        self.outputs.get(key).is_some_and(|left| !left.is_empty())
    }

    /// Whether this is the first input of the key in this recovery.
    pub(crate) fn is_first_of(&mut self, key: &Key) -> bool {
        let is_first = self.met.insert(key.clone());
        if is_first {
            self.met_now.push(key.clone());
        }
        is_first
    }

    /// Takes out what the inputs taken so far had led to, in the order of the log.
    pub(crate) fn outputs(&mut self, key: &Key, taken: impl Fn(&Cause) -> bool) -> Vec<Arc<Event>> {
        let mut found = Vec::new();
        if let Some(outputs) = self.outputs.get_mut(key) {
            while outputs.front().is_some_and(|(cause, _)| taken(cause)) {
                let Some((cause, event)) = outputs.pop_front() else {
                    break;
                };
                found.push(Arc::clone(&event));
                self.taken_out.push((key.clone(), cause, event));
            }
        }
        found
    }

    /// Takes out what the records of a topic up to this one had led to. The state of a key is the
    /// same in whatever order its topics are read.
    pub(crate) fn outputs_of(&mut self, key: &Key, topic: Topic, last: Offset) -> Vec<Arc<Event>> {
        let mut found = Vec::new();
        let Some(outputs) = self.outputs.get_mut(key) else {
            return found;
        };
        let next = |outputs: &VecDeque<(Cause, Arc<Event>)>| {
            let first = outputs
                .iter()
                .position(|(cause, _)| cause.at.topic == topic)?;
            let is_taken = outputs.get(first)?.0.offset <= last;
            is_taken.then_some(first)
        };
        while let Some((cause, event)) = next(outputs).and_then(|first| outputs.remove(first)) {
            found.push(Arc::clone(&event));
            self.taken_out.push((key.clone(), cause, event));
        }
        found
    }

    /// The batch is finished: what it took out is in the states.
    pub(crate) fn finished(&mut self) {
        self.taken_out.clear();
        self.met_now.clear();
    }

    /// The batch is begun once more on the states before it.
    pub(crate) fn undo(&mut self) {
        for (key, cause, event) in self.taken_out.drain(..).rev() {
            let outputs = self.outputs.entry(key).or_default();
            outputs.push_front((cause, event));
        }
        for key in self.met_now.drain(..) {
            self.met.remove(&key);
        }
    }

    /// How many decisions were not folded yet.
    pub(crate) fn left(&self) -> usize {
        self.outputs.values().map(VecDeque::len).sum()
    }
}
