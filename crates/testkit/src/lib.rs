//! Testkit: in-memory twins of the ports.

mod memory;

pub use memory::{Faults, MemoryBlobs, MemoryKeystore, MemoryLog, MemoryStore};
