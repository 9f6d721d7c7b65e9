//! The store of processors: state, positions, outbox, effects and projections,
//! changed together in one fenced transaction per batch.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use threadlore_model::{
    Cause, Event, EventId, Group, Key, Offset, Partition, Run, Subject, Timestamp, Topic,
};

use crate::{EncodedRecord, EventLog, Generation, PortError};

/// What one owner works on: one partition of all input topics of a group. The
/// inputs have equal partition counts, so a key's events meet in one shard.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shard {
    /// The consumer group.
    pub group: Group,
    /// The partition.
    pub partition: Partition,
}

impl Shard {
    /// The name of the role that works on it.
    #[must_use]
    pub fn role(&self) -> &str {
        self.group.role()
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.group, self.partition)
    }
}

/// Next offset to read, per input topic.
pub type Positions = BTreeMap<Topic, Offset>;

/// Highest sequence folded, per input topic and producer (group, partition).
/// A record whose sequence is not above its mark is a repeat.
pub type Marks = BTreeMap<(Topic, Group, Partition), u64>;

/// What an owner starts from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ownership {
    /// The fence: every change says it, and is refused once a later owner exists.
    pub epoch: i64,
    /// Where to read on; empty for a shard that never committed.
    pub positions: Positions,
    /// Of a shard that is not recovered: up to where all its inputs had been decided on
    /// already, whether or not anything followed. Empty where it is unknown.
    pub decided: Positions,
    /// Repeats are known by these.
    pub marks: Marks,
    /// The last sequence given to an event of this shard.
    pub sequence: u64,
    /// Whether the state is known to hold all that the log says was decided.
    /// `false` for a shard that never committed, and until recovery is through.
    pub recovered: bool,
    /// The layout of its states, as the last [`Store::forget`] said it; 0 before.
    pub layout: i32,
}

/// One key's state, encoded by the runtime, with when to wake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateRow {
    /// The key.
    pub key: Key,
    /// CBOR, private to the runtime.
    pub body: Vec<u8>,
    /// Wall-clock time at which the key wants to be examined.
    pub wake: Option<Timestamp>,
    /// What is stored by itself: to `commit` the parts that changed, from `load` all
    /// of them, ascending by name.
    pub parts: Vec<PartRow>,
}

/// A part of a state that is stored by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartRow {
    /// Its name within the key's state.
    pub name: String,
    /// CBOR, private to the runtime; `None` for a part that is gone.
    pub body: Option<Vec<u8>>,
}

/// A key that wants to be examined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wake {
    /// The key.
    pub key: Key,
    /// When, by the wall clock.
    pub at: Timestamp,
}

/// An event on its way to the log. It was encoded when it was decided, so that publishing it
/// cannot fail because of what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboxRow {
    /// The producer's sequence; the order of publication.
    pub sequence: u64,
    /// Whether the decision it belongs to ends here. One append never splits a decision.
    pub ends_decision: bool,
    /// What is appended.
    pub record: Arc<EncodedRecord>,
    /// Whose key is destroyed once the record is in the log.
    pub erases: Option<Subject>,
}

impl OutboxRow {
    /// The row of an event with sealed fields.
    ///
    /// # Errors
    /// Those of [`EventLog::encode`].
    pub fn encode(
        log: &dyn EventLog,
        (topic, event): (Topic, &Event),
        ends_decision: bool,
    ) -> Result<Self, PortError> {
        Ok(Self {
            sequence: event.envelope.producer.as_ref().map_or(0, |p| p.sequence),
            ends_decision,
            record: Arc::new(log.encode(topic, event)?),
            erases: event.erased_subject(),
        })
    }
}

/// A slow call that is asked for and not yet answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EffectRow {
    /// Grows with each effect of the shard; the order within a key.
    pub id: u64,
    /// The key it belongs to.
    pub key: Key,
    /// What asked for it.
    pub cause: Cause,
    /// The trace context that what follows carries on.
    pub traceparent: Option<String>,
    /// What is asked: CBOR, private to the runtime.
    pub call: Vec<u8>,
}

/// Events to fold into one generation of a projection.
#[derive(Debug, Clone)]
pub struct FoldBatch {
    /// Which build.
    pub generation: Generation,
    /// In the order of the log, private fields open or erased. Shared, so that who asks keeps
    /// them without a copy.
    pub events: Arc<Vec<Event>>,
    /// For each event whether the build is known to have no row of it before this batch, so
    /// that none is looked for; empty where nothing is known.
    pub is_new: Vec<bool>,
}

