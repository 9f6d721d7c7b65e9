//! The state of `buffer`.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use threadlore_model::{ChannelClock, EventId, MessageId, Offset, PersonId, Timestamp};

use crate::KeyState;

/// What `buffer` knows of a channel: what was read since the last window.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BufferState {
    /// The channel's clock.
    pub clock: ChannelClock,
    /// Messages, edits and reactions since the last window.
    pub pending: u32,
    /// Records of any kind since the last window.
    #[serde(default)]
    pub records: u32,
    /// When the first sign of resolution since the last window came, in a live channel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved: Option<Timestamp>,
    /// Offset of the last message in `chat.events`.
    pub last: Offset,
    /// The latest requests that a window was announced for, oldest first: the same request
    /// published twice leads to one announcement.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    pub requests: VecDeque<EventId>,
    /// Turns of people that are not closed, in the order in which they began.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<OpenTurn>,
}

/// A person's messages in quick succession.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenTurn {
    /// The person.
    pub person: PersonId,
    /// The messages, in the order of the log.
    pub messages: Vec<MessageId>,
    /// Offset of the last of them in `chat.events`.
    pub last: Offset,
    /// When the last of them was sent.
    pub at: Timestamp,
    /// Whether the last of them is a question to the bot, as the platform says: nothing more is waited
    /// for.
    #[serde(default)]
    pub asks_bot: bool,
}

impl KeyState for BufferState {
    type Part = ();
    fn clock(&self) -> &ChannelClock {
        &self.clock
    }
    fn clock_mut(&mut self) -> &mut ChannelClock {
        &mut self.clock
    }
}
