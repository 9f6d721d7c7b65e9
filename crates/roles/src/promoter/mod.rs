//! `promoter`: keeps what the system was told to remember, and the exchanges of a channel for as long
//! as they are worth it.
//!
//! | module | holds |
//! |---|---|
//! | `state` | the memories of a home, the exchanges of a channel |
//! | `fold` | what outcomes and its own events make of the state |
//! | `decide` | what follows from a request |
//! | `exchange` | what follows from an outcome, and from time that passes |

mod decide;
mod exchange;
mod fold;
mod state;

use threadlore_model::{Event, Role, Topic};

use crate::{Decision, Facts, Input, NoCall, Processor, Refusal, WakeAt};

pub use state::{KnownExchange, KnownMemory, PromoterPart, PromoterState, Standing};

/// The role `promoter`.
pub struct Promoter;

impl Processor for Promoter {
    type State = PromoterState;
    type Call = NoCall;
    type Answer = NoCall;
    const ROLE: Role = Role::Promoter;
    const INPUTS: &'static [Topic] = &[Topic::KnowledgeRequests, Topic::Outcomes];
    const OUTPUTS: &'static [Topic] = &[Topic::KnowledgeMemories];
    const FOLDS_OUTPUT: bool = true;
    const OPTIONAL: bool = true;

    fn fold(&self, state: &mut PromoterState, input: &Input<'_>) {
        fold::fold(state, input);
    }
    fn fold_decided(&self, state: &mut PromoterState, event: &Event) {
        fold::fold_decided(state, event);
    }
    fn decide(
        &self,
        state: &PromoterState,
        input: &Input<'_>,
        facts: &Facts,
    ) -> Result<Decision, Refusal> {
        Ok(decide::decide(state, input, facts))
    }
    fn wake(&self, state: &PromoterState) -> WakeAt {
        exchange::wake(state)
    }
}

#[cfg(test)]
mod tests;
