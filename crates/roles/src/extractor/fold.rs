//! The state of `extractor`: the window, the known cases, and what waits for its turn.
//!
//! A record is only queued when it is read. The window and the cases change when its
//! turn comes ([`RecordQueue`](crate::RecordQueue)), so they are the same
//! however fast which topic was read.
//!
//! What a case makes of its lines (its evidence is not shown again once it is
//! solved) is left to the rules: the window itself changes by `chat.events` and
//! by extractions only.

use std::collections::HashSet;

use threadlore_model::{
    Body, Case, Cause, Confirmation, Event, Evidence, MessageId, Offset, Part, Private, Signal,
    Timestamp, Topic,
};

use super::Input;
use super::queue::Correction;
use super::state::age;
use crate::line::line_of;
use crate::promotion::expires_at;
use crate::{ChannelChange, ExtractorParams, ExtractorState, KeyState, QueuedRecord, WindowLine};

use threadlore_fold::clean_emoji;
use threadlore_fold::fold_case;

/// Reactions kept per channel at most. Each extraction drops those that no line and no
/// case needs; a flood between two extractions is cut here.
pub(crate) const REACTIONS_MAX: usize = 10_000;

/// Lines that stay behind the window before they leave together.
const REMEMBERED: usize = 100;

/// Queues what is read; folds it when its turn comes.
pub(crate) fn fold(state: &mut ExtractorState, input: &Input<'_>, params: &ExtractorParams) {
    match input {
        Input::Record {
            at,
            offset,
            arrived,
            event,
            ..
        } => {
            let record = QueuedRecord {
                cause: Cause {
                    event: event.envelope.id,
                    at: *at,
                    offset: *offset,
                },
                time: event.envelope.time,
                arrived: *arrived,
                traceparent: event.envelope.traceparent.clone(),
                change: change_of(event, *arrived),
            };
            match record.change {
                ChannelChange::WindowReady(up_to) => {
                    let redriven = event.envelope.is_requested();
                    state.queue.push_window(record, up_to, redriven);
                }
                ChannelChange::Corrected(_)
                | ChannelChange::Erased(_)
                | ChannelChange::Archived(_)
                | ChannelChange::Merged { .. } => {
                    state.queue.push_request(record);
                }
                _ if at.topic == Topic::ChatEvents => state.queue.push_event(record),
                _ => {}
            }
        }
        Input::Queued { record, decided } => {
            if record.cause.at.topic.moves_channel_time() {
                state.clock_mut().observe(record.time, record.arrived);
            }
            match &record.change {
                ChannelChange::WindowReady(up_to) if *decided => looked(state, *up_to, params),
                change => fold_change(state, change, record.cause.offset, params),
            }
        }
        Input::Answered { call, .. } => looked(state, call.up_to, params),
        _ => {}
    }
}

/// What this role decided about a case.
pub(crate) fn fold_decided(state: &mut ExtractorState, event: &Event, params: &ExtractorParams) {
    let Some(id) = event.body.case() else {
        return;
    };
    let mut case = state.take_case(&id);
    // A correction tells too little of a case that is no longer remembered; of a new one it tells all.
    let is_correction = matches!(&event.body, Body::CaseSolved(solved)
        if solved.signal == Signal::Admin && !states_problem(&solved.evidence));
    if case.is_none() && is_correction {
        return;
    }
    let _outcome = fold_case(&mut case, event);
    if let Some(case) = case.filter(|case| case.erased_at.is_none()) {
        state.put_case(case);
    }
    forget_cases(state, params);
}

fn states_problem(evidence: &[Evidence]) -> bool {
    evidence.iter().any(|one| one.part == Part::Problem)
}

fn change_of(event: &Event, arrived: Timestamp) -> ChannelChange {
    let reacted = |message, person, emoji: &str, added| ChannelChange::Reacted {
        reaction: Confirmation {
            message,
            person,
            emoji: clean_emoji(emoji),
        },
        added,
    };
    match &event.body {
        Body::MessagePosted(posted) => {
            ChannelChange::Posted(line_of(&event.envelope.space, posted, arrived))
        }
        Body::MessageEdited(edit) => ChannelChange::Edited {
            message: edit.message,
            revision: edit.revision,
            text: edit.text.text().unwrap_or_default().to_owned(),
        },
        Body::MessageRedacted(redaction) => ChannelChange::Redacted(redaction.message),
        Body::ReactionAdded(r) => reacted(r.message, r.person, &r.emoji, true),
        Body::ReactionRemoved(r) => reacted(r.message, r.person, &r.emoji, false),
        Body::WindowReady(ready) => ChannelChange::WindowReady(ready.up_to),
        Body::CorrectionRequested(request) => {
            let text = |text: &Private| text.text().map(str::to_owned);
            ChannelChange::Corrected(Box::new(Correction {
                case: request.case,
                title: text(&request.title),
                problem: text(&request.problem),
                solution: text(&request.solution),
                tags: request.tags.iter().filter_map(text).collect(),
                message: request.message,
                asked: request.asked.clone(),
            }))
        }
        Body::ErasureRequested(request) => ChannelChange::Erased(request.case),
        Body::ArchiveRequested(request) => ChannelChange::Archived(request.case),
        Body::MergeRequested(request) => ChannelChange::Merged {
            case: request.case,
            into: request.into,
        },
        _ => ChannelChange::HistoryEnded,
    }
}

