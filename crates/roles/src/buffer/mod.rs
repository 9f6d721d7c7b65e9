//! `buffer`: decides when a channel's window is worth looking at, and when a person's turn ends.

mod decide;
pub(crate) mod fold;
mod params;
mod state;

use threadlore_model::{Event, Role, Topic};

use crate::{Decision, Facts, Input, NoCall, Processor, Refusal, WakeAt};

pub use params::BufferParams;
pub use state::{BufferState, OpenTurn};

/// The role `buffer`.
pub struct Buffer(pub BufferParams);

impl Processor for Buffer {
    type State = BufferState;
    type Call = NoCall;
    type Answer = NoCall;
    const ROLE: Role = Role::Buffer;
    const INPUTS: &'static [Topic] = &[Topic::ChatEvents, Topic::KnowledgeRequests];
    const OUTPUTS: &'static [Topic] = &[Topic::ChatTurns];
    const FOLDS_OUTPUT: bool = true;

    fn fold(&self, state: &mut BufferState, input: &Input<'_>) {
        fold::fold(state, input, &self.0);
    }
    fn fold_decided(&self, state: &mut BufferState, event: &Event) {
        fold::fold_decided(state, event);
    }
    fn decide(
        &self,
        state: &BufferState,
        input: &Input<'_>,
        facts: &Facts,
    ) -> Result<Decision, Refusal> {
        Ok(decide::decide(state, input, facts, &self.0))
    }
    fn wake(&self, state: &BufferState) -> WakeAt {
        decide::wake(state, &self.0)
    }
}

#[cfg(test)]
mod tests;
