//! Effects: slow or outside calls that a processor asks for. A request is
//! stored with the state in one transaction; its outcome is a new input.

use serde::{Deserialize, Serialize};

use crate::{CaseId, Cause, Extraction, Offset, Timestamp, Window};

/// What a processor asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum EffectRequest {
    /// Find cases in a window.
    Extract {
        /// Offset in `chat.events` of the last message the window was asked to cover.
        up_to: Offset,
        /// Channel time at which it was asked; what is found is dated by it.
        now: Timestamp,
        /// What to look at.
        window: Window,
    },
    /// Compute the vectors of texts.
    Embed {
        /// Which, in the order of the log.
        texts: Vec<WantedText>,
    },
}

/// What came of a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum EffectOutcome {
    /// The engine's answer, with its name and version.
    Extracted {
        /// Engine and version.
        engine: String,
        /// What it found.
        extraction: Extraction,
    },
    /// The vectors of a model, one for each text.
    Embedded {
        /// Model and version.
        model: String,
        /// In the order of the texts.
        vectors: Vec<Vec<f32>>,
    },
    /// Every attempt failed.
    Failed {
        /// Why the last one did, without any text of the request.
        reason: String,
    },
}

/// A text of a case that is to have a vector.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WantedText {
    /// The record that says so; no other record wants the same.
    pub cause: Cause,
    /// The case.
    pub case: CaseId,
    /// The text.
    pub text: String,
}
