use std::time::Duration;

use proptest::prelude::*;
use threadlore_model::{Body, Private};

use super::{Record, bot, edit, given, post, react, ready, redact, unreact};
use crate::ExtractorState;

/// Records of `chat.events`, at rising offsets.
fn events() -> impl Strategy<Value = Vec<Record>> {
    let kinds = prop::collection::vec((0..7_u8, 1..12_u32, 1..4_u128, 0..4_i64), 0..30);
    kinds.prop_map(|kinds| {
        let mut records = Vec::new();
        for (offset, (kind, n, who, revision)) in (1_u32..).zip(kinds) {
            let place = i64::from(offset);
            records.push(match kind {
                0..=1 => post(offset),
                2 => bot(offset),
                3 => edit(place, n, revision, &format!("revision {revision}")),
                4 => redact(place, n),
                5 => react(place, n, who),
                _ => unreact(place, n, who),
            });
        }
        records
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
fn merged(topics: [Vec<Record>; 2], choices: &[u8]) -> Vec<Record> {
    let mut topics = topics.map(|topic| topic.into_iter().peekable());
    let mut out = Vec::new();
    for choice in choices.iter().cycle() {
        let topic = &mut topics[usize::from(*choice) % 2];
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

/// What is known once these were read as history, long after they were written.
fn imported(records: &[Record]) -> ExtractorState {
    let mut known = given([]);
    known.params.window_messages = 4;
    for record in records {
        known.read(record, Duration::from_secs(1_000_000));
    }
    known.state
}

proptest! {
    #[test]
    fn history_leads_to_the_same_state_however_fast_which_topic_is_read(
        events in events(), turns in turns(), choices in prop::collection::vec(0..2_u8, 1..60),
    ) {
        let straight: Vec<Record> = events.iter().chain(&turns).cloned().collect();
        prop_assert_eq!(
            imported(&merged([events, turns], &choices)),
            imported(&straight)
        );
    }

    #[test]
    fn reading_everything_twice_changes_nothing(events in events(), turns in turns()) {
        let once: Vec<Record> = events.iter().chain(&turns).cloned().collect();
        let twice: Vec<Record> = once.iter().chain(&once).cloned().collect();
        prop_assert_eq!(imported(&twice), imported(&once));
    }

    #[test]
    fn erased_texts_and_hostile_times_fold(millis in any::<i64>(), seconds in any::<i32>()) {
        let (offset, mut event) = post(1);
        event.envelope.time = threadlore_model::Timestamp::from_millis(millis);
        if let Body::MessagePosted(posted) = &mut event.body {
            posted.sent_at = threadlore_model::Timestamp::from_millis(millis);
            posted.text = Private::Erased;
        }
        let known = given([(offset, event), super::posted_at(2, seconds.into()), ready(0, 2)]);
        prop_assert_eq!(known.text(1), Some(""));
        prop_assert_eq!(known.lines(), [1, 2]);
    }
}
