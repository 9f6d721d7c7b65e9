//! What the responder makes of turns.

use serde::{Deserialize, Serialize};

use crate::{
    AnswerId, CaseId, ChannelId, EventId, MemoryId, MessageId, PersonId, Private, Timestamp,
};

/// What a turn is, as the gate sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GateTag {
    /// The bot is asked by name or by a reply.
    Mention,
    /// A question to everybody, or the report of a fault.
    NewQuestion,
    /// The asker goes on about an earlier question.
    OngoingDiscussion,
    /// Something is said, or somebody else is asked.
    Statement,
    /// Nothing that could be answered: emoji, laughter, a link.
    Noise,
}

impl GateTag {
    /// Every tag.
    pub const ALL: [Self; 5] = [
        Self::Mention,
        Self::NewQuestion,
        Self::OngoingDiscussion,
        Self::Statement,
        Self::Noise,
    ];

    /// The name in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mention => "mention",
            Self::NewQuestion => "new_question",
            Self::OngoingDiscussion => "ongoing_discussion",
            Self::Statement => "statement",
            Self::Noise => "noise",
        }
    }

    /// The outcome of a turn that asks for no answer; `None` for one that does.
    #[must_use]
    pub const fn silence(self) -> Option<TurnOutcome> {
        match self {
            Self::Mention | Self::NewQuestion | Self::OngoingDiscussion => None,
            Self::Statement => Some(TurnOutcome::Statement),
            Self::Noise => Some(TurnOutcome::Noise),
        }
    }
}

/// What became of a turn. Each turn has exactly one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnOutcome {
    /// Answered with the solution of a solved case, with what the bot was told to remember, or with what a
    /// tool said.
    Answered,
    /// Answered with what was suggested and nobody confirmed.
    Suggested,
    /// Answered with the note that the problem is known and not solved.
    Tracked,
    /// Asked by name: answered with the nearest cases, which are named as not the answer.
    Pointed,
    /// Asked by name: answered that nothing is known, or what is missing.
    Unknown,
    /// The bot was told something, and it was done.
    Steered,
    /// The bot was told something that it does not do for who says it, and says so.
    Refused,
    /// Silent: it says whether an answer helped.
    Rated,
    /// Silent: the channel has no active admin.
    NotConfigured,
    /// Silent: the channel wants no answers, or only those to who asks by name.
    Muted,
    /// Silent: the gate saw a statement, or a question to somebody else.
    Statement,
    /// Silent: the gate saw nothing that could be answered.
    Noise,
    /// Silent: no message of the turn has a text any more, or it was changed while memory was
    /// searched.
    Withdrawn,
    /// Silent: it was said too long ago.
    TooLate,
    /// Silent: a person answered first.
    AnsweredByPerson,
    /// Silent: the same answer was given in this channel a short time ago.
    Repeated,
    /// Silent: the channel had as many answers as it may have in this time.
    TooMany,
    /// Silent: no case has anything to do with the question.
    NothingFound,
    /// Silent: all cases found are about other problems.
    NothingClose,
    /// Silent: neither the index nor the tables could be searched.
    NothingAnswers,
    /// Silent: the search failed for good.
    SearchFailed,
}

impl TurnOutcome {
    /// Every outcome.
    pub const ALL: [Self; 21] = [
        Self::Answered,
        Self::Suggested,
        Self::Tracked,
        Self::Pointed,
        Self::Unknown,
        Self::Steered,
        Self::Refused,
        Self::Rated,
        Self::NotConfigured,
        Self::Muted,
        Self::Statement,
        Self::Noise,
        Self::Withdrawn,
        Self::TooLate,
        Self::AnsweredByPerson,
        Self::Repeated,
        Self::TooMany,
        Self::NothingFound,
        Self::NothingClose,
        Self::NothingAnswers,
        Self::SearchFailed,
    ];

