use super::*;
use crate::ask::tests::candidate;
use crate::ask::{Silence, answer};
use crate::closeness::{Signs, TextSigns};
use crate::precedents::PrecedentSigns;

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
    let reply = answer(&[first.clone(), other.clone()], "how?");
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
    let reply = answer(std::slice::from_ref(&open), "how?");
    assert_eq!(case_of(&open).judge(&reply), Outcome::Suggested);
    assert_eq!(text("other cable").judge(&reply), Outcome::Suggested);
    assert_eq!(Expected::Silence.judge(&reply), Outcome::Wrong);
}

#[test]
fn a_case_that_is_only_tracked_is_silence_where_there_is_an_answer_and_else_wrong() {
    let open = candidate(4, None, 900);
    let reply = answer(std::slice::from_ref(&open), "how?");
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

#[test]
fn questions_are_counted_by_what_became_of_them() {
    let case = Expected::Case(candidate(1, None, 0).case.case);
    let mut tally = Tally::default();
    for (expected, outcome, place) in [
        (&case, Outcome::Right, Some(1)),
        (&case, Outcome::Suggested, Some(1)),
        (&case, Outcome::Wrong, Some(2)),
        (&case, Outcome::Silent, Some(4)),
        (&case, Outcome::Silent, None),
        (&Expected::Silence, Outcome::Silent, None),
        (&Expected::Silence, Outcome::Wrong, None),
    ] {
        tally.add(expected, outcome, place);
    }
    assert_eq!((tally.with_answer, tally.without_answer), (5, 2));
    assert_eq!((tally.right, tally.suggested, tally.wrong), (2, 1, 1));
    assert_eq!((tally.silent(), tally.rightly_silent()), (2, 1));
    assert_eq!(tally.within, [2, 3, 4]);
    let mrr = tally.mrr().expect("some have an answer");
    assert!((mrr - (1.0 + 1.0 + 0.5 + 0.25) / 5.0).abs() < 1e-9, "{mrr}");
    assert_eq!(tally.worth(1), 0, "two right, two wrong");
    assert_eq!(tally.worth(2), -2);
    assert_eq!(Tally::default().mrr(), None);
}

/// A question that is found: the case that it should get, or one that it should not.
fn found(likeness: f32) -> crate::Retrieved {
    let texts = TextSigns {
        likeness,
        met: likeness,
        words: 4.0 * likeness,
        is_solved: true,
    };
    crate::Retrieved {
        candidates: vec![candidate(1, Some("a"), 0)],
        record: crate::RetrievalRecord::default(),
        signs: Signs::of_all(
            vec![texts],
            vec![None],
            vec![1.0],
            vec![PrecedentSigns::default()],
            None,
        ),
        alike: Vec::new(),
        took: crate::Took::default(),
    }
}

#[test]
fn the_value_is_suggested_that_lies_between_right_and_wrong() {
    let right = Expected::Case(candidate(1, None, 0).case.case);
    let silence = Expected::Silence;
    let (far, near) = (found(0.35), found(0.5));
    let trial = |expected, found| Trial {
        question: "how?",
        expected,
        found,
    };
    let trials = [
        trial(&right, &near),
        trial(&right, &near),
        trial(&silence, &far),
    ];
    let all = tally(&trials, 60);
    assert_eq!((all.right, all.wrongly_answered), (2, 1), "both are given");
    let best = suggest(&trials, 2).expect("a value");
    assert_eq!((best.tally.right, best.tally.worth(2)), (2, 2), "{best:?}");
    assert_eq!(tally(&trials, best.wrong_at_most), best.tally);
    // Where wrong answers cost nothing, right ones are not kept back for them.
    let trials = [trial(&right, &far), trial(&silence, &near)];
    assert_eq!(suggest(&trials, 0).expect("a value").tally.right, 1);
    assert_eq!(suggest(&trials, 3).expect("a value").tally.right, 0);
    assert_eq!(suggest(&[], 2).expect("a value").tally, Tally::default());
}
