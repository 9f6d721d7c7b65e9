//! The state of `buffer`.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use threadlore_model::{ChannelClock, EventId, Offset};

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
    /// Offset of the last message in `chat.events`.
    pub last: Offset,
    /// The latest requests that a window was announced for, oldest first: the same request
    /// published twice leads to one announcement.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    pub requests: VecDeque<EventId>,
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
