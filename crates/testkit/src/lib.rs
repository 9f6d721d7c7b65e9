//! Testkit: in-memory twins of the ports.

mod memory;
pub mod sim;

pub use memory::{Faults, MemoryBlobs, MemoryKeystore, MemoryLog, MemoryStore};
