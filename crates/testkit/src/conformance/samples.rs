//! Events and ids for the suites of stores and readers, and for the tests of
//! adapters beside them.

use threadlore_model::{
    AnswerComposed, AnswerDelivered, AnswerId, AnswerOutcome, AnswerRated, Audience, Body,
    CaseArchived, CaseConfirmed, CaseErased, CaseId, CaseMerged, CaseOpened, CaseSolved, Cause,
    ChannelConfigured, ChannelId, CitedCase, ContextMessage, DeliveryAction, DeliveryFailed,
    Envelope, Event, EventId, Evidence, GateTag, Group, Key, MemoryArchiveReason, MemoryArchived,
    MemoryErased, MemoryHome, MemoryId, MemoryScored, MemoryStored, MemoryTier, MessageId,
    MessagePosted, Mode, Offset, OutcomeRecorded, OutcomeSource, Part, Partition, PersonId,
    Private, Rating, ReactionAdded, ReactionRemoved, Signal, SpaceId, Timestamp, Topic,
    TopicPartition, TurnConsidered, TurnOutcome, VectorComputed, source_text, vector_source,
    vector_text,
};

use threadlore_ports::{
    Changes, Dense, DenseModel, FoldBatch, Generation, PortError, Projection, Shard, Store,
};

/// An id made of a name.
#[must_use]
pub fn id(name: &str) -> EventId {
    EventId::of_content("conformance", &[name])
}

/// A message by name.
#[must_use]
pub fn message(name: &str) -> MessageId {
    MessageId::from_uuid(id(name).as_uuid())
}

/// A case by name.
#[must_use]
pub fn case(name: &str) -> CaseId {
    CaseId::from_uuid(id(name).as_uuid())
}

/// A person by name.
#[must_use]
pub fn person(name: &str) -> PersonId {
    PersonId::from_uuid(id(name).as_uuid())
}

/// A space.
///
/// # Panics
/// For a name that is none.
pub fn space(name: &str) -> SpaceId {
    SpaceId::parse(name).expect("suites use valid spaces")
}

/// The one channel.
#[must_use]
pub fn channel() -> ChannelId {
    ChannelId::parse("irc:#ubuntu").expect("a valid channel")
}

/// A moment that is no whole second.
#[must_use]
pub fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millis(seconds * 1000 + 7)
}

/// A shard by name.
#[must_use]
pub fn shard(name: &str) -> Shard {
    Shard {
        group: Group::from_name(format!("conformance.{name}")),
        partition: Partition(0),
    }
}

/// Some cause.
#[must_use]
pub fn cause() -> Cause {
    Cause {
        event: id("cause"),
        at: TopicPartition {
            topic: Topic::ChatInbox,
            partition: Partition(0),
        },
        offset: Offset(5),
    }
}

/// Vectors of some model.
#[must_use]
pub fn dense(dimensions: u32) -> Dense {
    DenseModel {
        name: "m/1".to_owned(),
        dimensions,
    }
    .dense()
}

/// An event in the channel of a space.
#[must_use]
pub fn event(in_space: &str, body: impl Into<Body>) -> Event {
    let space = space(in_space);
    Event {
        envelope: Envelope {
            id: id("event"),
            key: Key::of_channel(&space, &channel()),
            space,
            time: at(1),
            producer: None,
            cause: Some(cause()),
            actor: None,
            traceparent: None,
        },
        body: body.into(),
    }
}

/// A reaction of Ann on the first message, made or taken back.
#[must_use]
pub fn reaction(in_space: &str, added: bool) -> Event {
    let (message, channel, person, emoji) =
        (message("m1"), channel(), person("ann"), "👍".to_owned());
    let at = at(9);
    if added {
        event(
            in_space,
            ReactionAdded {
                message,
                channel,
                person,
                emoji,
                at,
            },
        )
    } else {
        event(
            in_space,
            ReactionRemoved {
                message,
                channel,
                person,
                emoji,
                at,
            },
        )
    }
}

