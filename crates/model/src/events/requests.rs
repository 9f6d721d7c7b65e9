//! Requests to the owner of rows. Only the owner decides: it publishes what follows with the
//! request as its cause, or nothing.

use serde::{Deserialize, Serialize};

use crate::{ChannelId, Offset, ReadyReason, Timestamp};

/// `knowledge.requests`: a window is to be examined once more. The window is described as it was
/// announced; where a dead letter is redriven, that dead letter is the cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExtractionRequested {
    /// The channel.
    pub channel: ChannelId,
    /// Why the window was announced.
    pub reason: ReadyReason,
    /// Messages that were new in it.
    pub messages: u32,
    /// Offset in `chat.events` of the last message to examine.
    pub up_to: Offset,
    /// Channel time at which the window was announced.
    pub announced_at: Timestamp,
}
