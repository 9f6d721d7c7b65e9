//! What goes into a decision and what comes out of it.

use serde::{Deserialize, Serialize};

use threadlore_model::{
    Body, Cause, ChannelId, Event, EventId, Group, Offset, SpaceId, Timestamp, Topic,
    TopicPartition,
};

use crate::QueuedRecord;

/// The call, and the answer, of a role that asks for no slow call: there is none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum NoCall {}

/// What a processor is asked to look at; `C` and `A` are its [`Processor::Call`](crate::Processor::Call)
/// and [`Processor::Answer`](crate::Processor::Answer).
#[derive(Debug, Clone)]
pub enum Input<'a, C = NoCall, A = NoCall> {
    /// A record of one of its input topics.
    Record {
        /// Topic and partition.
        at: TopicPartition,
        /// Its offset.
        offset: Offset,
        /// When it was appended to the log.
        arrived: Timestamp,
        /// What it says; private fields are open or erased.
        event: &'a Event,
    },
    /// A record that waited in the state's [`Queue`](crate::Queue), and is the next one.
    Queued {
        /// The record.
        record: &'a QueuedRecord,
        /// What it led to was decided before and is in the log: only fold it.
        decided: bool,
    },
    /// An event that this role just decided, and folded.
    Decided(&'a Event),
    /// The time came that the state asked to be woken at.
    Wake {
        /// Nothing arrived for a while on the wall clock, and channel time does not move.
        idle: bool,
    },
    /// A slow call was answered, or failed for good.
    Answered {
        /// The call.
        call: &'a C,
        /// Its answer; or why the last attempt failed, without any text of the call.
        answer: Result<&'a A, &'a str>,
    },
    /// A lost state was rebuilt from the log; what is due is to be taken up again.
    Resume,
}

/// What a decision may know beside its own state.
#[derive(Debug, Clone)]
pub struct Facts {
    /// Channel time.
    pub now: Timestamp,
    /// The group that decides, part of every id it makes.
    pub group: Group,
    /// The space of the key.
    pub space: Option<SpaceId>,
    /// The channel that the key names, where it names one.
    pub channel: Option<ChannelId>,
    /// What the decision is because of; new ids derive from it.
    pub cause: Cause,
    /// The platform event was accepted before (only for `intake`).
    pub repeated: bool,
    /// Slow calls of this key that are asked for and not answered.
    pub pending_calls: usize,
}

impl Facts {
    /// The id of the decision's `ordinal`-th event.
    #[must_use]
    pub fn event_id(&self, ordinal: usize) -> EventId {
        EventId::decided(self.group.as_str(), self.cause.event, ordinal)
    }
}

/// An event as decided; the runtime adds the envelope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decided {
    /// Set where the id follows from what the event is about: the platform's own, or the
    /// text that a vector is of. Else derived from the cause.
    pub id: Option<EventId>,
    /// Set for platform events, and where the decision is about an earlier moment; else
    /// the decision's `now`.
    pub time: Option<Timestamp>,
    /// What happened.
    pub body: Body,
}

impl From<Body> for Decided {
    fn from(body: Body) -> Self {
        Self {
            id: None,
            time: None,
            body,
        }
    }
}

/// What follows from an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision<C = NoCall> {
    /// Events, in order; all have the input's key.
    pub events: Vec<Decided>,
    /// Slow calls, each with what asked for it.
    pub calls: Vec<(Cause, C)>,
    /// Why the input was dropped on purpose; counted.
    pub dropped: Option<&'static str>,
}

impl<C> Default for Decision<C> {
    fn default() -> Self {
        Self {
            events: Vec::new(),
            calls: Vec::new(),
            dropped: None,
        }
    }
}

/// Why an input cannot be taken: it becomes a dead letter.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refusal(pub String);

/// Back-pressure of one key: topics to stop reading, and the one topic that it needs to make progress.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Flow {
    /// Topics of which enough waits here.
    pub full: Vec<Topic>,
    /// How many records wait here.
    pub waiting: usize,
    /// The topic without which this key takes up nothing of what waits; `None`
    /// where it goes on by itself, or where nothing waits.
    pub needs: Option<Topic>,
}

/// When a state wants to be examined again, at the earlier of the two.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WakeAt {
    /// By channel time.
    pub channel: Option<Timestamp>,
    /// By the wall clock, whatever channel time says.
    pub wall: Option<Timestamp>,
}
