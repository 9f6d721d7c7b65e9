//! In-memory twins of the ports.

mod blob;
mod clock;
mod generations;
mod index;
mod index_source;
mod keystore;
mod log;
mod reader;
mod store;

use std::sync::Arc;

use threadlore_ports::{Clock, DenseModel, IndexPorts, Silent};
use threadlore_stream::{FoldPorts, Traffic, Vault};

pub use blob::MemoryBlobs;
pub use clock::StoppedClock;
pub use index::MemoryIndex;
pub use keystore::MemoryKeystore;
pub use log::MemoryLog;
pub use store::{Faults, MemoryStore};

/// What a fold uses, in memory: this log and this store, fresh keys, no observer.
#[must_use]
pub fn fold_ports(
    log: &Arc<MemoryLog>,
    store: &Arc<MemoryStore>,
    clock: Arc<dyn Clock>,
) -> FoldPorts {
    FoldPorts {
        log: Arc::clone(log) as Arc<_>,
        store: Arc::clone(store) as Arc<_>,
        vault: Vault::new(Arc::new(MemoryKeystore::default())),
        clock,
        observer: Arc::new(Silent),
        traffic: Traffic::default(),
    }
}

/// What the making of points uses, in memory: this store, an empty index, no observer.
#[must_use]
pub fn index_ports(
    store: &Arc<MemoryStore>,
    clock: Arc<dyn Clock>,
    model: Option<DenseModel>,
) -> IndexPorts {
    IndexPorts {
        index: Arc::new(MemoryIndex::default()),
        source: Arc::clone(store) as Arc<_>,
        clock,
        observer: Arc::new(Silent),
        model,
    }
}