fn fold_change(
    state: &mut ExtractorState,
    change: &ChannelChange,
    offset: Offset,
    params: &ExtractorParams,
) {
    match change {
        ChannelChange::Posted(line) => {
            if state.line_of(line.message).is_some() {
                return;
            }
            state.add_line(offset, line.clone());
            if line.bot {
                bound_bots(state, params);
            }
        }
        ChannelChange::Edited {
            message,
            revision,
            text,
        } => state.reword(*message, *revision, text),
        ChannelChange::Redacted(message) => {
            let line = state.line_of(*message).map(|line| line.offset);
            state.remove_lines(line);
        }
        ChannelChange::Reacted { reaction, added } => {
            if !added {
                state.reactions.remove(reaction);
                return;
            }
            if state.reactions.len() >= REACTIONS_MAX {
                prune_reactions(state);
            }
            if state.reactions.len() < REACTIONS_MAX {
                state.reactions.insert(reaction.clone());
            }
        }
        ChannelChange::WindowReady(_)
        | ChannelChange::HistoryEnded
        | ChannelChange::Corrected(_)
        | ChannelChange::Erased(_)
        | ChannelChange::Archived(_)
        | ChannelChange::Merged { .. } => {}
    }
}

/// Drops cases of which no line is in the window, archived ones first, then those
/// changed longest ago; none that is still to expire. A case with
/// a line in the window goes last: forgotten, it would be found again by the next
/// extraction.
fn forget_cases(state: &mut ExtractorState, params: &ExtractorParams) {
    let keep = params.known_cases;
    if state.cases.len() <= keep {
        return;
    }
    let lines: HashSet<MessageId> = state.lines().map(|l| l.line.message).collect();
    let here = |case: &Case| case.evidence.iter().any(|e| lines.contains(&e.message));
    let cases = state.cases.values();
    let mut rest: Vec<_> = cases
        .filter(|c| expires_at(c, params.open_case_age).is_none())
        .map(|c| (c.archived_at.is_none(), c.changed_at, age(c), c.case))
        .collect();
    rest.sort_unstable();
    // Most often the first one leaves: the others need no look at their evidence.
    let mut left = state.cases.len() - keep;
    let (mut leave, mut last) = (Vec::new(), Vec::new());
    for (.., id) in rest {
        match &state.cases[&id] {
            _ if left == 0 => break,
            case if here(case) => last.push(id),
            _ => {
                leave.push(id);
                left -= 1;
            }
        }
    }
    for id in leave.into_iter().chain(last.into_iter().take(left)) {
        state.take_case(&id);
    }
}

/// An extraction covered the lines up to here. Those that it did not show leave, once there
/// is enough of it: what is remembered for threads is made anew then.
fn looked(state: &mut ExtractorState, up_to: Offset, params: &ExtractorParams) {
    let covered = state.covered(up_to, params);
    let covered: HashSet<Offset> = covered.iter().map(|l| l.offset).collect();
    let lines = state.lines().map(|l| l.offset);
    let left = lines.filter(|at| *at <= up_to && !covered.contains(at));
    let left: Vec<Offset> = left.collect();
    if left.len() >= REMEMBERED {
        state.remove_lines(left);
    }
    state.looked = state.looked.max(Some(up_to));
    prune_reactions(state);
}

/// Bounds the lines of bots, which no window announces: in a channel where only bots
/// write no look would ever make room.
fn bound_bots(state: &mut ExtractorState, params: &ExtractorParams) {
    let waits = |l: &WindowLine| l.line.bot && Some(l.offset) > state.looked;
    let bots: Vec<Offset> = state
        .lines()
        .filter(|l| waits(l))
        .map(|l| l.offset)
        .collect();
    let most = params.window_messages + REMEMBERED;
    if bots.len() > most {
        state.remove_lines(bots.into_iter().take(REMEMBERED));
    }
}

/// Drops reactions that nothing here needs.
fn prune_reactions(state: &mut ExtractorState) {
    if state.reactions.is_empty() {
        return;
    }
    let lines = state.lines().map(|l| l.line.message);
    let cases = state.cases.values().flat_map(|c| &c.evidence);
    let needed: HashSet<MessageId> = lines.chain(cases.map(|e| e.message)).collect();
    state.reactions.retain(|r| needed.contains(&r.message));
}
