use proptest::prelude::*;
use threadlore_model::{Body, Case, Event, Part, Private, Signal, Status};

use super::{Folded, fold_case};
use crate::testing::{
    archived, at, confirmed, erased, merged, message, opened, solved, split, suggested, withdrawn,
};

fn given(events: &[Event]) -> Option<Case> {
    let mut case = None;
    for event in events {
        fold_case(&mut case, event);
    }
    case
}

fn known(events: &[Event]) -> Case {
    given(events).expect("the events open a case")
}

/// Folds one more event and says whether it changed the case.
fn changes(events: &[Event], then: &Event) -> bool {
    let mut case = given(events);
    let before = case.clone();
    let changed = fold_case(&mut case, then) == Folded::Changed;
    assert_eq!(changed, case != before, "the answer fits the row");
    changed
}

#[test]
fn an_opened_case_is_open_and_keeps_its_evidence() {
    let case = known(&[opened(10, &[1, 2, 1])]);
    assert_eq!(case.status(), Status::Open);
    assert_eq!((case.version, case.solved_at), (1, None));
    let messages: Vec<_> = case.evidence.iter().map(|e| e.message).collect();
    assert_eq!(messages, [message(1), message(2)]);
    assert!(!changes(&[opened(10, &[1])], &opened(11, &[2])));
}

#[test]
fn an_open_case_is_solved_with_its_evidence_kept() {
    let case = known(&[opened(10, &[1, 2]), solved(20, &[2, 3])]);
    assert_eq!(case.status(), Status::Solved);
    assert_eq!((case.version, case.solved_at), (2, Some(at(20))));
    assert_eq!(case.signal, Some(Signal::Thanks));
    assert_eq!(case.evidence.len(), 3);
    assert_eq!(case.tags, ["alsa"]);
    assert_eq!(case.opened_at, at(10));
}

#[test]
fn the_version_of_the_words_grows_with_the_words_alone() {
    let mut events = vec![
        opened(10, &[1]),
        suggested(20, "install alsa-base again", &[2]),
        solved(30, &[2]),
    ];
    events.push(confirmed(40, 1, "👍"));
    let case = known(&events);
    assert_eq!((case.version, case.worded_in), (4, 2));
    let mut corrected = solved(50, &[3]);
    if let Body::CaseSolved(solved) = &mut corrected.body {
        solved.solution = Private::open("something else");
        solved.signal = Signal::Admin;
    }
    events.push(corrected);
    let case = known(&events);
    assert_eq!((case.version, case.worded_in), (5, 5));
}

#[test]
fn a_case_may_be_solved_when_it_is_found() {
    let case = known(&[solved(20, &[1, 2])]);
    assert_eq!((case.version, case.solved_at), (1, Some(at(20))));
    assert_eq!(case.status(), Status::Solved);
}

#[test]
fn what_was_suggested_is_not_a_solution_and_goes_when_there_is_one() {
    let case = known(&[opened(10, &[1]), suggested(20, "reboot", &[2])]);
    assert_eq!((case.status(), case.version), (Status::Open, 2));
    assert_eq!(case.suggestion.as_deref(), Some("reboot"));
    let again = [
        suggested(10, "reboot", &[2]),
        suggested(20, "install alsa-base", &[3]),
    ];
    let case = known(&again);
    assert_eq!(case.suggestion.as_deref(), Some("install alsa-base"));
    let parts: Vec<Part> = case.evidence.iter().map(|e| e.part).collect();
    assert_eq!(parts, [Part::Context, Part::Suggestion]);
    let solved = [again[0].clone(), solved(30, &[3])];
    assert_eq!(known(&solved).suggestion, None);
    assert!(!changes(&solved, &suggested(40, "reboot", &[2])));
    let withdrawn = [again[0].clone(), suggested(20, "", &[])];
    assert_eq!(known(&withdrawn).suggestion, None);
    let expired = [
        opened(10, &[1]),
        archived(15),
        suggested(20, "reboot", &[2]),
    ];
    assert_eq!(known(&expired).status(), Status::Open);
    let away = [opened(10, &[1]), merged(15, 7)];
    assert!(!changes(&away, &suggested(20, "reboot", &[2])));
}

#[test]
fn context_that_turns_out_to_solve_the_case_becomes_its_solution() {
    let Body::CaseOpened(mut first) = opened(10, &[1, 2]).body else {
        panic!("an opened case");
    };
    first.evidence[0].part = Part::Problem;
    let mut second = solved(20, &[1, 2]);
    if let Body::CaseSolved(solved) = &mut second.body {
        solved.evidence[1].part = Part::Solution;
    }
    let first = Event {
        body: first.into(),
        ..opened(10, &[])
    };
    let case = known(&[first, second]);
    let parts: Vec<Part> = case.evidence.iter().map(|e| e.part).collect();
    assert_eq!(parts, [Part::Problem, Part::Solution]);
}

