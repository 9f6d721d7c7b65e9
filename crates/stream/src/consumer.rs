//! Reading the inputs of one shard: in order, each record once, private fields
//! open, and refused records are separated. Shared by processors and projectors.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use threadlore_model::{
    Body, Event, Group, Key, Offset, Partition, Run, Timestamp, Topic, TopicPartition,
};
use threadlore_ports::{
    EventLog, Marks, Ownership, PortError, Positions, Record, Shard, all_partitions,
};

use crate::Vault;

/// A record that cannot be taken, and why.
#[derive(Debug, Clone)]
pub struct Refused {
    /// One sentence without private text.
    pub reason: String,
    /// The value, where it is still at hand, for the dead letter.
    pub value: Vec<u8>,
    /// The key of a record that no event can be made of, where it is one.
    pub key: Option<Key>,
}

/// A record as a shard takes it.
#[derive(Debug, Clone)]
pub struct Polled {
    /// Topic and partition.
    pub at: TopicPartition,
    /// Its offset.
    pub offset: Offset,
    /// When it was appended.
    pub appended: Timestamp,
    /// The event, or why there is none.
    pub event: Result<Event, Refused>,
}

/// Reads the inputs of one shard.
pub struct Consumer {
    log: Arc<dyn EventLog>,
    vault: Vault,
    inputs: Vec<TopicPartition>,
    positions: Positions,
    marks: Marks,
    /// Marks that moved and were not taken to be stored.
    moved: Marks,
    skips: HashSet<(TopicPartition, Offset)>,
    /// Repeats dropped since this was last asked, by topic.
    repeats: BTreeMap<Topic, usize>,
    /// Whether positions moved since this was last asked.
    passed: bool,
    until: Option<Positions>,
}

const READING: &str = "starting to read";

/// Records that readers of the role of a group skipped, from the whole of `log.skips`; of the
/// decision runs, each honours its own.
///
/// # Errors
/// What the log says.
pub async fn load_skips(
    log: &dyn EventLog,
    group: &Group,
) -> Result<HashSet<(TopicPartition, Offset)>, PortError> {
    let role = group.role();
    let run = Run::of_group(group);
    let mut skips = HashSet::new();
    for at in all_partitions(log, Topic::LogSkips) {
        let mut from = first_offset(at, &log.range(at).await?)?;
        loop {
            let records = log.read(at, from, 1000).await?;
            let Some(last) = records.last() else { break };
            from = last.offset.next();
            for record in records {
                if let Ok(event) = record.body
                    && let Body::RecordSkipped(skip) = event.body
                    && skip.role == role
                    && event
                        .envelope
                        .producer
                        .as_ref()
                        .is_none_or(|p| Run::of(p) == run)
                {
                    let at = TopicPartition {
                        topic: skip.topic,
                        partition: Partition(skip.partition),
                    };
                    skips.insert((at, skip.offset));
                }
            }
        }
    }
    Ok(skips)
}

impl Consumer {
    /// A consumer that goes on where its shard stopped. A shard that is not
    /// recovered starts from the first record that is kept, and passes over what
    /// its role skipped before.
    ///
    /// # Errors
    /// What the log says; `Broken` when a position lies outside the log's range.
    pub async fn start(
        log: Arc<dyn EventLog>,
        vault: Vault,
        shard: &Shard,
        inputs: &[Topic],
        owned: &Ownership,
    ) -> Result<Self, PortError> {
        let skips = if owned.recovered {
            HashSet::new()
        } else {
            load_skips(log.as_ref(), &shard.group).await?
        };
        let mut positions = Positions::new();
        let mut parts = Vec::new();
        for &topic in inputs {
            let at = TopicPartition {
                topic,
                partition: shard.partition,
            };
            let range = log.range(at).await?;
            let next = match owned.positions.get(&topic) {
                Some(&next) => {
                    check_position(shard, at, next, &range)?;
                    next
                }
                None => first_offset(at, &range)?,
            };
            positions.insert(topic, next);
            parts.push(at);
        }
        Ok(Self {
            log,
            vault,
            inputs: parts,
            positions,
            marks: owned.marks.clone(),
            moved: Marks::new(),
            skips,
            repeats: BTreeMap::new(),
            passed: false,
            until: None,
        })
    }

    /// From now on reads no record at or after these offsets, and nothing of a
    /// topic that has none; `None` lifts the bound.
    pub fn read_until(&mut self, until: Option<Positions>) {
        self.until = until;
    }

    /// Next offsets, after everything polled so far.
    #[must_use]
    pub fn positions(&self) -> &Positions {
        &self.positions
    }

    /// Sequences seen per topic and producer that moved since this was last asked. What takes
    /// them stores them, or gives the consumer up.
    #[must_use]
    pub fn take_moved(&mut self) -> Marks {
        std::mem::take(&mut self.moved)
    }

    /// Repeats dropped since this was last asked, by topic.
    #[must_use]
    pub fn take_repeats(&mut self) -> BTreeMap<Topic, usize> {
        std::mem::take(&mut self.repeats)
    }

    /// Whether positions moved since this was last asked, also where nothing but repeats and
    /// skips was passed over.
    #[must_use]
    pub fn take_passed(&mut self) -> bool {
        std::mem::take(&mut self.passed)
    }

