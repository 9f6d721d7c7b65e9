//! In-memory twins of the ports.

mod blob;
mod keystore;
mod log;

pub use blob::MemoryBlobs;
pub use keystore::MemoryKeystore;
pub use log::MemoryLog;
