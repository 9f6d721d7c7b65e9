//! `learner`: says what answers were worth, by what people say of them.
//!
//! | module | holds |
//! |---|---|
//! | `state` | answers that were given, with what is said of each |
//! | `fold` | what records make of the state |
//! | `decide` | what an answer is worth, and when that is told |

mod decide;
mod fold;
mod state;

use threadlore_model::{Event, Role, Topic};

use crate::{Decision, Facts, Input, NoCall, Processor, Refusal};

pub use state::{KnownAnswer, LearnerState, Verdict, Worth};

/// The role `learner`.
pub struct Learner;

impl Processor for Learner {
    type State = LearnerState;
    type Call = NoCall;
    type Answer = NoCall;
    const ROLE: Role = Role::Learner;
    const INPUTS: &'static [Topic] = &[Topic::Answers];
    const OUTPUTS: &'static [Topic] = &[Topic::Outcomes];
    const FOLDS_OUTPUT: bool = true;
    const OPTIONAL: bool = true;

    fn fold(&self, state: &mut LearnerState, input: &Input<'_>) {
        fold::fold(state, input);
    }
    // Its outcomes follow from the answers that it reads, so they change nothing here.
    fn fold_decided(&self, _state: &mut LearnerState, _event: &Event) {}
    fn decide(
        &self,
        state: &LearnerState,
        input: &Input<'_>,
        facts: &Facts,
    ) -> Result<Decision, Refusal> {
        Ok(decide::decide(state, input, facts))
    }
}

#[cfg(test)]
mod tests;
