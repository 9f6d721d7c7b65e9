use std::time::Duration;

use threadlore_model::{
    Body, Cause, Event, EventId, ExtractionRequested, HistoryEnded, Offset, PersonId, ReadyReason,
    Timestamp, TurnClosed,
};

use super::decide::{decide, wake};
use super::fold::{REQUESTS_MAX, TURN_MAX, fold, fold_decided};
use crate::testing::{
    at, bot_posted, channel, event, facts, message, person, posted, reacted, record,
};
use crate::{BufferParams, BufferState, Decision, Facts, Input, WakeAt};

/// Seconds after which history arrives here.
const LONG_AGO: u64 = 1_000_000;

fn given(events: &[Event], late: u64) -> BufferState {
    let mut known = BufferState::default();
    for (offset, event) in (1..).zip(events) {
        fold(
            &mut known,
            &record(offset, event, late),
            &BufferParams::default(),
        );
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
        &facts("buffer", at(LATER)),
        &BufferParams::default(),
    );
    let mut bodies = decision.events.iter().map(|e| &e.body);
    let ready = bodies.find_map(|body| match body {
        Body::WindowReady(ready) => Some(ready),
        _ => None,
    })?;
    assert_eq!((ready.messages, ready.up_to), (known.pending, known.last));
    assert_eq!((&ready.channel, ready.now), (&channel(), at(LATER)));
    Some(ready.reason)
}

/// When it is decided here: long after the last message.
const LATER: i64 = 5000;

/// The turns that are closed at a time, each with its person and messages.
fn turns(known: &BufferState, seconds: i64) -> Vec<(PersonId, Vec<u32>)> {
    let facts = facts("buffer", at(seconds));
    let wake = Input::Wake { idle: false };
    let decision = decide(known, &wake, &facts, &BufferParams::default());
    let closed = decision
        .events
        .iter()
        .filter_map(|event| match &event.body {
            Body::TurnClosed(turn) => Some(turn),
            _ => None,
        });
    closed
        .map(|turn| {
            assert_eq!((&turn.channel, turn.now), (&channel(), at(seconds)));
            let number = |n: &u32| turn.messages.contains(&message(*n));
            (turn.person, (0..200).filter(number).collect())
        })
        .collect()
}

#[test]
fn a_window_is_ready_after_enough_messages() {
    assert_eq!(reason(&chat(39)), None);
    assert_eq!(reason(&chat(40)), Some(ReadyReason::Count));
}

#[test]
fn a_thank_you_in_history_is_a_reason_once_there_is_something_to_thank_for() {
    let thanked = |before: u32, thanks: Event| {
        let mut events = chat(before);
        events.push(thanks);
        let offset = i64::try_from(events.len()).expect("few events");
        let last = events.last().expect("some event");
        let known = given(&events, LONG_AGO);
        decided(&known, &record(offset, last, LONG_AGO))
    };
    let thanks = || posted(90, 1, "thanks, it works now");
    assert_eq!(thanked(3, thanks()), None);
    assert_eq!(thanked(7, thanks()), Some(ReadyReason::Resolution));
    assert_eq!(thanked(7, posted(90, 1, "and then?")), None);
    assert_eq!(thanked(8, bot_posted(90, "thanks, it works now")), None);
}

#[test]
fn in_a_live_channel_every_sign_of_resolution_is_a_reason() {
    let params = BufferParams {
        debounce: Some(Duration::ZERO),
        ..BufferParams::default()
    };
    let said = |last: Event| {
        let events = [posted(1, 1, "no sound"), posted(2, 2, "reboot"), last];
        let known = given(&events, 0);
        let facts = facts("buffer", at(LATER));
        let decision = decide(&known, &record(3, &events[2], 0), &facts, &params);
        decision.events.iter().any(|event| {
            matches!(&event.body, Body::WindowReady(ready) if ready.reason == ReadyReason::Resolution)
        })
    };
    assert!(said(posted(3, 1, "thanks, it works now")));
    assert!(said(reacted(2, 1, "👍")));
    assert!(!said(reacted(2, 1, "👎")));
    assert!(!said(posted(3, 1, "and then?")));
    assert!(!said(bot_posted(3, "thanks, it works now")));
}

