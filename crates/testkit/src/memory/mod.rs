//! In-memory twins of the ports.

mod blob;
mod generations;
mod keystore;
mod log;
mod reader;
mod store;

pub use blob::MemoryBlobs;
pub use keystore::MemoryKeystore;
pub use log::MemoryLog;
pub use store::{Faults, MemoryStore};
