use std::collections::BTreeSet;

use threadlore_model::{CaseId, ChannelId, Evidence, MessageId, Signal, SpaceId, Timestamp};

use super::*;
use crate::closeness::{Signs, WRONG_AT_MOST};
use crate::precedents::PrecedentSigns;

fn case(n: u128, solution: Option<&str>) -> Case {
    let message = |i: u128| MessageId::from_uuid(uuid_of(n * 10 + i));
    Case {
        space: SpaceId::parse("acme").expect("valid"),
        case: CaseId::from_uuid(uuid_of(n)),
        channel: ChannelId::parse("irc:#help").expect("valid"),
        version: 1,
        worded_in: 1,
        title: Some(format!("title {n}")),
        problem: Some("problem solve".to_owned()),
        solution: solution.map(str::to_owned),
        suggestion: None,
        tags: Vec::new(),
        evidence: vec![
            Evidence {
                message: message(1),
                part: Part::Problem,
                revision: 0,
            },
            Evidence {
                message: message(2),
                part: Part::Solution,
                revision: 0,
            },
        ],
        signal: solution.map(|_| Signal::Thanks),
        confirmations: BTreeSet::new(),
        closing_emoji: None,
        engine: "test".to_owned(),
        opened_at: Timestamp::EARLIEST,
        solved_at: None,
        archived_at: None,
        changed_at: Timestamp::EARLIEST,
        erased_at: None,
        merged_into: None,
    }
}

fn uuid_of(n: u128) -> uuid::Uuid {
    uuid::Uuid::from_u128(n)
}

pub(crate) fn candidate(n: u128, solution: Option<&str>, close: u32) -> Candidate {
    Candidate {
        case: case(n, solution),
        close,
        score: CaseScore::default(),
    }
}

/// The same, of whose answers so many worked and failed.
fn tried(of: Candidate, worked: u32, failed: u32) -> Candidate {
    Candidate {
        score: CaseScore { worked, failed },
        ..of
    }
}

#[test]
fn a_solution_that_failed_twice_and_never_worked_is_a_suggestion() {
    let close = || candidate(1, Some("a"), 900);
    let given = |one: Candidate| answer(&[one, candidate(2, Some("b"), 700)], "how?");
    for (worked, failed) in [(0, 0), (0, 1), (1, 2), (9, 3)] {
        let reply = given(tried(close(), worked, failed));
        assert!(
            matches!(&reply, Reply::Answered { text, .. } if text == "a"),
            "{worked} {failed}: {reply:?}"
        );
    }
    // It is much closer than the other one.
    let Reply::Suggested { text, citation, .. } = given(tried(close(), 0, 2)) else {
        panic!("a suggestion")
    };
    assert_eq!((text.as_str(), citation.failed), ("a", 2));
    // What worked for somebody is named, however far it is.
    let far = tried(candidate(3, Some("c"), 20), 2, 1);
    let near = tried(candidate(2, Some("b"), 400), 1, 1);
    let Reply::Suggested { instead, .. } = answer(&[tried(close(), 0, 2), near, far], "how?")
    else {
        panic!("a suggestion")
    };
    assert_eq!(instead, Some(CaseId::from_uuid(uuid_of(3))));
    assert_eq!(citation.evidence, [MessageId::from_uuid(uuid_of(12))]);
    // A sure one that is about as close comes first, and alone.
    let both = [tried(close(), 0, 3), candidate(2, Some("b"), 850)];
    let Reply::Answered { text, citations } = answer(&both, "how?") else {
        panic!("an answer")
    };
    assert_eq!((text.as_str(), citations.len()), ("b", 1));
}

#[test]
fn a_suggestion_that_worked_more_often_than_it_failed_is_an_answer() {
    let suggested = || {
        let mut one = candidate(1, None, 900);
        one.case.suggestion = Some("a".to_owned());
        one.case.evidence[1].part = Part::Suggestion;
        one
    };
    for (worked, failed, is_sure) in [(0, 0, false), (1, 1, false), (1, 0, true), (3, 2, true)] {
        let reply = answer(&[tried(suggested(), worked, failed)], "how?");
        let (is_answer, citation) = match reply {
            Reply::Answered { citations, .. } => (true, citations[0].clone()),
            Reply::Suggested { citation, .. } => (false, citation),
            other => panic!("{other:?}"),
        };
        assert_eq!(is_answer, is_sure, "{worked} {failed}");
        assert_eq!(citation.evidence, [MessageId::from_uuid(uuid_of(12))]);
        assert_eq!(citation.failed, 0);
    }
}

#[test]
fn the_closest_solved_case_answers_with_its_evidence() {
    let reply = answer(
        &[candidate(1, Some("a"), 600), candidate(2, Some("b"), 900)],
        "how?",
    );
    let Reply::Answered { text, citations } = reply else {
        panic!("{reply:?}")
    };
    assert_eq!(text, "b");
    assert_eq!(citations[0].evidence, [MessageId::from_uuid(uuid_of(22))]);
    assert_eq!(citations.len(), 2);
}

#[test]
fn of_two_as_close_the_first_found_answers() {
    let two = [candidate(2, Some("b"), 700), candidate(1, Some("a"), 700)];
    let Reply::Answered { text, .. } = answer(&two, "how?") else {
        panic!("both are close")
    };
    assert_eq!(text, "b");
}

#[test]
fn only_an_open_case_is_tracked() {
    let reply = answer(
        &[candidate(1, None, 900), candidate(2, Some("b"), CLOSE - 1)],
        "how?",
    );
    assert!(matches!(reply, Reply::Tracked { .. }), "{reply:?}");
}