#[test]
fn what_costs_a_call_is_examined_a_while_after_the_sign() {
    let params = BufferParams {
        debounce: Some(Duration::from_secs(20)),
        ..BufferParams::default()
    };
    let events = [
        posted(1, 1, "no sound"),
        posted(2, 1, "thanks, it works now"),
    ];
    let known = given(&events, 0);
    let ready = |input: &Input<'_>, seconds: i64| {
        let decision = decide(&known, input, &facts("buffer", at(seconds)), &params);
        let mut events = decision.events.iter();
        events.any(|event| matches!(event.body, Body::WindowReady(_)))
    };
    assert!(!ready(&record(2, &events[1], 0), 2));
    assert_eq!(
        wake(
            &known,
            &BufferParams {
                turn_gap: Duration::from_secs(60),
                ..params.clone()
            }
        )
        .channel,
        Some(at(22))
    );
    assert!(!ready(&Input::Wake { idle: false }, 21));
    assert!(ready(&Input::Wake { idle: false }, 22));
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
    assert_eq!(
        (live.channel, live.wall),
        (Some(at(5)), None),
        "the turn's end"
    );
    let mut closed = given(&chat(3), 0);
    closed.turns.clear();
    assert_eq!(wake(&closed, &params).channel, Some(at(603)));
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
    let facts = facts("buffer", at(50));
    let decision = decide(&known, &input, &facts, &BufferParams::default());
    for decided in decision.events {
        fold_decided(&mut known, &event(decided.body, at(50)));
    }
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

fn request(up_to: i64) -> Event {
    let asked = ExtractionRequested {
        channel: channel(),
        reason: ReadyReason::Count,
        messages: 40,
        up_to: Offset(up_to),
        announced_at: at(41),
    };
    event(asked, at(41))
}

/// What a decision about a request may know.
fn facts_of(request: &Event, offset: i64) -> Facts {
    let input: Input<'_> = record(offset, request, 0);
    let Input::Record { at: place, .. } = input else {
        unreachable!("a record")
    };
    let mut facts = facts("buffer", at(5000));
    facts.cause = Cause {
        event: request.envelope.id,
        at: place,
        offset: Offset(offset),
    };
    facts
}

/// What a request leads to, and the state after it.
fn requested(known: &BufferState, request: &Event) -> (Decision, BufferState) {
    let (input, facts) = (record(0, request, LONG_AGO), facts_of(request, 0));
    let mut after = known.clone();
    fold(&mut after, &input, &BufferParams::default());
    assert_eq!(*known, after, "a request that is read changes nothing");
    let decision = decide(&after, &input, &facts, &BufferParams::default());
    for decided in &decision.events {
        let mut announced = event(decided.body.clone(), at(41));
        announced.envelope.cause = Some(facts.cause.clone());
        fold_decided(&mut after, &announced);
    }
    (decision, after)
}

#[test]
fn a_request_has_its_window_announced_again_as_it_was() {
    let known = given(&chat(45), 0);
    let (decision, after) = requested(&known, &request(40));
    let [again] = &decision.events[..] else {
        panic!("one event: {decision:?}")
    };
    let Body::WindowReady(ready) = &again.body else {
        panic!("a window: {again:?}")
    };
    assert_eq!((ready.messages, ready.up_to), (40, Offset(40)));
    assert_eq!((ready.now, again.time), (at(41), Some(at(41))));
    assert_eq!(ready.reason, ReadyReason::Count);
    let params = BufferParams::default();
    assert_eq!((after.pending, after.records), (45, 45), "these still wait");
    assert_eq!(wake(&after, &params), wake(&known, &params));
    assert_eq!(after.clock, known.clock, "channel time stays");
}

#[test]
fn a_request_that_was_published_twice_is_dropped_the_second_time() {
    let known = given(&chat(45), 0);
    let (_, after) = requested(&known, &request(40));
    let (decision, _) = requested(&after, &request(40));
    assert_eq!(decision.dropped, Some("repeated request"));
    assert_eq!(decision.events, []);
    let mut other = request(40);
    other.envelope.id = EventId::of_content("test", &["another"]);
    assert_eq!(requested(&after, &other).0.events.len(), 1, "another one");
}

#[test]
fn a_request_for_a_window_that_cannot_be_is_dropped() {
    for (known, up_to) in [(given(&chat(45), 0), 46), (BufferState::default(), 0)] {
        let (decision, after) = requested(&known, &request(up_to));
        assert_eq!(decision.dropped, Some("no such window"));
        assert_eq!((decision.events.len(), after), (0, known));
    }
}

