//! Short ways to write ids, events and records in the tests of the roles.

use threadlore_model::{
    ArchiveReason, Body, CaseArchived, CaseId, CaseOpened, CaseSolved, Cause, ChannelId, Envelope,
    Event, EventId, Evidence, Group, Key, MessageEdited, MessageId, MessagePosted, Offset, Part,
    Partition, PersonId, Private, Producer, ReactionAdded, ReactionRemoved, Signal, SpaceId,
    Timestamp, Topic, TopicPartition,
};
use uuid::Uuid;

use crate::{Facts, Input};

pub(crate) fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millis(seconds * 1000)
}

pub(crate) fn space() -> SpaceId {
    SpaceId::parse("acme").expect("a valid space")
}

pub(crate) fn channel() -> ChannelId {
    ChannelId::parse("irc:#ubuntu").expect("a valid channel")
}

pub(crate) fn message(n: u32) -> MessageId {
    MessageId::from_uuid(Uuid::from_u128(n.into()))
}

pub(crate) fn person(n: u128) -> PersonId {
    PersonId::from_uuid(Uuid::from_u128(n))
}

pub(crate) fn event(body: impl Into<Body>, time: Timestamp) -> Event {
    Event {
        envelope: Envelope {
            id: EventId::from_uuid(Uuid::from_u128(1)),
            space: space(),
            key: Key::of_channel(&space(), &channel()),
            time,
            producer: None,
            cause: None,
            actor: None,
            traceparent: None,
        },
        body: body.into(),
    }
}

/// The event as the role's own.
pub(crate) fn by(group: &str, mut event: Event) -> Event {
    event.envelope.producer = Some(Producer {
        group: Group::from_name(group),
        partition: Partition(0),
        sequence: 1,
    });
    event
}

/// A record that arrives `late` seconds after its event's time.
pub(crate) fn record<C, A>(offset: i64, event: &Event, late: u64) -> Input<'_, C, A> {
    Input::Record {
        at: TopicPartition {
            topic: event.body.topic().unwrap_or(Topic::ChatEvents),
            partition: Partition(0),
        },
        offset: Offset(offset),
        arrived: event
            .envelope
            .time
            .plus(std::time::Duration::from_secs(late)),
        event,
    }
}

pub(crate) fn facts(group: &'static str, now: Timestamp) -> Facts {
    Facts {
        now,
        group: Group::from_name(group),
        space: None,
        channel: Some(channel()),
        cause: Cause {
            event: EventId::from_uuid(Uuid::from_u128(9)),
            at: TopicPartition {
                topic: Topic::ChatEvents,
                partition: Partition(0),
            },
            offset: Offset(0),
        },
        repeated: false,
        pending_calls: 0,
    }
}

pub(crate) fn posted(n: u32, who: u128, text: &str) -> Event {
    let posted = MessagePosted {
        message: message(n),
        channel: channel(),
        person: person(who),
        native_id: n.to_string(),
        author_native: Private::open(who.to_string()),
        author_name: None,
        text: Private::open(text),
        bot: false,
        reply_to: None,
        mentions: Vec::new(),
        sent_at: at(n.into()),
        thread_root: None,
        to_bot: false,
    };
    event(posted, at(n.into()))
}

pub(crate) fn bot_posted(n: u32, text: &str) -> Event {
    let mut event = posted(n, 99, text);
    if let Body::MessagePosted(posted) = &mut event.body {
        posted.bot = true;
    }
    event
}

pub(crate) fn edited(n: u32, revision: i64, text: &str) -> Event {
    let edited = MessageEdited {
        message: message(n),
        channel: channel(),
        person: person(1),
        revision,
        text: Private::open(text),
        edited_at: at(100),
    };
    event(edited, at(100))
}

pub(crate) fn reacted(n: u32, who: u128, emoji: &str) -> Event {
    let added = ReactionAdded {
        message: message(n),
        channel: channel(),
        person: person(who),
        emoji: emoji.to_owned(),
        at: at(100),
    };
    event(added, at(100))
}

pub(crate) fn unreacted(n: u32, who: u128, emoji: &str) -> Event {
    let removed = ReactionRemoved {
        message: message(n),
        channel: channel(),
        person: person(who),
        emoji: emoji.to_owned(),
        at: at(100),
    };
    event(removed, at(100))
}

pub(crate) fn case(n: u128) -> CaseId {
    CaseId::from_uuid(Uuid::from_u128(n))
}

pub(crate) fn case_id() -> CaseId {
    case(77)
}

fn evidence(messages: &[u32]) -> Vec<Evidence> {
    let context = |n: &u32| Evidence {
        message: message(*n),
        part: Part::Context,
        revision: 0,
    };
    messages.iter().map(context).collect()
}

pub(crate) fn opened(now: i64, messages: &[u32]) -> Event {
    let opened = CaseOpened {
        case: case_id(),
        channel: channel(),
        title: Private::open("no sound"),
        problem: Private::open("no sound after the upgrade"),
        tags: vec![Private::open("sound")],
        evidence: evidence(messages),
        engine: "builtin-1".into(),
        now: at(now),
    };
    event(opened, at(1))
}

pub(crate) fn solved(now: i64, messages: &[u32]) -> Event {
    let solved = CaseSolved {
        case: case_id(),
        channel: channel(),
        title: Private::open("no sound"),
        problem: Private::open("no sound after the upgrade"),
        solution: Private::open("install alsa-base again"),
        tags: vec![Private::open("alsa"), Private::Erased],
        evidence: evidence(messages),
        signal: Signal::Thanks,
        signal_message: None,
        engine: "builtin-1".into(),
        now: at(now),
    };
    event(solved, at(1))
}

pub(crate) fn archived(now: i64) -> Event {
    let archived = CaseArchived {
        case: case_id(),
        channel: channel(),
        reason: ArchiveReason::Expired,
        now: at(now),
    };
    event(archived, at(1))
}
