//! `extractor`: finds cases in windows of a channel and owns them: nothing else changes
//! them, and what it decides counts at once.
//!
//! | module | holds |
//! |---|---|
//! | `state` | the window, the known cases, the records that wait |
//! | `call` | what an engine is asked |
//! | `queue` | the order in which records of two topics are taken |
//! | `fold` | what records and own decisions make of the state |
//! | `decide` | what follows from an input |
//! | `window` | what an engine gets to see |
//! | `answer` | which events its answer leads to |
//! | `merge` | which cases are about the same problem |
//! | `confirm` | what reactions, redactions and edits lead to |
//! | `request` | what an admin or an operator asked for |

mod answer;
mod call;
mod confirm;
mod decide;
pub(crate) mod fold;
mod merge;
mod params;
mod queue;
mod request;
mod state;
mod window;

use threadlore_model::{Cause, Event, Group, Role, Topic};

use crate::{Facts, Flow, Processor, Queue, Refusal, WakeAt};

pub use call::{ExtractAnswer, ExtractCall};
pub use params::ExtractorParams;
pub use queue::{ChannelChange, Correction, QueuedRecord, RecordQueue};
pub use state::{ExtractorPart, ExtractorState, WindowLine};

type Input<'a> = crate::Input<'a, ExtractCall, ExtractAnswer>;
type Decision = crate::Decision<ExtractCall>;

/// The role `extractor`.
pub struct Extractor(pub ExtractorParams);

impl Processor for Extractor {
    type State = ExtractorState;
    type Call = ExtractCall;
    type Answer = ExtractAnswer;
    const ROLE: Role = Role::Extractor;
    const INPUTS: &'static [Topic] = &[
        Topic::ChatEvents,
        Topic::ChatTurns,
        Topic::KnowledgeRequests,
    ];
    const OUTPUTS: &'static [Topic] = &[Topic::KnowledgeCases];
    const FOLDS_OUTPUT: bool = true;

    fn group(&self) -> Group {
        self.0.run.group()
    }
    fn fold(&self, state: &mut ExtractorState, input: &Input<'_>) {
        fold::fold(state, input, &self.0);
    }
    fn fold_decided(&self, state: &mut ExtractorState, event: &Event) {
        fold::fold_decided(state, event, &self.0);
    }
    fn queue(&self) -> Option<&dyn Queue<ExtractorState>> {
        Some(self)
    }
    fn wake(&self, state: &ExtractorState) -> WakeAt {
        decide::wake(state, &self.0)
    }
    fn decide(
        &self,
        state: &ExtractorState,
        input: &Input<'_>,
        facts: &Facts,
    ) -> Result<Decision, Refusal> {
        decide::decide(state, input, facts, &self.0)
    }
    fn flow(&self, state: &ExtractorState) -> Flow {
        decide::flow(state, &self.0)
    }
}

impl Queue<ExtractorState> for Extractor {
    fn next(
        &self,
        state: &mut ExtractorState,
        busy: bool,
        rebuilding: bool,
    ) -> Option<QueuedRecord> {
        state.queue.take(busy, rebuilding)
    }
    fn postpone(&self, state: &mut ExtractorState, record: QueuedRecord) {
        state.queue.postpone(record);
    }
    fn is_taken(&self, state: &ExtractorState, cause: &Cause) -> bool {
        state.queue.is_taken(cause)
    }
    fn held_at_most(&self) -> usize {
        self.0.held_at_most
    }
}

#[cfg(test)]
mod tests;
