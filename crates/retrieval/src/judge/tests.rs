use super::*;
use crate::ask::tests::candidate;
use crate::ask::{Silence, answer};

fn case_of(one: &Candidate) -> Expected {
    Expected::Case(one.case.case)
}

fn text(wanted: &str) -> Expected {
    Expected::Text(vec![wanted.to_owned()])
}

#[test]
fn an_answer_is_right_by_its_case_or_by_its_text() {
    let (first, other) = (
        candidate(1, Some("run  sudo\nupdate-grub"), 900),
        candidate(2, Some("restart"), 500),
    );
    let reply = answer(&[first.clone(), other.clone()], "how?", true);
    for (expected, outcome) in [
        (case_of(&first), Outcome::Right),
        (case_of(&other), Outcome::Wrong),
        (text("sudo update-grub"), Outcome::Right),
        (text("restart"), Outcome::Wrong),
        (Expected::Silence, Outcome::Wrong),
    ] {
        assert_eq!(expected.judge(&reply), outcome, "{expected:?}");
    }
}

#[test]
fn what_was_suggested_is_right_too_and_told_apart() {
    let mut open = candidate(3, None, 900);
    open.case.suggestion = Some("try the other cable".to_owned());
    let reply = answer(std::slice::from_ref(&open), "how?", true);
    assert_eq!(case_of(&open).judge(&reply), Outcome::Suggested);
    assert_eq!(text("other cable").judge(&reply), Outcome::Suggested);
    assert_eq!(Expected::Silence.judge(&reply), Outcome::Wrong);
}

#[test]
fn a_case_that_is_only_tracked_is_silence_where_there_is_an_answer_and_else_wrong() {
    let open = candidate(4, None, 900);
    let reply = answer(std::slice::from_ref(&open), "how?", true);
    assert_eq!(case_of(&open).judge(&reply), Outcome::Silent);
    assert_eq!(Expected::Silence.judge(&reply), Outcome::Wrong);
    let nothing = Reply::Silent(Silence::NothingClose);
    assert_eq!(Expected::Silence.judge(&nothing), Outcome::Silent);
    assert_eq!(text("x").judge(&nothing), Outcome::Silent);
}

#[test]
fn the_place_of_the_right_case_is_counted_from_the_closest() {
    let all = [
        candidate(1, Some("a"), 300),
        candidate(2, Some("b"), 900),
        candidate(3, Some("c"), 300),
    ];
    let places = all.each_ref().map(|one| case_of(one).place(&all));
    assert_eq!(places, [Some(2), Some(1), Some(3)]);
    assert_eq!(text("c").place(&all), Some(3));
    assert_eq!(text("d").place(&all), None);
    assert_eq!(Expected::Silence.place(&all), None);
}
