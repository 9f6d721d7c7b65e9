//! What a role brings to the loop: its inputs, its fold and its rules.

use serde::Serialize;
use serde::de::DeserializeOwned;
use threadlore_decide as decide;
use threadlore_fold::state as fold;
use threadlore_model::{
    BufferParams, BufferState, Cause, Decision, EmbedderParams, EmbedderState, Event, EventId,
    ExtractorParams, ExtractorState, Facts, Flow, Group, Input, IntakeParams, IntakeState,
    KeyState, Producer, QueuedRecord, Refusal, Role, Topic, WakeAt,
};

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
    /// The queued record whose turn it is. `busy`: a slow call of the key is not answered.
    fn turn<'s>(&self, _state: &'s Self::State, _busy: bool) -> Option<&'s QueuedRecord> {
        None
    }
    /// Takes that record out of the queue.
    fn take_turn(&self, _state: &mut Self::State, _busy: bool) -> Option<QueuedRecord> {
        None
    }
    /// Whether the turn of a queued record came already.
    fn is_taken(&self, _state: &Self::State, _cause: &Cause) -> bool {
        true
    }
    /// Whether an event of its output topics counts as its own: also what another role
    /// wrote there in logs of earlier versions.
    fn is_own(&self, producer: &Producer) -> bool {
        producer.group == self.group()
    }
    /// When the state wants to be looked at again.
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
    /// What this key has too much of, and what it cannot go on without.
    fn flow(&self, _state: &Self::State) -> Flow {
        Flow::default()
    }
}

/// The role `intake`.
pub struct Intake(pub IntakeParams);

impl Processor for Intake {
    type State = IntakeState;
    const ROLE: Role = Role::Intake;
    const INPUTS: &'static [Topic] = &[Topic::ChatInbox];
    const OUTPUTS: &'static [Topic] = &[Topic::ChatEvents];
    const FOLDS_OUTPUT: bool = false;

    fn fold(&self, state: &mut IntakeState, input: &Input<'_>) {
        fold::intake(state, input);
    }
    fn fold_decided(&self, _state: &mut IntakeState, _event: &Event) {}
    fn decide(
        &self,
        _state: &IntakeState,
        input: &Input<'_>,
        facts: &Facts,
    ) -> Result<Decision, Refusal> {
        decide::intake::decide(input, facts, &self.0)
    }
    fn identity(&self, input: &Input<'_>) -> Option<EventId> {
        decide::intake::identity(input)
    }
}

/// The role `buffer`.
pub struct Buffer(pub BufferParams);

impl Processor for Buffer {
    type State = BufferState;
    const ROLE: Role = Role::Buffer;
    const INPUTS: &'static [Topic] = &[Topic::ChatEvents];
    const OUTPUTS: &'static [Topic] = &[Topic::ChatTurns];
    const FOLDS_OUTPUT: bool = true;

    fn fold(&self, state: &mut BufferState, input: &Input<'_>) {
        fold::buffer(state, input);
    }
    fn fold_decided(&self, state: &mut BufferState, event: &Event) {
        fold::buffer_decided(state, &event.body);
    }
    fn decide(
        &self,
        state: &BufferState,
        input: &Input<'_>,
        facts: &Facts,
    ) -> Result<Decision, Refusal> {
        Ok(decide::buffer::decide(state, input, facts, &self.0))
    }
    fn wake(&self, state: &BufferState) -> WakeAt {
        decide::buffer::wake(state, &self.0)
    }
}

/// The role `extractor`.
pub struct Extractor(pub ExtractorParams);

impl Processor for Extractor {
    type State = ExtractorState;
    const ROLE: Role = Role::Extractor;
    const INPUTS: &'static [Topic] = &[Topic::ChatEvents, Topic::ChatTurns];
    const OUTPUTS: &'static [Topic] = &[Topic::KnowledgeCases];
    const FOLDS_OUTPUT: bool = true;
    const QUEUES: bool = true;

    fn fold(&self, state: &mut ExtractorState, input: &Input<'_>) {
        fold::extractor(state, input, &self.0);
    }
    fn fold_decided(&self, state: &mut ExtractorState, event: &Event) {
        fold::extractor_decided(state, event, &self.0);
    }
    fn turn<'s>(&self, state: &'s ExtractorState, busy: bool) -> Option<&'s QueuedRecord> {
        state.queue.next(busy)
    }
    fn take_turn(&self, state: &mut ExtractorState, busy: bool) -> Option<QueuedRecord> {
        state.queue.take(busy)
    }
    fn is_taken(&self, state: &ExtractorState, cause: &Cause) -> bool {
        state.queue.is_taken(cause)
    }
    fn is_own(&self, producer: &Producer) -> bool {
        // Cases expired by decision of a role of their own once.
        producer.group == self.group() || producer.group.as_str() == "promoter"
    }
    fn wake(&self, state: &ExtractorState) -> WakeAt {
        decide::extractor::wake(state, &self.0)
    }
    fn decide(
        &self,
        state: &ExtractorState,
        input: &Input<'_>,
        facts: &Facts,
    ) -> Result<Decision, Refusal> {
        decide::extractor::decide(state, input, facts, &self.0)
    }
    fn flow(&self, state: &ExtractorState) -> Flow {
        decide::extractor::flow(state, &self.0)
    }
}

/// The role `embedder`, for one model.
pub struct Embedder(pub EmbedderParams);

impl Processor for Embedder {
    type State = EmbedderState;
    const ROLE: Role = Role::Embedder;
    const INPUTS: &'static [Topic] = &[Topic::KnowledgeCases];
    const OUTPUTS: &'static [Topic] = &[Topic::Vectors];
    const FOLDS_OUTPUT: bool = true;

    fn group(&self) -> Group {
        Group::of_embedder(&self.0.model)
    }
    fn fold(&self, state: &mut EmbedderState, input: &Input<'_>) {
        fold::embedder(state, input);
    }
    fn fold_decided(&self, state: &mut EmbedderState, event: &Event) {
        fold::embedder_decided(state, event);
    }
    fn decide(
        &self,
        state: &EmbedderState,
        input: &Input<'_>,
        facts: &Facts,
    ) -> Result<Decision, Refusal> {
        Ok(decide::embedder::decide(state, input, facts, &self.0))
    }
    fn waits_for(&self, state: &EmbedderState, cause: &Cause) -> bool {
        let wanted = state.wanted.get(&cause.offset);
        wanted.is_some_and(|text| text.cause == *cause)
    }
    fn flow(&self, state: &EmbedderState) -> Flow {
        decide::embedder::flow(state, &self.0)
    }
}