/// A message of Ann, by name.
#[must_use]
pub fn posted(in_space: &str, name: &str, text: &str) -> Event {
    event(
        in_space,
        MessagePosted {
            message: message(name),
            channel: channel(),
            person: person("ann"),
            native_id: name.to_owned(),
            author_native: Private::Erased,
            author_name: Some(Private::open("Ann \"the\" \\ {x}")),
            text: Private::open(text),
            bot: false,
            reply_to: Some(message("m0")),
            mentions: vec![person("cyd"), person("bob")],
            sent_at: at(1_000_000_000),
            thread_root: Some("m0".to_owned()),
            to_bot: false,
        },
    )
}

/// Evidence of a case: the first message states the problem.
#[must_use]
pub fn evidence(messages: &[&str]) -> Vec<Evidence> {
    let part = |i| {
        if i == 0 {
            Part::Problem
        } else {
            Part::Solution
        }
    };
    messages
        .iter()
        .enumerate()
        .map(|(i, name)| Evidence {
            message: message(name),
            part: part(i),
            revision: i64::from(i == 1),
        })
        .collect()
}

/// A case without a solution.
#[must_use]
pub fn opened(in_space: &str, name: &str, problem: &str, now: i64) -> Event {
    event(
        in_space,
        CaseOpened {
            case: case(name),
            channel: channel(),
            title: Private::open(problem),
            problem: Private::open(problem),
            tags: vec![Private::open("ta,g\"\\"), Private::open("{}")],
            evidence: evidence(&["m1"]),
            engine: "builtin-1".to_owned(),
            now: at(now),
        },
    )
}

/// A case with a solution.
#[must_use]
pub fn solved(in_space: &str, name: &str, problem: &str, signal: Signal, now: i64) -> Event {
    event(
        in_space,
        CaseSolved {
            case: case(name),
            channel: channel(),
            title: Private::open(problem),
            problem: Private::open(problem),
            solution: Private::open("install it again"),
            tags: vec![Private::open("packages")],
            evidence: evidence(&["m1", "m2"]),
            signal,
            signal_message: None,
            engine: "builtin-1".to_owned(),
            now: at(now),
        },
    )
}

/// A confirmation of a case.
#[must_use]
pub fn confirmed(in_space: &str, name: &str, who: &str, now: i64) -> Event {
    event(
        in_space,
        CaseConfirmed {
            case: case(name),
            channel: channel(),
            message: message("m1"),
            person: person(who),
            emoji: "✅".to_owned(),
            now: at(now),
        },
    )
}

/// A case that expired.
#[must_use]
pub fn archived(in_space: &str, name: &str, now: i64) -> Event {
    event(
        in_space,
        CaseArchived {
            case: case(name),
            channel: channel(),
            reason: threadlore_model::ArchiveReason::Expired,
            now: at(now),
        },
    )
}

pub(super) fn merged(in_space: &str, name: &str, into: &str, now: i64) -> Event {
    event(
        in_space,
        CaseMerged {
            case: case(name),
            channel: channel(),
            into: case(into),
            similarity: 900,
            comparer: "terms-1".to_owned(),
            now: at(now),
        },
    )
}

/// A case whose words are gone.
#[must_use]
pub fn erased(in_space: &str, name: &str, now: i64) -> Event {
    event(
        in_space,
        CaseErased {
            case: case(name),
            channel: channel(),
            reason: threadlore_model::EraseReason::Redacted,
            now: at(now),
        },
    )
}

/// Who administers the channel.
#[must_use]
pub fn configured(in_space: &str, admins: &[&str]) -> Event {
    event(
        in_space,
        ChannelConfigured {
            channel: channel(),
            admins: admins.iter().map(|name| person(name)).collect(),
            audience: Audience::Space,
            mode: Mode::Mentions,
            docs: vec!["https://wiki.example.org".to_owned()],
            published: true,
            now: at(3),
        },
    )
}

/// What became of a turn.
#[must_use]
pub fn considered(in_space: &str, turn: &str, outcome: TurnOutcome) -> Event {
    event(
        in_space,
        TurnConsidered {
            channel: channel(),
            turn: EventId::of_content("turn", &[turn]),
            person: person("ann"),
            messages: vec![message("m1")],
            outcome,
            tag: Some(GateTag::NewQuestion),
            context: vec![ContextMessage {
                message: message("m0"),
                reason: "thread".to_owned(),
            }],
            record: Some(Private::open("{}")),
            asks_again: None,
            model_tokens: 1200,
            now: at(50),
        },
    )
}

