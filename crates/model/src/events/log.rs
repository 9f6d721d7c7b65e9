//! Events about records that could not be processed.

use serde::{Deserialize, Serialize};

use crate::{Offset, Timestamp, Topic};

/// `log.skips`: a reader could not take a record and went on. Every replay
/// honours it for ever.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordSkipped {
    /// The role that skipped it.
    pub role: String,
    /// The topic of the skipped record.
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

/// `<topic>.dlq`: the bytes of a record that could not be processed, and the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeadLetter {
    /// The role that refused it.
    pub role: String,
    /// The topic of the record.
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
