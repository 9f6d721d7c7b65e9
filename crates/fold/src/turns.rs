//! The fold of turns, from `answers`: what became of a turn, and the answer to it. The text of an
//! answer is in the log alone, sealed under the key of the case whose words it has.

use std::collections::BTreeMap;

use threadlore_model::{
    AnswerComposed, AnswerId, AnswerRated, Body, CaseId, ChannelId, Event, EventId, GateTag,
    MemoryId, MessageId, PersonId, Rating, SpaceId, Timestamp, TurnConsidered, TurnOutcome,
};

use crate::table::table;
use crate::text::{clean_model, clean_time};
use crate::{ChildRow, Folded, ProjectedRow};

/// A turn that was considered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnRow {
    /// The tenant.
    pub space: SpaceId,
    /// The event that closed the turn.
    pub turn: EventId,
    /// The channel.
    pub channel: ChannelId,
    /// Who wrote it.
    pub person: PersonId,
    /// Its messages, in the order of the log.
    pub messages: Vec<MessageId>,
    /// What became of it.
    pub outcome: TurnOutcome,
    /// What the gate said, where it was asked.
    pub tag: Option<GateTag>,
    /// Earlier messages that the turn was read with, oldest first.
    pub context: Vec<MessageId>,
    /// Why each of these was chosen.
    pub context_reasons: Vec<String>,
    /// When it was considered.
    pub considered_at: Timestamp,
    /// The answer, where there is one.
    pub answer: Option<AnswerId>,
    /// The message that the answer replies to.
    pub reply_to: Option<MessageId>,
    /// What composed the answer, with its version.
    pub composer: Option<String>,
    /// The memory that the answer quotes.
    pub memory: Option<MemoryId>,
    /// The answer that its writer had a short time before to the same question.
    pub asks_again: Option<AnswerId>,
    /// Tokens that the chat model was sent and said to read for it, as far as its server tells.
    pub model_tokens: i64,
    /// What the answer rests on, best first.
    pub cited: Vec<Citation>,
    /// What people said of the answer: of each what they said last.
    pub ratings: BTreeMap<PersonId, Rated>,
}

/// What a person said of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rated {
    /// What they said.
    pub rating: Rating,
    /// The message that says so; `None` for a reaction.
    pub message: Option<MessageId>,
    /// When.
    pub at: Timestamp,
}

/// A case that an answer rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Citation {
    /// The case.
    pub case: CaseId,
    /// Its closeness to the question, in thousandths.
    pub close: i64,
    /// Messages that carry the solution, or state the problem of an open case.
    pub evidence: Vec<MessageId>,
}

table!(
    TurnRow: "turns",
    key [space, turn],
    columns [
        channel, person, messages, outcome, tag, context, context_reasons, considered_at, answer,
        reply_to, composer, memory, asks_again, model_tokens,
    ],
    without [cited, ratings]
);

impl ProjectedRow for Box<TurnRow> {
    type Key = (SpaceId, EventId);

    fn touched(event: &Event) -> Option<Self::Key> {
        let turn = match &event.body {
            Body::TurnConsidered(considered) => considered.turn,
            Body::AnswerComposed(composed) => composed.turn,
            Body::AnswerRated(rated) => rated.turn,
            _ => return None,
        };
        Some((event.envelope.space.clone(), turn))
    }

    fn key(&self) -> Self::Key {
        (self.space.clone(), self.turn)
    }

    fn fold(row: &mut Option<Self>, event: &Event) -> Folded {
        let mut turn = row.take().map(|turn| *turn);
        let folded = fold_turn(&mut turn, event);
        *row = turn.map(Self::new);
        folded
    }
}

/// Folds an event into the turn that it is about; others change nothing. The first outcome and the
/// first answer count.
pub fn fold_turn(row: &mut Option<TurnRow>, event: &Event) -> Folded {
    match (&event.body, row.as_mut()) {
        (Body::TurnConsidered(_), Some(_)) => Folded::Unchanged("the turn was considered"),
        (Body::TurnConsidered(considered), None) => {
            *row = Some(of(&event.envelope.space, considered));
            Folded::Changed
        }
        (Body::AnswerComposed(_), None) => Folded::Unchanged("the turn was not considered"),
        (Body::AnswerComposed(_), Some(turn)) if turn.answer.is_some() => {
            Folded::Unchanged("the turn has an answer")
        }
        (Body::AnswerComposed(composed), Some(turn)) => {
            add(turn, composed);
            Folded::Changed
        }
        (Body::AnswerRated(rated), Some(turn)) if turn.answer == Some(rated.answer) => {
            rate(turn, rated)
        }
        (Body::AnswerRated(_), _) => Folded::Unchanged("there is no such answer"),
        _ => Folded::Unchanged("the event is not about a turn"),
    }
}

