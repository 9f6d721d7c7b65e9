//! A question is written anew by the model that reads, so that it can be looked up without the lines
//! before it. Where that fails, it is looked up as it stands.

use serde::Serialize;
use threadlore_model::SpaceId;
use threadlore_ports::Tokens;

use crate::record::Degraded;
use crate::search::Retrieval;

/// The most lines before a question that it is written anew with.
const EARLIER: usize = 5;

/// A question as a model wrote it, as it is stored with the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RewriteRecord {
    /// What was looked up. Not stored: it may have words of whoever spoke before, and the record is sealed under
    /// the key of who asks, so it would outlive their erasure.
    #[serde(skip)]
    pub question: String,
    /// The model, with the version of its prompts.
    pub by: String,
    /// How many lines before the question it was shown.
    pub earlier: usize,
    /// Milliseconds of the call.
    pub took_ms: u64,
    /// Tokens that the model was sent, as far as its server tells.
    pub prompt_tokens: u64,
    /// Tokens that it said.
    pub answer_tokens: u64,
}

impl Retrieval {
    /// Whether questions are written anew before they are searched.
    #[must_use]
    pub fn rewrites(&self) -> bool {
        self.ports
            .reader
            .as_ref()
            .is_some_and(|reader| reader.rewrites)
    }

    /// The question as the model writes it. `None` where that is not wanted, and where nothing was said
    /// before.
    pub(crate) async fn rewritten(
        &self,
        space: &SpaceId,
        question: &str,
        earlier: &[String],
    ) -> Option<Result<RewriteRecord, Degraded>> {
        let reader = self.ports.reader.as_ref()?;
        let earlier = &earlier[earlier.len().saturating_sub(EARLIER)..];
        if !reader.rewrites || earlier.is_empty() || question.trim().is_empty() {
            return None;
        }
        let started = self.ports.clock.now();
        let written = reader.engine.rewrite(question, earlier);
        let written = self.call(reader, space, Degraded::Rewrite, written).await;
        let (question, Tokens { prompt, answer }) = match written {
            Ok(written) => written,
            Err(degraded) => return Some(Err(degraded)),
        };
        Some(Ok(RewriteRecord {
            question,
            by: reader.engine.version().to_owned(),
            earlier: earlier.len(),
            took_ms: self.ports.clock.now().since(started).as_millis() as u64,
            prompt_tokens: prompt,
            answer_tokens: answer,
        }))
    }
}
