//! What to look at in a channel, and why now: turns of people, and windows.

use serde::{Deserialize, Serialize};

use crate::{ChannelId, MessageId, Offset, PersonId, Timestamp};

/// Why a window is examined now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadyReason {
    /// The channel fell silent for the configured pause.
    Pause,
    /// There are enough new messages.
    Count,
    /// Somebody said thanks, or that it works.
    Resolution,
    /// Imported history stopped arriving, so no later message will close the rest.
    StreamIdle,
}

/// `chat.turns`: a channel's window is worth looking at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowReady {
    /// The channel.
    pub channel: ChannelId,
    /// Why now.
    pub reason: ReadyReason,
    /// Messages since the last window.
    pub messages: u32,
    /// Offset in `chat.events` of the last message to examine.
    pub up_to: Offset,
    /// Channel time of the decision.
    pub now: Timestamp,
}

/// `chat.turns`: a person wrote one or more messages in quick succession, and stopped. Only of
/// messages that arrived when they were sent: nobody waits for an answer to imported history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnClosed {
    /// The channel.
    pub channel: ChannelId,
    /// Who wrote the messages.
    pub person: PersonId,
    /// The messages, in the order of the log; never empty.
    pub messages: Vec<MessageId>,
    /// Offset in `chat.events` of the last of them.
    pub up_to: Offset,
    /// Channel time of the decision.
    pub now: Timestamp,
}
