//! A case as folded from `knowledge.cases`. The rows of readers and the states of deciders
//! share this one type and the one function that folds it.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{
    CaseId, ChannelId, Evidence, MessageId, PersonId, Signal, SpaceId, Timestamp, searched_text,
};

/// One confirmation: a positive reaction of a person on an evidence message.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Confirmation {
    /// The message reacted to.
    pub message: MessageId,
    /// The person who reacted.
    pub person: PersonId,
    /// The emoji of the reaction.
    pub emoji: String,
}

/// The status of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// No confirmed solution yet.
    Open,
    /// Solved in the chat, or confirmed by a reaction.
    Solved,
    /// It left the live set.
    Archived,
    /// Merged into another case about the same problem.
    Merged,
    /// Its texts were erased for ever.
    Erased,
}

impl Status {
    /// Every status.
    pub const ALL: [Self; 5] = [
        Self::Open,
        Self::Solved,
        Self::Archived,
        Self::Merged,
        Self::Erased,
    ];

    /// The status as it is written in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Solved => "solved",
            Self::Archived => "archived",
            Self::Merged => "merged",
            Self::Erased => "erased",
        }
    }
}

/// A case. Texts are `None` once erased.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// The tenant.
    pub space: SpaceId,
    /// The case.
    pub case: CaseId,
    /// The channel it was found in.
    pub channel: ChannelId,
    /// Starts at 1 and grows by one with every event that changed the case.
    pub version: i64,
    /// The version in which its solution, or what was suggested, got the words that it has.
    pub worded_in: i64,
    /// A short name.
    pub title: Option<String>,
    /// The problem.
    pub problem: Option<String>,
    /// The solution; `None` while there is none.
    pub solution: Option<String>,
    /// What somebody plausibly answered and nobody confirmed or contradicted; `None` while there is
    /// nothing of the kind, and once there is a solution.
    #[serde(default)]
    pub suggestion: Option<String>,
    /// Lower-case key words.
    pub tags: Vec<String>,
    /// The messages that the case comes from, in the order they were added, each once.
    pub evidence: Vec<Evidence>,
    /// Why an extractor counts it as solved; `None` while none does.
    pub signal: Option<Signal>,
    /// Positive reactions on its evidence.
    pub confirmations: BTreeSet<Confirmation>,
    /// Emoji of the latest confirmation that was folded and not withdrawn.
    pub closing_emoji: Option<String>,
    /// Engine and version that found it.
    pub engine: String,
    /// Channel time at which it was first found.
    pub opened_at: Timestamp,
    /// Channel time at which it became solved; `None` while open.
    pub solved_at: Option<Timestamp>,
    /// Channel time at which it was archived.
    pub archived_at: Option<Timestamp>,
    /// Channel time of the last change.
    pub changed_at: Timestamp,
    /// Channel time at which its texts were erased. An erased case is archived too, and has no
    /// texts, evidence or confirmations.
    #[serde(default)]
    pub erased_at: Option<Timestamp>,
    /// The case that it was merged into. A merged case is archived too.
    #[serde(default)]
    pub merged_into: Option<CaseId>,
}

impl Case {
    /// The status, derived from the folded fields.
    #[must_use]
    pub fn status(&self) -> Status {
        if self.erased_at.is_some() {
            Status::Erased
        } else if self.merged_into.is_some() {
            Status::Merged
        } else if self.archived_at.is_some() {
            Status::Archived
        } else if self.signal.is_some() || !self.confirmations.is_empty() {
            Status::Solved
        } else {
            Status::Open
        }
    }
}

/// The text by which a case is searched; `None` for a case without texts.
#[must_use]
pub fn text_of_case(case: &Case) -> Option<String> {
    let (title, problem) = (case.title.as_deref(), case.problem.as_deref());
    let answer = case.solution.as_deref().or(case.suggestion.as_deref());
    searched_text(title, problem, answer, &case.tags)
}
