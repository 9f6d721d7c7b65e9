//! Vectors that models computed of texts.

use serde::{Deserialize, Serialize};

use crate::{CaseId, ChannelId, EventId, Private, Timestamp};

/// `vectors`: a model computed the vector of a case's text. The vector is used only while the
/// case has exactly this text.
///
/// Both fields are sealed, because a vector can be turned back into words, and the hash of a
/// text confirms a right guess.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VectorComputed {
    /// The case.
    pub case: CaseId,
    /// The channel.
    pub channel: ChannelId,
    /// The model with its version.
    pub model: String,
    /// Which text, as [`crate::source_text`] writes it.
    pub source: Private,
    /// The vector, as [`crate::vector_text`] writes it.
    pub vector: Private,
    /// Channel time of the decision.
    pub now: Timestamp,
}

impl VectorComputed {
    /// Id of the vector that `model` computed of the text in the event `text`. It does not depend
    /// on the call: a text that is sent again with other texts gets the same id.
    #[must_use]
    pub fn id(text: EventId, model: &str) -> EventId {
        EventId::of_content("vector", &[&text.to_string(), model])
    }
}
