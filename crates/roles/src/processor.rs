//! What a role brings to the loop: its inputs, its fold and its rules.

use serde::Serialize;
use serde::de::DeserializeOwned;
use threadlore_model::{Cause, Event, EventId, Group, Role, Topic};

use crate::{Decision, Facts, Flow, Input, KeyState, Queue, Refusal, WakeAt};

/// A role's rules and fold, bound to its settings. All of it is pure.
pub trait Processor: Send + Sync + 'static {
    /// What it knows of one key.
    type State: KeyState + Default + Clone + Serialize + DeserializeOwned + Send + Sync;
    /// A slow call that it asks for; [`NoCall`](crate::NoCall) where it asks for none. It is stored with
    /// the state until it is answered.
    type Call: Clone + Serialize + DeserializeOwned + Send + Sync;
    /// What answers one.
    type Answer: Send + Sync;

    /// The role.
    const ROLE: Role;
    /// Topics it reads; they have equal partition counts. Later ones are read first.
    const INPUTS: &'static [Topic];
    /// Topics it writes, beside `log.skips` and dead letters.
    const OUTPUTS: &'static [Topic];
    /// Whether what it published before has to be folded again after its state was lost.
    const FOLDS_OUTPUT: bool;
    /// The layout of its states and calls as they are stored. It is raised whenever a state that an earlier
    /// version stored cannot be read, or says something else than the same records would lead to now:
    /// then the state is made anew from the log.
    const STATE_LAYOUT: i32 = 0;
    /// Whether traces begin with the records that it takes.
    const BEGINS_TRACES: bool = false;
    /// Whether an installation may do without it: then nothing waits for a shard that never ran.
    const OPTIONAL: bool = false;
    /// Whether a command that waits until nothing is left to do waits for it. `false` where that is up
    /// to somebody outside.
    const AWAITED: bool = true;
    /// Whether a call that failed for good is a dead letter. `false` where what is decided then says it.
    const KEEPS_FAILED_CALLS: bool = true;

    /// The group in which all instances of it share the work.
    fn group(&self) -> Group {
        Group::of_role(Self::ROLE)
    }
    /// Takes an input into the state, before anything is decided on it.
    fn fold(&self, state: &mut Self::State, input: &Input<'_, Self::Call, Self::Answer>);
    /// Takes an own decision into the state.
    fn fold_decided(&self, state: &mut Self::State, event: &Event);
    /// What follows from an input that was folded.
    ///
    /// # Errors
    /// A [`Refusal`] makes the input a dead letter.
    fn decide(
        &self,
        state: &Self::State,
        input: &Input<'_, Self::Call, Self::Answer>,
        facts: &Facts,
    ) -> Result<Decision<Self::Call>, Refusal>;
    /// The queue in which records of several topics wait, where its state has one.
    fn queue(&self) -> Option<&dyn Queue<Self::State>> {
        None
    }
    /// When the state is to be woken.
    fn wake(&self, _state: &Self::State) -> WakeAt {
        WakeAt::default()
    }
    /// The id under which an input is accepted once.
    fn identity(&self, _input: &Input<'_, Self::Call, Self::Answer>) -> Option<EventId> {
        None
    }
    /// Whether a call is still to be asked for because of this input.
    fn waits_for(&self, _state: &Self::State, _cause: &Cause) -> bool {
        false
    }
    /// Back-pressure of this key: topics to stop reading, and the one it needs to make progress.
    fn flow(&self, _state: &Self::State) -> Flow {
        Flow::default()
    }
}
