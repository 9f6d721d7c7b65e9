//! Dead-lettering. A record that a consumer cannot process leads to a skip on `log.skips`, which
//! every replay honours, and to a dead letter with its bytes. A record whose call failed for
//! good leads to a dead letter with the reason.

use threadlore_model::{
    Body, Cause, DeadLetter, Envelope, Event, EventId, Key, Offset, Producer, RecordSkipped,
    SpaceId, Timestamp, Topic, TopicPartition,
};
use threadlore_ports::{Class, EventLog, OutboxRow, PortError, Shard};

use crate::{Polled, Refused};

/// The skip and the dead letter of a record, with their topics. `sequence` is the
/// shard's counter and grows with each.
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
    let dead_letter = DeadLetter {
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
        bodies.push((topic, "dead-letter", dead_letter.into()));
    }
    // It cannot fail to parse; without it there is no address.
    let Ok(place) = Key::parse(&at.to_string()) else {
        return Vec::new();
    };
    let names = [shard.group.as_str(), place.as_str(), &offset.to_string()];
    let events = bodies.into_iter().map(|(topic, kind, body)| {
        *sequence += 1;
        let envelope = Envelope {
            id: EventId::of_content(kind, &names),
            space: source.map_or_else(SpaceId::system, |envelope| envelope.space.clone()),
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
            actor: None,
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
/// dead letters of the record that led to it. It has no value: the record is still
/// in its topic. `sequence` as above.
#[must_use]
pub fn failed_call(
    shard: &Shard,
    failure: &Failure<'_>,
    now: Timestamp,
    sequence: &mut u64,
) -> Option<(Topic, Event)> {
    let Cause { at, offset, .. } = *failure.cause;
    let (topic, space) = (at.topic.dead_letters()?, failure.key.space().ok()?);
    let dead_letter = DeadLetter {
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
        actor: None,
        traceparent: failure.traceparent.cloned(),
    };
    let body = dead_letter.into();
    Some((topic, Event { envelope, body }))
}

/// Rows of the outbox for skips and dead letters. A dead letter that is too large for its topic
/// is sent without the value: the record is still in its topic.
///
/// # Errors
/// `Broken` when it is too large without the value too.
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
    if let Body::DeadLetter(dead_letter) = &mut event.body
        && !dead_letter.value.is_empty()
    {
        tracing::warn!(topic = %dead_letter.topic, partition = dead_letter.partition,
            offset = %dead_letter.offset,
            "a dead letter is sent without the record's bytes: they are too large for its topic");
        dead_letter.value.clear();
        return encode_dead_letter(log, (topic, event), ends_decision);
    }
    Err(PortError::broken(
        "dead-lettering a record",
        refused.to_string(),
    ))
}
