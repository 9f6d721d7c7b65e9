//! The log that a space is restored into: its records of the space, and the missing ones.

use std::collections::{BTreeMap, HashMap, HashSet};

use anyhow::Context;
use threadlore_model::{
    EventId, Group, Offset, Partition, Producer, Run, SpaceId, Topic, TopicPartition,
};
use threadlore_ports::{RawLog, RawRecord};
use threadlore_schema::{Codec, PRODUCER, move_producer};

use super::plan::Plan;
use super::repartition::of_log;
use crate::commands::archive::{Archive, raw};
use crate::commands::copy::{Map, Names, Sum, event_at, moved, partitions};
use crate::exit::BadInput;
use crate::output::Output;

/// Records read at a time, and appended at most.
const BATCH: usize = 500;
/// Bytes of values appended at a time, about.
const BYTES: usize = 4 * 1024 * 1024;

/// The space's records in the log, and the last sequence of each producer.
#[derive(Default)]
pub(super) struct Found {
    /// The offsets up to which the log was read.
    ends: BTreeMap<TopicPartition, Offset>,
    ids: BTreeMap<TopicPartition, Vec<(Offset, EventId)>>,
    sequences: HashMap<(Group, Partition), u64>,
    /// The decision run that is live here; an export has its own as the first.
    run: Option<Run>,
}

impl Found {
    /// Nothing yet, of a log whose live decision run is this one.
    pub(super) fn of_run(run: Run) -> Self {
        Self {
            run: Some(run),
            ..Self::default()
        }
    }

    /// Reads the log, from the end of the last reading.
    pub(super) async fn read(
        &mut self,
        log: &dyn RawLog,
        space: &SpaceId,
        out: &Output,
    ) -> anyhow::Result<()> {
        let topics = of_log(log);
        let codec = Codec::new();
        let mut ranges = Vec::new();
        for at in partitions(log) {
            let range = log.range(at).await?;
            let start = self.ends.get(&at).copied().unwrap_or(range.start);
            ranges.push((at, start..range.end));
        }
        let count = |range: &std::ops::Range<Offset>| range.end.0 - range.start.0;
        let total = ranges.iter().map(|(_, range)| count(range)).sum::<i64>();
        let total = u64::try_from(total).unwrap_or(0);
        let (steps, mut done) = (out.steps("looking at the log", total, false), 0);
        for (at, range) in ranges {
            let mut next = range.start;
            while next < range.end {
                let records = log.read_raw(at, next, BATCH).await?;
                let Some(last) = records.last() else { break };
                next = last.offset.next();
                done += records.len() as u64;
                // Records after the end count too; the next reading goes on after them.
                for record in records {
                    let Ok(event) = event_at((&codec, &topics), at, &record) else {
                        continue;
                    };
                    if let Some(producer) = event.envelope.producer {
                        let shard = (producer.group, producer.partition);
                        let last = self.sequences.entry(shard).or_default();
                        *last = producer.sequence.max(*last);
                    }
                    if event.envelope.space == *space {
                        let ids = self.ids.entry(at).or_default();
                        ids.push((record.offset, event.envelope.id));
                    }
                }
                steps.at(done, total);
            }
            self.ends.insert(at, next);
        }
        steps.done("every record was checked");
        Ok(())
    }

    /// How many records of the space there are.
    pub(super) fn records(&self) -> u64 {
        self.ids.values().map(|ids| ids.len() as u64).sum()
    }

    /// How many of them are of the plan.
    pub(super) fn earlier(&self, plan: &Plan) -> u64 {
        let of = |(at, found): (&TopicPartition, &Vec<(Offset, EventId)>)| {
            let wanted: HashSet<&EventId> = plan.ids.get(at).into_iter().flatten().collect();
            found.iter().filter(|(_, id)| wanted.contains(id)).count() as u64
        };
        self.ids.iter().map(of).sum()
    }

    /// Whether the space's records are the first ones of the plan and nothing else: what a
    /// restore of it left that was cut off. What came into the inbox meanwhile may stay.
    pub(super) fn check(&self, plan: &Plan, space: &SpaceId) -> anyhow::Result<()> {
        for (at, found) in &self.ids {
            let wanted = plan.ids.get(at).map_or(&[][..], Vec::as_slice);
            let ids = found.iter().map(|(_, id)| id);
            let is_part = found.len() <= wanted.len() && ids.zip(wanted).all(|(a, b)| a == b);
            if !is_part && at.topic != Topic::ChatInbox {
                return Err(BadInput(format!(
                    "the space {space} has {} other records in {at}: it can be restored only where \
                     it is not",
                    found.len()
                ))
                .into());
            }
        }
        Ok(())
    }

    /// Sets the new offset of the first record in each partition: that of the records that are
    /// there already, or the end.
    async fn begin_at(&self, log: &dyn RawLog, map: &mut Map) -> anyhow::Result<()> {
        for (at, offsets) in &mut map.0 {
            let there = self.ids.get(at).and_then(|ids| ids.first());
            offsets.begin_at(match there {
                Some((first, _)) => *first,
                None => log.range(*at).await?.end,
            });
        }
        Ok(())
    }

