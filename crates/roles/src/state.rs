//! The private state of a role, one value per key of its partition. Changed only by its
//! fold, read only by its rules, reconstructible from the log.
//!
//! Inputs of different topics commute per key: whatever the order in which a shard reads its
//! topics, the state ends up the same. A state of two topics holds records back until their
//! turn comes ([`RecordQueue`](crate::RecordQueue)).

use serde::Serialize;
use serde::de::DeserializeOwned;
use threadlore_model::ChannelClock;

use crate::Input;

/// What every processor state has: the channel's clock, and parts that are stored
/// one by one, because they are many and few of them change at a time.
pub trait KeyState {
    /// What is stored by itself; `()` where nothing is.
    type Part: Serialize + DeserializeOwned;
    /// Parts that changed since this was last asked, by name; `None` for one that
    /// is gone. A state without parts has none.
    fn take_changed(&mut self) -> Vec<(String, Option<Self::Part>)> {
        Vec::new()
    }
    /// Takes in a part as it was stored.
    fn put_part(&mut self, _part: Self::Part) {}
    /// Drops what only speeds the rules up and follows from the rest; it is made again when
    /// it is needed.
    fn drop_derived(&mut self) {}
    /// The clock of the channel that the key names.
    fn clock(&self) -> &ChannelClock;
    /// The same, to be moved on.
    fn clock_mut(&mut self) -> &mut ChannelClock;
}

/// Moves the channel's clock on; the first step for every input and role.
pub(crate) fn observe<S: KeyState, C, A>(state: &mut S, input: &Input<'_, C, A>) {
    if let Input::Record { arrived, event, .. } = input {
        state.clock_mut().observe(event.envelope.time, *arrived);
    }
}
