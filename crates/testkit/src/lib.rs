//! Testkit: in-memory twins of the ports.

mod memory;

pub use memory::{MemoryBlobs, MemoryKeystore, MemoryLog};
