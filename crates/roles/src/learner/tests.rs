//! Given answers and what people say of them, when a record comes, what is told?

use proptest::prelude::*;
use threadlore_model::{
    AnswerComposed, AnswerId, AnswerOutcome, AnswerRated, AnswerWithdrawn, Body, CaseId, CitedCase,
    Event, EventId, GateTag, MemoryId, OutcomeRecorded, OutcomeSource, Private, Rating,
    TurnConsidered, TurnOutcome, WithdrawalReason,
};
use uuid::Uuid;

use super::*;
use crate::testing::{at, channel, event, facts, message, person, record};

const ASKER: u128 = 1;
const AUTHOR: u128 = 2;
const DAY: i64 = 24 * 60 * 60;

fn answer(n: u128) -> AnswerId {
    AnswerId::from_uuid(Uuid::from_u128(n))
}

fn case() -> CaseId {
    CaseId::from_uuid(Uuid::from_u128(7))
}

fn composed(n: u128, now: i64) -> Event {
    let body = AnswerComposed {
        answer: answer(n),
        channel: channel(),
        turn: EventId::of_content("turn", &[&n.to_string()]),
        person: person(ASKER),
        reply_to: message(1),
        case: Some(case()),
        memory: None,
        precedent: None,
        text: Private::open("run alsamixer"),
        cited: vec![CitedCase {
            case: case(),
            close: 700,
            version: 3,
            evidence: vec![message(9)],
            authors: vec![person(AUTHOR)],
        }],
        composer: "builtin-1".to_owned(),
        now: at(now),
        reply_to_native: "1".to_owned(),
        thread_root: None,
    };
    event(body, at(now))
}

fn rated(n: u128, who: u128, rating: Option<Rating>, said: Option<u32>, now: i64) -> Event {
    let body = AnswerRated {
        answer: answer(n),
        channel: channel(),
        turn: EventId::of_content("turn", &[&n.to_string()]),
        person: person(who),
        rating,
        message: said.map(message),
        now: at(now),
    };
    event(body, at(now))
}

fn withdrawn(n: u128, reason: WithdrawalReason, now: i64) -> Event {
    let body = AnswerWithdrawn {
        answer: answer(n),
        channel: channel(),
        reason,
        now: at(now),
    };
    event(body, at(now))
}

/// Reads records; what is told after each.
fn told(records: Vec<Event>) -> Vec<Option<OutcomeRecorded>> {
    let mut state = LearnerState::default();
    let mut all = Vec::new();
    for (offset, mut event) in (0..).zip(records) {
        event.envelope.id = EventId::of_content("record", &[&offset.to_string()]);
        let input = record(offset, &event, 0);
        Learner.fold(&mut state, &input);
        let decision = Learner.decide(&state, &input, &facts("learner", event.envelope.time));
        let decision = decision.expect("it is taken");
        let mut events = decision.events.into_iter();
        all.push(events.next().map(|decided| match decided.body {
            Body::OutcomeRecorded(recorded) => recorded,
            other => panic!("{other:?}"),
        }));
        assert!(events.next().is_none());
    }
    all
}

fn last(records: Vec<Event>) -> Option<(AnswerOutcome, OutcomeSource, u32, u32)> {
    let told = told(records).into_iter().flatten().last()?;
    Some((told.outcome, told.source, told.helped, told.failed))
}

fn asked_again(n: u128, now: i64) -> Event {
    let body = TurnConsidered {
        channel: channel(),
        turn: EventId::of_content("turn", &["again"]),
        person: person(ASKER),
        messages: vec![message(20), message(21)],
        outcome: TurnOutcome::NothingClose,
        tag: Some(GateTag::NewQuestion),
        context: Vec::new(),
        record: None,
        asks_again: Some(answer(n)),
        model_tokens: 0,
        now: at(now),
    };
    event(body, at(now))
}

#[test]
fn who_asks_the_same_again_says_that_it_failed_unless_they_say_otherwise() {
    use AnswerOutcome::{Failed, Worked};
    let yes = Some(Rating::Helped);
    let asked = || vec![composed(1, 10), asked_again(1, 90)];
    let told = told(asked()).pop().flatten().expect("an outcome");
    assert_eq!(
        (told.outcome, told.source, told.evidence),
        (Failed, OutcomeSource::AskedAgain, vec![message(21)])
    );
    let then = |more: Event| last(asked().into_iter().chain([more]).collect());
    assert_eq!(
        then(rated(1, ASKER, yes, None, 100)),
        Some((Worked, OutcomeSource::Asker, 1, 0))
    );
    let others = vec![
        composed(1, 10),
        rated(1, 3, yes, None, 20),
        asked_again(1, 90),
    ];
    assert_eq!(
        last(others),
        Some((Failed, OutcomeSource::AskedAgain, 1, 0))
    );
    let said = vec![
        composed(1, 10),
        rated(1, ASKER, yes, None, 20),
        asked_again(1, 90),
    ];
    assert_eq!(last(said), Some((Worked, OutcomeSource::Asker, 1, 0)));
    assert_eq!(last(vec![composed(1, 10), asked_again(2, 90)]), None);
}

