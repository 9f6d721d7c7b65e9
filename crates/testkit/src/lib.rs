//! Testkit: in-memory twins of the ports, their conformance suites, the simulation, and servers for
//! tests.

mod beside;
pub mod conformance;
mod kafka;
mod memory;
mod model_double;
mod not_run;
mod port;
mod qdrant;
mod registry_double;
mod schema_registry;
mod service;
pub mod sim;

pub use kafka::{Kafka, KafkaSetup, SecureKafka};
pub use memory::{
    Faults, MemoryBlobs, MemoryIndex, MemoryKeystore, MemoryLog, MemoryStore, StoppedClock,
    fold_ports, index_ports,
};
pub use model_double::{ANSWER_TOKENS, Asked, ModelDouble, PROMPT_TOKENS, Reply};
pub use not_run::{not_run, not_run_without};
pub use qdrant::Qdrant;
pub use registry_double::{RegistryDouble, RegistryFault};
pub use schema_registry::SchemaRegistry;
pub use sim::Rng;
