//! Problems and answers in words of no list: what solves them is who speaks when.

use super::*;

const STRAP: (&str, &str, Option<usize>, &str) = (
    "ann",
    "the strap of my satchel keeps slipping off, why is that?",
    None,
    "?",
);

/// The lines of each case, whether it is solved.
fn solutions(script: &[Said<'_>]) -> Vec<(Vec<usize>, bool)> {
    let cases = extract(&window(script)).cases;
    let of = |case: threadlore_model::Draft| (case.solution_lines, case.signal.is_some());
    cases.into_iter().map(of).collect()
}

/// The same window, with a day before the last line.
fn a_day_later(script: &[Said<'_>]) -> Vec<(Vec<usize>, bool)> {
    let mut window = window(script);
    let last = window.lines.last_mut().expect("a line");
    last.at = last.at.plus(std::time::Duration::from_secs(24 * 60 * 60));
    let found = extract(&window).cases;
    let of = |case: threadlore_model::Draft| (case.solution_lines, case.signal.is_some());
    found.into_iter().map(of).collect()
}

#[test]
fn thanks_solve_whatever_the_words() {
    let script = [
        STRAP,
        ("bob", "which side?", None, "?"),
        ("ann", "left", Some(0), ""),
        ("bob", "wear it across the chest then", Some(1), ""),
        ("ann", "stays put now, thanks", Some(2), "t"),
    ];
    assert_eq!(solutions(&script), [(vec![3], true)]);
}

#[test]
fn a_reaction_makes_any_line_the_solution() {
    let script = [
        STRAP,
        ("bob", "wear it across the chest then", Some(0), "r"),
        ("cid", "or glue some rubber below", Some(0), ""),
    ];
    assert_eq!(solutions(&script), [(vec![1], true)]);
}

#[test]
fn an_answer_that_nobody_confirmed_is_a_suggestion() {
    let script = [STRAP, ("bob", "wear it across the chest then", Some(0), "")];
    assert_eq!(solutions(&script), [(vec![1], false)]);
    let company = [STRAP, ("bob", "haha", Some(0), "")];
    assert_eq!(solutions(&company), []);
}

#[test]
fn who_comes_back_a_day_later_without_a_complaint_is_content() {
    let answer = ("bob", "wear it across the chest then", Some(0), "");
    let tries = ("ann", "off to the hills with it", Some(1), "");
    let calm = ("ann", "twenty kilometres and it sits tight", Some(2), "");
    assert_eq!(
        a_day_later(&[STRAP, answer, tries, calm]),
        [(vec![1], true)]
    );
    for sour in ["it slips as before, again", "no better than it was"] {
        let sour = ("ann", sour, Some(2), "");
        assert_eq!(
            a_day_later(&[STRAP, answer, tries, sour]),
            [(vec![1], false)],
            "{sour:?}"
        );
    }
    // Soon after, it says nothing about the outcome.
    assert_eq!(solutions(&[STRAP, answer, tries, calm]), [(vec![1], false)]);
}

#[test]
fn what_failed_was_the_first_helpers() {
    let script = [
        STRAP,
        ("bob", "shorten it by a hole or two", Some(0), ""),
        ("cid", "wear it across the chest then", Some(0), ""),
        ("ann", "shorter is no better", Some(2), "-"),
        ("ann", "across it stays, thanks", Some(3), "t"),
    ];
    assert_eq!(solutions(&script), [(vec![2], true)]);
    let alone = [
        STRAP,
        ("bob", "shorten it by a hole or two", Some(0), ""),
        ("ann", "shorter is no better", Some(1), "-"),
        ("ann", "thanks", Some(2), "t"),
    ];
    assert!(!solutions(&alone).iter().any(|(_, solved)| *solved));
}

#[test]
fn a_helper_who_thanks_and_small_talk_solve_nothing() {
    let helper = [
        STRAP,
        ("bob", "wear it across the chest then", Some(0), ""),
        ("bob", "thanks for asking", Some(1), "t"),
    ];
    assert!(!solutions(&helper).iter().any(|(_, solved)| *solved));
    let talk = [
        ("ann", "good morning all", None, ""),
        ("bob", "morning ann", Some(0), ""),
        ("ann", "thanks", Some(1), "t"),
    ];
    assert_eq!(solutions(&talk), []);
}

#[test]
fn the_next_ones_question_is_not_an_answer() {
    let script = [
        STRAP,
        ("bob", "wear it across the chest then", Some(0), ""),
        ("ann", "stays put now, thanks", Some(1), "t"),
        (
            "cid",
            "my umbrella turns inside out in any wind, what helps?",
            None,
            "?",
        ),
        ("bob", "hold it lower and into the wind", None, ""),
        ("cid", "bob: dry at last, thanks", Some(3), "t"),
    ];
    assert_eq!(solutions(&script), [(vec![1], true), (vec![4], true)]);
}
