//! The state of `buffer`: what was read since the last window. An edit counts as a
//! message: what it changed is to be examined again. A request changes nothing until it is
//! decided on, so that it does not matter when it is read.

use threadlore_model::{Body, Event, Topic};

use crate::state::observe;
use crate::{BufferState, Input};

/// Requests remembered per channel.
pub(super) const REQUESTS_MAX: usize = 1000;

/// Counts what was read since the last window.
pub(crate) fn fold(state: &mut BufferState, input: &Input<'_>) {
    if let Input::Record { at, .. } = input
        && at.topic == Topic::KnowledgeRequests
    {
        return;
    }
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

/// A window that was announced starts the count afresh, unless a request asked for it: then what
/// was read since the last one still waits for its own.
pub(crate) fn fold_decided(state: &mut BufferState, event: &Event) {
    let cause = event.envelope.cause.as_ref();
    if let Some(request) = cause.filter(|cause| cause.at.topic == Topic::KnowledgeRequests) {
        if state.requests.len() >= REQUESTS_MAX {
            state.requests.pop_front();
        }
        state.requests.push_back(request.event);
    } else if matches!(event.body, Body::WindowReady(_)) {
        state.pending = 0;
        state.records = 0;
    }
}
