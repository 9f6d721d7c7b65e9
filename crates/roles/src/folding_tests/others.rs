use std::time::Duration;

use threadlore_model::{Offset, ReadyReason, WindowReady};

use super::{Record, arrive, bot, edit, post, react, unreact};
use crate::buffer::fold::{fold, fold_decided as buffer_decided};
use crate::state::observe;
use crate::testing::{at, channel, event};
use crate::{BufferParams, BufferState, Input, IntakeState};

fn intake(state: &mut IntakeState, input: &Input<'_>) {
    observe(state, input);
}

fn buffer(state: &mut BufferState, input: &Input<'_>) {
    fold(state, input, &BufferParams::default());
}

fn buffered(records: &[Record]) -> BufferState {
    let mut state = BufferState::default();
    for record in records {
        arrive(&mut state, buffer, record, Duration::ZERO);
    }
    state
}

#[test]
fn intake_keeps_the_clock_only() {
    let mut state = IntakeState::default();
    arrive(&mut state, intake, &post(7), Duration::ZERO);
    assert_eq!(state.clock.now(at(0)), at(7));
}

#[test]
fn buffer_counts_messages_of_people_their_edits_and_reactions() {
    let state = buffered(&[
        post(1),
        bot(2),
        react(3, 1, 7),
        unreact(4, 1, 7),
        edit(5, 1, 1, "x"),
    ]);
    assert_eq!(
        (state.pending, state.records, state.last),
        (3, 5, Offset(5))
    );
}

#[test]
fn buffer_starts_afresh_after_a_window() {
    let mut state = buffered(&[post(1)]);
    let ready = WindowReady {
        channel: channel(),
        reason: ReadyReason::Pause,
        messages: 1,
        up_to: Offset(1),
        now: at(1),
    };
    buffer_decided(&mut state, &event(ready, at(1)));
    assert_eq!((state.pending, state.records), (0, 0));
}

#[test]
fn buffer_does_not_count_beyond_what_it_can_hold() {
    let mut state = BufferState {
        pending: u32::MAX,
        ..BufferState::default()
    };
    arrive(&mut state, buffer, &post(1), Duration::ZERO);
    assert_eq!(state.pending, u32::MAX);
}
