//! The log on Apache Kafka.

mod registry;

pub use registry::{Readable, Registry, RegistryError, RegistrySettings};
