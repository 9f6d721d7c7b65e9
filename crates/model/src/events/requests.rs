//! Requests to the owner of rows. Only the owner decides: it publishes what follows with the
//! request as its cause, or nothing.

use serde::{Deserialize, Serialize};

use crate::{
    AnswerId, CaseId, ChannelId, EventId, MessageId, Offset, PersonId, Private, Rating,
    ReadyReason, Timestamp, WithdrawalReason,
};

/// `knowledge.requests`: a window is to be examined once more. The window is described as it was
/// announced; where a dead letter is redriven, that dead letter is the cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExtractionRequested {
    /// The channel.
    pub channel: ChannelId,
    /// Why the window was announced.
    pub reason: ReadyReason,
    /// Messages that were new in it.
    pub messages: u32,
    /// Offset in `chat.events` of the last message to examine.
    pub up_to: Offset,
    /// Channel time at which the window was announced.
    pub announced_at: Timestamp,
}

/// `knowledge.requests`: a case is to have another solution, because an admin says so. It has all
/// texts of the case, so that its owner need not remember it, and so that it can be a new one: the
/// answer to a question that had none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CorrectionRequested {
    /// The case.
    pub case: CaseId,
    /// The channel of the case.
    pub channel: ChannelId,
    /// Its short name, as it is.
    pub title: Private,
    /// Its problem, as it is.
    pub problem: Private,
    /// Its solution from now on.
    pub solution: Private,
    /// Its key words, as they are.
    pub tags: Vec<Private>,
    /// The message that says so, which is in the same channel; `None` where it was said elsewhere.
    pub message: Option<MessageId>,
    /// For a new case, the messages of the same channel that state its problem.
    pub asked: Vec<MessageId>,
    /// Time of the wall clock at which it was asked for.
    pub now: Timestamp,
}

/// `knowledge.requests`: the texts of a case are to be erased.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErasureRequested {
    /// The case.
    pub case: CaseId,
    /// The channel of the case.
    pub channel: ChannelId,
    /// Time of the wall clock at which it was asked for.
    pub now: Timestamp,
}

/// `knowledge.requests`: a case is outdated, so no answer is to use it any more. It keeps its texts, and another
/// solution brings it back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchiveRequested {
    /// The case.
    pub case: CaseId,
    /// The channel of the case.
    pub channel: ChannelId,
    /// Time of the wall clock at which it was asked for.
    pub now: Timestamp,
}

/// `knowledge.requests`: a case is to be merged into another one about the same problem, or to stand by itself
/// again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergeRequested {
    /// The case that leaves, or that stands by itself again.
    pub case: CaseId,
    /// The channel of both cases.
    pub channel: ChannelId,
    /// The case that stays; `None` to undo a merge.
    pub into: Option<CaseId>,
    /// Time of the wall clock at which it was asked for.
    pub now: Timestamp,
}

/// `knowledge.requests`: an answer that was given a short time ago is to be taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WithdrawalRequested {
    /// The channel in which it was given.
    pub channel: ChannelId,
    /// The answer.
    pub answer: AnswerId,
    /// Why.
    pub reason: WithdrawalReason,
    /// Time of the wall clock at which it was asked for.
    pub now: Timestamp,
}

/// `knowledge.requests`: a person said of an answer whether it helped, elsewhere than in its channel: where a
/// program showed it, or on a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RatingRequested {
    /// The channel in which it was given.
    pub channel: ChannelId,
    /// The answer.
    pub answer: AnswerId,
    /// The turn that it answers.
    pub turn: EventId,
    /// Who says so.
    pub person: PersonId,
    /// What they say; `None` where they take it back.
    pub rating: Option<Rating>,
    /// Time of the wall clock at which they said it.
    pub now: Timestamp,
}
