//! Records as bytes: what a copy of a log reads and writes.

use async_trait::async_trait;
use threadlore_model::{Offset, Timestamp, TopicPartition};

use crate::{EventLog, PortError};

/// A record before it is decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawRecord {
    /// Its place.
    pub offset: Offset,
    /// When it was appended.
    pub appended: Timestamp,
    /// The key; empty where there is none.
    pub key: Vec<u8>,
    /// Headers, in order.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The value, as a log without a schema registry has it.
    pub value: Vec<u8>,
}

/// A log whose records can be read and written as they are, so that nothing is lost
/// between two logs: not what no event can be made of, nor unknown headers.
///
/// Guarantees beside those of [`EventLog`]:
/// - what `append_raw` writes, `read_raw` gives back: key, headers and value;
/// - the records of a call are in the given partition, in order, whatever their keys say;
/// - where the log's clock is ours, times of appending are kept, but never go back within
///   a partition; a cluster may give its own.
#[async_trait]
pub trait RawLog: EventLog {
    /// As [`EventLog::read`], without asking what the records say.
    ///
    /// # Errors
    /// As [`EventLog::read`]; `Broken` for a record that is damaged.
    async fn read_raw(
        &self,
        at: TopicPartition,
        from: Offset,
        max: usize,
    ) -> Result<Vec<RawRecord>, PortError>;

    /// Appends records to a partition; their offsets are ignored.
    ///
    /// # Errors
    /// `Unavailable` when it is unknown what was written; `Refused` for a record that is
    /// too large, and then nothing is written.
    async fn append_raw(
        &self,
        at: TopicPartition,
        records: Vec<RawRecord>,
    ) -> Result<(), PortError>;
}