    /// Those of what asks something.
    pub const ASKED: [Self; 15] = [
        Self::Answered,
        Self::Suggested,
        Self::Tracked,
        Self::Pointed,
        Self::Unknown,
        Self::NotConfigured,
        Self::Muted,
        Self::TooLate,
        Self::AnsweredByPerson,
        Self::Repeated,
        Self::TooMany,
        Self::NothingFound,
        Self::NothingClose,
        Self::NothingAnswers,
        Self::SearchFailed,
    ];

    /// Those of questions that memory had no answer to.
    pub const UNANSWERED: [Self; 5] = [
        Self::Tracked,
        Self::Pointed,
        Self::Unknown,
        Self::NothingFound,
        Self::NothingClose,
    ];

    /// The name in tables and labels.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Suggested => "suggested",
            Self::Tracked => "tracked",
            Self::Pointed => "pointed",
            Self::Unknown => "unknown",
            Self::Steered => "steered",
            Self::Refused => "refused",
            Self::Rated => "rated",
            Self::NotConfigured => "not_configured",
            Self::Muted => "muted",
            Self::Statement => "statement",
            Self::Noise => "noise",
            Self::Withdrawn => "withdrawn",
            Self::TooLate => "too_late",
            Self::AnsweredByPerson => "answered_by_person",
            Self::Repeated => "repeated",
            Self::TooMany => "too_many",
            Self::NothingFound => "nothing_found",
            Self::NothingClose => "nothing_close",
            Self::NothingAnswers => "nothing_answers",
            Self::SearchFailed => "search_failed",
        }
    }

    /// The reason in one sentence.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Answered => {
                "answered with the solution of a solved case, or with what it was told"
            }
            Self::Suggested => "answered with what was suggested and not confirmed",
            Self::Tracked => "answered that the problem is known and not solved",
            Self::Pointed => "asked by name, and answered with the nearest cases",
            Self::Unknown => "asked by name, and answered that nothing is known about it",
            Self::Steered => "the bot was told something, and it was done",
            Self::Refused => "the bot was told something that it does not do for who says it",
            Self::Rated => "it says whether an answer helped",
            Self::NotConfigured => "the channel has no active admin, so nothing is said in it",
            Self::Muted => "the channel wants no answers, or only those to who asks by name",
            Self::Statement => "nothing is asked, or somebody else is asked",
            Self::Noise => "nothing in it could be answered",
            Self::Withdrawn => "it was taken back or changed before there was an answer",
            Self::TooLate => "it was said too long ago",
            Self::AnsweredByPerson => "a person answered first",
            Self::Repeated => "the same answer was given here a short time ago",
            Self::TooMany => "the channel had as many answers as it may have in this time",
            Self::NothingFound => "no case shares a word with the question",
            Self::NothingClose => "no case is close enough to the question",
            Self::NothingAnswers => "neither the index nor the tables can be searched now",
            Self::SearchFailed => "the search failed",
        }
    }

    /// Whether something is said in the channel.
    #[must_use]
    pub const fn speaks(self) -> bool {
        matches!(
            self,
            Self::Answered
                | Self::Suggested
                | Self::Tracked
                | Self::Pointed
                | Self::Unknown
                | Self::Steered
                | Self::Refused
        )
    }
}

/// An earlier message that a turn was read with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextMessage {
    /// The message.
    pub message: MessageId,
    /// Why it was chosen, such as `anchor` or `thread`.
    pub reason: String,
}

/// `answers`: the responder looked at a turn, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnConsidered {
    /// The channel.
    pub channel: ChannelId,
    /// The event that closed the turn.
    pub turn: EventId,
    /// Who wrote it.
    pub person: PersonId,
    /// Its messages, in the order of the log.
    pub messages: Vec<MessageId>,
    /// What became of it.
    pub outcome: TurnOutcome,
    /// What the gate said; `None` where it was not asked.
    pub tag: Option<GateTag>,
    /// Earlier messages that the turn was read with, oldest first.
    pub context: Vec<ContextMessage>,
    /// How cases were searched, as JSON; `None` where nothing was searched.
    pub record: Option<Private>,
    /// The answer that its writer had a short time before to the same question.
    pub asks_again: Option<AnswerId>,
    /// Tokens that the chat model was sent and said to read for it, as far as its server tells.
    pub model_tokens: i64,
    /// Channel time of the decision.
    pub now: Timestamp,
}

