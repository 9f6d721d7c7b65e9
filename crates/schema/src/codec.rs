//! Events to records and back.

use threadlore_model::{Body, Event, Key, Private, Topic, TopicPartition, partition_for};

use crate::catalogue::{Catalogue, SOURCES, Unreadable, Written};
use crate::headers;
use crate::{Fingerprint, SchemaError, Topics, WriterSchema};

/// A record's headers and value. Its key is the envelope's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encoded {
    /// CloudEvents headers in binary mode, and ours.
    pub headers: Vec<(&'static str, Vec<u8>)>,
    /// Avro single-object encoding of the body.
    pub value: Vec<u8>,
}

/// Turns events into records and back. Cheap to clone; schemas are parsed once.
#[derive(Clone)]
pub struct Codec {
    catalogue: &'static Catalogue,
    /// One more schema that values may have been written with.
    writer: Option<WriterSchema>,
}

impl Default for Codec {
    fn default() -> Self {
        Self::new()
    }
}

impl Codec {
    /// The codec of the embedded schemas.
    #[must_use]
    pub fn new() -> Self {
        Self {
            catalogue: Catalogue::embedded(),
            writer: None,
        }
    }

    /// The schemas that events are written with, which a registry must have.
    pub fn written(&self) -> impl Iterator<Item = Written> {
        self.catalogue.written()
    }

    /// Resolves a schema of a registry: one of ours, or one of a record that can be resolved to
    /// ours.
    ///
    /// # Errors
    /// Why no event can be written with it; the sentence begins with "it".
    pub fn writer(&self, text: &str) -> Result<WriterSchema, String> {
        WriterSchema::of(self.catalogue, text)
    }

    /// A codec that reads this schema too. It is for one value only: whether other values can be
    /// read must not depend on the schemas that a process happened to see.
    #[must_use]
    pub fn reading(&self, writer: &WriterSchema) -> Self {
        Self {
            catalogue: self.catalogue,
            writer: Some(writer.clone()),
        }
    }

    /// Encodes an event for a topic.
    ///
    /// # Errors
    /// When a private field is open, when the event does not belong on the topic,
    /// or when its key, space and body say different things.
    pub fn encode(&self, topic: Topic, event: &Event) -> Result<Encoded, SchemaError> {
        let id = event.envelope.id;
        let inconsistent = |reason| SchemaError::Inconsistent { event: id, reason };
        consistent(event).map_err(inconsistent)?;
        on_topic(event, topic).map_err(inconsistent)?;
        let written = self.catalogue.write(&event.body);
        let value = written.ok_or_else(|| unfit(event))?;
        Ok(Encoded {
            headers: headers::write(&event.envelope, event.body.type_name()),
            value,
        })
    }

    /// Decodes a record.
    ///
    /// Records of `chat.inbox` may lack every header: gateways in any language
    /// send key and value. Their space is then the key's, their time the
    /// platform's, and their id follows from key and value.
    ///
    /// # Errors
    /// One sentence with the reason, without any text of the record.
    pub fn decode(
        &self,
        headers: &[(&str, &[u8])],
        key: &[u8],
        value: &[u8],
    ) -> Result<Event, String> {
        let body = self.body(value)?;
        let key = std::str::from_utf8(key)
            .ok()
            .and_then(|key| Key::parse(key).ok())
            .ok_or("the key is empty, too long or not plain text")?;
        let envelope = headers::read(headers, key, &body, value)?;
        let event = Event { envelope, body };
        consistent(&event)?;
        Ok(event)
    }

    /// Decodes a record of the log, and checks its place: the topic of its type, the partition of
    /// its key, and a role that may write it.
    ///
    /// # Errors
    /// As [`Codec::decode`].
    pub fn decode_at(
        &self,
        topics: &Topics,
        at: TopicPartition,
        headers: &[(&str, &[u8])],
        key: &[u8],
        value: &[u8],
    ) -> Result<Box<Event>, String> {
        let event = self.decode(headers, key, value)?;
        check_place(&event, at, topics.partitions(at.topic))?;
        topics.check_writer(&event)?;
        Ok(Box::new(event))
    }