#[test]
fn an_erased_case_keeps_no_words_and_stays_erased() {
    let events = [
        opened(10, &[1]),
        solved(20, &[2]),
        confirmed(30, 1, "👍"),
        erased(40),
    ];
    let case = known(&events);
    assert_eq!(case.status(), Status::Erased);
    assert_eq!(
        (case.title, case.problem, case.solution),
        (None, None, None)
    );
    assert_eq!((case.tags.len(), case.evidence.len()), (0, 0));
    assert!(case.confirmations.is_empty());
    assert_eq!((case.version, case.archived_at), (4, Some(at(40))));
    for later in [
        solved(50, &[3]),
        confirmed(50, 2, "👍"),
        withdrawn(50, 1, "👍"),
        archived(50),
        erased(50),
    ] {
        assert!(!changes(&events, &later), "{later:?}");
    }
    assert!(!changes(&[], &erased(40)), "an unknown case");
}

#[test]
fn reaction_confirms_case() {
    let case = known(&[opened(10, &[1]), confirmed(20, 1, "👍")]);
    assert_eq!(case.status(), Status::Solved);
    assert_eq!(case.closing_emoji.as_deref(), Some("👍"));
    assert_eq!(case.solved_at, Some(at(20)));
    let again = [opened(10, &[1]), confirmed(20, 1, "👍")];
    assert!(!changes(&again, &confirmed(30, 1, "👍")));
    assert!(!changes(&[], &confirmed(30, 1, "👍")));
}

#[test]
fn the_last_withdrawal_opens_the_case_again() {
    let two = [
        opened(10, &[1]),
        confirmed(20, 1, "👍"),
        confirmed(30, 2, "✅"),
    ];
    let mut events = two.to_vec();
    events.push(withdrawn(40, 2, "✅"));
    let case = known(&events);
    assert_eq!(case.closing_emoji.as_deref(), Some("👍"));
    assert_eq!(case.solved_at, Some(at(20)));
    events.push(withdrawn(50, 1, "👍"));
    let case = known(&events);
    assert_eq!(case.status(), Status::Open);
    assert_eq!((case.closing_emoji, case.solved_at), (None, None));
    assert_eq!((case.version, case.changed_at), (5, at(50)));
    assert!(!changes(&events, &withdrawn(60, 1, "👍")));
}

#[test]
fn withdrawing_another_emoji_keeps_the_closing_one() {
    let case = known(&[
        opened(10, &[1]),
        confirmed(20, 1, "👍"),
        confirmed(30, 2, "✅"),
        withdrawn(40, 1, "👍"),
    ]);
    assert_eq!(case.closing_emoji.as_deref(), Some("✅"));
}

#[test]
fn a_signal_keeps_the_case_solved() {
    let case = known(&[
        solved(20, &[1]),
        confirmed(30, 1, "👍"),
        withdrawn(40, 1, "👍"),
    ]);
    assert_eq!(case.status(), Status::Solved);
    assert_eq!(case.solved_at, Some(at(20)));
}

#[test]
fn an_archived_case_comes_back_when_it_is_solved() {
    let expired = [opened(10, &[1]), archived(1000)];
    let case = known(&expired);
    assert_eq!(case.status(), Status::Archived);
    assert_eq!((case.version, case.archived_at), (2, Some(at(1000))));
    assert!(!changes(&expired, &archived(1001)), "a repeat");
    let case = known(&[expired.to_vec(), vec![solved(2000, &[3])]].concat());
    assert_eq!(case.status(), Status::Solved);
    assert_eq!((case.archived_at, case.solved_at), (None, Some(at(2000))));
}

#[test]
fn what_was_confirmed_before_it_expired_has_not_expired() {
    let expired = [opened(10, &[1]), archived(1000)];
    let case = known(&[expired.to_vec(), vec![confirmed(999, 7, "👍")]].concat());
    assert_eq!((case.status(), case.archived_at), (Status::Solved, None));
    let case = known(&[expired.to_vec(), vec![confirmed(1000, 7, "👍")]].concat());
    assert_eq!(case.status(), Status::Archived);
    let left = [opened(10, &[1]), merged(1000, 2), confirmed(999, 7, "👍")];
    assert_eq!(known(&left).status(), Status::Merged);
}

#[test]
fn a_merged_case_left_the_live_set_and_keeps_everything() {
    let before = [opened(10, &[1]), solved(20, &[2])];
    let case = known(&[before.to_vec(), vec![merged(30, 5)]].concat());
    assert_eq!(case.status(), Status::Merged);
    assert_eq!((case.version, case.archived_at), (3, Some(at(30))));
    assert_eq!(case.merged_into.map(|id| id.as_uuid().as_u128()), Some(5));
    assert_eq!(case.evidence.len(), 2);
    let events = [before.to_vec(), vec![merged(30, 5)]].concat();
    assert!(!changes(&events, &merged(31, 5)), "a repeat");
    assert!(
        changes(&events, &merged(31, 6)),
        "the other was merged itself"
    );
    assert!(!changes(&before, &merged(31, 77)), "into itself");
    let expired = [opened(10, &[1]), archived(1000)];
    assert!(!changes(&expired, &merged(1001, 5)), "it is not live");
}

