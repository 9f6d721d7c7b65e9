//! The event log: topics of partitions of records.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize, Serializer};
use serde_bytes::{ByteBuf, Bytes};
use threadlore_model::{
    Event, Group, Key, Offset, Partition, Timestamp, Topic, TopicPartition, partition_for,
};

use crate::membership::Alone;
use crate::{Membership, PortError, Positions};

/// What an error of [`EventLog::encode`] says was being done.
pub const ENCODING: &str = "encoding a record";

/// An event to encode and append; private fields must be sealed.
#[derive(Debug, Clone)]
pub struct NewRecord {
    /// Where to.
    pub topic: Topic,
    /// What. `event.envelope.key` is the record's key.
    pub event: Event,
}

/// A record to append, made by [`EventLog::encode`] of the same kind of log. It can be
/// stored and appended later, by another process too. The partition follows from the key
/// by [`threadlore_model::partition_for`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EncodedRecord {
    /// Where to.
    pub topic: Topic,
    /// The record's key.
    pub key: Key,
    /// Headers, in order.
    pub headers: Vec<RecordHeader>,
    /// The value.
    #[serde(with = "serde_bytes")]
    pub value: Vec<u8>,
}

impl EncodedRecord {
    /// The record of an event whose headers and value are encoded, for a topic that takes
    /// records of `largest` bytes, of which the log itself adds `frame`.
    ///
    /// # Errors
    /// `Refused` for a larger one.
    pub fn fitting<N: Into<Cow<'static, str>>>(
        (topic, event): (Topic, &Event),
        headers: impl IntoIterator<Item = (N, Vec<u8>)>,
        value: Vec<u8>,
        (frame, largest): (usize, usize),
    ) -> Result<Self, PortError> {
        let headers = headers.into_iter().map(|(name, value)| RecordHeader {
            name: name.into(),
            value,
        });
        let record = Self {
            topic,
            key: event.envelope.key.clone(),
            headers: headers.collect(),
            value,
        };
        let (id, size) = (event.envelope.id, record.size() + frame);
        match size <= largest {
            true => Ok(record),
            false => Err(PortError::Refused {
                doing: ENCODING,
                reason: format!(
                    "event {id} is too large: {size} bytes, and {topic} takes {largest}"
                ),
            }),
        }
    }

    /// Bytes of key, headers and value.
    #[must_use]
    pub fn size(&self) -> usize {
        let headers = self.headers.iter();
        let headers: usize = headers.map(|h| h.name.len() + h.value.len()).sum();
        self.key.as_str().len() + headers + self.value.len()
    }
}

/// One header of a record. It is stored as a pair, because there are many.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "(String, ByteBuf)")]
pub struct RecordHeader {
    /// Its name.
    pub name: Cow<'static, str>,
    /// Its value.
    pub value: Vec<u8>,
}

impl From<(String, ByteBuf)> for RecordHeader {
    fn from((name, value): (String, ByteBuf)) -> Self {
        Self {
            name: name.into(),
            value: value.into_vec(),
        }
    }
}

impl Serialize for RecordHeader {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (&self.name, Bytes::new(&self.value)).serialize(serializer)
    }
}

/// Why a record cannot be read, and its bytes for the dead letter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undecodable {
    /// One sentence without private text.
    pub reason: String,
    /// The value, untouched.
    pub value: Vec<u8>,
    /// The key, where it is one.
    pub key: Option<Key>,
    /// Whether a newer version of a role wrote it: its type or its schema is not known here yet. It is
    /// never passed over.
    pub is_newer: bool,
}

/// The records before the first one that a newer version wrote.
///
/// # Errors
/// `Broken` where that is the first one: nothing may go on here without what it says.
pub fn before_newer(mut records: Vec<Record>) -> Result<Vec<Record>, PortError> {
    let is_newer = |record: &Record| matches!(&record.body, Err(bad) if bad.is_newer);
    let Some(first) = records.iter().position(is_newer) else {
        return Ok(records);
    };
    if let (0, Err(bad)) = (first, &records[first].body) {
        let Record { at, offset, .. } = &records[first];
        return Err(PortError::broken(
            "reading the log",
            format!(
                "a newer version of Threadlore wrote offset {offset} of {at} ({}): start that version \
                 here; nothing is passed over, and it goes on from there",
                bad.reason
            ),
        ));
    }
    records.truncate(first);
    Ok(records)
}

/// What a record holds: an event with sealed fields, or bytes that are none.
pub type Body = Result<Box<Event>, Undecodable>;

/// A record as it is in the log.
#[derive(Debug, Clone)]
pub struct Record {
    /// Topic and partition.
    pub at: TopicPartition,
    /// Its place.
    pub offset: Offset,
    /// When it was appended, by the log's clock; never goes back within a partition.
    pub appended: Timestamp,
    /// What it holds.
    pub body: Body,
}

