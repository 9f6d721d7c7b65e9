//! What a worker is given.

use std::sync::Arc;

use threadlore_ports::{EmbedEngine, ExtractEngine, Gateway, RecallEngine};
use threadlore_stream::FoldPorts;

/// Everything outside that a worker uses.
#[derive(Clone)]
pub struct Ports {
    /// What folds use too.
    pub shared: FoldPorts,
    /// Finds cases in windows.
    pub engine: Arc<dyn ExtractEngine>,
    /// Makes vectors of texts; only `embedder` needs one.
    pub embedder: Option<Arc<dyn EmbedEngine>>,
    /// Finds what memory has; only `responder` needs one.
    pub recall: Option<Arc<dyn RecallEngine>>,
    /// Sends to a platform; only `gateway` needs one.
    pub gateway: Option<Arc<dyn Gateway>>,
}

/// Bounds of the loop.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Records per batch. Default 500.
    pub batch: usize,
    /// Slow calls of one shard at the same time. Default 8.
    pub effects: usize,
    /// Attempts per slow call; calls for vectors have no bound. Default 3.
    pub attempts: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            batch: 500,
            effects: 8,
            attempts: 3,
        }
    }
}
