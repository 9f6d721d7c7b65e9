//! Putting aside what cannot be done. A record that a reader cannot take: one event
//! on `log.skips`, which every replay honours, and the bytes on the dead-letter
//! topic. A record that was taken, and whose slow call failed for good: a letter that
//! says why.

use threadlore_model::{
    Body, Cause, DeadLetter, Envelope, Event, EventId, Key, Offset, Producer, RecordSkipped,
    SpaceId, Timestamp, Topic, TopicPartition,
};

use crate::{Class, EventLog, OutboxRow, Polled, PortError, Refused, Shard};

/// The events that put a record aside, with their topics. `sequence` is the
/// shard's counter and moves on with each.
#[must_use]
pub fn skip_events(
    shard: &Shard,
    polled: &Polled,
    refused: &Refused,
    now: Timestamp,
    sequence: &mut u64,
) -> Vec<(Topic, Event)> {
    let source = polled.event.as_ref().ok().map(|event| &event.envelope);
    let place = (polled.at, polled.offset);
    skip_events_of(shard, place, source, refused, now, sequence)
}

/// As [`skip_events`], for a record of which the place and, where it is an event, the envelope
/// are known.
#[must_use]
pub fn skip_events_of(
    shard: &Shard,
    (at, offset): (TopicPartition, Offset),
    source: Option<&Envelope>,
    refused: &Refused,
    now: Timestamp,
    sequence: &mut u64,
) -> Vec<(Topic, Event)> {
    let role = shard.role().to_owned();
    let (topic, partition, reason) = (at.topic, at.partition.0, refused.reason.clone());
    let skip = RecordSkipped {
        role: role.clone(),
        topic,
        partition,
        offset,
        reason: reason.clone(),
        now,
    };
    let value = refused.value.clone();
    let letter = DeadLetter {
        role,
        topic,
        partition,
        offset,
        reason,
        value,
        now,
    };
    let mut bodies = vec![(Topic::LogSkips, "skip", Body::from(skip))];
    if let Some(topic) = at.topic.dead_letters() {
        bodies.push((topic, "dead-letter", letter.into()));
    }
    // Neither name can fail to parse; without them there is nothing to put aside under.
    let (Ok(system), Ok(place)) = (SpaceId::parse("system"), Key::parse(&at.to_string())) else {
        return Vec::new();
    };
    let names = [shard.group.as_str(), place.as_str(), &offset.to_string()];
    let events = bodies.into_iter().map(|(topic, kind, body)| {
        *sequence += 1;
        let envelope = Envelope {
            id: EventId::of_content(kind, &names),
            space: source.map_or_else(|| system.clone(), |envelope| envelope.space.clone()),
            key: source
                .map(|envelope| &envelope.key)
                .or(refused.key.as_ref())
                .filter(|_| topic != Topic::LogSkips)
                .unwrap_or(&place)
                .clone(),
            time: now,
            producer: Some(Producer {
                group: shard.group.clone(),
                partition: shard.partition,
                sequence: *sequence,
            }),
            cause: source.map(|envelope| Cause {
                event: envelope.id,
                at,
                offset,
            }),
            traceparent: source.and_then(|envelope| envelope.traceparent.clone()),
        };
        (topic, Event { envelope, body })
    });
    events.collect()
}

/// What could not be done because of a record that was taken.
#[derive(Debug, Clone, Copy)]
pub struct Failure<'a> {
    /// Its own id.
    pub id: EventId,
    /// The key that it is about.
    pub key: &'a Key,
    /// The record that led to it.
    pub cause: &'a Cause,
    /// The trace that it belongs to.
    pub traceparent: Option<&'a String>,
    /// Why, in one sentence without private text.
    pub reason: &'a str,
}

/// The dead letter about a call or a decision that failed for good, with its topic: that of
/// dead letters of the record that led to it. It has no value, because the record was
/// taken and stands in its topic. `sequence` as above.
#[must_use]
pub fn failed_call(
    shard: &Shard,
    failure: &Failure<'_>,
    now: Timestamp,
    sequence: &mut u64,
) -> Option<(Topic, Event)> {
    let Cause { at, offset, .. } = *failure.cause;
    let (topic, space) = (at.topic.dead_letters()?, failure.key.space().ok()?);
    let letter = DeadLetter {
        role: shard.role().to_owned(),
        topic: at.topic,
        partition: at.partition.0,
        offset,
        reason: failure.reason.to_owned(),
        value: Vec::new(),
        now,
    };
    *sequence += 1;
    let names = [shard.group.as_str(), &failure.id.to_string()];
    let envelope = Envelope {
        id: EventId::of_content("failed-call", &names),
        space,
        key: failure.key.clone(),
        time: now,
        producer: Some(Producer {
            group: shard.group.clone(),
            partition: shard.partition,
            sequence: *sequence,
        }),
        cause: Some(failure.cause.clone()),
        traceparent: failure.traceparent.cloned(),
    };
    let body = letter.into();
    Some((topic, Event { envelope, body }))
}

/// Rows of the outbox for what puts something aside. A dead letter that is larger than the
/// log takes goes without the value: the record stands in its topic.
///
/// # Errors
/// `Broken` when the log does not take it without the value either: then nothing can be
/// put aside.
pub fn encode_dead_letters(
    log: &dyn EventLog,
    events: Vec<(Topic, Event)>,
) -> Result<Vec<OutboxRow>, PortError> {
    let count = events.len();
    let rows = events.into_iter().enumerate();
    rows.map(|(i, event)| encode_dead_letter(log, event, i + 1 == count))
        .collect()
}

/// One of them.
///
/// # Errors
/// As [`encode_dead_letters`].
pub fn encode_dead_letter(
    log: &dyn EventLog,
    (topic, mut event): (Topic, Event),
    ends_decision: bool,
) -> Result<OutboxRow, PortError> {
    let refused = match OutboxRow::encode(log, (topic, &event), ends_decision) {
        Err(error) if error.class() == Class::DeadLetter => error,
        encoded => return encoded,
    };
    if let Body::DeadLetter(letter) = &mut event.body
        && !letter.value.is_empty()
    {
        tracing::warn!(topic = %letter.topic, partition = letter.partition, offset = %letter.offset,
            "a dead letter goes without the bytes, which are too many for its topic");
        letter.value.clear();
        return encode_dead_letter(log, (topic, event), ends_decision);
    }
    Err(PortError::broken(
        "putting a record aside",
        refused.to_string(),
    ))
}