/// An answer to a turn, with the words of a case.
#[must_use]
pub fn composed(in_space: &str, turn: &str, of: &str) -> Event {
    let answer = EventId::of_content("answer", &[turn]);
    event(
        in_space,
        AnswerComposed {
            answer: AnswerId::carried_by(answer),
            channel: channel(),
            turn: EventId::of_content("turn", &[turn]),
            person: person("ann"),
            reply_to: message("m1"),
            case: Some(case(of)),
            memory: None,
            precedent: None,
            text: Private::open("install alsa-base again"),
            cited: vec![CitedCase {
                case: case(of),
                close: 640,
                version: 2,
                evidence: vec![message("m2"), message("m3")],
                authors: vec![person("bob")],
            }],
            composer: "builtin-1".to_owned(),
            now: at(51),
            reply_to_native: "m1".to_owned(),
            thread_root: None,
        },
    )
}

/// What a person says of the answer to a turn.
#[must_use]
pub fn rated(in_space: &str, turn: &str, who: &str, rating: Option<Rating>) -> Event {
    let answer = EventId::of_content("answer", &[turn]);
    event(
        in_space,
        AnswerRated {
            answer: AnswerId::carried_by(answer),
            channel: channel(),
            turn: EventId::of_content("turn", &[turn]),
            person: person(who),
            rating,
            message: rating.map(|_| message("m4")),
            now: at(52),
        },
    )
}

/// What a model made of a text of a case.
#[must_use]
pub fn computed(in_space: &str, name: &str, model: &str, text: &str, vector: &[f32]) -> Event {
    event(
        in_space,
        VectorComputed {
            case: case(name),
            channel: channel(),
            model: model.to_owned(),
            source: Private::open(source_text(&vector_source(text))),
            vector: Private::open(vector_text(vector)),
            now: at(40),
        },
    )
}

/// A gateway posts the answer to a turn.
#[must_use]
pub fn delivered(in_space: &str, turn: &str) -> Event {
    event(
        in_space,
        AnswerDelivered {
            answer: AnswerId::carried_by(EventId::of_content("answer", &[turn])),
            channel: channel(),
            gateway: "matrix".to_owned(),
            what: DeliveryAction::Post,
            native_ids: vec!["$1".to_owned(), "$2".to_owned()],
            now: at(52),
        },
    )
}

/// A gateway could not take back the answer to a turn.
#[must_use]
pub fn undelivered(in_space: &str, turn: &str) -> Event {
    event(
        in_space,
        DeliveryFailed {
            answer: AnswerId::carried_by(EventId::of_content("answer", &[turn])),
            channel: channel(),
            gateway: "matrix".to_owned(),
            what: DeliveryAction::Withdraw,
            reason: "the bot is not in the room".to_owned(),
            now: at(53),
        },
    )
}

/// Something that Ann says to be remembered for everybody.
#[must_use]
pub fn remembered(in_space: &str, name: &str, text: &str) -> Event {
    let stored = MemoryStored {
        memory: memory(in_space, name),
        home: MemoryHome::Bank,
        channel: channel(),
        person: person("ann"),
        message: Some(message("m1")),
        text: Private::open(text),
        always: false,
        now: at(60),
    };
    of_home(in_space, stored)
}

/// Something that Ann says to be remembered about her, a little later.
#[must_use]
pub fn about_herself(in_space: &str, name: &str, text: &str) -> Event {
    let mut event = remembered(in_space, name, text);
    if let Body::MemoryStored(stored) = &mut event.body {
        stored.home = MemoryHome::Person;
        stored.now = at(70);
    }
    event.envelope.key = Key::of_person(&space(in_space), person("ann"));
    event
}

/// It is said again, in the words of another memory.
#[must_use]
pub fn said_again(in_space: &str, name: &str, by: &str) -> Event {
    let archived = MemoryArchived {
        memory: memory(in_space, name),
        reason: MemoryArchiveReason::Replaced,
        by: Some(memory(in_space, by)),
        now: at(61),
    };
    of_home(in_space, archived)
}

