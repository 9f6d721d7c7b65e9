//! What a role brings to the loop: its inputs, its fold and its rules.

use serde::Serialize;
use serde::de::DeserializeOwned;
use threadlore_model::{Cause, Event, EventId, Group, Producer, Role, Topic};

use crate::{Decision, Facts, Flow, Input, KeyState, QueuedRecord, Refusal, WakeAt};

/// A role's rules and fold, bound to its settings. All of it is pure.
pub trait Processor: Send + Sync + 'static {
    /// What it knows of one key.
    type State: KeyState + Default + Clone + Serialize + DeserializeOwned + Send + Sync;

    /// The role.
    const ROLE: Role;
    /// Topics it reads; they have equal partition counts. Later ones are read first.
    const INPUTS: &'static [Topic];
    /// Topics it writes, beside `log.skips` and dead letters.
    const OUTPUTS: &'static [Topic];
    /// Whether what it published before has to be folded again after its state was lost.
    const FOLDS_OUTPUT: bool;
    /// Whether its state queues what is read, so that records of several topics are taken
    /// in one order: then [`Processor::take_turn`] says which is next.
    const QUEUES: bool = false;
    /// Whether traces begin with the records that it takes.
    const BEGINS_TRACES: bool = false;
    /// Whether a quick call is answered within the batch that asks for it.
    const ANSWERS_INLINE: bool = false;

    /// The group in which all instances of it share the work.
    fn group(&self) -> Group {
        Group::of_role(Self::ROLE)
    }
    /// Takes an input into the state, before anything is decided on it.
    fn fold(&self, state: &mut Self::State, input: &Input<'_>);
    /// Takes an own decision into the state.
    fn fold_decided(&self, state: &mut Self::State, event: &Event);
    /// What follows from an input that was folded.
    ///
    /// # Errors
    /// A [`Refusal`] makes the input a dead letter.
    fn decide(
        &self,
        state: &Self::State,
        input: &Input<'_>,
        facts: &Facts,
    ) -> Result<Decision, Refusal>;
    /// Takes the queued record whose turn it is out of the queue. `busy`: a slow call of the
    /// key is not answered. `rebuilding`: not all that was decided is in the state yet.
    fn take_turn(
        &self,
        _state: &mut Self::State,
        _busy: bool,
        _rebuilding: bool,
    ) -> Option<QueuedRecord> {
        None
    }
    /// Has a record that was taken be taken once more when the state is rebuilt.
    fn postpone(&self, _state: &mut Self::State, _record: QueuedRecord) {}
    /// Whether the turn of a queued record came already.
    fn is_taken(&self, _state: &Self::State, _cause: &Cause) -> bool {
        true
    }
    /// Whether an event of its output topics counts as its own: also what another role
    /// wrote there in logs of earlier versions.
    fn is_own(&self, producer: &Producer) -> bool {
        producer.group == self.group()
    }
    /// When the state is to be woken.
    fn wake(&self, _state: &Self::State) -> WakeAt {
        WakeAt::default()
    }
    /// The id under which an input is accepted once.
    fn identity(&self, _input: &Input<'_>) -> Option<EventId> {
        None
    }
    /// Whether a call is still to be asked for because of this input.
    fn waits_for(&self, _state: &Self::State, _cause: &Cause) -> bool {
        false
    }
    /// Records that may wait in a shard, taken together, of keys that have too much and whose
    /// calls are not answered yet. Up to that, other keys' records are read on beside them.
    fn held_at_most(&self) -> usize {
        0
    }
    /// What this key has too much of, and what it cannot go on without.
    fn flow(&self, _state: &Self::State) -> Flow {
        Flow::default()
    }
}
