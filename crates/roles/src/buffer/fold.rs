//! The state of `buffer`: what was read since the last window. An edit counts as a
//! message: what it changed is to be looked at again.

use threadlore_model::Body;

use crate::state::observe;
use crate::{BufferState, Input};

/// Counts what was read since the last window.
pub(crate) fn fold(state: &mut BufferState, input: &Input<'_>) {
    observe(state, input);
    if let Input::Record { event, offset, .. } = input {
        match &event.body {
            Body::MessagePosted(message) if message.bot => {}
            Body::MessagePosted(_) | Body::MessageEdited(_) | Body::ReactionAdded(_) => {
                state.pending = state.pending.saturating_add(1);
            }
            _ => {}
        }
        if !matches!(event.body, Body::HistoryEnded(_)) {
            state.records = state.records.saturating_add(1);
        }
        state.last = *offset;
    }
}

/// A window that was announced starts the count afresh.
pub(crate) fn fold_decided(state: &mut BufferState, body: &Body) {
    if matches!(body, Body::WindowReady(_)) {
        state.pending = 0;
        state.records = 0;
    }
}