    /// Converts a value to one that the embedded schemas can read. Bytes that cannot be read stay
    /// unchanged.
    #[must_use]
    pub fn own(&self, value: Vec<u8>) -> Vec<u8> {
        if self.writer.is_none() || Self::new().body(&value).is_ok() {
            return value;
        }
        let body = self.body(&value).ok();
        body.and_then(|body| self.catalogue.write(&body))
            .unwrap_or(value)
    }

    /// Whether a newer version of a role wrote a record that cannot be decoded: its producer is one, and its
    /// type, or the schema of its value, is not known here.
    #[must_use]
    pub fn is_newer(&self, headers: &[(&str, &[u8])], value: &[u8]) -> bool {
        let find = |name: &str| headers.iter().find(|(found, _)| *found == name);
        if find(headers::PRODUCER).is_none() {
            return false;
        }
        let name = find(headers::TYPE).map(|(_, name)| *name);
        let knows_type = SOURCES
            .iter()
            .any(|source| Some(source.type_name.as_bytes()) == name);
        let knows_schema = || match Fingerprint::split(value) {
            Ok((fingerprint, _)) => self.catalogue.knows(fingerprint),
            Err(_) => true,
        };
        !knows_type || (self.writer.is_none() && !knows_schema())
    }

    fn body(&self, value: &[u8]) -> Result<Body, String> {
        let (fingerprint, datum) = Fingerprint::split(value)?;
        let foreign = self
            .writer
            .as_ref()
            .and_then(|writer| writer.read(self.catalogue, fingerprint, datum));
        let body = foreign.unwrap_or_else(|| self.catalogue.read(fingerprint, datum));
        body.map_err(|why| match why {
            Unreadable::Unknown => {
                format!("no schema with fingerprint {fingerprint} is known here")
            }
            Unreadable::Datum(name, bad) => format!("the value is no {name}: {bad}"),
            Unreadable::Field(name) => {
                format!("a field of the {name} breaks the rule of its type")
            }
        })
    }
}

/// Why a body could not be written.
fn unfit(event: &Event) -> SchemaError {
    let mut body = event.body.clone();
    let mut fields = body.private_fields().into_iter();
    if fields.any(|(_, field)| matches!(field, Private::Open(_))) {
        return SchemaError::NotSealed(event.envelope.id);
    }
    SchemaError::Unfit {
        event: event.envelope.id,
        type_name: event.body.type_name(),
    }
}

/// Whether key, space and body of an event agree.
fn consistent(event: &Event) -> Result<(), String> {
    let envelope = &event.envelope;
    match event.body.key(&envelope.space) {
        Some(key) if key != envelope.key => {
            Err("the key does not name the event's space and channel, or home".to_owned())
        }
        _ => Ok(()),
    }
}

fn on_topic(event: &Event, topic: Topic) -> Result<(), String> {
    if event.body.topic() == Some(topic) {
        Ok(())
    } else {
        Err(format!(
            "{} does not belong on {topic}",
            event.body.type_name()
        ))
    }
}

/// Checks the place of an event: the topic of its type, and the partition of its key.
///
/// # Errors
/// One sentence with the reason, without any text of the record.
pub fn check_place(event: &Event, at: TopicPartition, partitions: u32) -> Result<(), String> {
    on_topic(event, at.topic)?;
    let key = event.envelope.key.as_str().as_bytes();
    let expected = partition_for(key, partitions);
    if expected == at.partition {
        return Ok(());
    }
    Err(format!(
        "its key belongs to partition {expected} of {partitions}, but it stands in {}: the producer \
         must use Kafka's murmur2 partitioner",
        at.partition
    ))
}
