//! Records for the new log: the same bytes, with other places in them.

use threadlore_model::{
    Body, Event, ExtractionRequested, Offset, Partition, Topic, TopicPartition, TurnClosed,
    WindowReady,
};
use threadlore_ports::RawRecord;
use threadlore_schema::{Codec, Topics, move_cause};

use super::map::{Names, Place};

/// Topics whose events hold offsets of other records in their body.
const NAMES_PLACES: [Topic; 3] = [Topic::ChatTurns, Topic::KnowledgeRequests, Topic::LogSkips];

/// The record with the new places of others, in its cause and in its body. A record that cannot be decoded
/// stays as it is.
pub(in crate::commands) fn moved(
    codec: &Codec,
    place: &dyn Fn(Place, Names) -> Place,
    at: TopicPartition,
    mut record: RawRecord,
) -> RawRecord {
    move_cause(&mut record.headers, |at, offset| {
        place((at, offset), Names::Position)
    });
    if !NAMES_PLACES.contains(&at.topic) && at.topic.letters_of().is_none() {
        return record;
    }
    if let Ok(mut event) = event(codec, &record)
        && move_places(&mut event.body, at.partition, place)
        && let Ok(encoded) = codec.encode(at.topic, &event)
    {
        record.value = encoded.value;
    }
    record
}

/// Decodes a record.
///
/// # Errors
/// Why it cannot be decoded.
fn event(codec: &Codec, record: &RawRecord) -> Result<Event, String> {
    codec.decode(&headers(record), &record.key, &record.value)
}

/// Decodes a record of a partition as readers do: a record in the wrong place, or of a role that
/// may not write it, is refused.
///
/// # Errors
/// Why it is refused.
pub(in crate::commands) fn event_at(
    (codec, topics): (&Codec, &Topics),
    at: TopicPartition,
    record: &RawRecord,
) -> Result<Event, String> {
    let event = codec.decode_at(topics, at, &headers(record), &record.key, &record.value)?;
    Ok(*event)
}

fn headers(record: &RawRecord) -> Vec<(&str, &[u8])> {
    let headers = record.headers.iter();
    headers
        .map(|(name, value)| (name.as_str(), value.as_slice()))
        .collect()
}

