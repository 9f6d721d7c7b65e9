//! The state of `learner`: answers, and what people say of them.

use std::time::Duration;

use threadlore_model::{
    AnswerComposed, AnswerId, Body, EventId, MemoryId, Offset, WithdrawalReason,
};

use super::decide::worth;
use super::state::{KnownAnswer, LearnerState, Verdict};
use crate::Input;
use crate::state::observe;

/// How long after an answer was given something may be said of it.
const REMEMBERED: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// Answers of a channel that are remembered at most.
const ANSWERS: usize = 10_000;

/// Takes a record of `answers` in.
pub(crate) fn fold(state: &mut LearnerState, input: &Input<'_>) {
    let Input::Record { offset, event, .. } = input else {
        return;
    };
    observe(state, input);
    let id = event.envelope.id;
    match &event.body {
        Body::AnswerComposed(composed) => given(state, composed, *offset),
        Body::AnswerRated(rated) => change(state, (rated.answer, id), |known| {
            match rated.rating {
                Some(rating) => {
                    let (message, offset) = (rated.message, *offset);
                    let verdict = Verdict {
                        rating,
                        message,
                        offset,
                    };
                    known.said.insert(rated.person, verdict);
                }
                None => {
                    known.said.remove(&rated.person);
                }
            };
        }),
        Body::TurnConsidered(turn) => {
            if let (Some(answer), Some(message)) = (turn.asks_again, turn.messages.last()) {
                let asked = (*offset, *message);
                change(state, (answer, id), |known| known.asked_again = Some(asked));
            }
        }
        Body::AnswerWithdrawn(withdrawn) => change(state, (withdrawn.answer, id), |known| {
            known.is_corrected |= withdrawn.reason == WithdrawalReason::CaseCorrected;
        }),
        _ => {}
    }
}

/// An answer with the words of a case is remembered. What only points at one has no evidence.
fn given(state: &mut LearnerState, composed: &AnswerComposed, offset: Offset) {
    let first = composed.cited.first();
    let first = first.filter(|first| !first.evidence.is_empty());
    let (Some(case), Some(first)) = (composed.case, first) else {
        return;
    };
    if state.answer(composed.answer).is_some() {
        return;
    }
    let known = KnownAnswer {
        offset,
        answer: composed.answer,
        turn: composed.turn,
        asker: composed.person,
        case,
        version: first.version,
        memory: composed
            .precedent
            .unwrap_or_else(|| MemoryId::of_exchange(composed.answer)),
        authors: first.authors.clone(),
        given_at: composed.now,
        said: std::collections::BTreeMap::new(),
        asked_again: None,
        is_corrected: false,
        changed_by: None,
    };
    state.answers.insert(offset, known);
    let oldest = composed.now.minus(REMEMBERED);
    while let Some((first, known)) = state.answers.first_key_value() {
        if state.answers.len() <= ANSWERS && known.given_at >= oldest {
            break;
        }
        let first = *first;
        state.answers.remove(&first);
    }
}

/// Changes what is said of an answer, and notes whether that changes what it is worth.
fn change(
    state: &mut LearnerState,
    (answer, because): (AnswerId, EventId),
    apply: impl FnOnce(&mut KnownAnswer),
) {
    let Some(mut known) = state.answer(answer).cloned() else {
        return;
    };
    let before = worth(&known);
    apply(&mut known);
    if worth(&known) != before {
        known.changed_by = Some(because);
    }
    state.answers.insert(known.offset, known);
}