fn of(space: &SpaceId, considered: &TurnConsidered) -> TurnRow {
    let context = &considered.context;
    TurnRow {
        space: space.clone(),
        turn: considered.turn,
        channel: considered.channel.clone(),
        person: considered.person,
        messages: considered.messages.clone(),
        outcome: considered.outcome,
        tag: considered.tag,
        context: context.iter().map(|one| one.message).collect(),
        context_reasons: context.iter().map(|one| clean_model(&one.reason)).collect(),
        considered_at: clean_time(considered.now),
        answer: None,
        reply_to: None,
        composer: None,
        memory: None,
        asks_again: considered.asks_again,
        // So small that the sum over all turns is a number of the database, whoever sent it.
        model_tokens: considered.model_tokens.clamp(0, i64::from(u32::MAX)),
        cited: Vec::new(),
        ratings: BTreeMap::new(),
    }
}

fn rate(turn: &mut TurnRow, rated: &AnswerRated) -> Folded {
    let next = rated.rating.map(|rating| Rated {
        rating,
        message: rated.message,
        at: clean_time(rated.now),
    });
    let before = match next.clone() {
        Some(next) => turn.ratings.insert(rated.person, next),
        None => turn.ratings.remove(&rated.person),
    };
    match before == next {
        true => Folded::Unchanged("the answer is rated so"),
        false => Folded::Changed,
    }
}

fn add(turn: &mut TurnRow, composed: &AnswerComposed) {
    turn.answer = Some(composed.answer);
    turn.reply_to = Some(composed.reply_to);
    turn.composer = Some(clean_model(&composed.composer));
    turn.memory = composed.memory;
    let cited = composed.cited.iter().map(|cited| Citation {
        case: cited.case,
        close: cited.close.into(),
        evidence: cited.evidence.clone(),
    });
    turn.cited = cited.collect();
}

/// A case that an answer rests on, as a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CitationRow {
    /// The tenant.
    pub space: SpaceId,
    /// The turn.
    pub turn: EventId,
    /// Its place among the cases of the answer, from 0.
    pub position: i64,
    /// The case.
    pub case: CaseId,
    /// Its closeness to the question, in thousandths.
    pub close: i64,
    /// Messages that carry the solution, or state the problem of an open case.
    pub evidence: Vec<MessageId>,
}

table!(
    CitationRow: "turn_citations",
    key [space, turn, position],
    columns [case = "case_id", close, evidence]
);

impl ChildRow for CitationRow {
    type Parent = TurnRow;

    fn of(turn: &TurnRow) -> impl Iterator<Item = Self> {
        let numbered = (0..).zip(&turn.cited);
        numbered.map(|(position, cited)| Self {
            space: turn.space.clone(),
            turn: turn.turn,
            position,
            case: cited.case,
            close: cited.close,
            evidence: cited.evidence.clone(),
        })
    }

    fn add_to(self, turn: &mut TurnRow) {
        turn.cited.push(Citation {
            case: self.case,
            close: self.close,
            evidence: self.evidence,
        });
    }
}

/// What a person said of an answer, as a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RatingRow {
    /// The tenant.
    pub space: SpaceId,
    /// The turn.
    pub turn: EventId,
    /// Who said it.
    pub person: PersonId,
    /// What they said.
    pub rating: Rating,
    /// The message that says so; `None` for a reaction.
    pub message: Option<MessageId>,
    /// When.
    pub rated_at: Timestamp,
}

table!(
    RatingRow: "turn_ratings",
    key [space, turn, person],
    columns [rating, message, rated_at]
);

impl ChildRow for RatingRow {
    type Parent = TurnRow;

    fn of(turn: &TurnRow) -> impl Iterator<Item = Self> {
        turn.ratings.iter().map(|(person, rated)| Self {
            space: turn.space.clone(),
            turn: turn.turn,
            person: *person,
            rating: rated.rating,
            message: rated.message,
            rated_at: rated.at,
        })
    }

    fn add_to(self, turn: &mut TurnRow) {
        let rated = Rated {
            rating: self.rating,
            message: self.message,
            at: self.rated_at,
        };
        turn.ratings.insert(self.person, rated);
    }
}

#[cfg(test)]
mod tests;