#[test]
fn a_split_undoes_a_merge() {
    let before = [opened(10, &[1]), solved(20, &[2])];
    let events = [before.to_vec(), vec![merged(30, 5), split(40)]].concat();
    let case = known(&events);
    let expected = Case {
        version: 4,
        changed_at: at(40),
        ..known(&before)
    };
    assert_eq!(case, expected);
    assert!(!changes(&events, &split(50)));
}

#[test]
fn erased_texts_are_gone_and_nul_is_replaced() {
    let mut event = opened(10, &[]);
    if let threadlore_model::Body::CaseOpened(body) = &mut event.body {
        body.title = Private::Erased;
        body.problem = Private::open("a\0b");
    }
    let case = known(&[event]);
    assert_eq!(case.title, None);
    assert_eq!(case.problem.as_deref(), Some("a\u{fffd}b"));
}

fn any_event() -> impl Strategy<Value = Event> {
    prop_oneof![
        (0..99_i64).prop_map(|now| opened(now, &[1, 2])),
        (0..99_i64).prop_map(|now| solved(now, &[2, 3])),
        (0..99_i64).prop_map(|now| suggested(now, "reboot", &[2])),
        (0..99_i64, 0..3_u128, "[ab]").prop_map(|(now, who, emoji)| confirmed(now, who, &emoji)),
        (0..99_i64, 0..3_u128, "[ab]").prop_map(|(now, who, emoji)| withdrawn(now, who, &emoji)),
        (0..99_i64).prop_map(archived),
        (0..99_i64, 1..4_u128).prop_map(|(now, into)| merged(now, into)),
        (0..99_i64).prop_map(split),
    ]
}

proptest! {
    #[test]
    fn confirmations_commute(
        seed in proptest::collection::vec((0..4_u128, "[abc]"), 0..6),
        order in any::<prop::sample::Index>(),
    ) {
        let events: Vec<_> = seed.iter().map(|(who, emoji)| confirmed(5, *who, emoji)).collect();
        let mut turned = events.clone();
        turned.rotate_left(order.index(events.len() + 1));
        turned.reverse();
        let a = known(&[vec![opened(1, &[1])], events].concat());
        let b = known(&[vec![opened(1, &[1])], turned].concat());
        prop_assert_eq!(a.status(), b.status());
        prop_assert_eq!(a.version, b.version);
        prop_assert_eq!(a.confirmations, b.confirmations);
    }

    #[test]
    fn versions_count_changes_and_a_repeat_says_nothing_new(
        events in proptest::collection::vec(any_event(), 0..20),
    ) {
        let mut case = None;
        for event in &events {
            let before = case.clone();
            let folded = fold_case(&mut case, event);
            let version = |c: &Option<Case>| c.as_ref().map_or(0, |c| c.version);
            let grew = i64::from(folded == Folded::Changed);
            prop_assert_eq!(version(&case), version(&before) + grew);
            prop_assert_eq!(folded == Folded::Changed, case != before);
            // What replaces texts counts again; nothing else of the row changes.
            let mut again = case.clone();
            fold_case(&mut again, event);
            if let (Some(again), Some(case)) = (&mut again, &case) {
                again.version = case.version;
            }
            prop_assert_eq!(&again, &case, "a repeat");
        }
        if let Some(case) = case {
            let solved = case.signal.is_some() || !case.confirmations.is_empty();
            prop_assert!(solved || case.solved_at.is_none());
            prop_assert_eq!(case.closing_emoji.is_some(), !case.confirmations.is_empty());
        }
    }
}

#[test]
fn what_an_admin_says_replaces_every_solution_before_it() {
    let mut first = solved(20, &[1, 2]);
    let mut second = solved(30, &[3]);
    for (event, at, text) in [(&mut first, 1, "one"), (&mut second, 0, "two")] {
        let Body::CaseSolved(solved) = &mut event.body else {
            panic!("a solution")
        };
        solved.evidence[at].part = Part::Solution;
        solved.solution = threadlore_model::Private::open(text);
    }
    if let Body::CaseSolved(solved) = &mut second.body {
        solved.signal = Signal::Admin;
    }
    let case = known(&[first, second]);
    assert_eq!(case.solution.as_deref(), Some("two"));
    assert_eq!(case.signal, Some(Signal::Admin));
    let solutions = case.evidence.iter().filter(|e| e.part == Part::Solution);
    let solutions: Vec<_> = solutions.map(|e| e.message).collect();
    assert_eq!(solutions, [message(3)]);
}