/// It is forgotten.
#[must_use]
pub fn forgotten(in_space: &str, name: &str) -> Event {
    let erased = MemoryErased {
        memory: memory(in_space, name),
        now: at(62),
    };
    of_home(in_space, erased)
}

fn memory(in_space: &str, name: &str) -> MemoryId {
    MemoryId::of_request(&Key::of_bank(&space(in_space)), name)
}

fn of_home(in_space: &str, body: impl Into<Body>) -> Event {
    let mut event = event(in_space, body);
    event.envelope.key = Key::of_bank(&space(in_space));
    event
}

/// What the answer to a turn was worth.
#[must_use]
pub fn learned(in_space: &str, turn: &str, outcome: AnswerOutcome) -> Event {
    event(
        in_space,
        OutcomeRecorded {
            answer: AnswerId::carried_by(EventId::of_content("answer", &[turn])),
            channel: channel(),
            turn: EventId::of_content("turn", &[turn]),
            case: case("c1"),
            version: 2,
            memory: exchange(turn),
            outcome,
            source: OutcomeSource::Asker,
            helped: 1,
            failed: 2,
            evidence: vec![message("m3")],
            given_at: at(50),
            now: at(54),
        },
    )
}

/// The exchange of a turn is kept.
#[must_use]
pub fn kept(in_space: &str, turn: &str, tier: MemoryTier) -> Event {
    event(
        in_space,
        MemoryScored {
            memory: exchange(turn),
            channel: channel(),
            case: case("c1"),
            version: 2,
            tier,
            score: 800,
            worked: 1,
            failed: 0,
            partial: 0,
            used_at: at(50),
            until: Some(at(90)),
            now: at(55),
        },
    )
}

/// It is kept no more.
#[must_use]
pub fn dropped(in_space: &str, turn: &str, reason: MemoryArchiveReason) -> Event {
    event(
        in_space,
        MemoryArchived {
            memory: exchange(turn),
            reason,
            by: None,
            now: at(90),
        },
    )
}

/// The exchange that begins with the answer to a turn.
#[must_use]
pub fn exchange(turn: &str) -> MemoryId {
    MemoryId::of_exchange(AnswerId::carried_by(EventId::of_content("answer", &[turn])))
}

/// Events that make one row in every table of a projection, and two of evidence.
#[must_use]
pub fn rows(in_space: &str, projection: Projection) -> Vec<Event> {
    match projection {
        Projection::Messages => vec![posted(in_space, "m1", "no sound"), reaction(in_space, true)],
        Projection::Cases => vec![
            solved(in_space, "c1", "no sound", Signal::Thanks, 20),
            confirmed(in_space, "c1", "bob", 30),
        ],
        Projection::Memories => vec![remembered(in_space, "f1", "we deploy on Fridays")],
        Projection::Turns => vec![
            considered(in_space, "t1", TurnOutcome::Answered),
            composed(in_space, "t1", "c1"),
        ],
        Projection::Deliveries => vec![delivered(in_space, "t1")],
        Projection::Outcomes => vec![learned(in_space, "t1", AnswerOutcome::Worked)],
        Projection::Channels => vec![configured(in_space, &["ann"])],
        Projection::Vectors => vec![computed(in_space, "c1", "m/1", "no sound", &[0.5, -1.25])],
    }
}

/// Folds events into a build as its projector would.
///
/// # Errors
/// What the store says.
///
/// # Panics
/// For more events than a count holds.
pub async fn fold(
    store: &dyn Store,
    generation: Generation,
    events: Vec<Event>,
) -> Result<(), PortError> {
    let shard = Shard {
        group: generation.group(),
        partition: Partition(1),
    };
    let owner = store.acquire(&shard).await?;
    let topic = generation.projection.topic();
    let read_to = owner.positions.get(&topic).map_or(0, |offset| offset.0);
    let read_to = read_to + i64::try_from(events.len()).expect("suites are short");
    let changes = Changes {
        positions: [(topic, Offset(read_to))].into(),
        recovered: true,
        fold: Some(FoldBatch::new(generation, events)),
        ..Changes::default()
    };
    store.commit(&shard, owner.epoch, changes).await
}
