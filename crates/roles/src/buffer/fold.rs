//! The state of `buffer`: what was read since the last window. An edit counts as a
//! message: what it changed is to be examined again. A request changes nothing until it is
//! decided on, so that it does not matter when it is read.

use threadlore_language::{is_positive_emoji, resolution};
use threadlore_model::{Body, ChannelClock, Event, MessagePosted, Offset, Timestamp, Topic};

use super::state::OpenTurn;
use crate::state::observe;
use crate::{BufferParams, BufferState, Input};

/// Requests remembered per channel.
pub(super) const REQUESTS_MAX: usize = 1000;

/// Messages of one turn at most; the next one begins another.
pub(super) const TURN_MAX: usize = 50;

/// Counts what was read since the last window, and gathers the turns of people.
pub(crate) fn fold(state: &mut BufferState, input: &Input<'_>, params: &BufferParams) {
    if let Input::Record { at, .. } = input
        && at.topic == Topic::KnowledgeRequests
    {
        return;
    }
    observe(state, input);
    if let Input::Record {
        event,
        offset,
        arrived,
        ..
    } = input
    {
        if let Body::MessagePosted(message) = &event.body {
            gather(state, message, *offset, *arrived, params);
        }
        match &event.body {
            Body::MessagePosted(message) if message.bot => {}
            Body::MessagePosted(_) | Body::MessageEdited(_) | Body::ReactionAdded(_) => {
                state.pending = state.pending.saturating_add(1);
            }
            _ => {}
        }
        if state.resolved.is_none() {
            state.resolved = sign(&event.body, *arrived);
        }
        if !matches!(event.body, Body::HistoryEnded(_)) {
            state.records = state.records.saturating_add(1);
        }
        state.last = *offset;
    }
}

/// When somebody said or showed, in a live channel, that something works.
fn sign(body: &Body, arrived: Timestamp) -> Option<Timestamp> {
    let (at, is_sign) = match body {
        Body::MessagePosted(message) if !message.bot => {
            let text = message.text.text();
            (
                message.sent_at,
                text.is_some_and(|text| resolution(text).is_some()),
            )
        }
        Body::ReactionAdded(reaction) => (reaction.at, is_positive_emoji(&reaction.emoji)),
        _ => return None,
    };
    let is_live = ChannelClock::is_live_event(at, arrived);
    (is_sign && is_live).then(|| ChannelClock::clamp(at, arrived))
}

/// Adds a message to its writer's turn. What arrives long after it was sent begins none.
fn gather(
    state: &mut BufferState,
    message: &MessagePosted,
    offset: Offset,
    arrived: Timestamp,
    params: &BufferParams,
) {
    if message.bot || !ChannelClock::is_live_event(message.sent_at, arrived) {
        return;
    }
    let at = ChannelClock::clamp(message.sent_at, arrived);
    let mut open = state.turns.iter_mut().rev();
    let turn = open.find(|turn| turn.person == message.person);
    match turn {
        Some(turn) if at < turn.at.plus(params.turn_gap) && turn.messages.len() < TURN_MAX => {
            turn.messages.push(message.message);
            turn.last = offset;
            turn.at = turn.at.max(at);
            turn.asks_bot = asks_bot(message);
        }
        _ => state.turns.push(OpenTurn {
            person: message.person,
            messages: vec![message.message],
            last: offset,
            at,
            asks_bot: asks_bot(message),
        }),
    }
}

/// Whether a message is to the bot, as the platform says, and ends with a question mark.
fn asks_bot(message: &MessagePosted) -> bool {
    let text = message.text.text().unwrap_or_default().trim_end();
    message.to_bot && text.ends_with(['?', '？', '؟'])
}

/// A window that was announced starts the count afresh, unless a request asked for it: then what
/// was read since the last one still waits for its own.
pub(crate) fn fold_decided(state: &mut BufferState, event: &Event) {
    if let Body::TurnClosed(closed) = &event.body {
        // A rebuilt state may have a later message in the same turn.
        for turn in &mut state.turns {
            turn.messages
                .retain(|message| !closed.messages.contains(message));
        }
        state.turns.retain(|turn| !turn.messages.is_empty());
        return;
    }
    let cause = event.envelope.cause.as_ref();
    if let Some(request) = cause.filter(|cause| cause.at.topic == Topic::KnowledgeRequests) {
        if state.requests.len() >= REQUESTS_MAX {
            state.requests.pop_front();
        }
        state.requests.push_back(request.event);
    } else if matches!(event.body, Body::WindowReady(_)) {
        state.pending = 0;
        state.records = 0;
        state.resolved = None;
    }
}