impl FoldBatch {
    /// A batch of rows of which nothing is known.
    #[must_use]
    pub fn new(generation: Generation, events: Vec<Event>) -> Self {
        Self {
            generation,
            events: Arc::new(events),
            is_new: Vec::new(),
        }
    }
}

/// Everything that one batch changes. All of it happens, or nothing.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// Positions of all inputs after the batch.
    pub positions: Positions,
    /// Marks that moved.
    pub marks: Marks,
    /// The last sequence given out.
    pub sequence: u64,
    /// Whether recovery is through.
    pub recovered: bool,
    /// States that changed. Of a key that is named twice the last one counts, but
    /// the parts of all.
    pub states: Vec<StateRow>,
    /// Platform events accepted in this batch; unique per shard.
    pub accepted: Vec<EventId>,
    /// Rows of the outbox up to and including this sequence are in the log and leave; 0 where
    /// none do. Those of this batch come after them.
    pub published: u64,
    /// Events to publish.
    pub outbox: Vec<OutboxRow>,
    /// Effects asked for.
    pub effects: Vec<EffectRow>,
    /// Effects answered.
    pub answered: Vec<u64>,
    /// Events to fold; only projectors have any.
    pub fold: Option<FoldBatch>,
}

/// The store.
///
/// Guarantees that an implementation gives:
/// - `acquire` makes a new epoch, larger than all before; from then on every
///   call with an older epoch is refused with [`PortError::Fenced`] and changes nothing;
/// - `commit` is one transaction and durable on return;
/// - the outbox is read in ascending sequence and never loses an unpublished row;
/// - an id in `accepted` that the shard already has is an error (`Broken`), never a second row.
#[async_trait]
pub trait Store: Send + Sync {
    /// Becomes the owner of a shard.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    async fn acquire(&self, shard: &Shard) -> Result<Ownership, PortError>;

    /// Forgets all that the shard knows but its sequence, of which the next owner recovers from the
    /// log what is in states of the layout. Its outbox has to be in the log.
    ///
    /// # Errors
    /// `Fenced` when the epoch is not current.
    async fn forget(&self, shard: &Shard, epoch: i64, layout: i32) -> Result<(), PortError>;

    /// Committed positions of a shard, without becoming its owner; empty when it
    /// never committed.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    async fn positions(&self, shard: &Shard) -> Result<Positions, PortError>;

    /// States of keys that have one, with all their parts.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    async fn load(&self, shard: &Shard, keys: &[Key]) -> Result<Vec<StateRow>, PortError>;

    /// All keys of the shard that want to be woken.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    async fn wakes(&self, shard: &Shard) -> Result<Vec<Wake>, PortError>;

    /// Those of `ids` that the shard has accepted before.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    async fn accepted(&self, shard: &Shard, ids: &[EventId])
    -> Result<HashSet<EventId>, PortError>;

    /// Applies a batch.
    ///
    /// # Errors
    /// `Fenced` when the epoch is not current; `Refused` when an event cannot be
    /// folded (the caller splits the batch); `Unavailable` as the name says —
    /// then it is unknown whether the batch was applied, and the owner acquires anew.
    async fn commit(&self, shard: &Shard, epoch: i64, changes: Changes) -> Result<(), PortError>;

    /// Unpublished events after `after`, ascending: at most `max`, and more only
    /// to reach the end of a decision.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    async fn outbox(
        &self,
        shard: &Shard,
        after: u64,
        max: usize,
    ) -> Result<Vec<OutboxRow>, PortError>;

    /// Forgets events up to and including `through`: they are in the log. A batch that is
    /// committed anyway says so in [`Changes::published`].
    ///
    /// # Errors
    /// `Fenced` when the epoch is not current.
    async fn published(&self, shard: &Shard, epoch: i64, through: u64) -> Result<(), PortError>;

    /// The decision run of a build of cases; builds of other projections are of none, and say the
    /// first.
    ///
    /// # Errors
    /// `Broken` where there is no such build; `Unavailable` as the name says.
    async fn run_of(&self, build: Generation) -> Result<Run, PortError>;

    /// All unanswered effects, ascending by id.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    async fn effects(&self, shard: &Shard) -> Result<Vec<EffectRow>, PortError>;
}
