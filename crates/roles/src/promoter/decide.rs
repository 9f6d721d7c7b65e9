//! What follows from a request about memories.
//!
//! | asked | known | follows |
//! |---|---|---|
//! | to remember | the same memory, or the same words | nothing |
//! | to remember | nearly the same words | it is stored, the older one is archived as `replaced` |
//! | to remember in the place of another one | that one | it is stored, the other one is archived as `replaced` |
//! | to remember | a home that is full | it is stored, the oldest one is archived as `full` |
//! | to erase | what was erased | nothing |
//! | to erase | anything else | it is erased, where nobody else said it |
//!
//! A request to erase counts also where its memory is not told any more.

use threadlore_language::retrieve::weighed;
use threadlore_model::{
    Body, MemoryArchiveReason, MemoryArchived, MemoryErased, MemoryErasureRequested, MemoryHome,
    MemoryId, MemoryRequested, MemoryStored, Private, Timestamp,
};

use super::exchange;
use super::state::{KnownMemory, PromoterState};
use crate::{Decided, Decision, Facts, Input};

/// Memories that a space is told of at most.
const BANK: usize = 1000;
/// Memories that a person is told of at most.
const OF_PERSON: usize = 100;
/// What is at least so similar says the same. Chosen.
const SAME: f32 = 0.8;

pub(super) fn decide(state: &PromoterState, input: &Input<'_>, facts: &Facts) -> Decision {
    let mut decision = Decision::default();
    let event = match input {
        Input::Record { event, .. } => event,
        Input::Wake { .. } => {
            decision.events = exchange::due(state, facts);
            return decision;
        }
        _ => return decision,
    };
    let (bodies, now) = match &event.body {
        Body::OutcomeRecorded(recorded) => {
            decision.events = exchange::after(state, recorded.memory, facts);
            return decision;
        }
        Body::MemoryRequested(asked) => (remembered(state, asked), asked.now),
        Body::MemoryErasureRequested(asked) => (erased(state, asked), asked.now),
        _ => return decision,
    };
    match bodies {
        Ok(bodies) => decision.events = bodies.into_iter().map(|body| at(now, body)).collect(),
        Err(reason) => decision.dropped = Some(reason),
    }
    decision
}

/// A home has no time but that of its requests.
fn at(now: Timestamp, body: Body) -> Decided {
    Decided {
        time: Some(now),
        ..body.into()
    }
}

fn remembered(state: &PromoterState, asked: &MemoryRequested) -> Result<Vec<Body>, &'static str> {
    let Some(text) = asked.text.text().filter(|text| !text.is_empty()) else {
        return Err("a memory that is erased");
    };
    let is_replaced = |known: &KnownMemory| asked.replaces == Some(known.memory);
    let is_known = |known: &KnownMemory| {
        known.memory == asked.memory || (known.text == text && !is_replaced(known))
    };
    if state.memories().values().any(is_known) {
        return Err("a memory that is known");
    }
    let own = weighed(text);
    let told = state.memories().values();
    let (same, other): (Vec<_>, Vec<_>) =
        told.partition(|known| is_replaced(known) || state.similarity(known, &own) >= SAME);
    let mut bodies = vec![
        MemoryStored {
            memory: asked.memory,
            home: asked.home,
            channel: asked.channel.clone(),
            person: asked.person,
            message: asked.message,
            text: Private::open(text),
            always: asked.always,
            now: asked.now,
        }
        .into(),
    ];
    let archived = |memory: MemoryId, reason| {
        Body::from(MemoryArchived {
            memory,
            reason,
            by: Some(asked.memory),
            now: asked.now,
        })
    };
    let replaced = same.iter().map(|known| known.memory);
    bodies.extend(replaced.map(|memory| archived(memory, MemoryArchiveReason::Replaced)));
    let most = match asked.home {
        MemoryHome::Bank => BANK,
        MemoryHome::Person => OF_PERSON,
    };
    if other.len() >= most {
        let oldest = other
            .iter()
            .min_by_key(|known| (known.said_at, known.memory));
        let oldest = oldest.map(|known| archived(known.memory, MemoryArchiveReason::Full));
        bodies.extend(oldest);
    }
    Ok(bodies)
}

fn erased(
    state: &PromoterState,
    asked: &MemoryErasureRequested,
) -> Result<Vec<Body>, &'static str> {
    let erased = |memory| {
        Body::from(MemoryErased {
            memory,
            now: asked.now,
        })
    };
    match asked.memory {
        Some(memory) if state.erased.contains(&memory) => Err("a memory that is erased"),
        Some(memory) => match state.memories().get(&memory) {
            Some(known) if known.person != asked.person => Err("a memory of somebody else"),
            _ => Ok(vec![erased(memory)]),
        },
        None => {
            let all = state.memories().values();
            let theirs = all.filter(|known| known.person == asked.person);
            Ok(theirs.map(|known| erased(known.memory)).collect())
        }
    }
}
