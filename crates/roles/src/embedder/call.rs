//! What `embedder` asks a model.

use serde::{Deserialize, Serialize};
use threadlore_model::{CaseId, Cause};

/// Vectors of texts are to be computed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmbedCall {
    /// Which, in the order of the log.
    pub texts: Vec<WantedText>,
}

/// The vectors of a model, one for each text.
#[derive(Debug, Clone, PartialEq)]
pub struct EmbedAnswer {
    /// Model and version.
    pub model: String,
    /// In the order of the texts.
    pub vectors: Vec<Vec<f32>>,
}

/// A text of a case that is to have a vector.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WantedText {
    /// The record that asked for the vector; no other record asks for the same one.
    pub cause: Cause,
    /// The case.
    pub case: CaseId,
    /// The text.
    pub text: String,
}
