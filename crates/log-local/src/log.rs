//! The log on `fjall`: a keyspace per topic, key = partition and offset, value = frame.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;
use fjall::config::{BlockSizePolicy, CompressionPolicy};
use fjall::{CompressionType, Database, Keyspace, KeyspaceCreateOptions, PersistMode};
use futures::future::select_all;
use threadlore_model::{Event, Offset, Partition, Timestamp, Topic, TopicPartition, partition_for};
use threadlore_ports::{
    Clock, ENCODING, EncodedRecord, EventLog, NewRecord, PortError, RawLog, RawRecord, Record,
    before_newer,
};
use threadlore_schema::{Codec, Topics};

use crate::error::{blocking, database, io};
use crate::files;
use crate::frame::Content;
use crate::group::Group;
use crate::inbox::{InboxKeys, SEALED};
use crate::layout;
use crate::partition::{Part, Tail};
use crate::witness::Witness;

mod reading;
mod retention;

use retention::{RETAINING, STEP, TRUNCATING};

const APPENDING: &str = "appending to the log";
const READING: &str = "reading the log";
const WAITING: &str = "waiting for the log";

/// Bytes of key, headers and value of the largest record of an event, as on Kafka.
const LARGEST: usize = 4 * 1024 * 1024;

/// Memory of one topic's latest records before they go to a file of their own.
const MEMTABLE_BYTES: u64 = 4 * 1024 * 1024;

/// Bytes of all journals, which hold what is not in such a file yet, and so of what is read again
/// at the start. The least that fjall allows.
const JOURNAL_BYTES: u64 = 64 * 1024 * 1024;

/// Bytes of a block, which is read and compressed as one. Records are read one after the other, and
/// what is alike in them is far apart.
const BLOCK_BYTES: u32 = 16 * 1024;

/// An [`EventLog`] in a directory, for one process.
///
/// One append is one atomic batch over all its partitions: after a crash all of
/// its records are there or none. Records of `chat.inbox` are sealed (module `inbox`).
/// With `fsync` off an append survives a crash of the process, but not of the machine;
/// that is for tests and throw-away data.
pub struct LocalLog(Arc<Inner>);

/// A record to append, with its earliest append time.
type Timed = (Timestamp, Content);
type Contents = BTreeMap<TopicPartition, Vec<Timed>>;

struct Inner {
    dir: PathBuf,
    topics: Topics,
    clock: Arc<dyn Clock>,
    durability: PersistMode,
    codec: Codec,
    db: Database,
    /// The start, end and last append time of each partition after retention. Everything else
    /// follows from the records.
    marks: Keyspace,
    /// The keys that seal the records of the inbox.
    keys: InboxKeys,
    parts: BTreeMap<TopicPartition, Part>,
    group: Group<Contents>,
}

impl LocalLog {
    /// Opens or creates the log in a directory.
    ///
    /// # Errors
    /// `Broken` when the directory is in use, cannot be used, was written in
    /// another format or with other partition counts, or is damaged.
    pub fn open(
        dir: &Path,
        topics: Topics,
        fsync: bool,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, PortError> {
        files::make_dir(dir).map_err(|e| io(layout::DOING, dir, e))?;
        layout::prepare(dir, &topics)?;
        let keys = InboxKeys::open(dir)?;
        let broken = |e| database(layout::DOING, dir, e);
        let db = Database::builder(dir.join("db"))
            .max_journaling_size(JOURNAL_BYTES)
            .open()
            .map_err(broken)?;
        let marks = db.keyspace("marks", options).map_err(broken)?;
        let mut parts = BTreeMap::new();
        for spec in topics.iter() {
            let records = db.keyspace(spec.topic.name(), options);
            let records = records.map_err(broken)?;
            let witness = Witness::open(dir, spec.topic, spec.partitions);
            let witness = Arc::new(witness.map_err(|e| io(layout::DOING, dir, e))?);
            for number in 0..spec.partitions {
                let at = TopicPartition {
                    topic: spec.topic,
                    partition: Partition(number as i32),
                };
                let mark = marks.get(at.to_string()).map_err(broken)?;
                let noted = witness.end(at.partition);
                let noted = noted.map_err(|e| io(layout::DOING, dir, e))?;
                let part = Part::open(&records, &witness, at.partition, mark.as_deref());
                let part = part.map_err(broken)?;
                if let Some(noted) = noted.filter(|noted| part.end() < *noted) {
                    return Err(lost(dir, at, part.end(), noted));
                }
                parts.insert(at, part);
            }
        }
        Ok(Self(Arc::new(Inner {
            dir: dir.to_owned(),
            topics,
            clock,
            durability: match fsync {
                true => PersistMode::SyncAll,
                false => PersistMode::Buffer,
            },
            codec: Codec::new(),
            db,
            marks,
            keys,
            parts,
            group: Group::new(),
        })))
    }

    /// Appends a value without checking it, as a foreign producer could.
    ///
    /// # Errors
    /// As `append`.
    pub async fn append_bytes(
        &self,
        topic: Topic,
        key: &[u8],
        value: &[u8],
    ) -> Result<(), PortError> {
        let partition = partition_for(key, self.0.topics.partitions(topic));
        let record = RawRecord {
            offset: Offset(0),
            appended: self.0.clock.now(),
            key: key.to_vec(),
            headers: Vec::new(),
            value: value.to_vec(),
        };
        let at = TopicPartition { topic, partition };
        self.append_raw(at, vec![record]).await
    }

    /// Drops records that are older than their topic's retention at `now`, from the start of each
    /// partition, and returns their number. Topics that are kept for ever are not changed.
    ///
    /// # Errors
    /// `Broken` when the directory cannot be used.
    pub async fn enforce_retention(&self, now: Timestamp) -> Result<u64, PortError> {
        let mut dropped = 0;
        for at in self.0.parts.keys().copied() {
            let Some(keep) = self.0.topics.get(at.topic).retention() else {
                continue;
            };
            loop {
                let inner = self.0.clone();
                let step = move || inner.retain(at, now.minus(keep));
                let gone = blocking(RETAINING, step).await?;
                dropped += gone as u64;
                if gone < STEP {
                    break;
                }
            }
        }
        Ok(dropped)
    }
}

impl Inner {
    fn part(&self, doing: &'static str, at: TopicPartition) -> Result<&Part, PortError> {
        self.parts
            .get(&at)
            .ok_or_else(|| PortError::broken(doing, format!("there is no partition {at}")))
    }

