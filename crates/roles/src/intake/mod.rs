//! `intake`: turns what gateways send into platform events that everything else reads.

mod decide;
mod params;
mod state;

use threadlore_model::{Event, EventId, Role, Topic};

use crate::state::observe;
use crate::{Decision, Facts, Input, NoCall, Processor, Refusal};

pub use params::IntakeParams;
pub use state::IntakeState;

/// The role `intake`.
pub struct Intake(pub IntakeParams);

impl Processor for Intake {
    type State = IntakeState;
    type Call = NoCall;
    type Answer = NoCall;
    const ROLE: Role = Role::Intake;
    const INPUTS: &'static [Topic] = &[Topic::ChatInbox];
    const OUTPUTS: &'static [Topic] = &[Topic::ChatEvents];
    const FOLDS_OUTPUT: bool = false;
    const BEGINS_TRACES: bool = true;

    fn fold(&self, state: &mut IntakeState, input: &Input<'_>) {
        observe(state, input);
    }
    fn fold_decided(&self, _state: &mut IntakeState, _event: &Event) {}
    fn decide(
        &self,
        _state: &IntakeState,
        input: &Input<'_>,
        facts: &Facts,
    ) -> Result<Decision, Refusal> {
        decide::decide(input, facts, &self.0)
    }
    fn identity(&self, input: &Input<'_>) -> Option<EventId> {
        decide::identity(input)
    }
}

#[cfg(test)]
mod tests;
