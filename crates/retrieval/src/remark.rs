//! The model that reads says what a message tells of an answer, where the rules see nothing in it. Where it
//! fails, the message says nothing.

use serde::Serialize;
use threadlore_model::{AnswerOutcome, Rating, SpaceId};
use threadlore_ports::{Judgement, Tokens};

use crate::record::{Degraded, thousandths};
use crate::search::Retrieval;

/// From this on the model is sure enough, in thousandths. Chosen.
const SURE: u32 = 700;
/// The question and the answer: without these a message is about nothing.
const BOTH: usize = 2;

/// A message that may tell something of an answer.
#[derive(Debug, Clone, Copy)]
pub struct Remark<'a> {
    /// Its text.
    pub text: &'a str,
    /// The question, the answer, and what was said since, the oldest first.
    pub before: &'a [String],
    /// Whether it is looked up as a question where it says nothing of the answer.
    pub asks: bool,
}

/// What a model said of a message, as it is stored with the turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RemarkRecord {
    /// What the answer was worth by it.
    pub outcome: AnswerOutcome,
    /// How sure the model is, in thousandths.
    pub confidence: u32,
    /// The model, with the version of its prompts.
    pub by: String,
    /// How many lines before the message it was shown.
    pub before: usize,
    /// Milliseconds of the call.
    pub took_ms: u64,
    /// Tokens that the model was sent, as far as its server tells.
    pub prompt_tokens: u64,
    /// Tokens that it said.
    pub answer_tokens: u64,
}

impl RemarkRecord {
    /// What its writer says of the answer by it; nothing where the model is not sure.
    #[must_use]
    pub fn rating(&self) -> Option<Rating> {
        match self.outcome {
            _ if self.confidence < SURE => None,
            AnswerOutcome::Worked => Some(Rating::Helped),
            AnswerOutcome::Failed => Some(Rating::Failed),
            AnswerOutcome::Partial | AnswerOutcome::Unknown => None,
        }
    }
}

impl Retrieval {
    /// What the model says that a message tells of an answer. `None` where the answer is not known any more.
    pub(crate) async fn judged(
        &self,
        space: &SpaceId,
        remark: Remark<'_>,
    ) -> Option<Result<RemarkRecord, Degraded>> {
        if remark.before.len() < BOTH {
            return None;
        }
        let Some(reader) = self.ports.reader.as_ref() else {
            return Some(Err(Degraded::Remark));
        };
        let started = self.ports.clock.now();
        let said = reader.engine.judge(remark.text, remark.before);
        let said = self.call(reader, space, Degraded::Remark, said).await;
        let record = said.map(|(judgement, Tokens { prompt, answer })| {
            let Judgement {
                outcome,
                confidence,
            } = judgement;
            RemarkRecord {
                outcome,
                confidence: thousandths(confidence),
                by: reader.engine.version().to_owned(),
                before: remark.before.len(),
                took_ms: self.ports.clock.now().since(started).as_millis() as u64,
                prompt_tokens: prompt,
                answer_tokens: answer,
            }
        });
        Some(record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_not_sure_says_nothing() {
        let rating = |outcome, confidence| {
            let record = RemarkRecord {
                outcome,
                confidence,
                by: "double".to_owned(),
                before: 2,
                took_ms: 1,
                prompt_tokens: 1,
                answer_tokens: 1,
            };
            record.rating()
        };
        assert_eq!(rating(AnswerOutcome::Worked, 700), Some(Rating::Helped));
        assert_eq!(rating(AnswerOutcome::Failed, 1000), Some(Rating::Failed));
        assert_eq!(rating(AnswerOutcome::Failed, 699), None);
        assert_eq!(rating(AnswerOutcome::Partial, 1000), None);
        assert_eq!(rating(AnswerOutcome::Unknown, 1000), None);
    }
}
