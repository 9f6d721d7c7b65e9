//! The state of `extractor`: the window, the known cases, and what is to be
//! looked at.
//!
//! What a case makes of its lines (its evidence is not shown again once it is
//! solved) is left to the rules: the window itself changes by `chat.events` and
//! by looks only.

use std::collections::HashSet;

use threadlore_model::{
    Body, Case, Cause, ChannelClock, Confirmation, EffectRequest, Event, ExtractorParams,
    ExtractorState, Input, Line, MessageId, MessagePosted, Offset, Private, Role, Timestamp, Topic,
    WindowLine,
};

use super::observe;
use crate::case::{Folded, fold_case};
use crate::text::clean_emoji;

/// Reactions kept per channel at most. Each look drops those that no line and no
/// case needs; a flood between two looks is cut here.
pub(super) const REACTIONS_MAX: usize = 10_000;

/// Redactions remembered per channel: far more than come in while a decision is on
/// its way to the log and back.
const REDACTED_MAX: usize = 1000;

/// Keeps the window, the known cases and what is to be looked at.
pub fn extractor(state: &mut ExtractorState, input: &Input<'_>, params: &ExtractorParams) {
    observe(state, input);
    match input {
        Input::Record {
            at,
            offset,
            arrived,
            event,
            decided,
        } => {
            match &event.body {
                Body::WindowReady(ready) if *decided => looked(state, ready.up_to, params),
                // A look that failed left its window looked at; a redrive asks for it again.
                Body::WindowReady(ready)
                    if Some(ready.up_to) > state.looked || event.envelope.redrives().is_some() =>
                {
                    let cause = Cause {
                        event: event.envelope.id,
                        at: *at,
                        offset: *offset,
                    };
                    state.awaiting.entry(ready.up_to).or_insert(cause);
                }
                body => message(state, body, (*offset, *arrived), params),
            }
            // Whatever stands there: a window may be announced up to any record.
            if at.topic == Topic::ChatEvents {
                state.seen = state.seen.max(Some(*offset));
            }
            known_case(state, event, params);
        }
        Input::Outcome {
            request: EffectRequest::Extract { up_to, .. },
            ..
        } => looked(state, *up_to, params),
        Input::Outcome { .. } | Input::Wake { .. } | Input::Resume => {}
    }
}

/// What was decided about a case counts at once, so that the next look knows of it.
/// In a recovery the event may have been read back before, and even forgotten.
pub fn extractor_decided(state: &mut ExtractorState, event: &Event) {
    if own_sequence(event).is_some_and(|sequence| sequence <= state.read_back) {
        return;
    }
    let Some(id) = event.body.case().filter(|_| counts_at_once(&event.body)) else {
        return;
    };
    let known = state.cases.get(&id).cloned();
    let version = known.as_ref().map(|case| case.version);
    let expected = match &event.body {
        Body::CaseOpened(_) => None,
        Body::CaseSolved(solved) => solved.expected_version,
        _ if version.is_none() => return,
        _ => version,
    };
    if version != expected {
        return;
    }
    let mut case = known.clone();
    let _outcome = fold_case(&mut case, event);
    state.logged.entry(id).or_insert(known);
    if let Some(case) = case {
        state.cases.insert(id, case);
    }
}

fn message(
    state: &mut ExtractorState,
    body: &Body,
    (offset, arrived): (Offset, Timestamp),
    params: &ExtractorParams,
) {
    match body {
        Body::MessagePosted(posted) => {
            if state
                .window
                .iter()
                .any(|l| l.line.message == posted.message)
            {
                return;
            }
            let place = state.window.partition_point(|l| l.offset < offset);
            let line = WindowLine {
                offset,
                revision: 0,
                reworded: None,
                line: line_of(posted, arrived),
            };
            state.window.insert(place, line);
            match state.looked {
                // While a lost state is rebuilt, lines arrive after their look.
                Some(looked) if offset <= looked => keep_covered(state, looked, params),
                _ if posted.bot => bound_bots(state, params),
                _ => {}
            }
        }
        Body::MessageEdited(edit) => {
            let mut lines = state.window.iter_mut();
            if let Some(l) = lines.find(|l| l.line.message == edit.message)
                && edit.revision > l.revision
            {
                l.revision = edit.revision;
                let text = edit.text.text().unwrap_or_default();
                if l.line.text != text {
                    l.reworded = Some(edit.revision);
                    text.clone_into(&mut l.line.text);
                }
            }
        }
        Body::MessageRedacted(redaction) => {
            state.window.retain(|l| l.line.message != redaction.message);
            if state.redacted.len() >= REDACTED_MAX {
                state.redacted.pop_front();
            }
            state.redacted.push_back(redaction.message);
        }
        Body::ReactionAdded(r) => {
            if state.reactions.len() >= REACTIONS_MAX {
                prune_reactions(state);
            }
            if state.reactions.len() < REACTIONS_MAX {
                state.reactions.insert(Confirmation {
                    message: r.message,
                    person: r.person,
                    emoji: clean_emoji(&r.emoji),
                });
            }
        }
        Body::ReactionRemoved(r) => {
            state.reactions.remove(&Confirmation {
                message: r.message,
                person: r.person,
                emoji: clean_emoji(&r.emoji),
            });
        }
        _ => {}
    }
}

