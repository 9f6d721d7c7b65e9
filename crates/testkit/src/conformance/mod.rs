//! Conformance suites.

mod blob;
mod generations;
mod index;
mod index_source;
mod keystore;
mod log;
mod raw;
mod reader;
pub mod samples;
mod store;

pub use blob::blobs;
pub use generations::generations;
pub use index::{index, index_reopened};
pub use index_source::index_source;
pub use keystore::{keystore, replaced_master_key};
pub use log::{log, log_reopened, log_truncated};
pub use raw::raw;
pub use reader::reader;
pub use store::store;
