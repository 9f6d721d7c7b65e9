//! The state of `intake`.

use serde::{Deserialize, Serialize};
use threadlore_model::ChannelClock;

use crate::KeyState;

/// `intake` keeps no state per channel but the clock; repeats are known by
/// unique key in the store.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IntakeState {
    /// The channel's clock.
    pub clock: ChannelClock,
}

impl KeyState for IntakeState {
    type Part = ();
    fn clock(&self) -> &ChannelClock {
        &self.clock
    }
    fn clock_mut(&mut self) -> &mut ChannelClock {
        &mut self.clock
    }
}
