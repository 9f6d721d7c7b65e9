//! What somebody answered and nobody confirmed.

use super::*;

fn parts(case: &Case) -> Vec<Part> {
    case.evidence.iter().map(|e| e.part).collect()
}

#[test]
fn an_answer_that_nobody_confirmed_is_kept_with_the_open_case() {
    let mut desk = Desk::given(chat());
    let decided = desk.looked(4, cases([suggested_draft(0, 1)]));
    assert!(matches!(&decided[..], [Body::CaseSuggested(_)]));
    let case = desk.only_case();
    assert_eq!(case.status(), Status::Open);
    assert_eq!(case.suggestion.as_deref(), Some("install alsa-base"));
    assert_eq!(parts(case), [Part::Problem, Part::Suggestion]);
}

#[test]
fn a_later_window_replaces_it_and_the_same_one_says_nothing() {
    let mut desk = Desk::given(chat());
    desk.looked(1, cases([open_draft(&[0])]));
    let id = desk.only_case().case;
    let first = desk.looked(2, suggests(id, "install alsa-base", &[1]));
    assert!(matches!(&first[..], [Body::CaseSuggested(s)] if s.case == id));
    assert!(
        desk.looked(3, suggests(id, "install alsa-base", &[1]))
            .is_empty()
    );
    // What failed is no suggestion any more.
    let none = desk.looked(4, suggests(id, "", &[]));
    assert_eq!(none.len(), 1);
    let case = desk.only_case();
    assert_eq!((case.suggestion.as_deref(), case.version), (None, 3));
    assert_eq!(parts(case), [Part::Problem, Part::Context]);
}

#[test]
fn a_solution_takes_its_place() {
    let mut desk = Desk::given(chat());
    desk.looked(2, cases([suggested_draft(0, 1)]));
    let id = desk.only_case().case;
    desk.looked(4, resolves(id, 1));
    let case = desk.only_case();
    assert_eq!((case.status(), &case.suggestion), (Status::Solved, &None));
    assert_eq!(parts(case), [Part::Problem, Part::Solution]);
    desk.read(&posted(9, 1, "more"));
    assert!(
        desk.looked(9, suggests(id, "something else", &[0]))
            .is_empty()
    );
}

#[test]
fn a_suggestion_of_a_redacted_line_is_erased_with_its_case() {
    let mut desk = Desk::given(chat());
    desk.looked(4, cases([suggested_draft(0, 1)]));
    let decided = bodies(desk.read(&redacted(2)));
    assert!(
        matches!(&decided[..], [Body::CaseErased(_), ..]),
        "{decided:?}"
    );
}

#[test]
fn it_points_into_its_window_or_counts_for_nothing() {
    let mut desk = Desk::given(chat());
    desk.looked(1, cases([open_draft(&[0])]));
    let id = desk.only_case().case;
    desk.read(&posted(9, 1, "more"));
    let window = desk.asked(9);
    let decision = desk.answered(9, &window, suggests(id, "install alsa-base", &[99]));
    assert!(decision.events.is_empty() && decision.dropped.is_some());
}

#[test]
fn a_case_with_a_suggestion_does_not_expire() {
    let mut desk = Desk::given(chat());
    desk.looked(4, cases([suggested_draft(0, 1)]));
    assert_eq!(wake(&desk.state, &desk.params).channel, None);
    let mut desk = Desk::given(chat());
    desk.looked(4, cases([open_draft(&[0])]));
    assert!(wake(&desk.state, &desk.params).channel.is_some());
}
