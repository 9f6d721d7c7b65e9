//! What admins and operators ask for.

use threadlore_model::{
    ArchiveReason, ArchiveRequested, CaseArchived, CaseErased, CaseSolved, CorrectionRequested,
    ErasureRequested, Private,
};

use super::*;

/// A solved case: its problem is message 1, its solution 2.
fn with_solved_case() -> Desk {
    let mut desk = Desk::given(chat());
    desk.looked(4, cases([solved_draft(0, 1)]));
    desk
}

fn correction(of: threadlore_model::CaseId, solution: Private, says: Option<u32>) -> Event {
    let request = CorrectionRequested {
        case: of,
        channel: channel(),
        title: Private::open("no sound"),
        problem: Private::open("how do I get sound?"),
        solution,
        tags: Vec::new(),
        message: says.map(message),
        asked: Vec::new(),
        now: at(9),
    };
    event(request, at(9))
}

fn only(bodies: Vec<Body>) -> Body {
    let [body] = <[Body; 1]>::try_from(bodies).expect("one event");
    body
}

#[test]
fn a_correction_replaces_the_solution_and_the_line_that_carries_it() {
    let mut desk = with_solved_case();
    desk.read(&posted(7, 9, "no: install pipewire"));
    let case = desk.only_case().case;
    let request = correction(case, Private::open("install pipewire"), Some(7));
    let Body::CaseSolved(solved) = only(bodies(desk.read(&request))) else {
        panic!("a solution")
    };
    assert_eq!(solved.signal, Signal::Admin);
    let case = desk.only_case();
    assert_eq!(case.solution.as_deref(), Some("install pipewire"));
    assert_eq!(case.status(), Status::Solved);
    let parts = numbers(&case.evidence);
    assert!(parts.contains(&(2, Part::Context)), "{parts:?}");
    assert!(parts.contains(&(7, Part::Solution)), "{parts:?}");
    // The words that it rests on are those of the admin from now on.
    assert!(bodies(desk.read(&redacted(2))).is_empty());
    assert!(matches!(
        only(bodies(desk.read(&redacted(7)))),
        Body::CaseErased(_)
    ));
}

#[test]
fn the_answer_to_a_question_without_a_case_makes_one_that_goes_with_the_question() {
    let mut desk = Desk::given(chat());
    let mut request = correction(case(9), Private::open("use lsblk"), Some(3));
    if let Body::CorrectionRequested(request) = &mut request.body {
        request.asked = vec![message(1)];
    }
    let Body::CaseSolved(solved) = only(bodies(desk.read(&request))) else {
        panic!("a solution")
    };
    let parts = numbers(&solved.evidence);
    assert_eq!(parts, [(1, Part::Problem), (3, Part::Solution)]);
    let known = desk.only_case();
    assert_eq!((known.case, known.status()), (case(9), Status::Solved));
    assert!(desk.read(&request).events.is_empty(), "told twice");
    assert!(matches!(
        only(bodies(desk.read(&redacted(1)))),
        Body::CaseErased(_)
    ));
}

#[test]
fn a_case_that_is_outdated_is_archived_once_and_another_solution_brings_it_back() {
    let mut desk = with_solved_case();
    let case = desk.only_case().case;
    let request = |minute| {
        let request = ArchiveRequested {
            case,
            channel: channel(),
            now: at(minute),
        };
        event(request, at(minute))
    };
    let Body::CaseArchived(CaseArchived { reason, .. }) = only(bodies(desk.read(&request(9))))
    else {
        panic!("archived")
    };
    assert_eq!(reason, ArchiveReason::Requested);
    assert_eq!(desk.only_case().status(), Status::Archived);
    assert!(desk.read(&request(10)).events.is_empty(), "asked twice");
    let words = Private::open("install pipewire");
    desk.read(&correction(case, words, None));
    let known = desk.only_case();
    assert_eq!(known.status(), Status::Solved);
    assert_eq!(known.solution.as_deref(), Some("install pipewire"));
    assert_eq!(
        desk.read(&request(11)).events.len(),
        1,
        "and it may leave again"
    );
}

#[test]
fn a_correction_solves_what_was_open() {
    let mut desk = Desk::given(chat());
    desk.looked(4, cases([open_draft(&[0])]));
    let case = desk.only_case().case;
    desk.read(&correction(case, Private::open("install pipewire"), None));
    assert_eq!(desk.only_case().status(), Status::Solved);
}

#[test]
fn the_same_correction_again_and_that_of_an_erased_case_change_nothing() {
    let mut desk = with_solved_case();
    let case = desk.only_case().case;
    let request = correction(case, Private::open("install pipewire"), None);
    desk.read(&request);
    assert_eq!(desk.read(&request).dropped, Some("repeated correction"));
    let erased = correction(case, Private::Erased, None);
    let dropped = desk.read(&erased).dropped;
    assert_eq!(dropped, Some("a correction of an erased case"));
}

#[test]
fn an_erasure_that_was_asked_for_is_decided_also_of_a_case_that_is_not_remembered() {
    for remembered in [true, false] {
        let mut desk = with_solved_case();
        let asked = match remembered {
            true => desk.only_case().case,
            false => case(123),
        };
        let request = ErasureRequested {
            case: asked,
            channel: channel(),
            now: at(9),
        };
        let Body::CaseErased(CaseErased { case, reason, .. }) =
            only(bodies(desk.read(&event(request, at(9)))))
        else {
            panic!("an erasure")
        };
        assert_eq!((case, reason), (asked, EraseReason::Requested));
        assert_eq!(desk.state.cases.is_empty(), remembered);
    }
}

#[test]
fn a_correction_of_a_case_that_is_not_remembered_has_all_its_texts() {
    let mut desk = with_solved_case();
    let request = correction(case(123), Private::open("install pipewire"), None);
    let Body::CaseSolved(CaseSolved { case, problem, .. }) = only(bodies(desk.read(&request)))
    else {
        panic!("a solution")
    };
    assert_eq!(
        (case, problem.text()),
        (super::case(123), Some("how do I get sound?"))
    );
    assert_eq!(desk.state.cases.len(), 1, "it is not remembered in part");
}
