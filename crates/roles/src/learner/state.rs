//! The state of `learner`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use threadlore_model::{
    AnswerId, AnswerOutcome, CaseId, ChannelClock, EventId, MemoryId, MessageId, Offset,
    OutcomeSource, PersonId, Rating, Timestamp,
};

use crate::{KeyState, Parts};

/// An answer that was given, with what is said of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownAnswer {
    /// The offset of its record in `answers`.
    pub offset: Offset,
    /// The answer.
    pub answer: AnswerId,
    /// The turn that it answers.
    pub turn: EventId,
    /// Who asked.
    pub asker: PersonId,
    /// The case whose words it has.
    pub case: CaseId,
    /// The version of the case that these are of.
    pub version: i64,
    /// The exchange that it is one of.
    pub memory: MemoryId,
    /// Who wrote these.
    pub authors: Vec<PersonId>,
    /// When it was given.
    pub given_at: Timestamp,
    /// What people say of it, of each what they said last.
    pub said: BTreeMap<PersonId, Verdict>,
    /// The message in which who asked asks the same again, with the offset in `answers` of its turn.
    pub asked_again: Option<(Offset, MessageId)>,
    /// Whether an admin gave the case another solution.
    pub is_corrected: bool,
    /// The record that changed last what it is worth; `None` while nobody has said anything.
    pub changed_by: Option<EventId>,
}

/// What a person says of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// It helped, or it failed.
    pub rating: Rating,
    /// The message that says so; `None` for a reaction.
    pub message: Option<MessageId>,
    /// The offset in `answers` of the record that has it.
    pub offset: Offset,
}

/// What an answer is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Worth {
    /// In one word.
    pub outcome: AnswerOutcome,
    /// Who says so.
    pub source: OutcomeSource,
    /// How many people say that it helped.
    pub helped: u32,
    /// How many say that it failed.
    pub failed: u32,
}

/// What `learner` knows of a channel.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LearnerState {
    /// The channel's clock.
    pub clock: ChannelClock,
    /// Answers of the last 30 days, by the offsets of their records.
    #[serde(skip)]
    pub answers: Parts<Offset, KnownAnswer>,
}

impl LearnerState {
    /// A known answer.
    #[must_use]
    pub fn answer(&self, answer: AnswerId) -> Option<&KnownAnswer> {
        let mut known = self.answers.values().rev();
        known.find(|known| known.answer == answer)
    }
}

impl KeyState for LearnerState {
    type Part = KnownAnswer;

    fn take_changed(&mut self) -> Vec<(String, Option<KnownAnswer>)> {
        let changed = self.answers.take_changed();
        changed
            .map(|(at, answer)| (at.to_string(), answer.cloned()))
            .collect()
    }

    fn put_part(&mut self, answer: KnownAnswer) {
        self.answers.put_stored(answer.offset, answer);
    }

    fn clock(&self) -> &ChannelClock {
        &self.clock
    }

    fn clock_mut(&mut self) -> &mut ChannelClock {
        &mut self.clock
    }
}