    /// Where the next record that may be read is waited for.
    #[must_use]
    pub fn awaited(&self, paused: &BTreeSet<Topic>) -> Vec<(TopicPartition, Offset)> {
        let inputs = self.inputs.iter();
        inputs
            .filter(|at| !paused.contains(&at.topic) && !self.is_past(at.topic))
            .map(|at| (*at, self.positions[&at.topic]))
            .collect()
    }

    /// Whether everything of a topic that may be read was read.
    fn is_past(&self, topic: Topic) -> bool {
        self.until.as_ref().is_some_and(|until| {
            let end = until.get(&topic);
            end.is_none_or(|end| self.positions[&topic] >= *end)
        })
    }

    /// Returns when there is something to read, or after `wait` at the latest.
    ///
    /// # Errors
    /// What the log says.
    pub async fn wait(&self, paused: &BTreeSet<Topic>, wait: Duration) -> Result<(), PortError> {
        self.log.wait(&self.awaited(paused), wait).await
    }

    /// Records that wait in an input.
    ///
    /// # Errors
    /// What the log says.
    pub async fn lag(&self) -> Result<Vec<(TopicPartition, u64)>, PortError> {
        let mut lags = Vec::new();
        for at in &self.inputs {
            let end = self.log.range(*at).await?.end;
            let lag = u64::try_from(end.0 - self.positions[&at.topic].0).unwrap_or(0);
            lags.push((*at, lag));
        }
        Ok(lags)
    }

    /// At most `max` records, the last inputs of the list first, so that what was
    /// decided is known before more arrives. Repeats are dropped; `paused` are not read.
    ///
    /// # Errors
    /// What the log and the keystore say.
    pub async fn poll(
        &mut self,
        max: usize,
        paused: &BTreeSet<Topic>,
    ) -> Result<Vec<Polled>, PortError> {
        let mut polled = Vec::new();
        for i in (0..self.inputs.len()).rev() {
            let at = self.inputs[i];
            let room = max.saturating_sub(polled.len());
            if room == 0 || self.is_past(at.topic) || paused.contains(&at.topic) {
                continue;
            }
            let from = self.positions[&at.topic];
            let mut records = self.log.read(at, from, room).await?;
            let end = self.until.as_ref().and_then(|until| until.get(&at.topic));
            if let Some(&end) = end {
                records.retain(|record| record.offset < end);
            }
            let Some(last) = records.last() else { continue };
            let next = last.offset.next();
            polled.extend(self.take(records).await?);
            self.positions.insert(at.topic, next);
            self.passed = true;
        }
        Ok(polled)
    }

    async fn take(&mut self, records: Vec<Record>) -> Result<Vec<Polled>, PortError> {
        let (mut places, mut events, mut polled) = (Vec::new(), Vec::new(), Vec::new());
        for record in records {
            let Record {
                at,
                offset,
                appended,
                body,
            } = record;
            if self.skips.contains(&(at, offset)) {
                continue;
            }
            let mut place = Polled {
                at,
                offset,
                appended,
                event: Err(Refused {
                    reason: String::new(),
                    value: Vec::new(),
                    key: None,
                }),
            };
            match body.map_err(|bad| Refused {
                reason: bad.reason,
                value: bad.value,
                key: bad.key,
            }) {
                Ok(event) if self.is_repeat(at.topic, &event) => {
                    *self.repeats.entry(at.topic).or_default() += 1;
                }
                Ok(event) => {
                    places.push(polled.len());
                    events.push(*event);
                    polled.push(place);
                }
                Err(refused) => {
                    place.event = Err(refused);
                    polled.push(place);
                }
            }
        }
        for (place, opened) in places.into_iter().zip(self.vault.open(events).await?) {
            polled[place].event = opened.map_err(|reason| Refused {
                reason,
                value: Vec::new(),
                key: None,
            });
        }
        Ok(polled)
    }

    /// Whether the producer's sequence was seen before; moves the mark if not.
    fn is_repeat(&mut self, topic: Topic, event: &Event) -> bool {
        let Some(producer) = &event.envelope.producer else {
            return false;
        };
        let of = (topic, producer.group.clone(), producer.partition);
        let mark = self.marks.entry(of.clone()).or_insert(0);
        if producer.sequence <= *mark {
            return true;
        }
        *mark = producer.sequence;
        self.moved.insert(of, producer.sequence);
        false
    }
}

/// Where a reader of everything begins in a partition that holds this range.
///
/// # Errors
/// `Broken` when records of the truth were deleted: what is made of the rest would be wrong.
pub fn first_offset(at: TopicPartition, range: &Range<Offset>) -> Result<Offset, PortError> {
    let start = range.start;
    if start == Offset(0) || !at.topic.is_truth() {
        return Ok(start);
    }
    Err(PortError::broken(
        READING,
        format!(
            "records of {at} before offset {start} were deleted, and what is made of the rest \
             would be wrong: restore the topic with all its records"
        ),
    ))
}

/// Whether a shard can go on from its position.
fn check_position(
    shard: &Shard,
    at: TopicPartition,
    next: Offset,
    Range { start, end }: &Range<Offset>,
) -> Result<(), PortError> {
    let reason = if next < *start {
        format!(
            "{shard} stands at offset {next} of {at}, and the records from there to offset {start} \
             were deleted before it read them: restore the topic with all its records"
        )
    } else if next > *end {
        format!(
            "{shard} stands at offset {next} of {at}, but the log holds {start} to {end}: the log \
             and the database do not belong together; restore the matching one, or drop the \
             database to rebuild it from the log"
        )
    } else {
        return Ok(());
    };
    Err(PortError::broken(READING, reason))
}
