//! What follows from an outcome for the exchange that it is about, and from time that passes: where
//! it is kept, by the rules of `promotion`.

use threadlore_model::{
    Body, ChannelId, MemoryArchiveReason, MemoryArchived, MemoryId, MemoryScored, MemoryTier,
    Timestamp,
};

use super::fold::score_of;
use super::state::{KnownExchange, PromoterState, Standing};
use crate::promotion::{Place, place};
use crate::{Decided, Facts, WakeAt};

/// Exchanges of a channel that are told at most.
const OF_CHANNEL: usize = 1000;

/// What is said after an outcome of an exchange.
pub(super) fn after(state: &PromoterState, memory: MemoryId, facts: &Facts) -> Vec<Decided> {
    let Some(channel) = &facts.channel else {
        return Vec::new();
    };
    let Some(known) = state.exchanges.get(&memory) else {
        return Vec::new();
    };
    let mut events = said(known, channel, facts.now);
    let others = state.exchanges.values();
    let others = others.filter(|one| one.is_told() && one.memory != memory);
    if events.is_empty() || others.clone().count() < OF_CHANNEL {
        return events;
    }
    let least = others.min_by_key(|one| {
        let tier = one.said.map(|said| said.place.tier);
        (tier, score_of(one).points(), one.used_at, one.memory)
    });
    let full = MemoryArchiveReason::Full;
    events.extend(least.map(|one| archived(one.memory, full, facts.now)));
    events
}

/// What is said of exchanges whose time is over.
pub(super) fn due(state: &PromoterState, facts: &Facts) -> Vec<Decided> {
    let Some(channel) = &facts.channel else {
        return Vec::new();
    };
    let told = state.exchanges.values().filter(|one| one.is_told());
    let due = told.filter(|one| until(one).is_some_and(|until| until <= facts.now));
    due.flat_map(|one| said(one, channel, facts.now)).collect()
}

/// When the first exchange leaves its tier.
pub(super) fn wake(state: &PromoterState) -> WakeAt {
    let told = state.exchanges.values().filter(|one| one.is_told());
    WakeAt {
        channel: told.filter_map(until).min(),
        wall: None,
    }
}

fn until(known: &KnownExchange) -> Option<Timestamp> {
    known.said?.place.until
}

/// What is said of an exchange: nothing where it was said before.
fn said(known: &KnownExchange, channel: &ChannelId, now: Timestamp) -> Vec<Decided> {
    let Some((case, version)) = known.case else {
        return Vec::new();
    };
    let (score, used_at) = (score_of(known), known.used_at);
    let before = known.said;
    let from = before.map_or(MemoryTier::Working, |before| before.place.tier);
    let standing = Standing {
        score,
        used_at,
        place: place(from, score, (used_at, now)),
    };
    let Place { tier, until, gone } = standing.place;
    let comes_back = gone.is_none() && before.is_some_and(|before| before.place.gone.is_some());
    let is_new = comes_back || before.map(Standing::kept) != Some(standing.kept());
    let scored = is_new.then(|| {
        Body::from(MemoryScored {
            memory: known.memory,
            channel: channel.clone(),
            case,
            version,
            tier,
            score: score.points(),
            worked: score.worked,
            failed: score.failed,
            partial: score.partial,
            used_at,
            until,
            now,
        })
    });
    let goes = gone.filter(|_| is_new || before != Some(standing));
    let goes = goes.map(|reason| archived(known.memory, reason, now));
    scored.map(Decided::from).into_iter().chain(goes).collect()
}

fn archived(memory: MemoryId, reason: MemoryArchiveReason, now: Timestamp) -> Decided {
    let archived = MemoryArchived {
        memory,
        reason,
        by: None,
        now,
    };
    Body::from(archived).into()
}
