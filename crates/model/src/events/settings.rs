//! Configuration as events.

use serde::{Deserialize, Serialize};

use crate::{ChannelId, PersonId, Run, Timestamp};

/// `settings`: how the bot behaves in a channel. It replaces the earlier configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelConfigured {
    /// The channel.
    pub channel: ChannelId,
    /// The admins of the channel. Without any, the bot is silent.
    pub admins: Vec<PersonId>,
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
