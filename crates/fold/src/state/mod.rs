//! Folding inputs and own decisions into the private state of processors.
//!
//! Inputs of different topics commute per key: whatever the order in which a
//! shard reads its topics, the state ends up the same. A state of two topics holds
//! records back until their turn comes ([`RecordQueue`](threadlore_model::RecordQueue)).

mod buffer;
mod embedder;
mod extractor;

use threadlore_model::{Input, IntakeState, KeyState};

pub use buffer::{buffer, buffer_decided};
pub use embedder::{embedder, embedder_decided};
pub use extractor::{extractor, extractor_decided};

/// Moves the channel's clock on; the first step for every input and role.
pub fn observe<S: KeyState>(state: &mut S, input: &Input<'_>) {
    if let Input::Record { arrived, event, .. } = input {
        state.clock_mut().observe(event.envelope.time, *arrived);
    }
}

/// `intake` keeps the clock only.
pub fn intake(state: &mut IntakeState, input: &Input<'_>) {
    observe(state, input);
}

#[cfg(test)]
mod tests;
