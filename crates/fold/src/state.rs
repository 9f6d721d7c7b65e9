//! Folding inputs and own decisions into the private state of processors.
//!
//! Inputs of different topics commute per key: whatever the order in which a
//! shard reads its topics, the state ends up the same. A message that arrives
//! after the case it belongs to does not enter the window again.

use threadlore_model::{
    Body, BufferState, Case, CaseId, Cause, Confirmation, EffectRequest, ExtractorParams,
    ExtractorState, Input, IntakeState, KeyState, Line, MessageId, MessagePosted, Offset, Private,
    PromoterState, Status, Timestamp, WindowLine,
};

use crate::case::fold_case;

/// Moves the channel's clock on; the first step for every input and role.
pub fn observe<S: KeyState>(state: &mut S, input: &Input<'_>) {
    if let Input::Record { arrived, event, .. } = input {
        state.clock_mut().observe(event.envelope.time, *arrived);
    }
}

/// `intake` keeps the clock only.
pub fn intake(state: &mut IntakeState, input: &Input<'_>) {
    observe(state, input);
}

/// Counts what came since the last window.
pub fn buffer(state: &mut BufferState, input: &Input<'_>) {
    observe(state, input);
    if let Input::Record { event, offset, .. } = input {
        match &event.body {
            Body::MessagePosted(message) if !message.bot => state.pending += 1,
            Body::ReactionAdded(_) => state.pending += 1,
            _ => {}
        }
        state.last = *offset;
    }
}

/// A window that was announced starts the count afresh.
pub fn buffer_decided(state: &mut BufferState, body: &Body) {
    if matches!(body, Body::WindowReady(_)) {
        state.pending = 0;
    }
}

/// Keeps the window, the known cases and what is to be looked at.
pub fn extractor(state: &mut ExtractorState, input: &Input<'_>, params: &ExtractorParams) {
    observe(state, input);
    match input {
        Input::Record {
            at,
            offset,
            event,
            decided,
            ..
        } => {
            match &event.body {
                Body::WindowReady(ready) if *decided => looked(state, ready.up_to, params),
                Body::WindowReady(ready) => {
                    let cause = Cause {
                        event: event.envelope.id,
                        at: *at,
                        offset: *offset,
                    };
                    state.awaiting.insert(ready.up_to, cause);
                }
                body => message(state, *offset, body),
            }
            known_case(state, event, params);
        }
        Input::Outcome {
            request: EffectRequest::Extract { up_to, .. },
            ..
        } => {
            looked(state, *up_to, params);
        }
        Input::Wake { .. } | Input::Resume => {}
    }
}

/// Evidence of a case that was decided and not yet read back is not to be found
/// again. In a recovery the event may have been read back before.
pub fn extractor_decided(state: &mut ExtractorState, body: &Body) {
    let (case, expected_version, evidence) = match body {
        Body::CaseOpened(opened) => (opened.case, None, &opened.evidence),
        Body::CaseSolved(solved) => (solved.case, solved.expected_version, &solved.evidence),
        _ => return,
    };
    if state.cases.get(&case).map(|known| known.version) == expected_version {
        state.claimed.extend(evidence.iter().map(|e| e.message));
    }
}

fn message(state: &mut ExtractorState, offset: Offset, body: &Body) {
    match body {
        Body::MessagePosted(posted) if !in_closed_case(state, posted.message) => {
            let line = line_of(posted);
            let place = state.window.partition_point(|l| l.offset < offset);
            if state.window.get(place).is_none_or(|l| l.offset != offset) {
                state.window.insert(place, WindowLine { offset, line });
            }
        }
        Body::MessageEdited(edit) => {
            if let Some(line) = line_mut(state, edit.message) {
                line.text = edit.text.text().unwrap_or_default().to_owned();
            }
        }
        Body::MessageRedacted(redaction) => {
            state.window.retain(|l| l.line.message != redaction.message);
        }
        Body::ReactionAdded(r) => {
            state.reactions.insert(Confirmation {
                message: r.message,
                person: r.person,
                emoji: r.emoji.clone(),
            });
        }
        Body::ReactionRemoved(r) => {
            state.reactions.remove(&Confirmation {
                message: r.message,
                person: r.person,
                emoji: r.emoji.clone(),
            });
        }
        _ => return,
    }
    state.seen = state.seen.max(Some(offset));
}

