use threadlore_fold::state;
use threadlore_model::{
    Body, CaseConfirmed, CaseOpened, Event, Input, Private, PromoterParams, PromoterState,
    Timestamp, WakeAt,
};

use super::{decide, wake};
use crate::testing::{at, case, channel, event, facts, message, person, record};

const WEEK: i64 = 7 * 24 * 3600;

fn opened(n: u128, now: i64) -> Event {
    let opened = CaseOpened {
        case: case(n),
        channel: channel(),
        title: Private::open("no sound"),
        problem: Private::open("no sound"),
        tags: Vec::new(),
        evidence: Vec::new(),
        engine: "builtin-1".into(),
        now: at(now),
    };
    event(opened, at(now))
}

fn confirmed(n: u128, now: i64) -> Event {
    let confirmed = CaseConfirmed {
        case: case(n),
        channel: channel(),
        message: message(1),
        person: person(1),
        emoji: "👍".into(),
        now: at(now),
    };
    event(confirmed, at(now))
}

fn given(events: &[Event]) -> PromoterState {
    let mut known = PromoterState::default();
    for (offset, event) in (0..).zip(events) {
        state::promoter(&mut known, &record(offset, event, 0));
    }
    known
}

fn expired(known: &PromoterState, input: &Input<'_>, now: Timestamp) -> Vec<(u128, i64)> {
    decide(
        known,
        input,
        &facts("promoter", now),
        &PromoterParams::default(),
    )
    .events
    .iter()
    .map(|decided| match &decided.body {
        Body::CaseArchived(a) => {
            assert_eq!(a.now, now);
            (a.case.as_uuid().as_u128(), a.expected_version)
        }
        other => panic!("{} is not the promoter's", other.type_name()),
    })
    .collect()
}

const WAKE: Input<'_> = Input::Wake { idle: false };

#[test]
fn c31_an_open_case_expires_after_seven_days_of_channel_time() {
    let known = given(&[opened(1, 10), opened(2, 500)]);
    assert_eq!(
        wake(&known, &PromoterParams::default()).channel,
        Some(at(WEEK + 10))
    );
    assert_eq!(expired(&known, &WAKE, at(WEEK + 9)), []);
    assert_eq!(expired(&known, &WAKE, at(WEEK + 10)), [(1, 1)]);
    assert_eq!(
        expired(&known, &Input::Resume, at(WEEK + 500)),
        [(1, 1), (2, 1)]
    );
}

#[test]
fn c31_a_confirmed_case_does_not_expire() {
    let known = given(&[opened(1, 10), confirmed(1, 20)]);
    assert_eq!(wake(&known, &PromoterParams::default()), WakeAt::default());
    assert_eq!(expired(&known, &WAKE, at(10 * WEEK)), []);
}

#[test]
fn an_expiry_is_decided_once() {
    let mut known = given(&[opened(1, 10)]);
    let due = facts("promoter", at(WEEK + 10));
    let decision = decide(&known, &WAKE, &due, &PromoterParams::default());
    state::promoter_decided(&mut known, &decision.events[0].body);
    assert_eq!(expired(&known, &WAKE, at(WEEK + 20)), []);
    assert_eq!(wake(&known, &PromoterParams::default()), WakeAt::default());
}

#[test]
fn an_expiry_on_a_version_that_is_gone_is_decided_again() {
    let mut known = given(&[opened(1, 10)]);
    let due = facts("promoter", at(WEEK + 10));
    let decision = decide(&known, &WAKE, &due, &PromoterParams::default());
    let stale = decision.events[0].body.clone();
    state::promoter_decided(&mut known, &stale);
    let withdrawn = threadlore_model::ConfirmationWithdrawn {
        case: case(1),
        channel: channel(),
        message: message(1),
        person: person(1),
        emoji: "👍".into(),
        now: at(WEEK),
    };
    let back = [
        confirmed(1, WEEK),
        event(withdrawn, at(WEEK)),
        event(stale, at(WEEK + 10)),
    ];
    for (offset, event) in (1..).zip(&back) {
        state::promoter(&mut known, &record(offset, event, 0));
    }
    assert_eq!(
        expired(&known, &WAKE, at(2 * WEEK - 1)),
        [],
        "its week starts anew"
    );
    assert_eq!(expired(&known, &WAKE, at(2 * WEEK)), [(1, 3)]);
}

#[test]
fn records_alone_expire_nothing() {
    let known = given(&[opened(1, 10)]);
    let later = opened(2, 5 * WEEK);
    assert_eq!(expired(&known, &record(1, &later, 0), at(5 * WEEK)), []);
}
