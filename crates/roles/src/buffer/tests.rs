use threadlore_model::{Body, Event, HistoryEnded, Offset, ReadyReason};

use super::decide::{decide, wake};
use super::fold::{fold, fold_decided};
use crate::testing::{at, bot_posted, channel, event, facts, posted, reacted, record};
use crate::{BufferParams, BufferState, Decision, Input, WakeAt};

/// Seconds after which history arrives here.
const LONG_AGO: u64 = 1_000_000;

fn given(events: &[Event], late: u64) -> BufferState {
    let mut known = BufferState::default();
    for (offset, event) in (1..).zip(events) {
        fold(&mut known, &record(offset, event, late));
    }
    known
}

fn chat(count: u32) -> Vec<Event> {
    (1..=count).map(|n| posted(n, 1, "hello")).collect()
}

/// What the last of the events leads to.
fn reason(events: &[Event]) -> Option<ReadyReason> {
    let last = events.last().expect("some event");
    let offset = i64::try_from(events.len()).expect("few events");
    decided(&given(events, 0), &record(offset, last, 0))
}

fn decided(known: &BufferState, input: &Input<'_>) -> Option<ReadyReason> {
    let decision = decide(
        known,
        input,
        &facts("buffer", at(50)),
        &BufferParams::default(),
    );
    match decision.events.first().map(|e| &e.body) {
        Some(Body::WindowReady(ready)) => {
            assert_eq!((ready.messages, ready.up_to), (known.pending, known.last));
            assert_eq!((&ready.channel, ready.now), (&channel(), at(50)));
            Some(ready.reason)
        }
        _ => None,
    }
}

#[test]
fn a_window_is_ready_after_enough_messages() {
    assert_eq!(reason(&chat(39)), None);
    assert_eq!(reason(&chat(40)), Some(ReadyReason::Count));
}

#[test]
fn a_thank_you_is_a_reason_once_there_is_something_to_thank_for() {
    let thanked = |before: u32, thanks: Event| {
        let mut events = chat(before);
        events.push(thanks);
        reason(&events)
    };
    let thanks = || posted(90, 1, "thanks, it works now");
    assert_eq!(thanked(3, thanks()), None);
    assert_eq!(thanked(7, thanks()), Some(ReadyReason::Resolution));
    assert_eq!(thanked(7, posted(90, 1, "and then?")), None);
    assert_eq!(thanked(8, bot_posted(90, "thanks, it works now")), None);
}

#[test]
fn bots_alone_are_no_reason() {
    let events: Vec<Event> = (1..=200).map(|n| bot_posted(n, "news")).collect();
    assert_eq!(reason(&events), None);
    let known = given(&events, 0);
    assert_eq!(wake(&known, &BufferParams::default()), WakeAt::default());
}

#[test]
fn the_end_of_history_and_many_records_are_a_reason_whoever_wrote() {
    let mut events: Vec<Event> = (1..=200).map(|n| bot_posted(n, "news")).collect();
    let ended = HistoryEnded {
        channel: channel(),
        ended_at: at(200),
    };
    let ended = event(ended, at(200));
    let alone = std::slice::from_ref(&ended);
    assert_eq!(reason(alone), None, "nothing to look at");
    events.push(ended.clone());
    assert_eq!(reason(&events), Some(ReadyReason::StreamIdle));
    let many: Vec<Event> = (1..=500).map(|n| bot_posted(n, "news")).collect();
    assert_eq!(reason(&many[..499]), None);
    assert_eq!(reason(&many), Some(ReadyReason::Count));
}

#[test]
fn reactions_count_as_something_to_look_at() {
    let known = given(&[reacted(1, 2, "👍")], 0);
    assert_eq!(
        decided(&known, &Input::Wake { idle: false }),
        Some(ReadyReason::Pause)
    );
}

#[test]
fn a_pause_and_the_end_of_history_are_told_apart() {
    let known = given(&chat(3), 0);
    let wake = |idle| decided(&known, &Input::Wake { idle });
    assert_eq!(wake(false), Some(ReadyReason::Pause));
    assert_eq!(wake(true), Some(ReadyReason::StreamIdle));
    assert_eq!(decided(&known, &Input::Resume), None);
}

#[test]
fn imported_history_wakes_by_arrival_and_live_channels_by_channel_time() {
    let params = BufferParams::default();
    let live = wake(&given(&chat(3), 0), &params);
    assert_eq!((live.channel, live.wall), (Some(at(603)), None));
    let history = wake(&given(&chat(3), LONG_AGO), &params);
    assert_eq!(
        (history.channel, history.wall),
        (Some(at(603)), Some(at(1_000_603)))
    );
}

#[test]
fn a_window_is_announced_once() {
    let events = chat(40);
    let mut known = given(&events, 0);
    let input = record(40, &events[39], 0);
    let decision = decide(
        &known,
        &input,
        &facts("buffer", at(50)),
        &BufferParams::default(),
    );
    fold_decided(&mut known, &decision.events[0].body);
    assert_eq!(decided(&known, &input), None);
    assert_eq!(decided(&known, &Input::Wake { idle: true }), None);
    assert_eq!(wake(&known, &BufferParams::default()), WakeAt::default());
    assert_eq!(known.last, Offset(40));
}

#[test]
fn a_key_without_a_channel_announces_nothing() {
    let mut nowhere = facts("buffer", at(50));
    nowhere.channel = None;
    let wake = Input::Wake { idle: false };
    let decision = decide(
        &given(&chat(3), 0),
        &wake,
        &nowhere,
        &BufferParams::default(),
    );
    assert_eq!(decision, Decision::default());
}