/// A case that an answer rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CitedCase {
    /// The case.
    pub case: CaseId,
    /// Its closeness to the question, in thousandths.
    pub close: u32,
    /// Its version, whose words were given.
    pub version: i64,
    /// Messages that carry the solution, or state the problem of an open case.
    pub evidence: Vec<MessageId>,
    /// Who wrote these, ascending: what they say of the answer does not count.
    pub authors: Vec<PersonId>,
}

/// `answers`: an answer to a turn, for the gateway of its channel to deliver.
///
/// It is sealed under the key of the case whose words it has, so that it can not be read any more
/// once that case is erased, or of the memory; without either, under the key of whom it answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerComposed {
    /// The answer.
    pub answer: AnswerId,
    /// The channel.
    pub channel: ChannelId,
    /// The event that closed the turn.
    pub turn: EventId,
    /// Whom it answers.
    pub person: PersonId,
    /// The message that it replies to.
    pub reply_to: MessageId,
    /// The case whose words it has, the first of `cited`; `None` where it has none.
    pub case: Option<CaseId>,
    /// The memory that it quotes; `None` where it quotes none.
    pub memory: Option<MemoryId>,
    /// The exchange that it repeats: an earlier question that asked the same in this channel; `None`
    /// where there was none.
    pub precedent: Option<MemoryId>,
    /// The text, in Markdown.
    pub text: Private,
    /// What it rests on or points at, best first. What it only points at has no evidence.
    pub cited: Vec<CitedCase>,
    /// What composed it, with its version.
    pub composer: String,
    /// Channel time of the decision.
    pub now: Timestamp,
    /// The platform's id of the message that it replies to.
    pub reply_to_native: String,
    /// The platform's id of the first message of the thread that it belongs in.
    pub thread_root: Option<String>,
}

/// Why an answer is taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WithdrawalReason {
    /// The question was deleted.
    QuestionRedacted,
    /// The case whose words it has was corrected.
    CaseCorrected,
    /// The case whose words it has was erased.
    CaseErased,
    /// What it tells was forgotten.
    MemoryErased,
}

impl WithdrawalReason {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::QuestionRedacted,
        Self::CaseCorrected,
        Self::CaseErased,
        Self::MemoryErased,
    ];

    /// The reason in one sentence.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::QuestionRedacted => "the question was deleted",
            Self::CaseCorrected => "the case that it came from was corrected",
            Self::CaseErased => "the case that it came from was erased",
            Self::MemoryErased => "what it tells was to be forgotten",
        }
    }
}

/// What a person says of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rating {
    /// It helped.
    Helped,
    /// It is wrong, or did not help.
    Failed,
}

impl Rating {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Helped, Self::Failed];

    /// Its name in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Helped => "helped",
            Self::Failed => "failed",
        }
    }
}

/// `answers`: a person said of an answer whether it helped, by a reaction or in words. The last
/// rating of a person counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerRated {
    /// The answer.
    pub answer: AnswerId,
    /// The channel.
    pub channel: ChannelId,
    /// The turn that it answers.
    pub turn: EventId,
    /// Who says so.
    pub person: PersonId,
    /// What they say; `None` where they take it back.
    pub rating: Option<Rating>,
    /// The message that says so; `None` for a reaction.
    pub message: Option<MessageId>,
    /// Channel time of the decision.
    pub now: Timestamp,
}

/// `answers`: an answer is to be taken back, by the gateway that delivered it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerWithdrawn {
    /// The answer.
    pub answer: AnswerId,
    /// The channel.
    pub channel: ChannelId,
    /// Why.
    pub reason: WithdrawalReason,
    /// Channel time of the decision.
    pub now: Timestamp,
}
