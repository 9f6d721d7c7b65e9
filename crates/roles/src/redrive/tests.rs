use threadlore_model::{
    Audience, Body, ChannelConfigured, DeadLetter, Event, ExtractionRequested, Mode, Offset,
    Partition, PlatformMessage, ReadyReason, Role, Topic, TopicPartition, WindowReady,
};

use super::*;
use crate::testing::{at, by, channel, event};

fn letter() -> Cause {
    Cause {
        event: EventId::of_content("dead-letter", &["x"]),
        at: TopicPartition {
            topic: Topic::ChatInboxDlq,
            partition: Partition(2),
        },
        offset: Offset(7),
    }
}

fn dead(topic: Topic, role: Role, value: &[u8]) -> DeadLetter {
    DeadLetter {
        role: role.name().to_owned(),
        topic,
        partition: 2,
        offset: Offset(41),
        reason: "no schema with fingerprint 0 is known here".to_owned(),
        value: value.to_vec(),
        now: at(1000),
    }
}

fn said() -> Event {
    let message = PlatformMessage {
        channel: channel(),
        native_id: "1".to_owned(),
        author_id: "ann".to_owned(),
        author_name: None,
        author_is_bot: false,
        text: "hello".to_owned(),
        mentions: Vec::new(),
        reply_to: None,
        sent_at: at(5),
        thread_root: None,
        to_bot: false,
    };
    event(message, at(5))
}

fn window() -> Event {
    let ready = WindowReady {
        channel: channel(),
        reason: ReadyReason::Count,
        messages: 3,
        up_to: Offset(9),
        now: at(6),
    };
    by("buffer", event(ready, at(6)))
}

fn refused(dead: &DeadLetter, record: &Event) -> String {
    redrive(&letter(), dead, Ok(record)).expect_err("refused").0
}

#[test]
fn a_record_that_can_be_read_now_is_said_again_because_of_its_letter() {
    let dead = dead(Topic::ChatInbox, Role::Intake, b"bytes");
    let again = redrive(&letter(), &dead, Ok(&said())).expect("redriven");
    assert_eq!(again.body, said().body);
    assert_eq!(again.envelope.redrives(), Some(&letter()));
    assert_eq!(again.envelope.key, said().envelope.key);
    assert_eq!(again.envelope.time, at(5), "channel time stays");
    let twice = redrive(&letter(), &dead, Ok(&said())).expect("redriven");
    assert_eq!(again, twice, "the same attempt is the same event");
    let other = Cause {
        event: EventId::of_content("dead-letter", &["y"]),
        ..letter()
    };
    let other = redrive(&other, &dead, Ok(&said())).expect("redriven");
    assert_ne!(again.envelope.id, other.envelope.id, "another attempt");
}

#[test]
fn a_failed_extraction_is_asked_for_again() {
    let dead = dead(Topic::ChatTurns, Role::Extractor, b"");
    let again = redrive(&letter(), &dead, Ok(&window())).expect("redriven");
    assert_eq!(again.body.topic(), Some(Topic::KnowledgeRequests));
    let expected = ExtractionRequested {
        channel: channel(),
        reason: ReadyReason::Count,
        messages: 3,
        up_to: Offset(9),
        announced_at: at(6),
    };
    assert_eq!(again.body, expected.into());
    assert_eq!(again.envelope.key, window().envelope.key);
    assert_eq!(again.envelope.time, at(6), "channel time stays");
    assert_eq!(
        again.envelope.producer, None,
        "no role's sequence is used up"
    );
    assert_eq!(again.envelope.redrives(), Some(&letter()));
    assert_eq!(window().envelope.redrives(), None);
}

#[test]
fn what_cannot_be_read_still_is_refused_with_the_reason() {
    let dead = dead(Topic::ChatInbox, Role::Intake, b"bytes");
    let why = redrive(&letter(), &dead, Err("its key belongs to partition 1 of 4"));
    let why = why.expect_err("refused").0;
    assert!(why.contains("partition 1 of 4"), "{why}");
}

#[test]
fn what_would_be_folded_twice_or_undo_something_is_refused() {
    let configured = ChannelConfigured {
        channel: channel(),
        admins: Vec::new(),
        audience: Audience::Members,
        mode: Mode::Questions,
        docs: Vec::new(),
        published: false,
        now: at(1),
    };
    for (topic, role, value, record, says) in [
        (
            Topic::ChatTurns,
            Role::Extractor,
            "x",
            window(),
            "only its role",
        ),
        (
            Topic::ChatTurns,
            Role::Embedder,
            "",
            window(),
            "only its role",
        ),
        (
            Topic::ChatEvents,
            Role::Buffer,
            "x",
            said(),
            "only its role",
        ),
        (
            Topic::KnowledgeCases,
            Role::Embedder,
            "",
            said(),
            "embedder.model",
        ),
        (
            Topic::KnowledgeCases,
            Role::Embedder,
            "x",
            said(),
            "only its role",
        ),
        (Topic::Vectors, Role::Projector, "", said(), "only its role"),
        (
            Topic::KnowledgeRequests,
            Role::Buffer,
            "",
            said(),
            "nothing was lost",
        ),
        (
            Topic::Settings,
            Role::Projector,
            "",
            event(Body::from(configured), at(1)),
            "threadlore channel",
        ),
        (
            Topic::ChatInbox,
            Role::Intake,
            "x",
            window(),
            "another record",
        ),
    ] {
        let why = refused(&dead(topic, role, value.as_bytes()), &record);
        assert!(why.contains(says), "{topic} {role}: {why}");
    }
}
