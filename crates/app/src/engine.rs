//! Engines off the async threads.

use async_trait::async_trait;
use threadlore_model::{Extraction, Window};
use threadlore_models::Builtin;
use threadlore_ports::{ExtractEngine, PortError};

/// The built-in engine on the blocking pool: it computes for milliseconds.
pub(crate) struct OffThread;

#[async_trait]
impl ExtractEngine for OffThread {
    fn version(&self) -> &str {
        Builtin.version()
    }

    fn is_quick(&self) -> bool {
        Builtin.is_quick()
    }

    async fn extract(&self, window: &Window) -> Result<Extraction, PortError> {
        let window = window.clone();
        tokio::task::spawn_blocking(move || threadlore_models::extract(&window))
            .await
            .map_err(|e| PortError::Unavailable {
                doing: "finding cases in a window",
                what: "the built-in engine",
                source: Some(Box::new(e)),
            })
    }
}
