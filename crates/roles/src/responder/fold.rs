//! The state of `responder`: recent lines as they are now, and the turns that wait.

use threadlore_model::{AnswerComposed, Body, CaseId, Cause, Event, Offset, Topic, TurnOutcome};

use super::Input;
use super::quiet::DAY;
use super::state::{GivenAnswer, ResponderState, RoomLine, WaitingTurn};
use crate::line::{line_of, thread_of};
use crate::state::observe;

/// Lines remembered of a channel: what a selection of context looks back to.
pub(super) const LINES: usize = 200;
/// Turns remembered at most that were considered and are not read.
const CONSIDERED: usize = 1000;
/// Messages remembered at most that told the bot something.
const STEERED: usize = 1000;

/// Takes a record in. Records of the two topics change different parts, so it does not matter which
/// is read first.
pub(crate) fn fold(state: &mut ResponderState, input: &Input<'_>) {
    let Input::Record {
        at,
        offset,
        arrived,
        event,
    } = input
    else {
        return;
    };
    // Cases are decided about in their own time, and requests in none.
    if matches!(at.topic, Topic::ChatEvents | Topic::ChatTurns) {
        observe(state, input);
    }
    if at.topic == Topic::ChatEvents {
        state.read = state.read.max(Some(*offset));
    }
    match &event.body {
        Body::MessagePosted(posted) => {
            let line = RoomLine {
                offset: *offset,
                revision: 0,
                line: line_of(&event.envelope.space, posted, *arrived),
                native_id: posted.native_id.clone(),
                thread_root: posted.thread_root.clone(),
                to_bot: posted.to_bot,
            };
            state.lines.insert(*offset, line);
            bound(state);
        }
        Body::MessageEdited(edit) => {
            let line = state.line_of(edit.message).cloned();
            if let Some(mut line) = line.filter(|line| line.revision < edit.revision) {
                line.revision = edit.revision;
                edit.text
                    .text()
                    .unwrap_or_default()
                    .clone_into(&mut line.line.text);
                state.lines.insert(line.offset, line);
            }
        }
        Body::MessageRedacted(redacted) => {
            let gone: Option<Offset> = state.line_of(redacted.message).map(|line| line.offset);
            if let Some(offset) = gone {
                state.lines.remove(&offset);
            }
        }
        Body::TurnClosed(turn) => {
            let before = state.considered.len();
            state.considered.retain(|turn| *turn != event.envelope.id);
            if state.considered.len() < before {
                return;
            }
            let cause = Cause {
                event: event.envelope.id,
                at: *at,
                offset: *offset,
            };
            let waiting = WaitingTurn {
                cause,
                person: turn.person,
                messages: turn.messages.clone(),
                up_to: turn.up_to,
                at: turn.now,
            };
            state.turns.insert(*offset, waiting);
        }
        _ => {}
    }
}

/// Lines that are too many leave. Those of a turn that waits may too: a turn that is so far behind
/// is too late.
fn bound(state: &mut ResponderState) {
    while state.lines.len() > LINES {
        let first = state.lines.first_key_value().map(|(offset, _)| *offset);
        if let Some(first) = first {
            state.lines.remove(&first);
        }
    }
}

/// The case that an answer quotes: of one that it only points at, it has no evidence.
fn quoted(composed: &AnswerComposed) -> Option<CaseId> {
    let first = composed.cited.first()?;
    composed.case.filter(|_| !first.evidence.is_empty())
}

/// A turn that was considered does not wait any more; an answer is remembered for a day.
pub(crate) fn fold_decided(state: &mut ResponderState, event: &Event) {
    match &event.body {
        Body::TurnConsidered(considered) => {
            if considered.outcome == TurnOutcome::Steered {
                let messages = considered.messages.iter();
                let told = messages.map(|message| (*message, considered.person));
                state.steered.extend(told);
                let more = state.steered.len().saturating_sub(STEERED);
                state.steered.drain(..more);
            }
            let mut turns = state.turns.iter();
            let turn = turns.find(|(_, turn)| turn.cause.event == considered.turn);
            match turn.map(|(offset, _)| *offset) {
                Some(offset) => {
                    state.turns.remove(&offset);
                }
                None => {
                    state.considered.push_back(considered.turn);
                    let more = state.considered.len().saturating_sub(CONSIDERED);
                    state.considered.drain(..more);
                }
            }
        }
        Body::AnswerComposed(composed) => {
            if state.given.iter().any(|given| given.turn == composed.turn) {
                return;
            }
            let oldest = composed.now.minus(DAY);
            state.given.retain(|given| given.at > oldest);
            let before = state.withdrawn.len();
            state.withdrawn.retain(|answer| *answer != composed.answer);
            let is_there = state.withdrawn.len() == before;
            state.given.push_back(GivenAnswer {
                turn: composed.turn,
                answer: is_there.then_some((composed.answer, composed.reply_to)),
                case: quoted(composed),
                words_of: composed.case,
                memory: composed.memory,
                thread: thread_of(
                    &event.envelope.space,
                    &composed.channel,
                    composed.thread_root.as_deref(),
                ),
                at: composed.now,
            });
        }
        Body::AnswerWithdrawn(withdrawn) => {
            let is_it = |given: &&mut GivenAnswer| {
                given
                    .answer
                    .is_some_and(|(answer, _)| answer == withdrawn.answer)
            };
            match state.given.iter_mut().find(is_it) {
                Some(given) => given.answer = None,
                None => {
                    state.withdrawn.push_back(withdrawn.answer);
                    let more = state.withdrawn.len().saturating_sub(CONSIDERED);
                    state.withdrawn.drain(..more);
                }
            }
        }
        _ => {}
    }
}
