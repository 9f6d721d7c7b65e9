//! What the system was told to remember, and what it found out about its answers.

use serde::{Deserialize, Serialize};

use crate::{CaseId, ChannelId, Key, MemoryId, MessageId, PersonId, Private, SpaceId, Timestamp};

/// Whom a memory is about, which is where it is at home.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryHome {
    /// The person who said it: it is told to nobody else.
    Person,
    /// The space: it is told to everybody who could read where it was said.
    Bank,
}

impl MemoryHome {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Person, Self::Bank];

    /// Its name in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Bank => "bank",
        }
    }

    /// The key of its records, for what a person said.
    #[must_use]
    pub fn key(self, space: &SpaceId, person: PersonId) -> Key {
        match self {
            Self::Person => Key::of_person(space, person),
            Self::Bank => Key::of_bank(space),
        }
    }
}

/// How long a memory is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryTier {
    /// An exchange of the last day.
    Working,
    /// An exchange of the last month, of which it is known whether it worked.
    History,
    /// An exchange that worked again and again: it is kept for ever.
    Patterns,
    /// What somebody said to be remembered: it is kept until it is replaced, or forgotten.
    MemoryBank,
}

impl MemoryTier {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::Working,
        Self::History,
        Self::Patterns,
        Self::MemoryBank,
    ];

    /// Its name in tables and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::History => "history",
            Self::Patterns => "patterns",
            Self::MemoryBank => "memory_bank",
        }
    }
}

/// `knowledge.memories`: an exchange, a question with the answer that it got, has this score and this
/// tier from now on. What asks the same again and gets the same case is the same exchange.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryScored {
    /// The memory.
    pub memory: MemoryId,
    /// The channel where it was asked.
    pub channel: ChannelId,
    /// The case whose words the answer has.
    pub case: CaseId,
    /// The version of the case that these words are of, where it was given last.
    pub version: i64,
    /// The tier.
    pub tier: MemoryTier,
    /// The chance that it works when it is given again, in thousandths.
    pub score: u32,
    /// How many answers from it worked.
    pub worked: u32,
    /// How many failed.
    pub failed: u32,
    /// Of how many as many people say the one as the other.
    pub partial: u32,
    /// Channel time at which it was given last.
    pub used_at: Timestamp,
    /// Channel time at which it leaves its tier; `None` where it does not.
    pub until: Option<Timestamp>,
    /// Channel time of the decision.
    pub now: Timestamp,
}

/// `knowledge.memories`: something is remembered from now on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryStored {
    /// The memory.
    pub memory: MemoryId,
    /// Whom it is about.
    pub home: MemoryHome,
    /// The channel where it was said: it is told where everybody could read that one.
    pub channel: ChannelId,
    /// Who said it.
    pub person: PersonId,
    /// The message that says it; `None` where it was said on the command line.
    pub message: Option<MessageId>,
    /// What is remembered, in their words.
    pub text: Private,
    /// Whether a model that reads is to know it with every question.
    pub always: bool,
    /// Time of the wall clock at which it was said.
    pub now: Timestamp,
}

/// Why a memory is told no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryArchiveReason {
    /// The same was said again, in newer words.
    Replaced,
    /// Its home was full, and it was the oldest; of exchanges, the one of the least worth.
    Full,
    /// Nobody gave it again for as long as its tier is kept.
    Expired,
    /// Its answers failed, and did not work.
    Failed,
}

impl MemoryArchiveReason {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Replaced, Self::Full, Self::Expired, Self::Failed];

    /// Its name in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Replaced => "replaced",
            Self::Full => "full",
            Self::Expired => "expired",
            Self::Failed => "failed",
        }
    }
}

/// `knowledge.memories`: a memory is told no more; its text stays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryArchived {
    /// The memory.
    pub memory: MemoryId,
    /// Why.
    pub reason: MemoryArchiveReason,
    /// The memory that came in its place, of what was said to be remembered.
    pub by: Option<MemoryId>,
    /// Time of the wall clock at which that one was said; of an exchange, channel time.
    pub now: Timestamp,
}

/// `knowledge.memories`: a memory is gone, and its key is destroyed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryErased {
    /// The memory.
    pub memory: MemoryId,
    /// Time of the wall clock at which it was asked for.
    pub now: Timestamp,
}

/// `knowledge.requests`: something is to be remembered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryRequested {
    /// The memory that it becomes.
    pub memory: MemoryId,
    /// Whom it is about.
    pub home: MemoryHome,
    /// The channel where it was said.
    pub channel: ChannelId,
    /// Who said it.
    pub person: PersonId,
    /// The message that says it; `None` where it was said on the command line.
    pub message: Option<MessageId>,
    /// What is to be remembered, in their words.
    pub text: Private,
    /// Whether a model that reads is to know it with every question.
    pub always: bool,
    /// The memory in whose place it comes, whatever its words.
    pub replaces: Option<MemoryId>,
    /// Time of the wall clock at which it was said.
    pub now: Timestamp,
}

/// `knowledge.requests`: memories that a person said are to be erased.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryErasureRequested {
    /// Whom they are about.
    pub home: MemoryHome,
    /// Who said them.
    pub person: PersonId,
    /// The memory; `None` for all that the person said there.
    pub memory: Option<MemoryId>,
    /// Time of the wall clock at which it was asked for.
    pub now: Timestamp,
}