#[test]
fn who_asked_decides_and_the_others_where_they_are_silent() {
    use AnswerOutcome::{Failed, Partial, Worked};
    let (yes, no) = (Some(Rating::Helped), Some(Rating::Failed));
    let of = |ratings: &[(u128, Option<Rating>)]| {
        let rated = ratings
            .iter()
            .map(|(who, rating)| rated(1, *who, *rating, None, 20));
        last(std::iter::once(composed(1, 10)).chain(rated).collect())
    };
    assert_eq!(
        of(&[(ASKER, yes)]),
        Some((Worked, OutcomeSource::Asker, 1, 0))
    );
    assert_eq!(
        of(&[(3, no), (4, no), (ASKER, yes)]),
        Some((Worked, OutcomeSource::Asker, 1, 2))
    );
    assert_eq!(
        of(&[(3, no), (4, no)]),
        Some((Failed, OutcomeSource::Others, 0, 2))
    );
    assert_eq!(
        of(&[(3, no), (4, yes)]),
        Some((Partial, OutcomeSource::Others, 1, 1))
    );
    assert_eq!(
        of(&[(3, no), (3, yes)]),
        Some((Worked, OutcomeSource::Others, 1, 0))
    );
}

#[test]
fn who_wrote_the_words_says_nothing_of_them() {
    let all = told(vec![
        composed(1, 10),
        rated(1, AUTHOR, Some(Rating::Helped), None, 20),
        rated(1, 3, Some(Rating::Failed), Some(5), 30),
    ]);
    assert_eq!(all[1], None);
    let told = all[2].as_ref().expect("an outcome");
    assert_eq!((told.helped, told.failed), (0, 1));
    assert_eq!(told.evidence, [message(5)]);
    assert_eq!((told.case, told.version), (case(), 3));
    assert_eq!((told.given_at, told.now), (at(10), at(30)));
}

#[test]
fn what_is_said_twice_is_told_once_and_what_is_taken_back_is_told() {
    let yes = Some(Rating::Helped);
    let all = told(vec![
        composed(1, 10),
        rated(1, ASKER, yes, None, 20),
        rated(1, ASKER, yes, Some(3), 21),
        rated(1, ASKER, None, None, 22),
        rated(1, ASKER, None, None, 23),
    ]);
    let outcomes: Vec<_> = all
        .iter()
        .map(|told| told.as_ref().map(|told| told.outcome))
        .collect();
    let (worked, unknown) = (Some(AnswerOutcome::Worked), Some(AnswerOutcome::Unknown));
    assert_eq!(outcomes, [None, worked, None, unknown, None]);
}

#[test]
fn a_correction_is_a_failure_and_a_deleted_question_is_none() {
    let corrected = WithdrawalReason::CaseCorrected;
    assert_eq!(
        last(vec![composed(1, 10), withdrawn(1, corrected, 20)]),
        Some((AnswerOutcome::Failed, OutcomeSource::Correction, 0, 0))
    );
    let deleted = WithdrawalReason::QuestionRedacted;
    assert_eq!(last(vec![composed(1, 10), withdrawn(1, deleted, 20)]), None);
}

#[test]
fn what_is_said_of_an_answer_that_is_gone_or_only_points_is_dropped() {
    let yes = Some(Rating::Helped);
    assert_eq!(last(vec![rated(1, ASKER, yes, None, 20)]), None);
    let records = vec![
        composed(1, 10),
        composed(2, 31 * DAY),
        rated(1, ASKER, yes, None, 31 * DAY + 1),
    ];
    assert_eq!(last(records), None, "30 days are over");
    let mut pointing = composed(1, 10);
    if let Body::AnswerComposed(composed) = &mut pointing.body {
        composed.cited[0].evidence.clear();
    }
    assert_eq!(last(vec![pointing, rated(1, ASKER, yes, None, 20)]), None);
}

proptest! {
    /// Whatever is said in whatever order, the last outcome is that of the last words of each, and
    /// every outcome that is told differs from the one before.
    #[test]
    fn the_outcome_is_that_of_the_last_words(
        said in prop::collection::vec((1_u128..6, prop::option::of(any::<bool>())), 0..30),
    ) {
        let rating = |helped: bool| if helped { Rating::Helped } else { Rating::Failed };
        let records = said.iter().map(|(who, helped)| {
            rated(1, *who, helped.map(rating), None, 20)
        });
        let all = told(std::iter::once(composed(1, 10)).chain(records).collect());
        let told: Vec<OutcomeRecorded> = all.into_iter().flatten().collect();
        let mut last = std::collections::BTreeMap::new();
        for (who, helped) in &said {
            last.insert(*who, *helped);
        }
        let count = |wanted| {
            let heard = last.iter().filter(|(who, _)| **who != AUTHOR);
            heard.filter(|(_, helped)| **helped == Some(wanted)).count() as u32
        };
        let end = told.last().map_or((0, 0), |told| (told.helped, told.failed));
        prop_assert_eq!(end, (count(true), count(false)));
        for pair in told.windows(2) {
            let worth = |of: &OutcomeRecorded| (of.outcome, of.source, of.helped, of.failed);
            prop_assert_ne!(worth(&pair[0]), worth(&pair[1]));
        }
    }
}

#[test]
fn an_outcome_is_of_the_exchange_that_the_answer_repeats_or_of_its_own() {
    let earlier = MemoryId::from_uuid(Uuid::from_u128(80));
    let mut again = composed(2, 11);
    if let Body::AnswerComposed(composed) = &mut again.body {
        composed.precedent = Some(earlier);
    }
    let helped = |n| rated(n, ASKER, Some(Rating::Helped), None, 20);
    let told = told(vec![composed(1, 10), again, helped(1), helped(2)]);
    let of: Vec<MemoryId> = told.into_iter().flatten().map(|one| one.memory).collect();
    assert_eq!(of, [MemoryId::of_exchange(answer(1)), earlier]);
}
