use proptest::prelude::*;
use threadlore_model::{Body, Event, ExtractorState, Private};

use super::{Known, Record, bot, edit, given, post, react, ready, redact, unreact};
use crate::testing::{archived, confirmed, opened, solved, withdrawn};

/// Records of `chat.events`, at rising offsets. Reactions follow their message: one
/// that comes first is kept up to the next look only.
fn events() -> impl Strategy<Value = Vec<Record>> {
    let kinds = prop::collection::vec((0..7_u8, 1..12_u32, 1..4_u128, 0..4_i64), 0..30);
    kinds.prop_map(|kinds| {
        let mut records = Vec::new();
        for (offset, (kind, n, who, revision)) in (1_u32..).zip(kinds) {
            let place = i64::from(offset);
            let past = 1 + n % offset;
            records.push(match kind {
                0..=1 => post(offset),
                2 => bot(offset),
                3 => edit(place, n, revision, &format!("revision {revision}")),
                4 => redact(place, n),
                5 => react(place, past, who),
                _ => unreact(place, past, who),
            });
        }
        records
    })
}

/// Records of `knowledge.cases` about one case.
fn cases() -> impl Strategy<Value = Vec<Record>> {
    let kinds = prop::collection::vec((0..5_u8, 1..12_u128, 1..4_i64), 0..10);
    kinds.prop_map(|kinds| {
        let event = |(kind, n, version): (u8, u128, i64), now: i64| -> Event {
            match kind {
                0 => opened(now, &[n]),
                1 => solved(now, (version > 1).then_some(version - 1), &[n]),
                2 => confirmed(now, n, "👍"),
                3 => withdrawn(now, n, "👍"),
                _ => archived(now, version),
            }
        };
        let all = (0_i64..).zip(kinds);
        all.map(|(now, kind)| (now, event(kind, now))).collect()
    })
}

fn turns() -> impl Strategy<Value = Vec<Record>> {
    prop::collection::vec(1..8_i64, 0..5).prop_map(|steps| {
        let mut up_to = 0;
        let next = |step| {
            up_to += step;
            up_to
        };
        let ends: Vec<i64> = steps.into_iter().map(next).collect();
        (0..).zip(ends).map(|(at, end)| ready(at, end)).collect()
    })
}

/// Some order that keeps each topic's own.
fn merged(topics: [Vec<Record>; 3], choices: &[u8]) -> Vec<Record> {
    let mut topics = topics.map(|topic| topic.into_iter().peekable());
    let mut out = Vec::new();
    for choice in choices.iter().cycle() {
        let topic = &mut topics[usize::from(*choice) % 3];
        match topic.next() {
            Some(record) => out.push(record),
            None => match topics.iter_mut().find_map(Iterator::next) {
                Some(record) => out.push(record),
                None => return out,
            },
        }
    }
    out
}

/// What a rebuilt state is: cases are read first, and looks were answered.
fn rebuilt(cases: &[Record], records: Vec<Record>) -> ExtractorState {
    let mut known = given([]);
    for record in cases.iter().cloned().chain(records) {
        known.read(&record, true);
    }
    known.state
}

/// Without what the order may change: lines that were looked at, and reactions
/// that no line and no case needs.
fn essence(mut state: ExtractorState) -> ExtractorState {
    let looked = state.looked;
    state.window.retain(|l| Some(l.offset) > looked);
    let messages: Vec<_> = state.window.iter().map(|l| l.line.message).collect();
    let in_case = |message| {
        let mut cases = state.cases.values();
        cases.any(|c| c.evidence.iter().any(|e| e.message == message))
    };
    state
        .reactions
        .retain(|r| messages.contains(&r.message) || in_case(r.message));
    state
}

/// What may be decided: new cases with evidence among the first messages.
fn decisions() -> impl Strategy<Value = Vec<Event>> {
    prop::collection::vec((any::<bool>(), 1..12_u128, 0..4_i64), 1..6).prop_map(|all| {
        let event = |(open, n, version): (bool, u128, i64)| {
            if open {
                opened(n.try_into().unwrap_or(1), &[n, n + 1])
            } else {
                solved(9, (version > 0).then_some(version), &[n])
            }
        };
        all.into_iter().map(event).collect()
    })
}

proptest! {
    #[test]
    fn inputs_of_different_topics_commute(
        events in events(), turns in turns(), cases in cases(),
        choices in prop::collection::vec(0..3_u8, 1..60),
    ) {
        let topics = [events, turns, cases];
        let straight: Vec<Record> = topics.iter().flatten().cloned().collect();
        prop_assert_eq!(given(merged(topics, &choices)).state, given(straight).state);
    }

    #[test]
    fn a_rebuilt_state_is_the_same_but_for_spent_context(
        events in events(), turns in turns(), cases in cases(),
        choices in prop::collection::vec(0..3_u8, 1..60),
    ) {
        let topics = [events, turns, Vec::new()];
        let straight: Vec<Record> = topics.iter().flatten().cloned().collect();
        prop_assert_eq!(
            essence(rebuilt(&cases, merged(topics, &choices))),
            essence(rebuilt(&cases, straight))
        );
    }

    #[test]
    fn what_was_read_back_is_what_the_log_says(events in events(), decisions in decisions()) {
        let mut known: Known = given(events);
        for event in &decisions {
            known = known.decided(event);
        }
        let back: Vec<Record> = (0..).zip(decisions).collect();
        let known = known.and(back.clone()).state;
        prop_assert!(known.logged.is_empty());
        prop_assert_eq!(known.cases, given(back).state.cases);
    }

    #[test]
    fn reading_messages_and_windows_twice_changes_nothing(events in events(), turns in turns()) {
        // A second post of a message that was redacted is intake's to drop.
        let redacts = |r: &Record| matches!(r.1.body, Body::MessageRedacted(_));
        let events: Vec<Record> = events.into_iter().filter(|r| !redacts(r)).collect();
        let once = given(events.iter().chain(&turns).cloned());
        let before = once.state.clone();
        let posts = |r: &&Record| matches!(r.1.body, Body::MessagePosted(_));
        let again = once.and(events.iter().filter(posts).chain(&turns).cloned());
        prop_assert_eq!(again.state, before);
    }

    #[test]
    fn erased_texts_and_hostile_times_fold(millis in any::<i64>(), seconds in any::<i32>()) {
        let (offset, mut event) = post(1);
        event.envelope.time = threadlore_model::Timestamp::from_millis(millis);
        if let Body::MessagePosted(posted) = &mut event.body {
            posted.sent_at = threadlore_model::Timestamp::from_millis(millis);
            posted.text = Private::Erased;
        }
        let known = given([(offset, event), super::posted_at(2, seconds.into())]);
        let known = known.looked_in_the_log(0, 2);
        prop_assert_eq!(known.text(1), Some(""));
        prop_assert_eq!(known.lines(), [1, 2]);
    }
}
