//! An export in a log that has more partitions, or fewer, than the one it comes from.
//!
//! A key's records are in one partition, and stay in their order. Records of several partitions that come into one are
//! appended one partition after the other. Which of them were decided is known only if all of them were.

use std::cell::Cell;
use std::collections::HashMap;

use threadlore_model::{Offset, Partition, Topic, TopicPartition, partition_for};
use threadlore_ports::EventLog;
use threadlore_schema::{Archived, Codec, Topics, move_cause, move_producer};

use crate::commands::archive::{Archive, Manifest, raw};
use crate::commands::copy::{NOWHERE, Names, Place, moved};
use crate::exit::BadInput;

/// The new place of each record of an export, as if the export were of a log with these partitions: offsets from 0 on, in
/// the order of the export.
pub(super) struct Repartition {
    from: Topics,
    to: Topics,
    /// The records of each partition there, in their order, with where they come to.
    places: HashMap<TopicPartition, Vec<(Offset, Partition, Offset)>>,
}

impl Repartition {
    /// Reads where all records are; `None` for an export of a log with equal counts.
    ///
    /// # Errors
    /// `BadInput` if the export has something in it that was not decided, or in a wrong partition.
    pub(super) fn of(archive: &Archive, log: &dyn EventLog) -> anyhow::Result<Option<Self>> {
        let manifest = &archive.manifest;
        let (from, to) = (exported(manifest)?, of_log(log));
        if from == to {
            return Ok(None);
        }
        let counts = format!(
            "the log of this export has {} partitions in each topic, and this one has {}",
            from.shards(),
            to.shards()
        );
        match manifest.undecided {
            Some(0) => {}
            Some(left) => {
                return Err(BadInput(format!(
                    "{counts}: so all of it has to be decided, and {left} of its records were not when it was exported: \
                     stop the gateways, wait until nothing is left to do, and export it again"
                ))
                .into());
            }
            None => {
                return Err(BadInput(format!(
                    "{counts}, and an older version made it, which did not say whether all of it was decided: \
                     export it again"
                ))
                .into());
            }
        }
        let mut made = Self {
            from,
            to,
            places: HashMap::new(),
        };
        let mut ends: HashMap<TopicPartition, Offset> = HashMap::new();
        for record in archive.records()? {
            let Archived {
                at, offset, key, ..
            } = record?;
            if at.partition != partition_for(&key, made.from.partitions(at.topic)) {
                return Err(BadInput(format!(
                    "{at}/{offset} of the export stands in a wrong partition"
                ))
                .into());
            }
            let partition = made.partition(at, &key);
            let end = ends
                .entry(TopicPartition { partition, ..at })
                .or_insert(Offset(0));
            let places = made.places.entry(at).or_default();
            places.push((offset, partition, *end));
            *end = end.next();
        }
        Ok(Some(made))
    }

    /// The partition of a record with a key.
    fn partition(&self, at: TopicPartition, key: &[u8]) -> Partition {
        let count = self.to.partitions(at.topic);
        match count == self.from.partitions(at.topic) {
            true => at.partition,
            false => partition_for(key, count),
        }
    }

    /// The new place for one that a record with this key names. A position at which the export has no record becomes that of
    /// the last record before it that comes into the partition of the key.
    fn place(&self, (at, offset): Place, names: Names, key: &[u8]) -> Place {
        let before = self.places.get(&at).map_or(&[][..], |places| {
            let behind = places.partition_point(|(old, ..)| *old <= offset);
            &places[..behind]
        });
        let (partition, offset) = match before.last() {
            Some((old, partition, new)) if *old == offset => (*partition, *new),
            _ if names == Names::Record => (self.partition(at, key), NOWHERE),
            _ => {
                let partition = self.partition(at, key);
                let mut before = before.iter().rev();
                let last = before.find(|(_, to, _)| *to == partition);
                (partition, last.map_or(NOWHERE, |(.., new)| *new))
            }
        };
        (TopicPartition { partition, ..at }, offset)
    }

    /// A record as it is in the log with these partitions: its place, its cause, its producer, and what it says of
    /// places.
    pub(super) fn moved(&self, codec: &Codec, record: Archived) -> Archived {
        let (old, appended) = (record.at, record.appended);
        let (at, offset) = self.place((old, record.offset), Names::Record, &record.key);
        let mut record = raw(record);
        let key = record.key.clone();
        let place = |named, names| self.place(named, names, &key);
        let caused_in = Cell::new(None);
        move_cause(&mut record.headers, |at, offset| {
            let (new, _) = place((at, offset), Names::Position);
            caused_in.set(Some((at.partition, new.partition)));
            (at, offset)
        });
        let mut record = moved(codec, &place, old, record);
        move_producer(&mut record.headers, |producer| {
            // A role works on the partitions of its inputs.
            let of_cause = caused_in
                .get()
                .filter(|(from, _)| *from == producer.partition);
            producer.partition =
                of_cause.map_or_else(|| partition_for(&key, self.to.shards()), |(_, moved)| moved);
        });
        Archived {
            at,
            offset,
            appended,
            key: record.key,
            headers: record.headers,
            value: record.value,
        }
    }
}

/// The topics of the log that an export comes from.
pub(super) fn exported(manifest: &Manifest) -> anyhow::Result<Topics> {
    let strange = |name: &str| {
        BadInput(format!(
            "the manifest does not say how many partitions {name} had where this was exported, or says what no version has"
        ))
    };
    let count = |topic: Topic| {
        let count = manifest.partitions.get(topic.name()).copied();
        count.filter(|count| (1..=1024).contains(count))
    };
    let several = count(Topic::ChatInbox).ok_or_else(|| strange(Topic::ChatInbox.name()))?;
    let topics = Topics::embedded().with_partitions(several);
    for name in manifest.partitions.keys() {
        let topic: Topic = name.parse().map_err(BadInput)?;
        if count(topic) != Some(topics.partitions(topic)) {
            return Err(strange(name).into());
        }
    }
    Ok(topics)
}

/// The topics of a log.
pub(super) fn of_log(log: &dyn EventLog) -> Topics {
    Topics::embedded().with_partitions(log.partitions(Topic::ChatInbox))
}
