//! Putting aside what cannot be done. A record that a reader cannot take: one event
//! on `log.skips`, which every replay honours, and the bytes on the dead-letter
//! topic. A record that was taken, and whose slow call failed for good: a letter that
//! says why.

use threadlore_model::{
    Body, Cause, DeadLetter, Envelope, Event, EventId, Key, Producer, RecordSkipped, SpaceId,
    Timestamp, Topic,
};

use crate::{EffectRow, Polled, Refused, Shard};

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
    let (at, offset) = (polled.at, polled.offset);
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
    let source = polled.event.as_ref().ok().map(|event| &event.envelope);
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

/// The letter about a call that failed for good, with its topic: that of dead
/// letters of the record that asked for it. It has no value, because the record was
/// taken and stands in its topic. `id` is the call's; `sequence` as above.
#[must_use]
pub fn failed_call(
    shard: &Shard,
    (row, id): (&EffectRow, EventId),
    reason: &str,
    now: Timestamp,
    sequence: &mut u64,
) -> Option<(Topic, Event)> {
    let Cause { at, offset, .. } = row.cause;
    let (topic, space) = (at.topic.dead_letters()?, row.key.space().ok()?);
    let letter = DeadLetter {
        role: shard.role().to_owned(),
        topic: at.topic,
        partition: at.partition.0,
        offset,
        reason: reason.to_owned(),
        value: Vec::new(),
        now,
    };
    *sequence += 1;
    let envelope = Envelope {
        id: EventId::of_content("failed-call", &[shard.group.as_str(), &id.to_string()]),
        space,
        key: row.key.clone(),
        time: now,
        producer: Some(Producer {
            group: shard.group.clone(),
            partition: shard.partition,
            sequence: *sequence,
        }),
        cause: Some(row.cause.clone()),
        traceparent: row.traceparent.clone(),
    };
    let body = letter.into();
    Some((topic, Event { envelope, body }))
}
