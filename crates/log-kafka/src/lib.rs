//! The log on Apache Kafka, or on another broker that speaks its protocol.
//!
//! | part | in one line |
//! |---|---|
//! | [`KafkaLog`] | the [`EventLog`](threadlore_ports::EventLog): append, read, wait, range, join |
//! | [`KafkaOptions`] | the address of the cluster, and properties for the client library |
//! | [`Plan`] | the cluster's topics, compared with `topics.yaml` |
//! | [`Registry`] | schemas by number, for a cluster with a registry |
//!
//! Guarantees: an append is durable and in order, and never leaves a gap between its records. A
//! crash may keep the first records of a call and lose the others, which the outbox then publishes
//! again; readers recognise repeats by their sequence. Nothing here relies on Kafka's transactions
//! or on the offsets that Kafka keeps for a group. Those offsets are written for tools that show
//! lag, and never read.

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
