//! The state of `embedder`: texts whose vectors were not decided yet.
//!
//! Whether a case takes an event is not checked: of two that were decided on the same
//! version one is stale, and it takes the whole case to tell which. A text is wanted
//! for each, because a vector that is never searched does no harm, and one that is
//! missing does. For the same reason a case that leaves the live set keeps what is
//! wanted of it: that may be refused as stale, or undone.

use threadlore_model::{Body, CaseId, Cause, Event, Offset, VectorComputed};

use super::Input;
use super::call::{EmbedCall, WantedText};
use crate::EmbedderState;
use crate::state::observe;
use threadlore_fold::text_brought;

/// Keeps what is wanted.
pub(crate) fn fold(state: &mut EmbedderState, input: &Input<'_>) {
    observe(state, input);
    match input {
        Input::Record {
            at, offset, event, ..
        } => {
            if let Body::CaseErased(erased) = &event.body {
                drop_case(state, erased.case);
            }
            if let Some((case, text)) = text_brought(event) {
                let cause = Cause {
                    event: event.envelope.id,
                    at: *at,
                    offset: *offset,
                };
                let wanted = WantedText { cause, case, text };
                state.wanted.insert(*offset, wanted);
            }
        }
        Input::Answered {
            call: EmbedCall { texts },
            answer: Err(_),
        } => {
            for text in texts {
                state.wanted.remove(&text.cause.offset);
            }
        }
        _ => {}
    }
}

/// A vector that was decided is not wanted any more. Its id says of which event's text
/// it is, so a rebuilt state, which does not know which calls failed or were about an
/// erased case, never asks again for what the log has.
pub(crate) fn fold_decided(state: &mut EmbedderState, event: &Event) {
    let Body::VectorComputed(computed) = &event.body else {
        return;
    };
    let of = |wanted: &WantedText| VectorComputed::id(wanted.cause.event, &computed.model);
    let mut wanted = state.wanted.iter();
    let done =
        wanted.find(|(_, wanted)| wanted.case == computed.case && of(wanted) == event.envelope.id);
    if let Some((&offset, _)) = done {
        state.wanted.remove(&offset);
    }
}

fn drop_case(state: &mut EmbedderState, case: CaseId) {
    let wanted = state.wanted.iter();
    let gone: Vec<Offset> = wanted
        .filter(|(_, wanted)| wanted.case == case)
        .map(|(offset, _)| *offset)
        .collect();
    for offset in gone {
        state.wanted.remove(&offset);
    }
}