#[test]
fn the_requests_of_a_channel_that_are_remembered_are_bounded() {
    let mut known = given(&chat(45), 0);
    let asked = |n: usize| {
        let mut asked = request(40);
        asked.envelope.id = EventId::of_content("test", &[&n.to_string()]);
        asked
    };
    for n in 0..=REQUESTS_MAX {
        known = requested(&known, &asked(n)).1;
    }
    assert_eq!(known.requests.len(), REQUESTS_MAX);
    let dropped = |n| requested(&known, &asked(n)).0.dropped.is_some();
    assert_eq!(
        (dropped(0), dropped(1), dropped(REQUESTS_MAX)),
        (false, true, true)
    );
}

#[test]
fn a_state_of_a_version_without_requests_is_read() {
    let state = given(&chat(3), 0);
    let mut stored = serde_json::to_value(&state).expect("stored");
    stored.as_object_mut().expect("fields").remove("requests");
    let read: BufferState = serde_json::from_value(stored).expect("read");
    assert_eq!(read, state);
    assert!(read.clock.now(Timestamp::EARLIEST) >= at(3));
}

#[test]
fn quick_successive_messages_of_a_person_are_one_turn() {
    let (first, second) = (person(1), person(2));
    let lines = [
        posted(10, 1, "hello"),
        posted(11, 2, "hi"),
        posted(11, 1, "my wifi is gone"),
    ];
    let known = given(&lines, 0);
    assert_eq!(turns(&known, 12), [], "both may go on");
    assert_eq!(turns(&known, 13).len(), 2);
    let more = [posted(10, 1, "a"), posted(11, 1, "b"), posted(13, 1, "c")];
    let apart = given(&more, 0);
    assert_eq!(
        turns(&apart, 14),
        [(first, vec![10, 11])],
        "the gap is over"
    );
    let both = [(first, vec![10, 11]), (first, vec![13])];
    assert_eq!(turns(&apart, 15), both);
    let two = given(&[posted(10, 1, "a"), posted(11, 2, "b")], 0);
    assert_eq!(turns(&two, 12), [(first, vec![10])]);
    assert_eq!(turns(&two, 13), [(first, vec![10]), (second, vec![11])]);
}

#[test]
fn a_turn_is_closed_once() {
    let mut known = given(&[posted(10, 1, "a"), posted(11, 1, "b")], 0);
    let closed = TurnClosed {
        channel: channel(),
        person: person(1),
        messages: vec![message(10), message(11)],
        up_to: Offset(2),
        now: at(13),
    };
    fold_decided(&mut known, &event(closed, at(13)));
    assert_eq!(turns(&known, 100), []);
    assert_eq!(known.pending, 2, "the window is another matter");
}

#[test]
fn history_and_bots_have_no_turns() {
    assert_eq!(turns(&given(&chat(3), LONG_AGO), 5000), []);
    assert_eq!(turns(&given(&[bot_posted(1, "news")], 0), 5000), []);
}

#[test]
fn a_turn_without_an_end_is_cut() {
    let lines: Vec<Event> = (0..=TURN_MAX).map(|_| posted(7, 1, "again")).collect();
    let known = given(&lines, 0);
    let lengths: Vec<usize> = known.turns.iter().map(|turn| turn.messages.len()).collect();
    assert_eq!(lengths, [TURN_MAX, 1]);
}

#[test]
fn a_question_to_the_bot_ends_its_turn_at_once() {
    for (text, to_bot, ends) in [
        ("how do I mount it?", true, true),
        ("как его смонтировать? ", true, true),
        ("how do I mount it?", false, false),
        ("I want to mount it", true, false),
    ] {
        let mut asked = posted(5, 1, text);
        if let Body::MessagePosted(posted) = &mut asked.body {
            posted.to_bot = to_bot;
        }
        let known = given(&[posted(4, 1, "hello"), asked.clone()], 0);
        let input = record(2, &asked, 0);
        let params = BufferParams::default();
        let decision = decide(&known, &input, &facts("buffer", at(5)), &params);
        let closed = decision.events.iter().find_map(|event| match &event.body {
            Body::TurnClosed(turn) => Some(turn.messages.len()),
            _ => None,
        });
        assert_eq!(closed, ends.then_some(2), "{text} {to_bot}");
    }
}
