//! What readers of the log leave behind.

use serde::{Deserialize, Serialize};

use crate::{Offset, Timestamp, Topic};

/// `log.skips`: a reader could not take a record and went on. Every replay
/// honours it for ever.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordSkipped {
    /// The role that skipped it.
    pub role: String,
    /// Where it stands.
    pub topic: Topic,
    /// Its partition.
    pub partition: i32,
    /// Its offset.
    pub offset: Offset,
    /// Why, in one sentence without any text of the record.
    pub reason: String,
    /// When, by the wall clock.
    pub now: Timestamp,
}

/// `<topic>.dlq`: the bytes that could not be taken, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeadLetter {
    /// The role that refused it.
    pub role: String,
    /// Where it stood.
    pub topic: Topic,
    /// Its partition.
    pub partition: i32,
    /// Its offset.
    pub offset: Offset,
    /// Why, in one sentence without any text of the record.
    pub reason: String,
    /// The record's value, untouched.
    #[serde(with = "serde_bytes")]
    pub value: Vec<u8>,
    /// When, by the wall clock.
    pub now: Timestamp,
}
