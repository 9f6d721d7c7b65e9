//! The state of `embedder`.

use serde::{Deserialize, Serialize};
use threadlore_model::{ChannelClock, Offset};

use super::call::WantedText;
use crate::{KeyState, Parts};

/// What `embedder` knows of a channel: texts whose vectors were not decided yet.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmbedderState {
    /// The channel's clock.
    pub clock: ChannelClock,
    /// By the offset of what wants them, so in the order of the log.
    #[serde(default, skip_serializing)]
    pub wanted: Parts<Offset, WantedText>,
}

impl KeyState for EmbedderState {
    type Part = WantedText;
    fn take_changed(&mut self) -> Vec<(String, Option<WantedText>)> {
        let changed = self.wanted.take_changed();
        changed
            .map(|(at, text)| (at.to_string(), text.cloned()))
            .collect()
    }
    fn put_part(&mut self, text: WantedText) {
        self.wanted.put_stored(text.cause.offset, text);
    }
    fn clock(&self) -> &ChannelClock {
        &self.clock
    }
    fn clock_mut(&mut self) -> &mut ChannelClock {
        &mut self.clock
    }
}
