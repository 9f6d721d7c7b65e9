//! Spans: who did what about which record, in the trace of the message that led to it.
//! Never what people wrote, nor who they are.

use threadlore_model::{Group, Offset, Timestamp, TopicPartition, TraceContext};

/// One thing that was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// Who did it.
    pub group: Group,
    /// Its own name, within its trace.
    pub context: TraceContext,
    /// What led to it; `None` where the trace begins.
    pub parent: Option<TraceContext>,
    /// What was done.
    pub work: Work,
    /// The record that it is about, or that led to it.
    pub at: TopicPartition,
    /// Its offset.
    pub offset: Offset,
    /// When it was begun.
    pub started: Timestamp,
    /// When it was done: of a call the answer, else the transaction.
    pub ended: Timestamp,
}

/// Kinds of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// An event of this type was taken.
    Event(&'static str),
    /// A key's timer is due.
    Timer,
    /// A slow or outside call.
    Call,
}
