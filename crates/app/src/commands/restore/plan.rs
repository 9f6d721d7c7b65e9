//! The content of an export, checked before anything is changed.

use std::collections::{BTreeMap, BTreeSet};

use threadlore_model::{EventId, Partition, Topic, TopicPartition};
use threadlore_ports::EventLog;
use threadlore_schema::{Archived, Codec, Topics, move_producer};

use crate::commands::archive::{Archive, Manifest, Once, add, raw};
use crate::commands::copy::{Map, Sum, event_at};
use crate::exit::BadInput;
use crate::output::Output;

use super::repartition::{Repartition, exported};

/// The records of an export, by their ids.
pub(super) struct Plan {
    /// In the order of each partition.
    pub(super) ids: BTreeMap<TopicPartition, Vec<EventId>>,
    /// The old offsets of the records.
    pub(super) map: Map,
    /// Partitions whose roles have state of the space.
    pub(super) partitions: BTreeSet<Partition>,
    /// Where the records come to, in a log with another count of partitions.
    repartition: Option<Repartition>,
}

impl Plan {
    /// Reads the whole export.
    ///
    /// # Errors
    /// `BadInput` if it was changed since the export, or holds foreign records.
    pub(super) fn read(
        archive: &Archive,
        log: &dyn EventLog,
        out: &Output,
    ) -> anyhow::Result<Self> {
        let manifest = &archive.manifest;
        let topics = exported(manifest)?;
        let (codec, mut sum, mut once) = (Codec::new(), Sum::default(), Once::default());
        let mut plan = Self {
            ids: BTreeMap::new(),
            map: Map::default(),
            partitions: BTreeSet::new(),
            repartition: Repartition::of(archive, log)?,
        };
        let steps = out.steps("checking", manifest.total(), false);
        for record in archive.records()? {
            let record = record?;
            add(&mut sum, &record);
            plan.add(manifest, (&codec, &topics, &mut once), record)
                .map_err(|why| BadInput(format!("record {} of the export: {why}", sum.records)))?;
            steps.at(sum.records, manifest.total());
        }
        if sum.records != manifest.total() || sum.digest() != manifest.records_digest {
            return Err(BadInput(
                "the records are not those that the manifest tells of: the export is damaged, or \
                 was changed"
                    .to_owned(),
            )
            .into());
        }
        steps.done("all records are as they were exported");
        Ok(plan)
    }

    /// A record of the export as one of a log with the partitions of this one.
    pub(super) fn there(&self, codec: &Codec, record: Archived) -> Archived {
        match &self.repartition {
            Some(repartition) => repartition.moved(codec, record),
            None => record,
        }
    }

    fn add(
        &mut self,
        manifest: &Manifest,
        (codec, topics, once): (&Codec, &Topics, &mut Once),
        record: Archived,
    ) -> Result<(), String> {
        let (from, raw_record) = (record.at, raw(record.clone()));
        let event = event_at((codec, topics), from, &raw_record)?;
        if event.envelope.space != manifest.space {
            return Err("it is of another space".to_owned());
        }
        if !once.is_first(from, &event) {
            return Err("it repeats one before it".to_owned());
        }
        let record = self.there(codec, record);
        let (at, offset) = (record.at, record.offset);
        let (ids, offsets) = (
            self.ids.entry(at).or_default(),
            self.map.0.entry(at).or_default(),
        );
        ids.push(event.envelope.id);
        // The inbox is not compared: its records are not decided on yet, and others write to it.
        if at.topic != Topic::ChatInbox {
            offsets.push(offset);
        }
        if INPUTS.contains(&at.topic) {
            self.partitions.insert(at.partition);
        }
        let mut headers = record.headers;
        move_producer(&mut headers, |producer| {
            self.partitions.insert(producer.partition);
        });
        Ok(())
    }
}

/// Topics that roles read which decide.
const INPUTS: [Topic; 5] = [
    Topic::ChatInbox,
    Topic::ChatEvents,
    Topic::ChatTurns,
    Topic::KnowledgeCases,
    Topic::KnowledgeRequests,
];
