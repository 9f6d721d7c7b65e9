//! `embedder`: asks a model for the vectors of the texts by which cases are found.

mod call;
mod decide;
mod fold;
mod params;
mod state;

use threadlore_model::{Cause, Event, Group, Role, Topic};

use crate::{Facts, Flow, Processor, Refusal};

pub use call::{EmbedAnswer, EmbedCall, WantedText};
pub use params::EmbedderParams;
pub use state::EmbedderState;

type Input<'a> = crate::Input<'a, EmbedCall, EmbedAnswer>;
type Decision = crate::Decision<EmbedCall>;

/// The role `embedder`, for one model.
pub struct Embedder(pub EmbedderParams);

impl Processor for Embedder {
    type State = EmbedderState;
    type Call = EmbedCall;
    type Answer = EmbedAnswer;
    const ROLE: Role = Role::Embedder;
    const INPUTS: &'static [Topic] = &[Topic::KnowledgeCases];
    const OUTPUTS: &'static [Topic] = &[Topic::Vectors];
    const FOLDS_OUTPUT: bool = true;

    fn group(&self) -> Group {
        Group::of_embedder(&self.0.model)
    }
    fn fold(&self, state: &mut EmbedderState, input: &Input<'_>) {
        fold::fold(state, input);
    }
    fn fold_decided(&self, state: &mut EmbedderState, event: &Event) {
        fold::fold_decided(state, event);
    }
    fn decide(
        &self,
        state: &EmbedderState,
        input: &Input<'_>,
        facts: &Facts,
    ) -> Result<Decision, Refusal> {
        Ok(decide::decide(state, input, facts, &self.0))
    }
    fn waits_for(&self, state: &EmbedderState, cause: &Cause) -> bool {
        let wanted = state.wanted.get(&cause.offset);
        wanted.is_some_and(|text| text.cause == *cause)
    }
    fn flow(&self, state: &EmbedderState) -> Flow {
        decide::flow(state, &self.0)
    }
}

#[cfg(test)]
mod tests;
