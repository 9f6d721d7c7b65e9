//! What memory has on a question, the answer that comes of it, and its delivery.

use serde::{Deserialize, Serialize};

use crate::{
    AnswerId, CaseId, ChannelId, CitedCase, GateTag, MemoryId, Rating, Timestamp, TurnOutcome,
};

/// What memory has on a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recalled {
    /// [`TurnOutcome::Answered`], [`TurnOutcome::Suggested`] or [`TurnOutcome::Tracked`] with an
    /// answer, or the reason of silence.
    pub outcome: TurnOutcome,
    /// The answer, where there is one.
    pub answer: Option<Answer>,
    /// Where there is no answer, the cases that are nearest to the question, best first.
    pub nearest: Vec<NearCase>,
    /// Addresses of documentation that the channel has for who asks by name and gets no answer.
    pub docs: Vec<String>,
    /// What a model says that the turn is, where the rules were not sure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<GateTag>,
    /// What a model says that the turn tells of the answer that it may be about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<Rating>,
    /// How cases were searched, as JSON; empty where nothing was searched.
    pub record: String,
    /// Tokens that the chat model was sent and said to read for it, as far as its server tells.
    #[serde(default)]
    pub model_tokens: i64,
}

/// A case that is near to a question and does not answer it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NearCase {
    /// The case.
    pub case: CaseId,
    /// Its title.
    pub title: String,
    /// Its link.
    pub link: String,
    /// Its closeness to the question, in thousandths.
    pub close: u32,
}

/// The text of an answer with what it rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The text, in Markdown.
    pub text: String,
    /// The cases, best first.
    pub cited: Vec<CitedCase>,
    /// The memory that it quotes, where it quotes one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryId>,
    /// The exchange that it repeats, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub precedent: Option<MemoryId>,
    /// What composed it, with its version.
    pub composer: String,
}

/// Something to be sent to a channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    /// The answer that is sent or withdrawn.
    pub answer: AnswerId,
    /// The channel.
    pub channel: ChannelId,
    /// What is to be done.
    pub what: DeliveryKind,
    /// It is not tried after this moment of the wall clock.
    pub until: Timestamp,
}

impl Delivery {
    /// A key that is the same whenever the same is sent, and of no other delivery: for platforms
    /// that send what has one key once. Letters, digits and `-`.
    #[must_use]
    pub fn key(&self) -> String {
        match self.what {
            DeliveryKind::Answer { .. } => format!("answer-{}", self.answer),
            DeliveryKind::Withdrawal { .. } => format!("withdrawal-{}", self.answer),
        }
    }
}

/// What is to be done in a channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum DeliveryKind {
    /// An answer is to be posted.
    Answer {
        /// The text, in Markdown.
        text: String,
        /// The platform's id of the message that it replies to.
        reply_to: String,
        /// The platform's id of the first message of the thread that it belongs in.
        thread: Option<String>,
    },
    /// An answer that was posted is to be taken back.
    Withdrawal {
        /// The platform's ids of its messages.
        native_ids: Vec<String>,
    },
}
