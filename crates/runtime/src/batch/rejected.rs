//! What the log does not take, by what it was decided on. An event that cannot be encoded is
//! found out when its batch is sealed; then the batch is decided once more without it.

use std::collections::HashMap;

use threadlore_model::{EventId, Key, Offset, TopicPartition};

/// What a decision was made on. It is the same when the batch is decided once more.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Origin {
    /// Nothing yet.
    None,
    /// A record, queued ones too: it is dead-lettered.
    Record(TopicPartition, Offset),
    /// An answered call: it counts as one that failed.
    Answer(EventId),
    /// A call that failed: it is only folded.
    Failure(EventId),
    /// A timer: it waits for the key's next input.
    Timer(EventId),
    /// A state that was rebuilt.
    Resume(Key),
}

/// Why nothing is decided on these.
pub(crate) type Rejected = HashMap<Origin, String>;
