//! The state of `promoter`: what outcomes make of it, and its own events.

use std::collections::VecDeque;

use threadlore_model::{
    AnswerId, AnswerOutcome, Body, Event, MemoryArchived, MemoryId, MemoryScored, OutcomeRecorded,
    Timestamp,
};

use super::Input;
use super::state::{KnownExchange, KnownMemory, PromoterState, Standing};
use crate::promotion::{ExchangeScore, Place};
use crate::state::observe;

/// Memories at most that are known to be erased.
const ERASED: usize = 1000;
/// Exchanges of a channel at most, those that are told no more among them.
const EXCHANGES: usize = 2000;
/// Answers of an exchange at most that may still turn out otherwise.
const ANSWERS: usize = 100;

/// Takes an outcome in. A request changes nothing before it is decided.
pub(super) fn fold(state: &mut PromoterState, input: &Input<'_>) {
    let Input::Record { event, .. } = input else {
        return;
    };
    let Body::OutcomeRecorded(recorded) = &event.body else {
        return;
    };
    observe(state, input);
    let OutcomeRecorded {
        answer,
        case,
        version,
        memory,
        outcome,
        given_at,
        ..
    } = recorded;
    let mut known = exchange(state, *memory);
    known.case = Some((*case, *version));
    known.used_at = known.used_at.max(*given_at);
    match known.answers.iter_mut().find(|(of, _)| of == answer) {
        Some((_, last)) => *last = *outcome,
        None => known.answers.push_back((*answer, *outcome)),
    }
    while known.answers.len() > ANSWERS {
        known.before = score(&known.before, known.answers.pop_front().as_slice());
    }
    state.exchanges.insert(*memory, known);
    bound(state);
}

/// What the answers of an exchange were worth.
pub(super) fn score_of(known: &KnownExchange) -> ExchangeScore {
    let (first, last) = known.answers.as_slices();
    score(&score(&known.before, first), last)
}

fn score(before: &ExchangeScore, answers: &[(AnswerId, AnswerOutcome)]) -> ExchangeScore {
    let mut score = *before;
    for (_, outcome) in answers {
        match outcome {
            AnswerOutcome::Worked => score.worked += 1,
            AnswerOutcome::Failed => score.failed += 1,
            AnswerOutcome::Partial => score.partial += 1,
            AnswerOutcome::Unknown => {}
        }
    }
    score
}

/// A known exchange, or one of which nothing is known yet.
fn exchange(state: &PromoterState, memory: MemoryId) -> KnownExchange {
    let known = state.exchanges.get(&memory).cloned();
    known.unwrap_or_else(|| KnownExchange {
        memory,
        case: None,
        answers: VecDeque::new(),
        before: ExchangeScore::default(),
        used_at: Timestamp::EARLIEST,
        said: None,
    })
}

/// Of too many, those leave that are told no more, the oldest first.
fn bound(state: &mut PromoterState) {
    while state.exchanges.len() > EXCHANGES {
        let exchanges = state.exchanges.values();
        let oldest = exchanges.min_by_key(|one| (one.is_told(), one.used_at, one.memory));
        let Some(oldest) = oldest.map(|one| one.memory) else {
            return;
        };
        state.exchanges.remove(&oldest);
    }
}

/// Takes a decision of its own in.
pub(super) fn fold_decided(state: &mut PromoterState, event: &Event) {
    match &event.body {
        Body::MemoryStored(stored) => {
            // What was erased meanwhile is not told any more.
            let Some(text) = stored.text.text() else {
                return;
            };
            let known = KnownMemory {
                memory: stored.memory,
                person: stored.person,
                text: text.to_owned(),
                said_at: stored.now,
            };
            state.tell(known);
        }
        Body::MemoryScored(scored) => {
            let MemoryScored {
                memory,
                channel: _,
                case: _,
                version: _,
                tier,
                score: _,
                worked,
                failed,
                partial,
                used_at,
                until,
                now: _,
            } = scored;
            let mut known = exchange(state, *memory);
            let score = ExchangeScore {
                worked: *worked,
                failed: *failed,
                partial: *partial,
            };
            let place = Place {
                tier: *tier,
                until: *until,
                gone: None,
            };
            known.said = Some(Standing {
                score,
                used_at: *used_at,
                place,
            });
            state.exchanges.insert(*memory, known);
        }
        Body::MemoryArchived(MemoryArchived { memory, reason, .. }) => {
            state.tell_no_more(*memory);
            let Some(mut known) = state.exchanges.get(memory).cloned() else {
                return;
            };
            if let Some(said) = &mut known.said {
                said.place.gone = Some(*reason);
            }
            state.exchanges.insert(*memory, known);
        }
        Body::MemoryErased(erased) => {
            state.tell_no_more(erased.memory);
            state.erased.push_back(erased.memory);
            let more = state.erased.len().saturating_sub(ERASED);
            state.erased.drain(..more);
        }
        _ => {}
    }
}
