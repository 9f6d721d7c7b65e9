//! Configuration as events.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{ChannelId, PersonId, Run, Timestamp};

/// Who can read a channel, the widest first.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Audience {
    /// Everybody.
    Public,
    /// The members of the space.
    Space,
    /// The members of the channel. What is said there stays there.
    #[default]
    Members,
}

impl Audience {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Public, Self::Space, Self::Members];

    /// Its name in tables and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Space => "space",
            Self::Members => "members",
        }
    }
}

/// When the bot speaks in a channel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// It answers questions, asked of it or of everybody.
    #[default]
    Questions,
    /// It answers who asks it by name.
    Mentions,
    /// It says nothing.
    Off,
}

impl Mode {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Questions, Self::Mentions, Self::Off];

    /// Its name in tables and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Questions => "questions",
            Self::Mentions => "mentions",
            Self::Off => "off",
        }
    }
}

/// How a channel is configured.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChannelSettings {
    /// The admins of the channel. Without any, the bot is silent.
    pub admins: BTreeSet<PersonId>,
    /// Who can read it.
    pub audience: Audience,
    /// When the bot speaks in it.
    pub mode: Mode,
    /// Addresses of documentation, which it names where it knows no answer.
    pub docs: Vec<String>,
    /// Whether its solved cases have pages that anybody can read. Without effect unless the audience is
    /// [`Audience::Public`].
    pub published: bool,
}

impl ChannelSettings {
    /// Whether its solved cases have pages that anybody can read.
    #[must_use]
    pub fn is_published(&self) -> bool {
        self.published && self.audience == Audience::Public
    }
}

/// `settings`: how the bot behaves in a channel. It replaces the earlier configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelConfigured {
    /// The channel.
    pub channel: ChannelId,
    /// The admins of the channel. Without any, the bot is silent.
    pub admins: Vec<PersonId>,
    /// Who can read it.
    pub audience: Audience,
    /// When the bot speaks in it.
    pub mode: Mode,
    /// Addresses of documentation, which it names where it knows no answer.
    pub docs: Vec<String>,
    /// Whether its solved cases have pages that anybody can read. Without effect unless the audience is
    /// [`Audience::Public`].
    pub published: bool,
    /// When.
    pub now: Timestamp,
}

/// What became of a decision run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunChange {
    /// It decides from now on, from the first message on.
    Begun,
    /// Readers see what it decided.
    MadeLive,
    /// It decides nothing more, and nothing of it can be read any more.
    Dropped,
}

/// `settings`: a decision run of cases was begun, made live or dropped. It concerns all spaces, and
/// is written under the space `system`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionRunChanged {
    /// The run.
    pub run: Run,
    /// What became of it.
    pub change: RunChange,
    /// The engine that was chosen then, with its version.
    pub engine: String,
    /// When.
    pub now: Timestamp,
}
