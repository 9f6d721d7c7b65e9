//! A model that reads, and says what it is made to say.

use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use threadlore_model::{AnswerOutcome, GateTag};
use threadlore_ports::{Judgement, PortError, ReadEngine, Reading, Tokens, Verdict};

/// A call of the model that reads.
const COST: Tokens = Tokens {
    prompt: 90,
    answer: 10,
};

pub(crate) fn away(doing: &'static str) -> PortError {
    PortError::Unavailable {
        doing,
        what: "the double",
        source: None,
    }
}

/// A model that reads: it names a passage, or none, or fails.
pub(crate) struct Reads(pub(crate) Option<Option<usize>>, pub(crate) AtomicU64);

#[async_trait]
impl ReadEngine for Reads {
    fn version(&self) -> &str {
        "double/1"
    }

    fn tokens(&self) -> u64 {
        self.1.load(Ordering::SeqCst)
    }

    async fn read(&self, reading: &Reading) -> Result<(Verdict, Tokens), PortError> {
        assert!(!reading.passages.is_empty() && reading.passages.len() <= 8);
        self.1.fetch_add(COST.all(), Ordering::SeqCst);
        let verdict = |passage: Option<usize>| {
            passage.map_or(Verdict::Nothing, |passage| Verdict::Passage {
                passage,
                lines: vec![0],
                text: None,
            })
        };
        match self.0 {
            Some(said) => Ok((verdict(said), COST)),
            None => Err(away("reading")),
        }
    }

    /// A new question; without an opinion it fails.
    async fn gate(
        &self,
        _message: &str,
        _earlier: &[String],
    ) -> Result<(GateTag, Tokens), PortError> {
        self.0
            .map(|_| (GateTag::NewQuestion, COST))
            .ok_or(away("gating"))
    }

    /// As it stands; without an opinion it fails.
    async fn rewrite(
        &self,
        question: &str,
        earlier: &[String],
    ) -> Result<(String, Tokens), PortError> {
        assert!(!earlier.is_empty());
        self.0
            .map(|_| (question.to_owned(), COST))
            .ok_or(away("rewriting"))
    }

    /// It helped, surely; without an opinion it fails.
    async fn judge(
        &self,
        _message: &str,
        _before: &[String],
    ) -> Result<(Judgement, Tokens), PortError> {
        let judgement = Judgement {
            outcome: AnswerOutcome::Worked,
            confidence: 0.9,
        };
        self.0.map(|_| (judgement, COST)).ok_or(away("judging"))
    }

    /// All of it; without an opinion it fails.
    async fn facts(&self, message: &str) -> Result<(Vec<String>, Tokens), PortError> {
        let found = vec![message.to_owned()];
        self.0.map(|_| (found, COST)).ok_or(away("noting"))
    }
}
