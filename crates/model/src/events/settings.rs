//! Configuration as events.

use serde::{Deserialize, Serialize};

use crate::{ChannelId, PersonId, Timestamp};

/// `settings`: how the bot behaves in a channel; replaces what was set before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelConfigured {
    /// The channel.
    pub channel: ChannelId,
    /// People who look after it. Without one the bot is silent.
    pub admins: Vec<PersonId>,
    /// When.
    pub now: Timestamp,
}