    fn database(&self, doing: &'static str) -> impl Fn(fjall::Error) -> PortError + '_ {
        move |source| database(doing, &self.dir, source)
    }

    fn encode(&self, topic: Topic, event: &Event) -> Result<EncodedRecord, PortError> {
        let encoded = self.codec.encode(topic, event);
        let encoded = encoded.map_err(|e| PortError::Refused {
            doing: ENCODING,
            reason: e.to_string(),
        })?;
        let (headers, value) = (encoded.headers, encoded.value);
        EncodedRecord::fitting((topic, event), headers, value, (0, LARGEST))
    }

    fn append(&self, records: &[EncodedRecord]) -> Result<(), PortError> {
        let now = self.clock.now();
        let mut contents = Contents::new();
        for record in records {
            let (topic, key) = (record.topic, record.key.as_str().as_bytes());
            let headers = record.headers.iter();
            let headers: Vec<(&str, &[u8])> = headers
                .map(|header| (header.name.as_ref(), header.value.as_slice()))
                .collect();
            let content = Content::pack(key, &headers, &record.value);
            let content = content.ok_or_else(|| PortError::Refused {
                doing: APPENDING,
                reason: format!("a record of {topic} is over 4 GiB"),
            })?;
            let partition = partition_for(key, self.topics.partitions(topic));
            let at = TopicPartition { topic, partition };
            contents.entry(at).or_default().push((now, content));
        }
        self.write_together(contents)
    }

    fn append_raw(&self, at: TopicPartition, records: &[RawRecord]) -> Result<(), PortError> {
        let pack = |record: &RawRecord| {
            let content = Content::pack(&record.key, &record.headers, &record.value);
            let content = content.ok_or_else(|| PortError::Refused {
                doing: APPENDING,
                reason: format!("record {} of {at} is too large for the log", record.offset),
            })?;
            Ok((record.appended, content))
        };
        let contents: Result<Vec<Timed>, PortError> = records.iter().map(pack).collect();
        self.write_together(BTreeMap::from([(at, contents?)]))
    }

    /// Writes appends that wait at the same time with one fsync. Each append is atomic, and those
    /// of one partition keep their order.
    fn write_together(&self, contents: Contents) -> Result<(), PortError> {
        self.group.write(contents, |waiting| {
            let mut all = Contents::new();
            for (at, contents) in waiting.into_iter().flatten() {
                all.entry(at).or_default().extend(contents);
            }
            self.write(&all)
        })
    }

    /// Locks in the order of the map, so that two appends never wait for each other.
    fn write(&self, contents: &Contents) -> Result<(), PortError> {
        let mut locked: Vec<(&Part, MutexGuard<'_, Tail>)> = Vec::new();
        for at in contents.keys() {
            let part = self.part(APPENDING, *at)?;
            locked.push((part, part.lock()));
        }
        let mut batch = self.db.batch().durability(Some(self.durability));
        for ((at, contents), (part, tail)) in contents.iter().zip(&locked) {
            let (mut end, mut latest) = (part.end(), tail.latest);
            for (appended, content) in contents {
                latest = latest.max(*appended);
                let frame = match at.topic == SEALED {
                    true => content.sealed_at(*at, end, latest, &self.keys)?,
                    false => content.at(*at, end, latest),
                };
                batch.insert(&part.records, part.key(end), frame);
                end = end.next();
            }
        }
        batch.commit().map_err(self.database(APPENDING))?;
        for (contents, (part, tail)) in contents.values().zip(&mut locked) {
            let times = contents.iter().map(|(appended, _)| *appended);
            tail.latest = times.fold(tail.latest, Timestamp::max);
            part.grow(contents.len())
                .map_err(|e| io(APPENDING, &self.dir, e))?;
        }
        Ok(())
    }
}

/// How a keyspace is made. One that is there stays as it was made.
fn options() -> KeyspaceCreateOptions {
    KeyspaceCreateOptions::default()
        .max_memtable_size(MEMTABLE_BYTES)
        .data_block_size_policy(BlockSizePolicy::all(BLOCK_BYTES))
        .data_block_compression_policy(CompressionPolicy::all(CompressionType::Lz4))
}

fn lost(dir: &Path, at: TopicPartition, end: Offset, noted: Offset) -> PortError {
    PortError::broken(
        layout::DOING,
        format!(
            "{at} in {} ends at {end}, but reached {noted} before: its files are damaged and \
             records are lost; restore them from a backup",
            dir.display()
        ),
    )
}

#[async_trait]
impl EventLog for LocalLog {
    fn partitions(&self, topic: Topic) -> u32 {
        self.0.topics.partitions(topic)
    }

    fn encode(&self, topic: Topic, event: &Event) -> Result<EncodedRecord, PortError> {
        self.0.encode(topic, event)
    }

    async fn append(&self, records: Vec<EncodedRecord>) -> Result<(), PortError> {
        if records.is_empty() {
            return Ok(());
        }
        let inner = self.0.clone();
        blocking(APPENDING, move || inner.append(&records)).await
    }

    async fn publish(&self, records: Vec<NewRecord>) -> Result<(), PortError> {
        if records.is_empty() {
            return Ok(());
        }
        let inner = self.0.clone();
        let publish = move || {
            let encoded = records
                .iter()
                .map(|new| inner.encode(new.topic, &new.event));
            inner.append(&encoded.collect::<Result<Vec<_>, _>>()?)
        };
        blocking(APPENDING, publish).await
    }

    async fn read(
        &self,
        at: TopicPartition,
        from: Offset,
        max: usize,
    ) -> Result<Vec<Record>, PortError> {
        let inner = self.0.clone();
        blocking(READING, move || {
            before_newer(inner.read(at, (from, max), |offset, frame| {
                Ok(inner.decode(at, offset, frame))
            })?)
        })
        .await
    }

    async fn wait(
        &self,
        any_of: &[(TopicPartition, Offset)],
        wait: Duration,
    ) -> Result<(), PortError> {
        let mut arrivals = Vec::new();
        for (at, from) in any_of {
            let arrival = self.0.part(WAITING, *at)?.reaches(from.next());
            arrivals.push(Box::pin(arrival));
        }
        let sleep = self.0.clock.sleep(wait);
        if arrivals.is_empty() {
            sleep.await;
        } else {
            tokio::select! {
                _ = select_all(arrivals) => {}
                () = sleep => {}
            }
        }
        Ok(())
    }

    async fn range(&self, at: TopicPartition) -> Result<Range<Offset>, PortError> {
        Ok(self.0.part(READING, at)?.range())
    }

    async fn truncate(&self, before: BTreeMap<TopicPartition, Offset>) -> Result<(), PortError> {
        let inner = self.0.clone();
        blocking(TRUNCATING, move || inner.truncate(&before)).await
    }
}

#[async_trait]
impl RawLog for LocalLog {
    async fn read_raw(
        &self,
        at: TopicPartition,
        from: Offset,
        max: usize,
    ) -> Result<Vec<RawRecord>, PortError> {
        let inner = self.0.clone();
        blocking(READING, move || {
            inner.read(at, (from, max), |offset, frame| {
                inner.raw(at, offset, frame)
            })
        })
        .await
    }

    async fn append_raw(
        &self,
        at: TopicPartition,
        records: Vec<RawRecord>,
    ) -> Result<(), PortError> {
        let inner = self.0.clone();
        blocking(APPENDING, move || inner.append_raw(at, &records)).await
    }
}

#[cfg(test)]
mod tests;
