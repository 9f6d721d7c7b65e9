//! What `responder` asks of memory.

use serde::{Deserialize, Serialize};
use threadlore_model::{ChannelId, Offset};

/// What memory has on a question is to be found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecallCall {
    /// Offset in `chat.turns` of the turn that asks.
    pub turn: Offset,
    /// Where it was asked.
    pub channel: ChannelId,
    /// The question.
    pub question: String,
    /// Whether the bot was asked by name.
    pub is_named: bool,
}