/// The log.
///
/// Guarantees that an implementation gives:
/// - what `encode` made, `append` takes: no event is refused once it was encoded;
/// - `append` returns after every record is durable; records of one call with
///   one partition are next to each other, in order, all or none of them
///   (a log that cannot give this on a crash says so in its own documentation);
/// - offsets of a partition start at 0 and grow by one; an offset never changes
///   what it holds; retention only moves the start of the range;
/// - `read` never skips a record: one that cannot be decoded is returned as [`Undecodable`];
/// - a record whose key belongs to another partition is returned as [`Undecodable`].
#[async_trait]
pub trait EventLog: Send + Sync {
    /// Partitions of a topic.
    fn partitions(&self, topic: Topic) -> u32;

    /// The record of an event on a topic. No server is asked, so that a role that decides an
    /// event learns at once whether the log takes it.
    ///
    /// # Errors
    /// `Refused` for an event with open private fields, on a topic that is not its own,
    /// that does not fit its schema, or that is larger than the log takes.
    fn encode(&self, topic: Topic, event: &Event) -> Result<EncodedRecord, PortError>;

    /// Appends records; see the guarantees.
    ///
    /// # Errors
    /// `Unavailable` when nothing may have been written or it is unknown whether
    /// it was; the caller appends again and readers drop repeats by sequence.
    async fn append(&self, records: Vec<EncodedRecord>) -> Result<(), PortError>;

    /// Encodes events and appends them in one call.
    ///
    /// # Errors
    /// Those of [`EventLog::encode`], and then nothing of the call is written; those of
    /// [`EventLog::append`].
    async fn publish(&self, records: Vec<NewRecord>) -> Result<(), PortError> {
        let encoded = records.iter().map(|new| self.encode(new.topic, &new.event));
        let encoded = encoded.collect::<Result<_, _>>()?;
        self.append(encoded).await
    }

    /// At most `max` records from `from` on; empty when there are none yet.
    ///
    /// # Errors
    /// `Broken` when `from` lies outside the range; `Unavailable` as the name says.
    async fn read(
        &self,
        at: TopicPartition,
        from: Offset,
        max: usize,
    ) -> Result<Vec<Record>, PortError>;

    /// Returns when one of the partitions has a record at or after its offset,
    /// or after `wait` at the latest.
    ///
    /// # Errors
    /// As [`EventLog::read`].
    async fn wait(
        &self,
        any_of: &[(TopicPartition, Offset)],
        wait: Duration,
    ) -> Result<(), PortError>;

    /// First offset that is kept, and the offset after the last record.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    async fn range(&self, at: TopicPartition) -> Result<Range<Offset>, PortError>;

    /// Drops records from the start of partitions, up to before these offsets; what is gone
    /// already is no error. The ranges then start there, and offsets stay what they are.
    ///
    /// # Errors
    /// `Refused` when this process may not; `Unavailable` as the name says, and then some of
    /// it may be done; `Broken` for a log that cannot.
    async fn truncate(&self, before: BTreeMap<TopicPartition, Offset>) -> Result<(), PortError> {
        let topic = before.keys().next().map(|at| at.topic);
        let topic = topic.map_or_else(|| "a topic".to_owned(), |topic| topic.to_string());
        let reason = format!("this log cannot drop the first records of {topic}");
        Err(PortError::broken("truncating a topic", reason))
    }

    /// Becomes a member of a group, among whose members the partitions of `topic` are
    /// shared out. A log for one process gives it all of them.
    ///
    /// # Errors
    /// `Broken` when this process cannot be a member, and why.
    async fn join(&self, group: &Group, topic: Topic) -> Result<Box<dyn Membership>, PortError> {
        let _ = group;
        Ok(Box::new(Alone::with(self.partitions(topic))))
    }

    /// Tells how far a member of a group got in a partition of its inputs, for those who
    /// look at lag from outside; nothing here reads it, and it may be lost.
    fn reached(&self, group: &Group, partition: Partition, positions: &Positions) {
        let _ = (group, partition, positions);
    }
}

/// All partitions of a topic.
pub fn all_partitions(
    log: &dyn EventLog,
    topic: Topic,
) -> impl Iterator<Item = TopicPartition> + use<> {
    let count = i32::try_from(log.partitions(topic)).unwrap_or(i32::MAX);
    (0..count).map(move |n| TopicPartition {
        topic,
        partition: Partition(n),
    })
}

/// Where a key's records of a topic go.
#[must_use]
pub fn place(log: &dyn EventLog, topic: Topic, key: &[u8]) -> TopicPartition {
    TopicPartition {
        topic,
        partition: partition_for(key, log.partitions(topic)),
    }
}
