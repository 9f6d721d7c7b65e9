//! What answers were worth.

use serde::{Deserialize, Serialize};

use crate::{AnswerId, CaseId, ChannelId, EventId, MemoryId, MessageId, Timestamp};

/// What an answer was worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerOutcome {
    /// It helped.
    Worked,
    /// It was wrong, or did not help.
    Failed,
    /// As many people say the one as the other.
    Partial,
    /// Nobody says it any more.
    Unknown,
}

impl AnswerOutcome {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Worked, Self::Failed, Self::Partial, Self::Unknown];

    /// Its name in tables and metrics.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Worked => "worked",
            Self::Failed => "failed",
            Self::Partial => "partial",
            Self::Unknown => "unknown",
        }
    }
}

/// Who says what an answer was worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutcomeSource {
    /// Who asked.
    Asker,
    /// Who asked, by asking the same again without a word on the answer.
    AskedAgain,
    /// Other people; who asked says nothing.
    Others,
    /// An admin, who gave the case another solution.
    Correction,
    /// Nobody any more.
    Nobody,
}

impl OutcomeSource {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Asker,
        Self::AskedAgain,
        Self::Others,
        Self::Correction,
        Self::Nobody,
    ];

    /// Its name in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Asker => "asker",
            Self::AskedAgain => "asked_again",
            Self::Others => "others",
            Self::Correction => "correction",
            Self::Nobody => "nobody",
        }
    }

    /// Who says so, in one sentence.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Asker => "who asked says so",
            Self::AskedAgain => "who asked asks the same again, and says nothing of it",
            Self::Others => "most of the others who say something say so",
            Self::Correction => "an admin gave the case another solution",
            Self::Nobody => "nobody says anything of it any more",
        }
    }
}

/// `outcomes`: what an answer was worth, by all that is known of it now. The last outcome of an answer
/// counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutcomeRecorded {
    /// The answer.
    pub answer: AnswerId,
    /// The channel where it was given.
    pub channel: ChannelId,
    /// The turn that it answers.
    pub turn: EventId,
    /// The case whose words it has.
    pub case: CaseId,
    /// The version of the case that these words are of.
    pub version: i64,
    /// The exchange that the answer is one of: that which it repeats, or its own.
    pub memory: MemoryId,
    /// What it was worth.
    pub outcome: AnswerOutcome,
    /// Who says so.
    pub source: OutcomeSource,
    /// How many people say that it helped, and that it failed; those who wrote its words aside.
    pub helped: u32,
    /// See `helped`.
    pub failed: u32,
    /// The messages that say so, in the order of the log; none for reactions.
    pub evidence: Vec<MessageId>,
    /// Channel time at which the answer was given.
    pub given_at: Timestamp,
    /// Channel time of the decision.
    pub now: Timestamp,
}
