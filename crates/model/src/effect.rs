//! Effects: slow or outside calls that a processor asks for. A request is
//! stored with the state in one transaction; its outcome is a new input.

use serde::{Deserialize, Serialize};

use crate::{
    AnswerId, CaseId, Cause, ChannelId, CitedCase, Extraction, Offset, Timestamp, TurnOutcome,
    Window,
};

/// A slow call that a processor requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum EffectRequest {
    /// Find cases in a window.
    Extract {
        /// Offset in `chat.events` of the last message the window was asked to cover.
        up_to: Offset,
        /// Channel time of the request; cases that are found have this time.
        now: Timestamp,
        /// The messages to examine.
        window: Window,
    },
    /// Compute the vectors of texts.
    Embed {
        /// Which, in the order of the log.
        texts: Vec<WantedText>,
    },
    /// Find what memory has on a question.
    Recall {
        /// Offset in `chat.turns` of the turn that asks.
        turn: Offset,
        /// Where it was asked.
        channel: ChannelId,
        /// The question.
        question: String,
    },
    /// Send something to a channel.
    Deliver(Delivery),
}

/// The result of a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum EffectOutcome {
    /// The engine's answer, with its name and version.
    Extracted {
        /// Engine and version.
        engine: String,
        /// The cases that the engine found.
        extraction: Extraction,
    },
    /// The vectors of a model, one for each text.
    Embedded {
        /// Model and version.
        model: String,
        /// In the order of the texts.
        vectors: Vec<Vec<f32>>,
    },
    /// What memory has.
    Recalled(Recalled),
    /// The platform took it.
    Delivered {
        /// The platform's ids of the messages that were sent, in their order.
        native_ids: Vec<String>,
    },
    /// The platform does not take it, or did not answer in time.
    Undelivered {
        /// Why, without any text of the delivery.
        reason: String,
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
    /// The record that asked for the vector; no other record asks for the same one.
    pub cause: Cause,
    /// The case.
    pub case: CaseId,
    /// The text.
    pub text: String,
}

/// What memory has on a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recalled {
    /// [`TurnOutcome::Answered`], [`TurnOutcome::Suggested`] or [`TurnOutcome::Tracked`] with an
    /// answer, or the reason of silence.
    pub outcome: TurnOutcome,
    /// The answer, where there is one.
    pub answer: Option<Answer>,
    /// How cases were searched, as JSON.
    pub record: String,
}

/// The text of an answer with what it rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The text, in Markdown.
    pub text: String,
    /// The cases, best first; never empty.
    pub cited: Vec<CitedCase>,
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