fn line_of(posted: &MessagePosted, arrived: Timestamp) -> Line {
    let text = |field: &Private| field.text().unwrap_or_default().to_owned();
    Line {
        message: posted.message,
        person: posted.person,
        name: posted.author_name.as_ref().map(text),
        text: text(&posted.text),
        at: ChannelClock::clamp(posted.sent_at, arrived),
        reply_to: posted.reply_to,
        mentions: posted.mentions.clone(),
        bot: posted.bot,
        positive: 0,
    }
}

/// Whether what this role decided is folded before it is read back: what the next
/// look must know.
fn counts_at_once(body: &Body) -> bool {
    matches!(
        body,
        Body::CaseOpened(_) | Body::CaseSolved(_) | Body::CaseMerged(_) | Body::CaseSplit(_)
    )
}

/// Where an event stands among those of this role.
fn own_sequence(event: &Event) -> Option<u64> {
    let producer = event.envelope.producer.as_ref()?;
    (producer.group.as_str() == Role::Extractor.name()).then_some(producer.sequence)
}

/// Folds what the log says of a case. What was decided about it stands until the
/// log has caught up with it, or refused it.
fn known_case(state: &mut ExtractorState, event: &Event, params: &ExtractorParams) {
    let Some(id) = event.body.case() else {
        return;
    };
    state.read_back = own_sequence(event).unwrap_or(0).max(state.read_back);
    let decided = state.logged.remove(&id);
    let mut case: Option<Case> = match &decided {
        Some(logged) => logged.clone(),
        None => state.cases.remove(&id),
    };
    let outcome = fold_case(&mut case, event);
    if decided.is_some() {
        let version = |case: Option<&Case>| case.map(|case| case.version);
        let refused = matches!(outcome, Folded::Unchanged(_));
        let decides = counts_at_once(&event.body);
        if !decides || !refused && version(case.as_ref()) < version(state.cases.get(&id)) {
            state.logged.insert(id, case);
            return;
        }
        state.cases.remove(&id);
    }
    if let Some(case) = case.filter(|case| case.erased_at.is_none()) {
        state.cases.insert(id, case);
    }
    forget_cases(state, params.known_cases);
}

/// Drops cases of which no line is in the window, archived ones first, then those
/// changed longest ago; none that something is on its way for. A case with a line in
/// the window goes last: forgotten, it would be found again at the next look.
fn forget_cases(state: &mut ExtractorState, keep: usize) {
    let keep = keep + state.logged.len();
    if state.cases.len() <= keep {
        return;
    }
    let lines: HashSet<MessageId> = state.window.iter().map(|l| l.line.message).collect();
    let here = |case: &Case| case.evidence.iter().any(|e| lines.contains(&e.message));
    let cases = state.cases.values();
    let mut rest: Vec<_> = cases
        .filter(|c| !state.logged.contains_key(&c.case))
        .map(|c| (here(c), c.archived_at.is_none(), c.changed_at, c.case))
        .collect();
    rest.sort_unstable();
    for (.., id) in rest.iter().take(state.cases.len() - keep) {
        state.cases.remove(id);
    }
}

/// Lines up to here were looked at: what the look did not cover leaves.
fn looked(state: &mut ExtractorState, up_to: Offset, params: &ExtractorParams) {
    state.awaiting.retain(|covered, _| *covered > up_to);
    keep_covered(state, up_to, params);
    state.looked = state.looked.max(Some(up_to));
    // After a lost state, looks may be folded before the messages they covered.
    if state.seen >= state.looked {
        prune_reactions(state);
    }
}

fn keep_covered(state: &mut ExtractorState, up_to: Offset, params: &ExtractorParams) {
    let covered: HashSet<Offset> = state
        .covered(up_to, params)
        .iter()
        .map(|l| l.offset)
        .collect();
    state
        .window
        .retain(|l| l.offset > up_to || covered.contains(&l.offset));
}

/// Bounds the lines of bots, which nobody announces: in a channel where only bots
/// write no look would ever make room.
fn bound_bots(state: &mut ExtractorState, params: &ExtractorParams) {
    let waits = |l: &WindowLine| l.line.bot && Some(l.offset) > state.looked;
    let bots = state.window.iter().filter(|l| waits(l)).count();
    if bots > params.window_messages
        && let Some(first) = state.window.iter().position(waits)
    {
        state.window.remove(first);
    }
}

/// Drops reactions that nothing here needs.
fn prune_reactions(state: &mut ExtractorState) {
    if state.reactions.is_empty() {
        return;
    }
    let lines = state.window.iter().map(|l| l.line.message);
    let cases = state.cases.values().flat_map(|c| &c.evidence);
    let needed: HashSet<MessageId> = lines.chain(cases.map(|e| e.message)).collect();
    state.reactions.retain(|r| needed.contains(&r.message));
}
