//! The model that reads says whether a message asks for an answer, where the rules are not sure. Where it
//! fails, the rules decide.

use serde::Serialize;
use threadlore_model::{GateTag, SpaceId};
use threadlore_ports::Tokens;

use crate::record::Degraded;
use crate::search::Retrieval;

/// What a model said of a message, as it is stored with the turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GateRecord {
    /// What the message is.
    pub tag: GateTag,
    /// The model, with the version of its prompts.
    pub by: String,
    /// How many lines before the message it was shown.
    pub earlier: usize,
    /// Milliseconds of the call.
    pub took_ms: u64,
    /// Tokens that the model was sent, as far as its server tells.
    pub prompt_tokens: u64,
    /// Tokens that it said.
    pub answer_tokens: u64,
}

impl Retrieval {
    /// What the model says that a message is.
    pub(crate) async fn gated(
        &self,
        space: &SpaceId,
        message: &str,
        earlier: &[String],
    ) -> Result<GateRecord, Degraded> {
        let reader = self.ports.reader.as_ref().ok_or(Degraded::Gate)?;
        let started = self.ports.clock.now();
        let tag = reader.engine.gate(message, earlier);
        let tag = self.call(reader, space, Degraded::Gate, tag).await;
        let (tag, Tokens { prompt, answer }) = tag?;
        Ok(GateRecord {
            tag,
            by: reader.engine.version().to_owned(),
            earlier: earlier.len(),
            took_ms: self.ports.clock.now().since(started).as_millis() as u64,
            prompt_tokens: prompt,
            answer_tokens: answer,
        })
    }
}
