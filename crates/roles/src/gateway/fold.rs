//! The state of `gateway`: what waits to be sent, and what was sent.

use std::time::Duration;

use threadlore_model::{
    AnswerDelivered, AnswerId, Body, Cause, ChannelId, DeliveryAction, Event, Offset, Timestamp,
};

use super::Input;
use super::params::GatewayParams;
use super::state::{EarlyDelivery, GatewayState, SentAnswer, Task, WaitingDelivery};
use crate::state::observe;

/// How long an answer that was sent can be taken back.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The most deliveries that are decided about before they are asked for.
const EARLY: usize = 1000;

/// Keeps what is to be sent to channels that this gateway serves.
pub(crate) fn fold(state: &mut GatewayState, input: &Input<'_>, params: &GatewayParams) {
    let Input::Record {
        at, offset, event, ..
    } = input
    else {
        return;
    };
    let Some((channel, answer, task, time)) = asked(event) else {
        return;
    };
    if !params.serves(channel) {
        return;
    }
    observe(state, input);
    let cause = Cause {
        event: event.envelope.id,
        at: *at,
        offset: *offset,
    };
    let early = taken_early(state, answer, task.action());
    if early.as_ref().is_some_and(|early| early.ended) {
        return;
    }
    let waiting = WaitingDelivery {
        cause,
        answer,
        task,
        at: time,
        attempted: early.is_some(),
    };
    state.waiting.insert(*offset, waiting);
}

/// What was decided about a delivery before it was asked for.
fn taken_early(
    state: &mut GatewayState,
    answer: AnswerId,
    what: DeliveryAction,
) -> Option<EarlyDelivery> {
    let mut early = state.early.iter();
    let at = early.position(|early| early.answer == answer && early.what == what)?;
    state.early.remove(at)
}

fn put_early(state: &mut GatewayState, early: EarlyDelivery) {
    taken_early(state, early.answer, early.what);
    state.early.push_back(early);
    let more = state.early.len().saturating_sub(EARLY);
    state.early.drain(..more);
}

/// What a record asks a gateway to do.
fn asked(event: &Event) -> Option<(&ChannelId, AnswerId, Task, Timestamp)> {
    match &event.body {
        Body::AnswerComposed(composed) => {
            let task = Task::Post {
                text: composed.text.text().map(str::to_owned),
                reply_to: composed.reply_to_native.clone(),
                thread: composed.thread_root.clone(),
            };
            Some((&composed.channel, composed.answer, task, composed.now))
        }
        Body::AnswerWithdrawn(withdrawn) => Some((
            &withdrawn.channel,
            withdrawn.answer,
            Task::Withdraw,
            withdrawn.now,
        )),
        _ => None,
    }
}

/// What was begun may be with the platform; what has its result does not wait any more.
pub(crate) fn fold_decided(state: &mut GatewayState, event: &Event) {
    match &event.body {
        Body::DeliveryAttempted(attempt) => {
            let waiting = place(state, attempt.answer, attempt.what);
            let waiting = waiting.and_then(|at| Some((at, state.waiting.get(&at).cloned()?)));
            match waiting {
                Some((at, mut waiting)) => {
                    waiting.attempted = true;
                    state.waiting.insert(at, waiting);
                }
                None => put_early(
                    state,
                    EarlyDelivery {
                        answer: attempt.answer,
                        what: attempt.what,
                        ended: false,
                    },
                ),
            }
        }
        Body::AnswerDelivered(delivered) => {
            done(state, delivered.answer, delivered.what);
            sent(state, delivered);
        }
        Body::DeliveryFailed(failed) => done(state, failed.answer, failed.what),
        _ => {}
    }
}

fn sent(state: &mut GatewayState, delivered: &AnswerDelivered) {
    state
        .sent
        .retain(|sent| sent.at > delivered.now.minus(DAY) && sent.answer != delivered.answer);
    if delivered.what == DeliveryAction::Post {
        state.sent.push_back(SentAnswer {
            answer: delivered.answer,
            native_ids: delivered.native_ids.clone(),
            at: delivered.now,
        });
    }
}

fn done(state: &mut GatewayState, answer: AnswerId, what: DeliveryAction) {
    match place(state, answer, what) {
        Some(at) => {
            state.waiting.remove(&at);
        }
        None => put_early(
            state,
            EarlyDelivery {
                answer,
                what,
                ended: true,
            },
        ),
    }
}

/// Where a delivery waits.
fn place(state: &GatewayState, answer: AnswerId, what: DeliveryAction) -> Option<Offset> {
    let mut waiting = state.waiting.iter();
    let found =
        waiting.find(|(_, waiting)| waiting.answer == answer && waiting.task.action() == what);
    found.map(|(at, _)| *at)
}