fn line_of(posted: &MessagePosted) -> Line {
    let text = |field: &Private| field.text().unwrap_or_default().to_owned();
    Line {
        message: posted.message,
        person: posted.person,
        name: posted
            .author_name
            .as_ref()
            .and_then(Private::text)
            .map(str::to_owned),
        text: text(&posted.text),
        at: posted.sent_at,
        reply_to: posted.reply_to,
        mentions: posted.mentions.clone(),
        bot: posted.bot,
        positive: 0,
    }
}

fn line_mut(state: &mut ExtractorState, message: MessageId) -> Option<&mut Line> {
    state
        .window
        .iter_mut()
        .map(|l| &mut l.line)
        .find(|l| l.message == message)
}

fn in_closed_case(state: &ExtractorState, message: MessageId) -> bool {
    state
        .cases
        .values()
        .any(|c| c.status() != Status::Open && c.evidence.iter().any(|e| e.message == message))
}

fn known_case(
    state: &mut ExtractorState,
    event: &threadlore_model::Event,
    params: &ExtractorParams,
) {
    let Some(id) = case_of(&event.body) else {
        return;
    };
    let mut case = state.cases.remove(&id);
    let _outcome = fold_case(&mut case, event);
    if let Some(case) = case {
        for evidence in &case.evidence {
            state.claimed.remove(&evidence.message);
        }
        if case.status() != Status::Open {
            state
                .window
                .retain(|l| !case.evidence.iter().any(|e| e.message == l.line.message));
        }
        state.cases.insert(id, case);
    }
    forget_cases(state, params.known_cases);
}

/// Drops the cases changed longest ago, closed ones first.
fn forget_cases(state: &mut ExtractorState, keep: usize) {
    while state.cases.len() > keep {
        let oldest = state
            .cases
            .values()
            .min_by_key(|c| (c.status() == Status::Open, c.changed_at, c.case))
            .map(|c| c.case);
        if let Some(id) = oldest {
            state.cases.remove(&id);
        }
    }
}

fn looked(state: &mut ExtractorState, up_to: Offset, params: &ExtractorParams) {
    state.awaiting.retain(|covered, _| *covered > up_to);
    state.looked = state.looked.max(Some(up_to));
    let newest = state.clock.now(Timestamp::EARLIEST);
    let oldest = newest.minus(params.window_age);
    let done = state
        .window
        .partition_point(|l| Some(l.offset) <= state.looked);
    let over = state
        .window
        .len()
        .saturating_sub(params.window_messages)
        .min(done);
    let mut index = 0;
    state.window.retain(|l| {
        let leaves = index < over || (index < done && l.line.at < oldest);
        index += 1;
        !leaves
    });
    let mut claimed = std::mem::take(&mut state.claimed);
    claimed.retain(|message| state.window.iter().any(|l| l.line.message == *message));
    state.claimed = claimed;
    prune_reactions(state);
}

fn prune_reactions(state: &mut ExtractorState) {
    let mut reactions = std::mem::take(&mut state.reactions);
    reactions.retain(|r| {
        state.claimed.contains(&r.message)
            || state.window.iter().any(|l| l.line.message == r.message)
            || state
                .cases
                .values()
                .any(|c| c.evidence.iter().any(|e| e.message == r.message))
    });
    state.reactions = reactions;
}

/// Follows the channel's cases as far as they may still expire.
pub fn promoter(state: &mut PromoterState, input: &Input<'_>) {
    observe(state, input);
    let Input::Record { event, .. } = input else {
        return;
    };
    let Some(id) = case_of(&event.body) else {
        return;
    };
    if matches!(event.body, Body::CaseArchived(_)) {
        state.deciding.remove(&id);
    }
    let mut case = state.watched.remove(&id);
    let _outcome = fold_case(&mut case, event);
    match case.filter(may_expire) {
        Some(case) => {
            state.watched.insert(id, case);
        }
        None => {
            state.deciding.remove(&id);
        }
    }
}

/// An expiry that was decided is not decided again before it is read back.
pub fn promoter_decided(state: &mut PromoterState, body: &Body) {
    if let Body::CaseArchived(archived) = body {
        state
            .deciding
            .insert(archived.case, archived.expected_version);
    }
}

fn may_expire(case: &Case) -> bool {
    case.signal.is_none() && case.archived_at.is_none()
}

fn case_of(body: &Body) -> Option<CaseId> {
    Some(match body {
        Body::CaseOpened(e) => e.case,
        Body::CaseSolved(e) => e.case,
        Body::CaseConfirmed(e) => e.case,
        Body::ConfirmationWithdrawn(e) => e.case,
        Body::CaseArchived(e) => e.case,
        _ => return None,
    })
}