/// Sets the new places in the body of an event; returns whether any changed.
fn move_places(
    body: &mut Body,
    partition: Partition,
    place: &dyn Fn(Place, Names) -> Place,
) -> bool {
    let record = |topic, number: &mut i32, offset: &mut Offset| {
        let partition = Partition(*number);
        let old = (TopicPartition { topic, partition }, *offset);
        let new = place(old, Names::Record);
        (*number, *offset) = (new.0.partition.0, new.1);
        new != old
    };
    match body {
        // A key has one partition number in all topics of a channel.
        Body::WindowReady(WindowReady { up_to, .. })
        | Body::TurnClosed(TurnClosed { up_to, .. })
        | Body::ExtractionRequested(ExtractionRequested { up_to, .. }) => {
            let topic = Topic::ChatEvents;
            let old = *up_to;
            let at = TopicPartition { topic, partition };
            (_, *up_to) = place((at, old), Names::Position);
            *up_to != old
        }
        Body::RecordSkipped(skip) => record(skip.topic, &mut skip.partition, &mut skip.offset),
        Body::DeadLetter(letter) => record(letter.topic, &mut letter.partition, &mut letter.offset),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use threadlore_model::{
        Cause, ChannelId, DeadLetter, Envelope, Event, EventId, Key, ReadyReason, RecordSkipped,
        SpaceId, Timestamp,
    };

    use super::super::map::{Map, Offsets};
    use super::*;

    const INBOX: TopicPartition = TopicPartition {
        topic: Topic::ChatInbox,
        partition: Partition(1),
    };

    /// The inbox lost its first hundred records.
    fn map() -> Map {
        let mut offsets = Offsets::default();
        (100..110).for_each(|old| offsets.push(Offset(old)));
        Map([(INBOX, offsets)].into())
    }

    fn caused(body: Body, cause: i64) -> Event {
        let space = SpaceId::system();
        let envelope = Envelope {
            id: EventId::of_content("test", &[]),
            space,
            key: Key::parse("chat.inbox/1").expect("a key"),
            time: Timestamp::from_millis(5),
            producer: None,
            cause: Some(Cause {
                event: EventId::of_content("cause", &[]),
                at: INBOX,
                offset: Offset(cause),
            }),
            actor: None,
            traceparent: None,
        };
        Event { envelope, body }
    }

    fn skip(offset: i64) -> Body {
        let skip = RecordSkipped {
            role: "intake".to_owned(),
            topic: INBOX.topic,
            partition: 1,
            offset: Offset(offset),
            reason: "bad".to_owned(),
            now: Timestamp::from_millis(5),
        };
        skip.into()
    }

    fn letter(offset: i64) -> Body {
        let letter = DeadLetter {
            role: "intake".to_owned(),
            topic: INBOX.topic,
            partition: 1,
            offset: Offset(offset),
            reason: "bad".to_owned(),
            value: b"bytes".to_vec(),
            now: Timestamp::from_millis(5),
        };
        letter.into()
    }

    fn raw(topic: Topic, event: &Event) -> RawRecord {
        let encoded = Codec::new().encode(topic, event).expect("encodes");
        let headers = encoded.headers.into_iter();
        let headers = headers.map(|(name, value)| (name.to_owned(), value));
        RawRecord {
            offset: Offset(3),
            appended: Timestamp::from_millis(9),
            key: event.envelope.key.as_str().as_bytes().to_vec(),
            headers: headers.chain([("x-odd".to_owned(), vec![0xff])]).collect(),
            value: encoded.value,
        }
    }

    #[test]
    fn causes_and_named_places_are_moved_and_nothing_else() {
        type Made = fn(i64) -> Body;
        let (skips, letters) = (Topic::LogSkips, Topic::ChatInboxDlq);
        for (topic, body) in [(skips, skip as Made), (letters, letter as Made)] {
            for (old, new) in [(105, 5), (42, -1)] {
                let at = TopicPartition { topic, ..INBOX };
                let before = raw(topic, &caused(body(old), old));
                let place = |old, names| map().place(old, names);
                let after = moved(&Codec::new(), &place, at, before);
                assert_eq!(after, raw(topic, &caused(body(new), new)));
            }
        }
    }

    #[test]
    fn the_window_that_a_request_names_is_moved() {
        let asked = |up_to| ExtractionRequested {
            channel: ChannelId::parse("irc:#help").expect("a channel"),
            reason: ReadyReason::Count,
            messages: 3,
            up_to: Offset(up_to),
            announced_at: Timestamp::from_millis(5),
        };
        let at = TopicPartition {
            topic: Topic::ChatEvents,
            ..INBOX
        };
        let mut offsets = Offsets::default();
        (100..110).for_each(|old| offsets.push(Offset(old)));
        let map = Map([(at, offsets)].into());
        let mut body = asked(105).into();
        let place = |old, names| map.place(old, names);
        assert!(move_places(&mut body, at.partition, &place));
        assert_eq!(body, asked(5).into());
    }

    #[test]
    fn what_is_no_event_stays_as_it_is() {
        let bad = RawRecord {
            offset: Offset(3),
            appended: Timestamp::from_millis(9),
            key: b"\xff".to_vec(),
            headers: vec![("ce_cause".to_owned(), b"no cause".to_vec())],
            value: b"no value".to_vec(),
        };
        let at = TopicPartition {
            topic: Topic::LogSkips,
            partition: Partition(0),
        };
        let place = |old, names| map().place(old, names);
        assert_eq!(moved(&Codec::new(), &place, at, bad.clone()), bad);
    }
}
