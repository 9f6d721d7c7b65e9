//! Records that wait in a state, so that those of several topics are taken in one order.

use threadlore_model::Cause;

use crate::QueuedRecord;

/// The queue in a processor's state. A record is put into it when it is read
/// ([`Processor::fold`](crate::Processor::fold)) and taken as [`Input::Queued`](crate::Input::Queued).
pub trait Queue<S>: Sync {
    /// Takes the next record out of the queue. `busy`: a slow call of the key is not answered.
    /// `rebuilding`: not all that was decided is in the state yet.
    fn next(&self, state: &mut S, busy: bool, rebuilding: bool) -> Option<QueuedRecord>;
    /// Has a record that was taken be taken once more when the state is rebuilt.
    fn postpone(&self, state: &mut S, record: QueuedRecord);
    /// Whether a record was taken before.
    fn is_taken(&self, state: &S, cause: &Cause) -> bool;
    /// Upper bound on records buffered per shard for keys that are blocked on an unanswered call. Below
    /// it the shard keeps reading for its other keys.
    fn held_at_most(&self) -> usize;
}
