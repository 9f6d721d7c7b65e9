//! Extraction engines.

use async_trait::async_trait;
use threadlore_model::{Extraction, Window};

use crate::PortError;

/// Finds cases in a window. May be slow and may fail: it is called from the
/// effect pool only, never from a replay.
#[async_trait]
pub trait ExtractEngine: Send + Sync {
    /// Name and version, recorded in every event it leads to.
    fn version(&self) -> &str;

    /// Whether an answer takes milliseconds and no outside help. The loop then
    /// waits for it, so that neither the question nor the answer needs a
    /// transaction of its own.
    fn is_quick(&self) -> bool {
        false
    }

    /// Looks at one window.
    ///
    /// # Errors
    /// `Unavailable` to be tried again; `Refused` when the answer cannot be used.
    async fn extract(&self, window: &Window) -> Result<Extraction, PortError>;
}
