//! Words that were taken back or replaced (C6).

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
fn c6_redacting_the_problem_or_the_solution_erases_the_case() {
    for n in [1, 2] {
        let mut desk = with_solved_case();
        let decided = bodies(desk.read(&redacted(n)));
        assert_eq!(erased(&decided), Some(EraseReason::Redacted));
        desk.read_back(&decided[0]);
        assert!(desk.state.cases.is_empty());
    }
}

#[test]
fn c6_redacting_context_or_chatter_erases_nothing() {
    for n in [3, 4] {
        let mut desk = with_solved_case();
        assert_eq!(erased(&bodies(desk.read(&redacted(n)))), None);
    }
}

#[test]
fn c6_a_redaction_while_the_case_is_on_its_way_erases_it_when_it_is_read() {
    let mut desk = Desk::given(chat());
    let window = desk.asked(4);
    let opened = bodies(desk.answered(4, &window, cases([open_draft(&[0])])));
    assert!(bodies(desk.read(&redacted(1))).is_empty());
    let decided = desk.read_back(&opened[0]);
    assert_eq!(erased(&decided), Some(EraseReason::Redacted));
}

#[test]
fn c6_a_lost_state_takes_up_redactions_that_nothing_in_the_log_speaks_of() {
    let mut desk = with_solved_case();
    let late = redacted(2);
    let input = record(desk.offset, &late, 0);
    state::extractor(&mut desk.state, &input, &desk.params);
    let decided = bodies(desk.take(&Input::Resume));
    assert_eq!(erased(&decided), Some(EraseReason::Redacted));
    desk.read_back(&decided[0]);
    assert!(bodies(desk.take(&Input::Resume)).is_empty());
}

#[test]
fn c6_an_edit_erases_the_case_and_its_lines_are_looked_at_again() {
    let mut desk = with_solved_case();
    let decided = bodies(desk.read(&edited(2, 1, "install pulseaudio")));
    assert_eq!(erased(&decided), Some(EraseReason::Edited));
    desk.read_back(&decided[0]);
    let window = desk.asked(5);
    assert!(texts(&window).contains(&"install pulseaudio"));
    assert!(texts(&window).contains(&"how do I get sound?"));
}

#[test]
fn c6_an_edit_that_changes_no_word_changes_no_case() {
    let mut desk = with_solved_case();
    let same = edited(2, 1, "install alsa-base");
    assert_eq!(erased(&bodies(desk.read(&same))), None);
    let late = edited(2, 0, "an older text");
    assert_eq!(erased(&bodies(desk.read(&late))), None);
}

#[test]
fn c6_an_answer_about_words_that_were_edited_meanwhile_is_not_used() {
    let mut desk = Desk::given(chat());
    let window = desk.asked(4);
    desk.read(&edited(2, 1, "install pulseaudio"));
    let decided = bodies(desk.answered(4, &window, cases([solved_draft(0, 1)])));
    assert!(decided.is_empty(), "{decided:?}");
}

#[test]
fn c6_a_case_made_from_edited_words_stays_when_a_lost_state_reads_the_edit_after_it() {
    let mut desk = Desk::given(chat());
    let edit = edited(2, 1, "install pulseaudio");
    desk.read(&edit);
    let solved = desk.looked(4, cases([solved_draft(0, 1)]));
    // Cases are read first when a state is rebuilt, then the chat.
    let mut desk = Desk::default();
    for body in &solved {
        desk.read_back(body);
    }
    for event in chat() {
        desk.read(&event);
    }
    assert_eq!(erased(&bodies(desk.read(&edit))), None);
    let decided = bodies(desk.read(&edited(2, 2, "install pipewire")));
    assert_eq!(erased(&decided), Some(EraseReason::Edited));
}
