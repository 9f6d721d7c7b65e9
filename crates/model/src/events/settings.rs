//! Configuration as events.

use serde::{Deserialize, Serialize};

use crate::{ChannelId, PersonId, Timestamp};

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
