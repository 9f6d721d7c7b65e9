//! `responder`: answers turns of people from memory, or is silent.
//!
//! | module | holds |
//! |---|---|
//! | `state` | recent lines, turns that are not considered yet, answers given a short time ago |
//! | `fold` | what records and own decisions make of the state |
//! | `decide` | the steps of a turn, in their order |
//! | `call` | slow calls: to memory, and to who carries out instructions |
//! | `steer` | what people tell the bot to do |
//! | `remember` | what people say to have something remembered or forgotten, and of themselves |
//! | `withdrawal` | answers that a record makes outdated |
//! | `feedback` | what people say of answers |
//! | `gate` | whether a turn asks for an answer |
//! | `question` | what a turn asks, with the earlier messages that it is about |
//! | `quiet` | when an answer that was found is not given |

mod before;
mod call;
mod decide;
mod feedback;
mod fold;
mod gate;
mod mention;
mod params;
mod question;
mod quiet;
mod remember;
mod state;
mod steer;
mod withdrawal;

use threadlore_model::{Cause, Event, Recalled, Role, Topic};

use crate::{Facts, Processor, Refusal};

pub use call::{
    ForgetCall, NoteCall, RecallCall, RemarkCall, ResponderCall, SteerCall, TakeBackCall, UnsayCall,
};
pub use params::ResponderParams;
pub use question::without_names;
pub use remember::home_of;
pub use state::{GivenAnswer, ResponderPart, ResponderState, RoomLine, WaitingTurn};
pub use steer::{Instruction, STEER_COMPOSER};

/// What is to be said, where a call leads to that.
type Said = Option<Recalled>;
type Input<'a> = crate::Input<'a, ResponderCall, Said>;
type Decision = crate::Decision<ResponderCall>;

/// The role `responder`.
pub struct Responder(pub ResponderParams);

impl Processor for Responder {
    type State = ResponderState;
    type Call = ResponderCall;
    type Answer = Said;
    const ROLE: Role = Role::Responder;
    const INPUTS: &'static [Topic] = &[
        Topic::ChatEvents,
        Topic::ChatTurns,
        Topic::KnowledgeCases,
        Topic::KnowledgeRequests,
    ];
    const OUTPUTS: &'static [Topic] = &[Topic::Answers];
    const FOLDS_OUTPUT: bool = true;
    const OPTIONAL: bool = true;

    fn fold(&self, state: &mut ResponderState, input: &Input<'_>) {
        fold::fold(state, input);
    }
    fn fold_decided(&self, state: &mut ResponderState, event: &Event) {
        fold::fold_decided(state, event);
    }
    fn decide(
        &self,
        state: &ResponderState,
        input: &Input<'_>,
        facts: &Facts,
    ) -> Result<Decision, Refusal> {
        Ok(decide::decide(state, input, facts, &self.0))
    }
    fn waits_for(&self, state: &ResponderState, cause: &Cause) -> bool {
        let turn = state.turns.get(&cause.offset);
        turn.is_some_and(|turn| turn.cause == *cause)
    }
}

#[cfg(test)]
mod tests;
