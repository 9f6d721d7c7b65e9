//! `promoter`: keeps what the system was told to remember.
//!
//! | module | holds |
//! |---|---|
//! | `state` | the memories of a home |
//! | `fold` | what its own events make of the state |
//! | `decide` | what follows from a request |

mod decide;
mod fold;
mod state;

use threadlore_model::{Event, Role, Topic};

use crate::{Decision, Facts, Input, NoCall, Processor, Refusal};

pub use state::{KnownMemory, PromoterState};

/// The role `promoter`.
pub struct Promoter;

impl Processor for Promoter {
    type State = PromoterState;
    type Call = NoCall;
    type Answer = NoCall;
    const ROLE: Role = Role::Promoter;
    const INPUTS: &'static [Topic] = &[Topic::KnowledgeRequests];
    const OUTPUTS: &'static [Topic] = &[Topic::KnowledgeMemories];
    const FOLDS_OUTPUT: bool = true;
    const OPTIONAL: bool = true;

    // A request changes nothing before it is decided.
    fn fold(&self, _state: &mut PromoterState, _input: &Input<'_>) {}
    fn fold_decided(&self, state: &mut PromoterState, event: &Event) {
        fold::fold(state, event);
    }
    fn decide(
        &self,
        state: &PromoterState,
        input: &Input<'_>,
        _facts: &Facts,
    ) -> Result<Decision, Refusal> {
        Ok(decide::decide(state, input))
    }
}

#[cfg(test)]
mod tests;
