//! What `extractor` asks an engine.

use serde::{Deserialize, Serialize};
use threadlore_model::{Extraction, Offset, Timestamp, Window};

/// Cases are to be found in a window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExtractCall {
    /// Offset in `chat.events` of the last message the window was asked to cover.
    pub up_to: Offset,
    /// Channel time of the call; cases that are found have this time.
    pub now: Timestamp,
    /// The messages to examine.
    pub window: Window,
}

/// The engine's answer.
#[derive(Debug, Clone, PartialEq)]
pub struct ExtractAnswer {
    /// Engine and version.
    pub engine: String,
    /// The cases that the engine found.
    pub extraction: Extraction,
}
