use threadlore_model::{CitedCase, ContextMessage, Private, Projection};
use uuid::Uuid;

use super::*;
use crate::testing::{at, case_id, channel, event};
use crate::{Row, Rows};

fn id(n: u128) -> Uuid {
    Uuid::from_u128(n)
}

fn considered(turn: u128, outcome: TurnOutcome) -> TurnConsidered {
    TurnConsidered {
        channel: channel(),
        turn: EventId::from_uuid(id(turn)),
        person: PersonId::from_uuid(id(1)),
        messages: vec![MessageId::from_uuid(id(10))],
        outcome,
        tag: Some(GateTag::Mention),
        context: vec![ContextMessage {
            message: MessageId::from_uuid(id(9)),
            reason: "anchor".to_owned(),
        }],
        record: Some(Private::open("{}")),
        asks_again: None,
        model_tokens: 0,
        now: at(5),
    }
}

fn composed(turn: u128, answer: u128) -> AnswerComposed {
    AnswerComposed {
        answer: AnswerId::from_uuid(id(answer)),
        channel: channel(),
        turn: EventId::from_uuid(id(turn)),
        person: PersonId::from_uuid(id(1)),
        reply_to: MessageId::from_uuid(id(10)),
        case: Some(case_id()),
        memory: None,
        precedent: None,
        text: Private::open("the words are in the log alone"),
        cited: vec![CitedCase {
            case: case_id(),
            close: 640,
            version: 1,
            evidence: vec![MessageId::from_uuid(id(3))],
            authors: Vec::new(),
        }],
        composer: "builtin-1".to_owned(),
        now: at(6),
        reply_to_native: "m1".to_owned(),
        thread_root: None,
    }
}

fn folded(events: &[Event]) -> Vec<TurnRow> {
    let mut rows = Rows::of(Projection::Turns, []);
    for event in events {
        rows.fold(event);
    }
    let changed = rows.into_changed().into_iter();
    let rows = changed.filter_map(|change| match change.row {
        Some(Row::Turn(turn)) => Some(*turn),
        _ => None,
    });
    rows.collect()
}

#[test]
fn a_turn_has_its_outcome_and_the_answer_with_its_sources() {
    let rows = folded(&[
        event(considered(1, TurnOutcome::Answered)),
        event(composed(1, 7)),
        event(considered(2, TurnOutcome::NothingClose)),
    ]);
    let [answered, silent] = &rows[..] else {
        panic!("two turns: {rows:?}")
    };
    assert_eq!(
        (answered.outcome, silent.outcome),
        (TurnOutcome::Answered, TurnOutcome::NothingClose)
    );
    assert_eq!(answered.answer, Some(AnswerId::from_uuid(id(7))));
    assert_eq!(answered.context_reasons, ["anchor"]);
    assert_eq!((answered.cited.len(), answered.cited[0].close), (1, 640));
    assert_eq!((silent.answer, silent.cited.len()), (None, 0));
}

#[test]
fn the_first_outcome_and_the_first_answer_count() {
    let rows = folded(&[
        event(considered(1, TurnOutcome::Answered)),
        event(considered(1, TurnOutcome::Noise)),
        event(composed(1, 7)),
        event(composed(1, 8)),
    ]);
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].outcome, TurnOutcome::Answered);
    assert_eq!(rows[0].answer, Some(AnswerId::from_uuid(id(7))));
}

#[test]
fn an_answer_to_a_turn_that_nobody_considered_changes_nothing() {
    assert_eq!(folded(&[event(composed(1, 7))]), []);
}
