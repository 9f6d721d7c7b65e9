//! The stores of one machine, in its data directory: the log and the keystore on `fjall`, blobs and
//! secrets as files.
//!
//! | type | port | on disk |
//! |---|---|---|
//! | [`LocalLog`] | `EventLog` | `LAYOUT` (format and partition counts), `db/` with a keyspace per topic, `ends/` (how far it reached), `inbox.keys` (short-lived keys that seal `chat.inbox`) |
//! | [`LocalKeystore`] | `Keystore` | a database of its own; keys wrapped under the master key |
//! | [`FileBlobs`] | `BlobStore` | one file per blob, put by rename |
//! | [`load_or_create_secret`] | | one file per secret, mode 0600 |
//!
//! Each directory belongs to one process at a time; a second one is refused. After a failed write,
//! a database accepts no more writes, because the content of the disk is then unknown. The error is
//! fatal, and opening again recovers everything that was acknowledged.

mod blob;
mod error;
mod files;
mod frame;
mod group;
mod inbox;
mod keystore;
mod layout;
mod log;
mod partition;
mod secret;
mod witness;

pub use blob::FileBlobs;
pub use keystore::LocalKeystore;
pub use log::LocalLog;
pub use secret::{load_or_create_secret, save_secret};
