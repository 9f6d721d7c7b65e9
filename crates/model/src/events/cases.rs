//! Everything that changes a case.

use serde::{Deserialize, Serialize};

use crate::{CaseId, ChannelId, MessageId, PersonId, Private, Timestamp};

/// The part that a message plays in a case, in the order of the schemas' symbols. Only
/// [`CaseSuggested`] has suggestions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// It states the problem.
    Problem,
    /// It carries the solution.
    Solution,
    /// It belongs to the conversation.
    Context,
    /// It may be the solution: nobody confirmed or contradicted it.
    Suggestion,
}

/// One message that a case comes from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Evidence {
    /// The message.
    pub message: MessageId,
    /// Its part in the case.
    pub part: Part,
    /// Revision of the words that the case was made from; 0 is the post.
    #[serde(default)]
    pub revision: i64,
}

/// Why a case counts as solved, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Signal {
    /// An admin said what the solution is: it replaces every other one.
    Admin,
    /// A positive reaction on the answer.
    Reaction,
    /// The asker said thanks, or that it works.
    Thanks,
    /// The thread ended after the answer (weak).
    ThreadEnd,
}

/// `knowledge.cases`: a problem without a solution yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseOpened {
    /// The case.
    pub case: CaseId,
    /// The channel.
    pub channel: ChannelId,
    /// A short name.
    pub title: Private,
    /// The problem.
    pub problem: Private,
    /// Key words.
    pub tags: Vec<Private>,
    /// The messages that the case comes from, in the order of the log.
    pub evidence: Vec<Evidence>,
    /// Engine and version that found it.
    pub engine: String,
    /// Channel time of the decision.
    pub now: Timestamp,
}

/// `knowledge.cases`: a problem, new or open before, with what somebody plausibly answered and
/// nobody confirmed or contradicted. It replaces what was suggested before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseSuggested {
    /// The case.
    pub case: CaseId,
    /// The channel.
    pub channel: ChannelId,
    /// A short name.
    pub title: Private,
    /// The problem.
    pub problem: Private,
    /// What was suggested; empty where the chat showed all of it to be wrong.
    pub suggestion: Private,
    /// Key words.
    pub tags: Vec<Private>,
    /// The messages that the case comes from, in the order of the log. They are added to those
    /// that the case already has.
    pub evidence: Vec<Evidence>,
    /// Engine and version that found it.
    pub engine: String,
    /// Channel time of the decision.
    pub now: Timestamp,
}

/// `knowledge.cases`: a problem with its solution, new or open before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseSolved {
    /// The case.
    pub case: CaseId,
    /// The channel.
    pub channel: ChannelId,
    /// A short name.
    pub title: Private,
    /// The problem.
    pub problem: Private,
    /// The solution.
    pub solution: Private,
    /// Key words.
    pub tags: Vec<Private>,
    /// The messages that the case comes from, in the order of the log. They are added to those
    /// that the case already has.
    pub evidence: Vec<Evidence>,
    /// Why it counts as solved.
    pub signal: Signal,
    /// The message that says so: the asker's thanks or report, or what was reacted to; `None` where
    /// no message does.
    pub signal_message: Option<MessageId>,
    /// Engine and version that found it.
    pub engine: String,
    /// Channel time of the decision.
    pub now: Timestamp,
}

/// `knowledge.cases`: a person confirmed the case by a positive reaction on its
/// evidence. Commutes: a confirmation is a member of a set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseConfirmed {
    /// The case.
    pub case: CaseId,
    /// The channel.
    pub channel: ChannelId,
    /// The message reacted to.
    pub message: MessageId,
    /// The person who reacted.
    pub person: PersonId,
    /// The closing emoji.
    pub emoji: String,
    /// Channel time of the decision.
    pub now: Timestamp,
}

/// `knowledge.cases`: a confirmation was taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfirmationWithdrawn {
    /// The case.
    pub case: CaseId,
    /// The channel.
    pub channel: ChannelId,
    /// The message reacted to.
    pub message: MessageId,
    /// The person who reacted.
    pub person: PersonId,
    /// The emoji.
    pub emoji: String,
    /// Channel time of the decision.
    pub now: Timestamp,
}

/// Why a case was archived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArchiveReason {
    /// It stayed open for too long.
    Expired,
    /// An admin or an operator asked for it.
    Requested,
}

impl ArchiveReason {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Expired, Self::Requested];
}

/// `knowledge.cases`: a case left the live set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseArchived {
    /// The case.
    pub case: CaseId,
    /// The channel.
    pub channel: ChannelId,
    /// Why.
    pub reason: ArchiveReason,
    /// Channel time of the decision.
    pub now: Timestamp,
}

/// Why a case is erased.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EraseReason {
    /// A message that it quotes was redacted.
    Redacted,
    /// A quoted message was edited. Its messages that are still in the window are examined again.
    Edited,
    /// An admin or an operator asked for it.
    Requested,
}

/// `knowledge.cases`: the texts of a case are erased for ever; only its existence remains. This
/// event wins over every other event of the case. The role that publishes it destroys the key
/// of the case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseErased {
    /// The case.
    pub case: CaseId,
    /// The channel.
    pub channel: ChannelId,
    /// Why.
    pub reason: EraseReason,
    /// Channel time of the decision.
    pub now: Timestamp,
}

/// `knowledge.cases`: a case is merged into another one about the same problem and is no longer
/// found by itself. It keeps its texts, and its evidence counts for the other case.
/// [`CaseSplit`] undoes the merge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseMerged {
    /// The case that leaves.
    pub case: CaseId,
    /// The channel.
    pub channel: ChannelId,
    /// The case that stays.
    pub into: CaseId,
    /// How alike the two problems are, in thousandths; 0 where somebody asked for the merge. A case that was merged into one
    /// that leaves follows it, with the similarity of that one.
    pub similarity: i64,
    /// The comparison that was used, with its version, or [`CaseMerged::REQUESTED`].
    pub comparer: String,
    /// Channel time of the decision.
    pub now: Timestamp,
}

impl CaseMerged {
    /// What stands for the comparison where an admin or an operator says that two cases are the same.
    pub const REQUESTED: &str = "requested";
}

/// `knowledge.cases`: a merge is undone; the case is a case of its own again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseSplit {
    /// The case that was merged into another.
    pub case: CaseId,
    /// The channel.
    pub channel: ChannelId,
    /// Channel time of the decision.
    pub now: Timestamp,
}
