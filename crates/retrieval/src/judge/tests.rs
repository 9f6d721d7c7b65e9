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

/// A question that is found by its vector: the case that it should get, and one that it should not.
fn found(stands_out: f32, cosine: f32) -> crate::Retrieved {
    crate::Retrieved {
        candidates: vec![candidate(1, Some("a"), 0)],
        record: crate::RetrievalRecord::default(),
        measured: vec![crate::measure::Measured {
            words: 0,
            cosine: Some(cosine),
            stands_out: Some(stands_out),
        }],
        took: crate::Took::default(),
    }
}

#[test]
fn the_threshold_is_suggested_that_lies_between_right_and_wrong() {
    let right = Expected::Case(candidate(1, None, 0).case.case);
    let far = found(0.2, 0.6);
    let near = found(0.8, 0.9);
    let trial = |expected, found| Trial {
        question: "how?",
        expected,
        found,
    };
    let trials = [
        trial(&right, &near),
        trial(&right, &near),
        trial(&Expected::Silence, &far),
    ];
    let now = crate::Thresholds {
        close_at: None,
        stands_out_at: 10,
    };
    assert_eq!(tally(&trials, now).wrongly_answered, 1);
    let stands_out = suggest(Threshold::StandsOutAt, &trials, now, 2).expect("a value");
    // All of 25 to 80 are as good.
    assert_eq!(stands_out.value, 55);
    assert_eq!((stands_out.tally.right, stands_out.tally.worth(2)), (2, 2));
    let strict = crate::Thresholds {
        stands_out_at: 500,
        ..now
    };
    let close_at = suggest(Threshold::CloseAt, &trials, strict, 2).expect("a value");
    assert!((605..=900).contains(&close_at.value), "{close_at:?}");
    assert_eq!(close_at.tally.worth(2), 2);
    let none = suggest(Threshold::CloseAt, &[], now, 2).expect("a value");
    assert_eq!(none.tally, Tally::default());
}

#[test]
fn where_wrong_answers_cost_nothing_the_threshold_gives_all_right_ones() {
    let right = Expected::Case(candidate(1, None, 0).case.case);
    let (weak, strong) = (found(0.3, 0.7), found(0.9, 0.9));
    let silence = Expected::Silence;
    let trials = [(&right, &weak), (&right, &strong), (&silence, &strong)];
    let trials = trials.map(|(expected, found)| Trial {
        question: "how?",
        expected,
        found,
    });
    let now = crate::Thresholds {
        close_at: None,
        stands_out_at: 60,
    };
    let suggested = |cost| suggest(Threshold::StandsOutAt, &trials, now, cost).expect("a value");
    assert!(suggested(0).value <= 30, "{:?}", suggested(0));
    assert!(suggested(3).value > 90, "{:?}", suggested(3));
}
