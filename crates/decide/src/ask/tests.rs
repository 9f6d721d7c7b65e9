use std::collections::BTreeSet;

use threadlore_model::{CaseId, ChannelId, Evidence, MessageId, Signal, SpaceId, Timestamp};

use super::*;

fn case(n: u128, solution: Option<&str>) -> Case {
    let message = |i: u128| MessageId::from_uuid(uuid_of(n * 10 + i));
    Case {
        space: SpaceId::parse("acme").expect("valid"),
        case: CaseId::from_uuid(uuid_of(n)),
        channel: ChannelId::parse("irc:#help").expect("valid"),
        version: 1,
        title: Some(format!("title {n}")),
        problem: Some("problem solve".to_owned()),
        solution: solution.map(str::to_owned),
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

const QUESTION: &str = "how do I solve this problem?";

fn uuid_of(n: u128) -> uuid::Uuid {
    uuid::Uuid::from_u128(n)
}

fn candidate(n: u128, solution: Option<&str>, score: u32) -> Candidate {
    Candidate {
        case: case(n, solution),
        score,
    }
}

#[test]
fn c24_the_best_solved_case_answers_with_its_evidence() {
    let reply = answer(
        QUESTION,
        &[candidate(1, Some("a"), 600), candidate(2, Some("b"), 900)],
        true,
    );
    let Reply::Answered { text, citations } = reply else {
        panic!("{reply:?}")
    };
    assert_eq!(text, "b");
    assert_eq!(citations[0].evidence, [MessageId::from_uuid(uuid_of(22))]);
    assert_eq!(citations.len(), 2);
}

#[test]
fn c24_only_an_open_case_is_tracked() {
    let reply = answer(
        QUESTION,
        &[candidate(1, None, 900), candidate(2, Some("b"), 300)],
        true,
    );
    assert!(matches!(reply, Reply::Tracked { .. }), "{reply:?}");
}

#[test]
fn c20_a_channel_without_an_admin_hears_nothing() {
    let reply = answer(QUESTION, &[candidate(1, Some("a"), 1000)], false);
    assert_eq!(reply, Reply::Silent(Silence::NotConfigured));
}

#[test]
fn nothing_close_is_silence_with_its_reason() {
    assert_eq!(
        answer(QUESTION, &[], true),
        Reply::Silent(Silence::NothingFound)
    );
    let far = answer(QUESTION, &[candidate(1, Some("a"), THRESHOLD - 1)], true);
    assert_eq!(far, Reply::Silent(Silence::NothingClose));
}

#[test]
fn a_long_answer_ends_with_a_sentence() {
    let long = format!("{}. {}", "a".repeat(300), "b".repeat(400));
    let reply = answer(QUESTION, &[candidate(1, Some(&long), 1000)], true);
    let Reply::Answered { text, .. } = reply else {
        panic!("{reply:?}")
    };
    assert_eq!(text, format!("{}. …", "a".repeat(300)));
}

#[test]
fn a_case_whose_solution_alone_has_the_words_is_no_answer() {
    let mut other = candidate(1, Some("solve the problem"), 1000);
    other.case.title = Some("printer offline".to_owned());
    other.case.problem = Some("my printer is offline".to_owned());
    assert_eq!(
        answer(QUESTION, &[other], true),
        Reply::Silent(Silence::NothingClose)
    );
}
