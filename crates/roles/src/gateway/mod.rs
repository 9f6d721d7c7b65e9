//! `gateway`: sends answers to their platform, and takes back those that are withdrawn.
//!
//! | module | holds |
//! |---|---|
//! | `state` | what is to be sent, and what was sent a short time ago |
//! | `fold` | what records and own decisions make of the state |
//! | `decide` | what is sent next, and what became of it |

mod decide;
mod fold;
mod params;
mod state;

use threadlore_model::{Cause, Delivery, Event, Group, Role, Topic};

use crate::{Facts, Processor, Refusal};

pub use params::GatewayParams;
pub use state::{EarlyDelivery, GatewayState, SentAnswer, Task, WaitingDelivery};

/// The platform's ids of the messages that were sent, in their order.
type NativeIds = Vec<String>;
type Input<'a> = crate::Input<'a, Delivery, NativeIds>;
type Decision = crate::Decision<Delivery>;

/// The role `gateway`, for one gateway.
pub struct Gateway(pub GatewayParams);

impl Processor for Gateway {
    type State = GatewayState;
    type Call = Delivery;
    type Answer = NativeIds;
    const ROLE: Role = Role::Gateway;
    const INPUTS: &'static [Topic] = &[Topic::Answers];
    const OUTPUTS: &'static [Topic] = &[Topic::Deliveries];
    const FOLDS_OUTPUT: bool = true;
    const OPTIONAL: bool = true;
    // An answer that a platform does not take at the moment is nothing to wait for.
    const AWAITED: bool = false;
    const KEEPS_FAILED_CALLS: bool = false;

    fn group(&self) -> Group {
        Group::of_gateway(&self.0.name)
    }
    fn fold(&self, state: &mut GatewayState, input: &Input<'_>) {
        fold::fold(state, input, &self.0);
    }
    fn fold_decided(&self, state: &mut GatewayState, event: &Event) {
        fold::fold_decided(state, event);
    }
    fn decide(
        &self,
        state: &GatewayState,
        input: &Input<'_>,
        facts: &Facts,
    ) -> Result<Decision, Refusal> {
        Ok(decide::decide(state, input, facts, &self.0))
    }
    fn waits_for(&self, state: &GatewayState, cause: &Cause) -> bool {
        let waiting = state.waiting.get(&cause.offset);
        waiting.is_some_and(|waiting| waiting.cause == *cause)
    }
}

#[cfg(test)]
mod tests;
