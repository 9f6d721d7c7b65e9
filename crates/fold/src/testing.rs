//! Short ways to write events and ids in the tests of this crate.

use threadlore_model::{
    Body, CaseArchived, CaseConfirmed, CaseErased, CaseId, CaseMerged, CaseOpened, CaseSolved,
    CaseSplit, CaseSuggested, ChannelId, ConfirmationWithdrawn, Envelope, Event, EventId, Evidence,
    Key, MessageId, Part, PersonId, Private, Signal, SpaceId, Timestamp,
};
use uuid::Uuid;

pub(crate) fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millis(seconds * 1000)
}

pub(crate) fn channel() -> ChannelId {
    ChannelId::parse("irc:#ubuntu").expect("a valid channel")
}

pub(crate) fn message(n: u128) -> MessageId {
    MessageId::from_uuid(Uuid::from_u128(n))
}

pub(crate) fn person(n: u128) -> PersonId {
    PersonId::from_uuid(Uuid::from_u128(n))
}

pub(crate) fn case_id() -> CaseId {
    CaseId::from_uuid(Uuid::from_u128(77))
}

pub(crate) fn event(body: impl Into<Body>) -> Event {
    let space = SpaceId::parse("acme").expect("a valid space");
    Event {
        envelope: Envelope {
            id: EventId::from_uuid(Uuid::from_u128(1)),
            key: Key::of_channel(&space, &channel()),
            space,
            time: at(1),
            producer: None,
            cause: None,
            actor: None,
            traceparent: None,
        },
        body: body.into(),
    }
}

fn evidence(messages: &[u128]) -> Vec<Evidence> {
    messages
        .iter()
        .map(|n| Evidence {
            message: message(*n),
            part: Part::Context,
            revision: 0,
        })
        .collect()
}

pub(crate) fn opened(now: i64, messages: &[u128]) -> Event {
    event(CaseOpened {
        case: case_id(),
        channel: channel(),
        title: Private::open("no sound"),
        problem: Private::open("no sound after the upgrade"),
        tags: vec![Private::open("sound")],
        evidence: evidence(messages),
        engine: "builtin-1".into(),
        now: at(now),
    })
}

pub(crate) fn solved(now: i64, messages: &[u128]) -> Event {
    event(CaseSolved {
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
    })
}

pub(crate) fn suggested(now: i64, text: &str, messages: &[u128]) -> Event {
    let of = |n: &u128| Evidence {
        message: message(*n),
        part: Part::Suggestion,
        revision: 0,
    };
    event(CaseSuggested {
        case: case_id(),
        channel: channel(),
        title: Private::open("no sound"),
        problem: Private::open("no sound after the upgrade"),
        suggestion: Private::open(text),
        tags: vec![Private::open("sound")],
        evidence: messages.iter().map(of).collect(),
        engine: "builtin-1".into(),
        now: at(now),
    })
}

pub(crate) fn confirmed(now: i64, who: u128, emoji: &str) -> Event {
    event(CaseConfirmed {
        case: case_id(),
        channel: channel(),
        message: message(1),
        person: person(who),
        emoji: emoji.into(),
        now: at(now),
    })
}

pub(crate) fn withdrawn(now: i64, who: u128, emoji: &str) -> Event {
    event(ConfirmationWithdrawn {
        case: case_id(),
        channel: channel(),
        message: message(1),
        person: person(who),
        emoji: emoji.into(),
        now: at(now),
    })
}

pub(crate) fn erased(now: i64) -> Event {
    event(CaseErased {
        case: case_id(),
        channel: channel(),
        reason: threadlore_model::EraseReason::Redacted,
        now: at(now),
    })
}

pub(crate) fn merged(now: i64, into: u128) -> Event {
    event(CaseMerged {
        case: case_id(),
        channel: channel(),
        into: CaseId::from_uuid(Uuid::from_u128(into)),
        similarity: 900,
        comparer: "terms-1".into(),
        now: at(now),
    })
}

pub(crate) fn split(now: i64) -> Event {
    event(CaseSplit {
        case: case_id(),
        channel: channel(),
        now: at(now),
    })
}

pub(crate) fn archived(now: i64) -> Event {
    event(CaseArchived {
        case: case_id(),
        channel: channel(),
        reason: threadlore_model::ArchiveReason::Expired,
        now: at(now),
    })
}
