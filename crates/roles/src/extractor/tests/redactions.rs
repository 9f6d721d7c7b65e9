//! Words that were taken back or replaced.

use super::*;
use crate::testing::edited;

/// A solved case: its problem is message 1, its solution 2, its context 3.
fn with_solved_case() -> Desk {
    let mut desk = Desk::given(chat());
    let draft = Draft {
        other_lines: vec![2],
        ..solved_draft(0, 1)
    };
    desk.looked(4, cases([draft]));
    desk
}

fn erased(bodies: &[Body]) -> Option<EraseReason> {
    match bodies {
        [Body::CaseErased(e)] => Some(e.reason),
        [] => None,
        other => panic!("one erasure or nothing: {other:?}"),
    }
}

#[test]
fn redacting_the_problem_or_the_solution_erases_the_case() {
    for n in [1, 2] {
        let mut desk = with_solved_case();
        let decided = bodies(desk.read(&redacted(n)));
        assert_eq!(erased(&decided), Some(EraseReason::Redacted));
        assert!(desk.state.cases.is_empty());
    }
}

#[test]
fn redacting_context_or_chatter_erases_nothing() {
    for n in [3, 4] {
        let mut desk = with_solved_case();
        assert_eq!(erased(&bodies(desk.read(&redacted(n)))), None);
    }
}

#[test]
fn an_edit_erases_the_case_and_its_lines_are_looked_at_again() {
    let mut desk = with_solved_case();
    let decided = bodies(desk.read(&edited(2, 1, "install pulseaudio")));
    assert_eq!(erased(&decided), Some(EraseReason::Edited));
    let window = desk.asked(5);
    assert!(texts(&window).contains(&"install pulseaudio"));
    assert!(texts(&window).contains(&"how do I get sound?"));
}

#[test]
fn an_edit_that_changes_no_word_changes_no_case() {
    let mut desk = with_solved_case();
    let same = edited(2, 1, "install alsa-base");
    assert_eq!(erased(&bodies(desk.read(&same))), None);
    let late = edited(2, 0, "an older text");
    assert_eq!(erased(&bodies(desk.read(&late))), None);
}

#[test]
fn an_answer_about_words_that_were_edited_meanwhile_is_not_used() {
    let mut desk = Desk::given(chat());
    let window = desk.asked(4);
    desk.read(&edited(2, 1, "install pulseaudio"));
    let decided = bodies(desk.answered(4, &window, cases([solved_draft(0, 1)])));
    assert!(decided.is_empty(), "{decided:?}");
}

#[test]
fn a_case_made_from_edited_words_is_erased_by_a_later_edit_only() {
    let mut desk = Desk::given(chat());
    let edit = edited(2, 1, "install pulseaudio");
    desk.read(&edit);
    desk.looked(4, cases([solved_draft(0, 1)]));
    assert_eq!(erased(&bodies(desk.read(&edit))), None);
    let decided = bodies(desk.read(&edited(2, 2, "install pipewire")));
    assert_eq!(erased(&decided), Some(EraseReason::Edited));
}
