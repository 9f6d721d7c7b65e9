//! The fold of outcomes, from `outcomes`: what answers were worth.

use threadlore_model::{
    AnswerId, AnswerOutcome, Body, CaseId, ChannelId, Event, EventId, MemoryId, MessageId,
    OutcomeRecorded, OutcomeSource, SpaceId, Timestamp,
};

use crate::table::table;
use crate::text::clean_time;
use crate::{Folded, ProjectedRow};

/// What an answer was worth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutcomeRow {
    /// The tenant.
    pub space: SpaceId,
    /// The answer.
    pub answer: AnswerId,
    /// The channel where it was given.
    pub channel: ChannelId,
    /// The turn that it answers.
    pub turn: EventId,
    /// The case whose words it has.
    pub case_id: CaseId,
    /// The version of the case that these words are of.
    pub case_version: i64,
    /// The exchange that the answer is one of.
    pub memory: MemoryId,
    /// What it was worth.
    pub outcome: AnswerOutcome,
    /// Who says so.
    pub source: OutcomeSource,
    /// How many people say that it helped.
    pub helped: i64,
    /// How many say that it failed.
    pub failed: i64,
    /// The messages that say so.
    pub evidence: Vec<MessageId>,
    /// When the answer was given.
    pub given_at: Timestamp,
    /// When this became known.
    pub recorded_at: Timestamp,
}

table!(
    OutcomeRow: "outcomes",
    key [space, answer],
    columns [
        channel, turn, case_id, case_version, memory, outcome, source, helped, failed, evidence, given_at,
        recorded_at,
    ]
);

impl ProjectedRow for OutcomeRow {
    type Key = (SpaceId, AnswerId);

    fn touched(event: &Event) -> Option<Self::Key> {
        match &event.body {
            Body::OutcomeRecorded(recorded) => {
                Some((event.envelope.space.clone(), recorded.answer))
            }
            _ => None,
        }
    }

    fn key(&self) -> Self::Key {
        (self.space.clone(), self.answer)
    }

    fn fold(row: &mut Option<Self>, event: &Event) -> Folded {
        fold_outcome(row, event)
    }
}

/// Folds an event into the outcome of the answer that it is about; others change nothing. The last one
/// counts.
pub fn fold_outcome(row: &mut Option<OutcomeRow>, event: &Event) -> Folded {
    let Body::OutcomeRecorded(recorded) = &event.body else {
        return Folded::Unchanged("the event is not about an outcome");
    };
    let OutcomeRecorded {
        answer,
        channel,
        turn,
        case,
        version,
        memory,
        outcome,
        source,
        helped,
        failed,
        evidence,
        given_at,
        now,
    } = recorded;
    let new = OutcomeRow {
        space: event.envelope.space.clone(),
        answer: *answer,
        channel: channel.clone(),
        turn: *turn,
        case_id: *case,
        case_version: *version,
        memory: *memory,
        outcome: *outcome,
        source: *source,
        helped: i64::from(*helped),
        failed: i64::from(*failed),
        evidence: evidence.clone(),
        given_at: clean_time(*given_at),
        recorded_at: clean_time(*now),
    };
    if row.as_ref() == Some(&new) {
        return Folded::Unchanged("the outcome is known");
    }
    *row = Some(new);
    Folded::Changed
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::testing::{at, channel, event};

    fn recorded(outcome: AnswerOutcome, now: i64) -> Event {
        event(OutcomeRecorded {
            answer: AnswerId::from_uuid(Uuid::from_u128(1)),
            channel: channel(),
            turn: EventId::of_content("test", &["turn"]),
            case: CaseId::from_uuid(Uuid::from_u128(2)),
            version: 3,
            memory: MemoryId::from_uuid(Uuid::from_u128(4)),
            outcome,
            source: OutcomeSource::Asker,
            helped: 1,
            failed: 0,
            evidence: Vec::new(),
            given_at: at(5),
            now: at(now),
        })
    }

    #[test]
    fn the_last_outcome_of_an_answer_counts() {
        let mut row = None;
        let changed = fold_outcome(&mut row, &recorded(AnswerOutcome::Worked, 10));
        assert_eq!(changed, Folded::Changed);
        let again = fold_outcome(&mut row, &recorded(AnswerOutcome::Worked, 10));
        assert!(matches!(again, Folded::Unchanged(_)));
        fold_outcome(&mut row, &recorded(AnswerOutcome::Failed, 20));
        let row = row.expect("a row");
        assert_eq!(
            (row.outcome, row.recorded_at),
            (AnswerOutcome::Failed, at(20))
        );
    }
}
