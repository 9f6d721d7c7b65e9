//! `extractor`: asks an engine for the cases in a window and turns its answer
//! into case events; decides confirmation and withdrawal by reactions, merges,
//! erasure and expiry. It owns the cases: nothing else changes them, and what it
//! decides counts at once.
//!
//! Records are taken in one order, whatever the speed of the topics they come from
//! ([`RecordQueue`](crate::RecordQueue)). What is decided about imported
//! history is therefore a function of that history alone.

use threadlore_model::{
    ArchiveReason, Body, Case, CaseArchived, Event, EventId, Evidence, Offset, Private, Timestamp,
    Topic,
};

use super::call::{ExtractAnswer, ExtractCall};
use super::{Decision, Input, answer, confirm, merge, request, window};
use crate::promotion::expires_at;
use crate::{
    ChannelChange, Decided, ExtractorParams, ExtractorState, Facts, Flow, QueuedRecord, Refusal,
    WakeAt,
};

/// Why an answer was not used.
const OUT_OF_RANGE: &str = "the engine's answer names a line outside its window";

/// What follows from an input: events, or an extraction to ask for. An answer that
/// points outside its window leads to no event.
///
/// # Errors
/// None: nothing that an extractor reads comes from outside unchecked.
pub(super) fn decide(
    state: &ExtractorState,
    input: &Input<'_>,
    facts: &Facts,
    params: &ExtractorParams,
) -> Result<Decision, Refusal> {
    let mut decision = Decision::default();
    let now = time_of(input, facts);
    let facts = &Facts {
        now,
        ..facts.clone()
    };
    match input {
        Input::Queued { record, .. } => match record.change {
            ChannelChange::WindowReady(up_to) => {
                decision
                    .calls
                    .extend(look(state, record, up_to, facts, params));
            }
            ChannelChange::Corrected(_)
            | ChannelChange::Erased(_)
            | ChannelChange::Archived(_)
            | ChannelChange::Merged { .. } => {
                decision = request::decide(state, &record.change, facts);
            }
            ref change => decision.events = confirm::by_change(state, change, facts),
        },
        Input::Decided(event) => decision.events = follow_ups(state, event, facts, params),
        Input::Wake { .. } | Input::Resume => decision.events = expired(state, facts, params),
        Input::Answered {
            call: ExtractCall { window, .. },
            answer: Ok(ExtractAnswer { engine, extraction }),
        } => match answer::decide(state, (window, engine, extraction), facts) {
            Some(events) => decision.events = events,
            None => decision.dropped = Some(OUT_OF_RANGE),
        },
        Input::Record { .. } | Input::Answered { .. } => {}
    }
    for decided in &mut decision.events {
        decided.time = Some(now);
    }
    Ok(decision)
}

/// When an open case expires.
#[must_use]
pub(super) fn wake(state: &ExtractorState, params: &ExtractorParams) -> WakeAt {
    let cases = state.cases.values();
    WakeAt {
        channel: cases
            .filter_map(|case| expires_at(case, params.open_case_age))
            .min(),
        wall: None,
    }
}

/// What is found in a window is dated by the time at which it was asked for, and what
/// follows from a decision by that decision: how long an answer takes does not matter.
fn time_of(input: &Input<'_>, facts: &Facts) -> Timestamp {
    match input {
        Input::Decided(event) => event.envelope.time,
        Input::Answered { call, .. } => call.now,
        _ => facts.now,
    }
}

fn look(
    state: &ExtractorState,
    record: &QueuedRecord,
    up_to: Offset,
    facts: &Facts,
    params: &ExtractorParams,
) -> Option<(threadlore_model::Cause, ExtractCall)> {
    let window = window::of(state, facts.channel.clone()?, up_to, params);
    let call = ExtractCall {
        up_to,
        now: facts.now,
        window,
    };
    Some((record.cause.clone(), call))
}

/// What follows from an event that was just decided.
fn follow_ups(
    state: &ExtractorState,
    event: &Event,
    facts: &Facts,
    params: &ExtractorParams,
) -> Vec<Decided> {
    let mut events = confirm::by_decision(state, event, facts);
    // A case that is solved now is compared once it is.
    if !events.iter().any(|d| matches!(d.body, Body::CaseSolved(_))) {
        events.extend(merge::by_decision(state, event, facts, params));
    }
    events
}

/// Archives what is due.
fn expired(state: &ExtractorState, facts: &Facts, params: &ExtractorParams) -> Vec<Decided> {
    let due =
        |case: &&Case| expires_at(case, params.open_case_age).is_some_and(|at| at <= facts.now);
    let archived = |case: &Case| Decided {
        id: Some(expiry_id(case, facts)),
        time: None,
        body: CaseArchived {
            case: case.case,
            channel: case.channel.clone(),
            reason: ArchiveReason::Expired,
            now: facts.now,
        }
        .into(),
    };
    state.cases.values().filter(due).map(archived).collect()
}

/// The id of an expiry. Not by its place in the decision: a late answer opens cases with the time of
/// its request, so a timer may be due at one time twice, for other cases.
fn expiry_id(case: &Case, facts: &Facts) -> EventId {
    let (cause, id) = (facts.cause.event.to_string(), case.case.to_string());
    let version = case.version.to_string();
    EventId::of_content("expiry", &[facts.group.as_str(), &cause, &id, &version])
}

/// What is not to be read while this channel has too much waiting, and what it
/// waits for itself. A window that can be taken makes room without anything else.
#[must_use]
pub(super) fn flow(state: &ExtractorState, params: &ExtractorParams) -> Flow {
    let waiting = waiting_lines(state);
    // Never while the next window itself waits for messages that were not read yet.
    let is_full = !state.queue.wants_events() && waiting > params.backlog;
    let lines = is_full.then_some(Topic::ChatEvents);
    let windows = (state.queue.waiting_windows() > params.backlog).then_some(Topic::ChatTurns);
    let needs = match state.queue.waiting_windows() {
        0 => lines.map(|_| Topic::ChatTurns),
        _ => state.queue.wants_events().then_some(Topic::ChatEvents),
    };
    Flow {
        full: lines.into_iter().chain(windows).collect(),
        waiting: waiting + state.queue.waiting_windows(),
        needs,
    }
}

/// Lines of people for which no extraction was asked yet, and records in the queue. Lines of bots
/// do not count: no extraction is announced for them.
fn waiting_lines(state: &ExtractorState) -> usize {
    let lines = state.lines().rev();
    let lines = lines
        .take_while(|l| Some(l.offset) > state.looked)
        .filter(|l| !l.line.bot);
    lines.count() + state.queue.waiting_events()
}

/// Whether the case has no solution and may get one. A reaction may have confirmed it
/// before its solution was found.
pub(super) fn waits(case: &Case) -> bool {
    case.signal.is_none() && case.archived_at.is_none()
}

/// A text of a known case, for another event about it.
pub(super) fn private(text: Option<&str>) -> Private {
    text.map_or(Private::Erased, Private::open)
}

pub(super) fn evidence_of(body: &Body) -> &[Evidence] {
    match body {
        Body::CaseOpened(c) => &c.evidence,
        Body::CaseSuggested(c) => &c.evidence,
        Body::CaseSolved(c) => &c.evidence,
        _ => &[],
    }
}
