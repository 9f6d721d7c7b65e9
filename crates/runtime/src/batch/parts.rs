//! What goes into a batch, and what comes of it.

use std::collections::{BTreeSet, HashMap, HashSet};

use threadlore_model::{EventId, Key, Timestamp, Topic};
use threadlore_ports::{Changes, Shard};
use threadlore_roles::Processor;
use threadlore_stream::{FoldPorts, Polled, Spans};

use super::{Origin, Rejected};
use crate::calls::CallResult;
use crate::recovery::Recovery;
use crate::state_cache::StateCache;

/// What a batch is made with.
pub(crate) struct Round<'a, P: Processor> {
    pub(crate) processor: &'a P,
    pub(crate) shard: &'a Shard,
    pub(crate) ports: &'a FoldPorts,
    pub(crate) states: &'a mut StateCache<P::State>,
    /// Present while a lost state is rebuilt.
    pub(crate) recovery: Option<&'a mut Recovery>,
    /// Platform events that were accepted before.
    pub(crate) known: HashSet<EventId>,
    /// Calls that are asked for and not answered, by key.
    pub(crate) pending: &'a HashMap<Key, usize>,
    /// The wall clock, the same for every attempt at the batch.
    pub(crate) wall: Timestamp,
    pub(crate) counters: Counters,
    /// What is not to be decided, because the log does not take what it would lead to.
    pub(crate) rejected: &'a Rejected,
}

/// Where a decided event goes, and where it comes from.
pub(super) struct Place {
    pub(super) topic: Topic,
    pub(super) ends_decision: bool,
    /// `None` for what puts something aside.
    pub(super) origin: Option<Origin>,
}

/// What is reported to the observer once the batch is committed.
pub(crate) enum Note {
    Skipped(Topic),
    KeptFailed(Topic),
    Dropped(Topic, &'static str),
    /// An event that says what became of something: its type, and that.
    Outcome(&'static str, &'static str),
}

/// One input of a round.
#[expect(clippy::large_enum_variant, reason = "nearly all of them are records")]
pub(crate) enum BatchInput<P: Processor> {
    /// A call that was committed ended.
    CallResult(CallResult<P>),
    /// A key's timer is due.
    Timer(Key),
    /// A record was read.
    Record(Polled),
    /// A lost state was rebuilt.
    Resume(Key),
}

/// What a finished batch leaves.
pub(crate) struct Finished {
    pub(crate) changes: Changes,
    pub(crate) spans: Spans,
    pub(crate) notes: Vec<Note>,
    /// When each key that was touched wants to be woken.
    pub(crate) timers: Vec<(Key, Option<Timestamp>)>,
    pub(crate) counters: Counters,
}

/// The result of a batch.
pub(crate) enum Outcome {
    /// It can be committed.
    Finished(Box<Finished>),
    /// The log does not take what some inputs led to. The states of these keys are not those
    /// of the store any more; without these inputs the batch is to be decided once more.
    Rejected(Rejected, BTreeSet<Key>),
}

/// A shard's place in its own order of events.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counters {
    pub(crate) sequence: u64,
    pub(crate) next_call: u64,
}