    /// Appends the missing records, and reads all of them back.
    pub(super) async fn complete(
        mut self,
        log: &dyn RawLog,
        (archive, mut plan): (&Archive, Plan),
        out: &Output,
    ) -> anyhow::Result<u64> {
        self.begin_at(log, &mut plan.map).await?;
        let total = archive.manifest.total();
        let (steps, codec) = (out.steps("restoring", total, false), Codec::new());
        let mut writing = Batch::new(log, &plan.map);
        let (mut sums, mut counts) = (BTreeMap::new(), HashMap::new());
        let waiting = |at: &TopicPartition| at.topic == Topic::ChatInbox;
        let there = self.ids.iter().filter(|(at, _)| waiting(at));
        let inbox: HashSet<EventId> = there.flat_map(|(_, ids)| ids).map(|(_, id)| *id).collect();
        for (number, record) in (0_u64..).zip(archive.records()?) {
            let record = plan.there(&codec, record?);
            let at = record.at;
            let count: &mut usize = counts.entry(at).or_default();
            let id = plan.ids.get(&at).and_then(|ids| ids.get(*count));
            let is_there = match waiting(&at) {
                true => id.is_some_and(|id| inbox.contains(id)),
                false => *count < self.ids.get(&at).map_or(0, Vec::len),
            };
            *count += 1;
            let place = |old, names| plan.map.place(old, names);
            let mut record = moved(&codec, &place, at, raw(record));
            if !waiting(&at) {
                unnumbered(sums.entry(at).or_default(), &record);
            }
            if !is_there {
                move_producer(&mut record.headers, |producer| self.number(producer));
                writing.append(at, record).await?;
            }
            steps.at(number + 1, total);
        }
        let appended = writing.finish().await?;
        steps.done(&format!("{appended} records were appended"));
        for (at, sum) in sums {
            let first = plan.map.0.get(&at).and_then(|offsets| offsets.first());
            read_back(log, at, first.unwrap_or(Offset(0)), &sum).await?;
        }
        Ok(appended)
    }

    /// Gives a producer its next sequence. Readers recognise repeats by sequences, so they continue
    /// those of the producer in this log. What was decided is the live run's from now on.
    fn number(&mut self, producer: &mut Producer) {
        if producer.group == Run::FIRST.group()
            && let Some(run) = self.run
        {
            producer.group = run.group();
        }
        let shard = (producer.group.clone(), producer.partition);
        let last = self.sequences.entry(shard).or_default();
        *last = last.saturating_add(1);
        producer.sequence = *last;
    }
}

/// Adds a record to a digest, but for its producer's number.
fn unnumbered(sum: &mut Sum, record: &RawRecord) {
    let mut record = record.clone();
    record.headers.retain(|(name, _)| name != PRODUCER);
    sum.add(&record);
}

/// Checks that the log returns the appended records.
async fn read_back(
    log: &dyn RawLog,
    at: TopicPartition,
    first: Offset,
    sum: &Sum,
) -> anyhow::Result<()> {
    let (mut back, mut next) = (Sum::default(), first);
    while back.records < sum.records {
        let room = usize::try_from(sum.records - back.records).unwrap_or(BATCH);
        let records = log.read_raw(at, next, BATCH.min(room)).await?;
        let Some(last) = records.last() else { break };
        next = last.offset.next();
        records
            .iter()
            .for_each(|record| unnumbered(&mut back, record));
    }
    anyhow::ensure!(
        back.digest() == sum.digest(),
        "{at} does not read back as it was written from offset {first} on: does something else \
         write to it? The roles stay shut out; look at that partition before anything goes on"
    );
    Ok(())
}

/// Records that are appended together, those of each partition.
struct Batch<'a> {
    log: &'a dyn RawLog,
    /// The new offsets of the records.
    map: Map,
    parts: BTreeMap<TopicPartition, PartitionBatch>,
    appended: u64,
}

/// Records of one partition that are appended together.
#[derive(Default)]
struct PartitionBatch {
    records: Vec<RawRecord>,
    bytes: usize,
}

impl<'a> Batch<'a> {
    fn new(log: &'a dyn RawLog, map: &Map) -> Self {
        Self {
            log,
            map: map.clone(),
            parts: BTreeMap::new(),
            appended: 0,
        }
    }

    async fn append(&mut self, at: TopicPartition, record: RawRecord) -> anyhow::Result<()> {
        // Causes come before their effects, and so does one topic before the next.
        if self.parts.keys().any(|before| before.topic != at.topic) {
            self.flush().await?;
        }
        let part = self.parts.entry(at).or_default();
        part.bytes += record.value.len();
        part.records.push(record);
        if part.records.len() >= BATCH || part.bytes >= BYTES {
            self.flush().await?;
        }
        Ok(())
    }

    async fn flush(&mut self) -> anyhow::Result<()> {
        for (at, PartitionBatch { records, .. }) in std::mem::take(&mut self.parts) {
            let count = records.len() as u64;
            // Other records refer to these offsets, so no foreign record may have them.
            let (first, end) = (records.first(), self.log.range(at).await?.end);
            let place = |record: &RawRecord| self.map.place((at, record.offset), Names::Record);
            let wanted = first.map(|record| place(record).1);
            anyhow::ensure!(
                at.topic == Topic::ChatInbox || wanted == Some(end),
                "something else wrote to {at} while the space was restored: nothing more was appended"
            );
            let done = self.log.append_raw(at, records).await;
            done.with_context(|| format!("restoring {at}"))?;
            self.appended += count;
        }
        Ok(())
    }

    async fn finish(mut self) -> anyhow::Result<u64> {
        self.flush().await?;
        Ok(self.appended)
    }
}
