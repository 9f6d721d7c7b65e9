//! Reading one log and writing another, a batch at a time.

use std::collections::BTreeMap;

use anyhow::Context;
use sha2::{Digest as _, Sha256};
use threadlore_model::{Offset, Partition, Topic, TopicPartition};
use threadlore_ports::{EventLog, PortError, RawLog, RawRecord};
use threadlore_schema::Codec;

use super::map::{Map, Offsets};
use super::moved::moved;
use crate::exit::BadInput;
use crate::output::Steps;

/// Records read at a time.
const BATCH: usize = 500;

/// The number of records of a partition, and a digest of key, headers and value of each, in order.
#[derive(Debug, Default, Clone)]
pub(in crate::commands) struct Sum {
    pub(in crate::commands) records: u64,
    hash: Sha256,
}

impl Sum {
    pub(in crate::commands) fn add(&mut self, record: &RawRecord) {
        self.records += 1;
        let mut part = |bytes: &[u8]| {
            self.hash.update((bytes.len() as u64).to_be_bytes());
            self.hash.update(bytes);
        };
        part(&record.key);
        part(&(record.headers.len() as u64).to_be_bytes());
        for (name, value) in &record.headers {
            part(name.as_bytes());
            part(value);
        }
        part(&record.value);
    }

    pub(in crate::commands) fn digest(&self) -> String {
        format!("{:x}", self.hash.clone().finalize())
    }
}

/// Every partition of a log.
pub(in crate::commands) fn partitions(log: &dyn EventLog) -> Vec<TopicPartition> {
    let of = |topic| {
        let count = i32::try_from(log.partitions(topic)).unwrap_or(i32::MAX);
        (0..count).map(move |number| TopicPartition {
            topic,
            partition: Partition(number),
        })
    };
    Topic::ALL.into_iter().flat_map(of).collect()
}

/// The end offset of every partition.
pub(super) async fn ends(
    log: &dyn EventLog,
) -> Result<BTreeMap<TopicPartition, Offset>, PortError> {
    let mut ends = BTreeMap::new();
    for at in partitions(log) {
        ends.insert(at, log.range(at).await?.end);
    }
    Ok(ends)
}

/// Refuses a log that the records of another one cannot be put into.
pub(super) async fn check(from: &dyn EventLog, to: &dyn EventLog) -> anyhow::Result<()> {
    for topic in Topic::ALL {
        let (have, want) = (to.partitions(topic), from.partitions(topic));
        if have != want {
            return Err(BadInput(format!(
                "{topic} has {want} partitions here and {have} in the target: a copy needs equal \
                 counts, because a key's records are found by them"
            ))
            .into());
        }
    }
    for (at, end) in ends(to).await? {
        if end != Offset(0) {
            return Err(BadInput(format!(
                "{at} of the target has records, or had some: copy to a log that is new; what a \
                 copy left that was cut off is of no use, start again with an empty target"
            ))
            .into());
        }
    }
    Ok(())
}

/// Finds the offsets of all records up to the given ends.
pub(super) async fn survey(
    log: &dyn RawLog,
    ends: &BTreeMap<TopicPartition, Offset>,
) -> anyhow::Result<Map> {
    let mut map = Map::default();
    for (&at, &end) in ends {
        let mut offsets = Offsets::default();
        let mut next = log.range(at).await?.start;
        while next < end {
            let records = log.read_raw(at, next, BATCH).await?;
            let Some(last) = records.last() else { break };
            next = last.offset.next();
            let records = records.iter().filter(|record| record.offset < end);
            records.for_each(|record| offsets.push(record.offset));
        }
        map.0.insert(at, offsets);
    }
    Ok(map)
}

/// Copies the records of the map; returns the expected sum of each target partition.
pub(super) async fn copy(
    from: &dyn RawLog,
    to: &dyn RawLog,
    map: &Map,
    steps: &Steps,
) -> anyhow::Result<BTreeMap<TopicPartition, Sum>> {
    let (codec, total) = (Codec::new(), map.records());
    let (mut sums, mut done) = (BTreeMap::new(), 0);
    for (&at, offsets) in &map.0 {
        let mut sum = Sum::default();
        let mut next = from.range(at).await?.start;
        let count = u64::try_from(offsets.count()).unwrap_or(0);
        while sum.records < count {
            let room = usize::try_from(count - sum.records).unwrap_or(BATCH);
            let records = from.read_raw(at, next, BATCH.min(room)).await?;
            let last = records.last().with_context(|| {
                format!("{at} has less records than before: does something else drop them?")
            })?;
            next = last.offset.next();
            let records = records.into_iter();
            let place = |old, names| map.place(old, names);
            let records = records.map(|record| moved(&codec, &place, at, record));
            let records: Vec<RawRecord> = records.collect();
            records.iter().for_each(|record| sum.add(record));
            done += records.len() as u64;
            to.append_raw(at, records).await?;
            steps.at(done, total);
        }
        sums.insert(at, sum);
    }
    Ok(sums)
}

/// Reads each partition from its start; returns its sum.
pub(super) async fn read_back(
    log: &dyn RawLog,
    steps: &Steps,
    total: u64,
) -> anyhow::Result<BTreeMap<TopicPartition, Sum>> {
    let (mut sums, mut done) = (BTreeMap::new(), 0);
    for (at, end) in ends(log).await? {
        let (mut sum, mut next) = (Sum::default(), Offset(0));
        while next < end {
            let records = log.read_raw(at, next, BATCH).await?;
            let Some(last) = records.last() else { break };
            next = last.offset.next();
            records.iter().for_each(|record| sum.add(record));
            done += records.len() as u64;
            steps.at(done, total);
        }
        sums.insert(at, sum);
    }
    Ok(sums)
}
