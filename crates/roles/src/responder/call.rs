//! The slow calls of `responder`.

use serde::{Deserialize, Serialize};
use threadlore_language::wording::Language;
use threadlore_model::{
    AnswerId, CaseId, ChannelId, EventId, GateTag, MemoryId, MessageId, Offset, PersonId,
    Timestamp, WithdrawalReason,
};

use super::steer::Instruction;

/// A slow call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ResponderCall {
    /// What memory has on a question is to be found.
    Recall(RecallCall),
    /// An instruction of somebody is to be carried out, if they may give it.
    Steer(SteerCall),
    /// Answers of other channels with the words of a case are to be taken back. Nothing answers it.
    TakeBack(TakeBackCall),
    /// What a person wrote is to be erased, in the whole space. Nothing answers it.
    Forget(ForgetCall),
    /// What a person says of themselves is to be found by a model, and remembered. Nothing answers it.
    Note(NoteCall),
    /// What a message told the bot to remember is to be erased with it. Nothing answers it.
    Unsay(UnsayCall),
}

impl ResponderCall {
    /// Offset in `chat.turns` of the turn that asks for it.
    #[must_use]
    pub const fn turn(&self) -> Option<Offset> {
        match self {
            Self::Recall(call) => Some(call.turn),
            Self::Steer(call) => Some(call.turn),
            Self::TakeBack(_) | Self::Forget(_) | Self::Note(_) | Self::Unsay(_) => None,
        }
    }
}

/// What memory has on a question is to be found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecallCall {
    /// Offset in `chat.turns` of the turn that asks.
    pub turn: Offset,
    /// Where it was asked.
    pub channel: ChannelId,
    /// Who asks.
    pub person: PersonId,
    /// The question.
    pub question: String,
    /// What the rules say that it is, where a model is to say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<GateTag>,
    /// What it may say of an answer, where a model is to say that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remark: Option<RemarkCall>,
    /// The case whose answer they had to the same question a short time before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub had: Option<CaseId>,
    /// Whether the bot was asked by name.
    pub is_named: bool,
    /// The lines before it, the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<MessageId>,
    /// In which language it answers.
    #[serde(default)]
    pub language: Language,
}

/// A turn that may say something of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemarkCall {
    /// Its own words.
    pub text: String,
    /// The question, the answer, and what was said since, the oldest first.
    pub before: Vec<MessageId>,
    /// Whether it is looked up as a question where it says nothing of the answer.
    pub asks: bool,
}

/// An instruction of somebody is to be carried out, if they may give it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SteerCall {
    /// Offset in `chat.turns` of the turn that says so.
    pub turn: Offset,
    /// The event that closed the turn: what follows is the same for the same turn.
    pub because: EventId,
    /// Where it was said.
    pub channel: ChannelId,
    /// Who said it.
    pub person: PersonId,
    /// The message that says it.
    pub message: MessageId,
    /// The case of the answer that it is about, where it is about one.
    pub case: Option<CaseId>,
    /// The memory that this answer quotes, where it quotes one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryId>,
    /// The message that it replies to; where that is the bot's, the one which that replies to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<MessageId>,
    /// What was said.
    pub instruction: Instruction,
    /// In which language it answers.
    #[serde(default)]
    pub language: Language,
}

/// Answers of other channels with the words of a case are to be taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakeBackCall {
    /// The case.
    pub case: CaseId,
    /// Its channel, whose own answers are taken back without the call.
    pub channel: ChannelId,
    /// Why.
    pub reason: WithdrawalReason,
}

/// What a message told the bot to remember is to be erased with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnsayCall {
    /// The message, which was deleted.
    pub message: MessageId,
    /// Who wrote it; `None` where the tables are to say.
    pub person: Option<PersonId>,
}

/// What a person says of themselves is to be found by a model, and remembered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoteCall {
    /// Where they said it.
    pub channel: ChannelId,
    /// Who.
    pub person: PersonId,
    /// The message that says it.
    pub message: MessageId,
    /// Its words.
    pub text: String,
}

/// What a person wrote is to be erased, in the whole space.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForgetCall {
    /// The person.
    pub person: PersonId,
    /// Where they asked for it.
    pub channel: ChannelId,
    /// When.
    pub asked_at: Timestamp,
    /// The last answer to them, which is sealed under their key: once it is sent, or after a while,
    /// the key is destroyed.
    pub answer: Option<AnswerId>,
}