#[test]
fn what_was_suggested_comes_after_solutions_and_before_what_is_tracked() {
    let mut suggested = candidate(3, None, 700);
    suggested.case.suggestion = Some("c".to_owned());
    suggested.case.evidence[1].part = Part::Suggestion;
    let open = candidate(1, None, 900);
    let reply = answer(&[open.clone(), suggested.clone()], "how?");
    let Reply::Suggested { text, citation, .. } = reply else {
        panic!("{reply:?}")
    };
    assert_eq!(text, "c");
    assert_eq!(citation.evidence, [MessageId::from_uuid(uuid_of(32))]);
    let solved = candidate(2, Some("b"), 600);
    let reply = answer(&[open.clone(), suggested.clone(), solved], "how?");
    assert!(matches!(reply, Reply::Answered { .. }), "{reply:?}");
    // A solution that is much less close is that of another problem.
    let solved = candidate(2, Some("b"), 599);
    let reply = answer(&[open, suggested, solved], "how?");
    assert!(matches!(reply, Reply::Suggested { .. }), "{reply:?}");
}

#[test]
fn nothing_close_is_silence_with_its_reason() {
    assert_eq!(answer(&[], "how?"), Reply::Silent(Silence::NothingFound));
    let far = answer(&[candidate(1, Some("a"), CLOSE - 1)], "how?");
    assert_eq!(far, Reply::Silent(Silence::NothingClose));
}

#[test]
fn a_long_answer_or_suggestion_quotes_the_lines_that_matter_for_the_question() {
    let talk = "We had this in the old office too, and nobody knew what to do. ".repeat(10);
    let line = "In the kernel menu choose the older version.";
    let long = format!("{talk}\n{line}\n{talk}");
    let question = "which kernel version do I choose?";
    let quotes = |text: &str| text.contains(line) && text.contains('…');
    let solved = candidate(1, Some(&long), 1000);
    let reply = answer(&[solved], question);
    assert!(
        matches!(&reply, Reply::Answered { text, .. } if quotes(text)),
        "{reply:?}"
    );
    let mut open = candidate(2, None, 1000);
    open.case.suggestion = Some(long);
    let reply = answer(&[open], question);
    assert!(
        matches!(&reply, Reply::Suggested { text, .. } if quotes(text)),
        "{reply:?}"
    );
}

/// How close a case is that is alone.
fn close(question: &str, case: &Case) -> u32 {
    let texts = vec![Question::new(question, &[]).signs_of(case)];
    Signs::of_all(
        texts,
        vec![None],
        vec![1.0],
        vec![PrecedentSigns::default()],
        None,
    )[0]
    .closeness(WRONG_AT_MOST)
}

fn stated(title: &str, problem: &str, solution: &str) -> Case {
    let mut case = case(1, Some(solution));
    case.title = Some(title.to_owned());
    case.problem = Some(problem.to_owned());
    case
}

#[test]
fn the_same_problem_is_close_and_another_is_not() {
    let printer = stated(
        "How do I print on both sides?",
        "my printer only prints one side of the page, how do I print on both sides?",
        "set duplex in the settings of the printer",
    );
    assert!(close("how can I print both sides of a page", &printer) >= CLOSE);
    assert!(close("which pizza is the best one in town?", &printer) < CLOSE);
    assert!(close("🎉", &printer) < CLOSE);
}

#[test]
fn a_case_whose_solution_alone_has_the_words_is_not_close() {
    let other = stated(
        "printer offline",
        "my printer is offline",
        "install the scanner driver with apt",
    );
    assert!(close("how do I install the scanner driver with apt?", &other) < CLOSE);
}

#[test]
fn everyday_words_neither_hide_a_problem_nor_make_one() {
    let mut lid = case(
        1,
        Some("set HandleLidSwitch=suspend in /etc/systemd/logind.conf"),
    );
    lid.title = Some("my laptop wont suspend when i close the lid".to_owned());
    lid.problem = lid.title.clone();
    let close = |question| close(question, &lid);
    assert!(close("how do I make suspend on lid close work?") >= CLOSE);
    assert!(close("how do I make the screen work when I close it?") < CLOSE);
    // The laptop alone is no problem.
    assert!(close("and what about my laptop?") < CLOSE);
}

#[test]
fn a_short_title_is_enough_beside_a_long_story() {
    let long = stated(
        "How do I mount an ISO file?",
        &"I was at my grandmother's and there was this machine with a disc. ".repeat(20),
        "mount -o loop",
    );
    assert!(close("how do i mount an iso file", &long) >= CLOSE);
}

#[test]
fn under_a_silence_the_nearest_cases_are_named_and_under_an_answer_none() {
    let mut erased = candidate(5, None, 400);
    erased.case.title = None;
    let mut gone = candidate(7, None, 900);
    gone.case.archived_at = Some(gone.case.opened_at);
    let far = [
        candidate(1, Some("a"), 120),
        candidate(2, None, CLOSE - 1),
        candidate(3, Some("c"), 300),
        candidate(4, Some("d"), 0),
        erased,
        candidate(6, Some("f"), 200),
        candidate(8, Some("h"), 50),
        gone,
    ];
    let reply = answer(&far, "how?");
    let named = nearest(&reply, &far).into_iter();
    let named: Vec<(String, u32)> = named.map(|near| (near.title, near.close)).collect();
    let expected = [("title 2", CLOSE - 1), ("title 3", 300), ("title 6", 200)];
    assert_eq!(
        named,
        expected.map(|(title, close)| (title.to_owned(), close))
    );
    let close = [candidate(1, Some("a"), 900), candidate(2, None, 100)];
    assert_eq!(nearest(&answer(&close, "how?"), &close), []);
}
