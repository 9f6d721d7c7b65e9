//! What the system was told to remember.

use serde::{Deserialize, Serialize};

use crate::{ChannelId, Key, MemoryId, MessageId, PersonId, Private, SpaceId, Timestamp};

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
    /// Time of the wall clock at which it was said.
    pub now: Timestamp,
}

/// Why a memory is told no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryArchiveReason {
    /// The same was said again, in newer words.
    Replaced,
    /// Its home was full, and it was the oldest.
    Full,
}

impl MemoryArchiveReason {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Replaced, Self::Full];

    /// Its name in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Replaced => "replaced",
            Self::Full => "full",
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
    /// The memory that came in its place.
    pub by: MemoryId,
    /// Time of the wall clock at which that one was said.
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
