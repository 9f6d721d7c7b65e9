//! Open cases that nothing happened to.

use super::*;

const WEEK: i64 = 7 * 24 * 3600;

/// What a timer leads to at a time.
fn woken(desk: &mut Desk, now: i64) -> Vec<Body> {
    desk.offset = now;
    bodies(desk.take(&Input::Wake { idle: false }))
}

fn is_expired(bodies: &[Body]) -> bool {
    match bodies {
        [Body::CaseArchived(archived)] => archived.reason == ArchiveReason::Expired,
        [] => false,
        other => panic!("one expiry or nothing: {other:?}"),
    }
}

fn due(desk: &Desk) -> Option<threadlore_model::Timestamp> {
    wake(&desk.state, &desk.params).channel
}

#[test]
fn an_open_case_expires_after_seven_days_of_channel_time() {
    let mut desk = Desk::given(chat());
    desk.looked(4, cases([open_draft(&[0])]));
    let opened = desk.only_case().opened_at.as_millis() / 1000;
    assert_eq!(due(&desk), Some(at(opened + WEEK)));
    assert!(!is_expired(&woken(&mut desk, opened + WEEK - 1)));
    assert!(is_expired(&woken(&mut desk, opened + WEEK)));
    assert_eq!(desk.only_case().status(), Status::Archived);
    assert_eq!(due(&desk), None, "once");
    assert!(!is_expired(&woken(&mut desk, opened + 2 * WEEK)));
}

#[test]
fn a_solved_case_does_not_expire_and_an_opened_one_again_has_another_week() {
    let mut desk = Desk::given(chat());
    desk.looked(4, cases([open_draft(&[0])]));
    desk.offset = 100;
    desk.read(&reacted(1, 2, "👍"));
    assert_eq!(due(&desk), None);
    desk.offset = 500;
    desk.read(&unreacted(1, 2, "👍"));
    assert_eq!(due(&desk), Some(at(501 + WEEK)));
}

#[test]
fn after_a_lost_state_what_is_due_expires() {
    let mut desk = Desk::given(chat());
    desk.looked(4, cases([open_draft(&[0])]));
    desk.offset = 2 * WEEK;
    assert!(is_expired(&bodies(desk.take(&Input::Resume))));
}

#[test]
fn open_cases_are_not_forgotten_before_they_expire() {
    let mut desk = Desk::given(chat());
    desk.params.known_cases = 1;
    let drafts = [open_draft(&[0]), open_draft(&[3])];
    desk.params.merge_at = 1001;
    desk.looked(4, cases(drafts));
    assert_eq!(desk.state.cases.len(), 2);
    let expired = woken(&mut desk, 2 * WEEK);
    assert_eq!(expired.len(), 2);
    assert_eq!(desk.state.cases.len(), 1, "now one may be forgotten");
}

#[test]
fn the_id_of_an_expiry_is_the_cases_own_whatever_expires_with_it() {
    // A late answer opens a case that is due when another one expired: one timer fires twice.
    let expired = |gone: usize| {
        let mut desk = Desk::given(chat());
        desk.params.merge_at = 1001;
        desk.looked(4, cases([open_draft(&[0]), open_draft(&[3])]));
        let first: Vec<_> = desk.state.cases.keys().copied().take(gone).collect();
        for case in first {
            desk.state.cases.remove(&case);
        }
        desk.offset = 2 * WEEK;
        let decision = desk.take(&Input::Wake { idle: false });
        let ids = decision.events.iter().map(|decided| decided.id);
        ids.collect::<Vec<_>>()
    };
    let (both, second) = (expired(0), expired(1));
    assert_eq!((both.len(), second.len()), (2, 1));
    assert_eq!(both[1], second[0]);
    assert!(second[0].is_some());
    assert_ne!(both[0], both[1]);
}

#[test]
fn a_case_that_expired_leaves_the_window_with_its_lines() {
    let mut desk = Desk::given(chat());
    desk.looked(1, cases([open_draft(&[0])]));
    woken(&mut desk, WEEK + 100);
    let window = desk.asked(4);
    assert!(window.open.is_empty());
    assert!(!texts(&window).contains(&"how do I get sound?"));
}
