//! Events of every projection, one row per table and space.

use threadlore_model::{
    Body, CaseConfirmed, CaseId, CaseSolved, ChannelConfigured, ChannelId, Envelope, Event,
    EventId, Evidence, Key, MessageId, MessagePosted, Part, Partition, PersonId, Private,
    ReactionAdded, Signal, SpaceId, Timestamp,
};
use threadlore_ports::{Changes, FoldBatch, Generation, Projection, Shard, Store as _};
use threadlore_store_postgres::PostgresStore;

pub(crate) fn id(name: &str) -> EventId {
    EventId::of_content("test", &[name])
}

pub(crate) fn message(name: &str) -> MessageId {
    MessageId::from_uuid(id(name).as_uuid())
}

pub(crate) fn person(name: &str) -> PersonId {
    PersonId::from_uuid(id(name).as_uuid())
}

pub(crate) fn channel() -> ChannelId {
    ChannelId::parse("irc:#ubuntu").expect("valid")
}

pub(crate) fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millis(seconds * 1000 + 7)
}

pub(crate) fn event(space: &str, body: impl Into<Body>) -> Event {
    let space = SpaceId::parse(space).expect("valid");
    Event {
        envelope: Envelope {
            id: id("event"),
            key: Key::of_channel(&space, &channel()),
            space,
            time: at(1),
            producer: None,
            cause: None,
            traceparent: None,
        },
        body: body.into(),
    }
}

pub(crate) fn posted(space: &str, name: &str, text: &str) -> Event {
    event(
        space,
        MessagePosted {
            message: message(name),
            channel: channel(),
            person: person("ann"),
            native_id: name.to_owned(),
            author_native: Private::Erased,
            author_name: Some(Private::open("Ann")),
            text: Private::open(text),
            bot: false,
            reply_to: None,
            mentions: vec![person("bob")],
            sent_at: at(10),
        },
    )
}

pub(crate) fn solved(space: &str, name: &str, problem: &str) -> Event {
    event(
        space,
        CaseSolved {
            case: CaseId::from_uuid(id(name).as_uuid()),
            expected_version: None,
            channel: channel(),
            title: Private::open(problem),
            problem: Private::open(problem),
            solution: Private::open("install it again"),
            tags: vec![Private::open("packages")],
            evidence: vec![Evidence {
                message: message("m1"),
                part: Part::Problem,
            }],
            signal: Signal::Thanks,
            engine: "builtin-1".to_owned(),
            now: at(20),
        },
    )
}

/// Events that make one row in every table of a projection.
pub(crate) fn of(space: &str, projection: Projection) -> Vec<Event> {
    let (channel, now) = (channel(), at(30));
    match projection {
        Projection::Messages => vec![
            posted(space, "m1", "no sound"),
            event(
                space,
                ReactionAdded {
                    message: message("m1"),
                    channel,
                    person: person("bob"),
                    emoji: "👍".to_owned(),
                    at: now,
                },
            ),
        ],
        Projection::Cases => vec![
            solved(space, "c1", "no sound"),
            event(
                space,
                CaseConfirmed {
                    case: CaseId::from_uuid(id("c1").as_uuid()),
                    channel,
                    message: message("m1"),
                    person: person("bob"),
                    emoji: "👍".to_owned(),
                    now,
                },
            ),
        ],
        Projection::Channels => vec![event(
            space,
            ChannelConfigured {
                channel,
                admins: vec![person("ann")],
                now,
            },
        )],
    }
}

/// Folds events as a projector would.
pub(crate) async fn fold(store: &PostgresStore, generation: Generation, events: Vec<Event>) {
    let shard = Shard {
        group: generation.group(),
        partition: Partition(0),
    };
    let owner = store.acquire(&shard).await.expect("acquires");
    let changes = Changes {
        fold: Some(FoldBatch { generation, events }),
        ..Changes::default()
    };
    store
        .commit(&shard, owner.epoch, changes)
        .await
        .expect("folds");
}
