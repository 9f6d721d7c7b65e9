//! The log on Apache Kafka, or on what speaks its protocol.
//!
//! | part | in one line |
//! |---|---|
//! | [`KafkaLog`] | the [`EventLog`](threadlore_ports::EventLog): append, read, wait, range, join |
//! | [`KafkaOptions`] | where the cluster is, and what is handed to the client library |
//! | [`Plan`] | the topics as they are, beside what `topics.yaml` says |
//! | [`Registry`] | schemas by number, where a cluster has a registry |
//!
//! What Kafka gives and what not: an append is durable and in order, and never leaves a
//! gap between its records; but a crash may keep the first of a call and lose the others,
//! which the outbox then publishes again. Readers know repeats by their sequence. Nothing
//! here relies on Kafka's transactions, nor on the offsets that it keeps of a group: these
//! are written for those who look at lag, and never read.

mod access;
mod cluster;
mod context;
mod cursor;
mod deletion;
mod error;
mod log;
mod member;
mod options;
mod producer;
mod raw;
mod readers;
mod registry;
mod stats;
mod topics;

pub use log::KafkaLog;
pub use options::{Compression, KafkaOptions};
pub use registry::{Readable, Registry, RegistryError, RegistrySettings};
pub use topics::{Difference, Plan, Planned};
