//! What models make of texts.

use serde::{Deserialize, Serialize};

use crate::{CaseId, ChannelId, EventId, Private, Timestamp};

/// `vectors`: a model computed the vector of a text by which a case is found. It
/// counts while the case has this text and no other: it is a value, not a state.
///
/// Both fields are sealed: a vector can be turned back into words, and the hash of a
/// text tells whether a guess is right.
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
    /// Id of the vector that `model` computed of the text that the event `text` brought.
    /// It does not depend on which call the text was in: the same text, asked for again
    /// with other neighbours, has the same id, and no other text has it.
    #[must_use]
    pub fn id(text: EventId, model: &str) -> EventId {
        EventId::of_content("vector", &[&text.to_string(), model])
    }
}
