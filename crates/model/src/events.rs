//! One type per event. Each has one Avro schema of the same name in `schemas/`.
//!
//! Every event has at most one subject, whose key seals all its private fields.

use serde::{Deserialize, Serialize};

use crate::{
    CaseId, ChannelId, Envelope, Event, MessageId, Offset, PersonId, Private, Subject, Timestamp,
    Topic,
};

/// `chat.inbox`: a gateway delivers a message. Plain text; kept for days only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlatformMessage {
    /// The channel.
    pub channel: ChannelId,
    /// The platform's id of the message.
    pub native_id: String,
    /// The platform's id of the author.
    pub author_id: String,
    /// The author's display name.
    pub author_name: Option<String>,
    /// Whether the platform says that the author is a bot.
    pub author_is_bot: bool,
    /// The text.
    pub text: String,
    /// When it was sent, by the platform's clock.
    pub sent_at: Timestamp,
    /// Native id of the message it replies to.
    pub reply_to: Option<String>,
    /// Native ids of people whom it mentions, as the platform says.
    pub mentions: Vec<String>,
}

/// `chat.inbox`: a gateway delivers an edit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlatformEdit {
    /// The channel.
    pub channel: ChannelId,
    /// The edited message.
    pub native_id: String,
    /// The author.
    pub author_id: String,
    /// Grows with each edit; platforms without one send the edit's time in ms.
    pub revision: i64,
    /// The new text.
    pub text: String,
    /// When it was edited.
    pub edited_at: Timestamp,
}

/// `chat.inbox`: a gateway delivers a redaction (deletion).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlatformRedaction {
    /// The channel.
    pub channel: ChannelId,
    /// The redacted message.
    pub native_id: String,
    /// When.
    pub redacted_at: Timestamp,
}

/// `chat.inbox`: a gateway delivers a reaction, added or removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlatformReaction {
    /// The channel.
    pub channel: ChannelId,
    /// The message reacted to.
    pub native_id: String,
    /// Who reacted.
    pub author_id: String,
    /// The emoji, as text or shortcode.
    pub emoji: String,
    /// Added, or removed.
    pub added: bool,
    /// When.
    pub at: Timestamp,
    /// The platform's id of this update, where it has one.
    pub update_id: Option<String>,
}

/// `chat.events`: a message was posted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessagePosted {
    /// The message.
    pub message: MessageId,
    /// The channel.
    pub channel: ChannelId,
    /// Its author.
    pub person: PersonId,
    /// The platform's id of the message.
    pub native_id: String,
    /// The platform's id of the author.
    pub author_native: Private,
    /// The author's name.
    pub author_name: Option<Private>,
    /// The text.
    pub text: Private,
    /// Written by a bot, this one or another.
    pub bot: bool,
    /// The message it replies to.
    pub reply_to: Option<MessageId>,
    /// People whom it mentions.
    pub mentions: Vec<PersonId>,
    /// When it was sent.
    pub sent_at: Timestamp,
}

/// `chat.events`: a message's text was replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageEdited {
    /// The message.
    pub message: MessageId,
    /// The channel.
    pub channel: ChannelId,
    /// Its author.
    pub person: PersonId,
    /// Grows with each edit; a lower one changes nothing.
    pub revision: i64,
    /// The new text.
    pub text: Private,
    /// When.
    pub edited_at: Timestamp,
}

/// `chat.events`: a message was redacted; its text is gone from every projection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageRedacted {
    /// The message.
    pub message: MessageId,
    /// The channel.
    pub channel: ChannelId,
    /// When.
    pub redacted_at: Timestamp,
}

/// `chat.events`: a person reacted to a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReactionAdded {
    /// The message reacted to.
    pub message: MessageId,
    /// The channel.
    pub channel: ChannelId,
    /// Who.
    pub person: PersonId,
    /// The emoji.
    pub emoji: String,
    /// When.
    pub at: Timestamp,
}

/// `chat.events`: a person took a reaction back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReactionRemoved {
    /// The message reacted to.
    pub message: MessageId,
    /// The channel.
    pub channel: ChannelId,
    /// Who.
    pub person: PersonId,
    /// The emoji.
    pub emoji: String,
    /// When.
    pub at: Timestamp,
}

/// Why a window is looked at now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadyReason {
    /// The channel fell silent for the configured pause.
    Pause,
    /// Enough messages came together.
    Count,
    /// Somebody said thanks, or that it works.
    Resolution,
    /// Imported history stopped arriving, so no later message will close the rest.
    StreamIdle,
}

/// `chat.turns`: a channel's window is worth looking at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowReady {
    /// The channel.
    pub channel: ChannelId,
    /// Why now.
    pub reason: ReadyReason,
    /// Messages since the last window.
    pub messages: u32,
    /// Offset in `chat.events` of the last message to look at.
    pub up_to: Offset,
    /// Channel time of the decision.
    pub now: Timestamp,
}

/// What a message is to a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// It states the problem.
    Problem,
    /// It carries the solution.
    Solution,
    /// It belongs to the conversation.
    Context,
}

/// One message that a case came from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Evidence {
    /// The message.
    pub message: MessageId,
    /// Its part in the case.
    pub part: Part,
}

/// Why a case counts as solved, strongest first (C29).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Signal {
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
    /// Where it came from, in the order of the log.
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
    /// The version this was decided on; `None` for a new case. A stale one changes nothing.
    pub expected_version: Option<i64>,
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
    /// Where it came from, in the order of the log; adds to what the case has.
    pub evidence: Vec<Evidence>,
    /// Why it counts as solved.
    pub signal: Signal,
    /// Engine and version that found it.
    pub engine: String,
    /// Channel time of the decision.
    pub now: Timestamp,
}

/// `knowledge.cases`: somebody confirmed the case by a positive reaction on its
/// evidence. Commutes: a confirmation is a member of a set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseConfirmed {
    /// The case.
    pub case: CaseId,
    /// The channel.
    pub channel: ChannelId,
    /// The message reacted to.
    pub message: MessageId,
    /// Who.
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
    /// Who.
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
    /// It stayed open for too long (C31).
    Expired,
}

/// `knowledge.cases`: a case left the live set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseArchived {
    /// The case.
    pub case: CaseId,
    /// The version this was decided on. A stale one changes nothing.
    pub expected_version: i64,
    /// The channel.
    pub channel: ChannelId,
    /// Why.
    pub reason: ArchiveReason,
    /// Channel time of the decision.
    pub now: Timestamp,
}

/// `settings`: how the bot behaves in a channel; replaces what was set before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelConfigured {
    /// The channel.
    pub channel: ChannelId,
    /// People who look after it. Without one the bot is silent (C20).
    pub admins: Vec<PersonId>,
    /// When.
    pub now: Timestamp,
}

/// `log.skips`: a reader could not take a record and went on. Every replay
/// honours it for ever.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordSkipped {
    /// The role that skipped it.
    pub role: String,
    /// Where it stands.
    pub topic: Topic,
    /// Its partition.
    pub partition: i32,
    /// Its offset.
    pub offset: Offset,
    /// Why, in one sentence without any text of the record.
    pub reason: String,
    /// When, by the wall clock.
    pub now: Timestamp,
}

/// `<topic>.dlq`: the bytes that could not be taken, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeadLetter {
    /// The role that refused it.
    pub role: String,
    /// Where it stood.
    pub topic: Topic,
    /// Its partition.
    pub partition: i32,
    /// Its offset.
    pub offset: Offset,
    /// Why, in one sentence without any text of the record.
    pub reason: String,
    /// The record's value, untouched.
    #[serde(with = "serde_bytes")]
    pub value: Vec<u8>,
    /// When, by the wall clock.
    pub now: Timestamp,
}

macro_rules! bodies {
    ($($name:ident),+ $(,)?) => {
        /// What happened: one variant per event type.
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
        #[expect(missing_docs, reason = "each variant is named after the type it holds")]
        pub enum Body { $($name($name)),+ }

        impl Body {
            /// Names of all event types, as in `ce_type` and in `schemas/`.
            pub const TYPES: &'static [&'static str] = &[$(stringify!($name)),+];

            /// The event type's name.
            #[must_use]
            pub const fn type_name(&self) -> &'static str {
                match self { $(Self::$name(_) => stringify!($name)),+ }
            }
        }

        $(impl From<$name> for Body {
            fn from(body: $name) -> Self { Self::$name(body) }
        })+
    };
}

bodies!(
    PlatformMessage,
    PlatformEdit,
    PlatformRedaction,
    PlatformReaction,
    MessagePosted,
    MessageEdited,
    MessageRedacted,
    ReactionAdded,
    ReactionRemoved,
    WindowReady,
    CaseOpened,
    CaseSolved,
    CaseConfirmed,
    ConfirmationWithdrawn,
    CaseArchived,
    ChannelConfigured,
    RecordSkipped,
    DeadLetter,
);

impl Body {
    /// The topic this event type belongs to. `None` for dead letters, which go
    /// to the dead-letter topic of their source.
    #[must_use]
    pub const fn topic(&self) -> Option<Topic> {
        Some(match self {
            Self::PlatformMessage(_)
            | Self::PlatformEdit(_)
            | Self::PlatformRedaction(_)
            | Self::PlatformReaction(_) => Topic::ChatInbox,
            Self::MessagePosted(_)
            | Self::MessageEdited(_)
            | Self::MessageRedacted(_)
            | Self::ReactionAdded(_)
            | Self::ReactionRemoved(_) => Topic::ChatEvents,
            Self::WindowReady(_) => Topic::ChatTurns,
            Self::CaseOpened(_)
            | Self::CaseSolved(_)
            | Self::CaseConfirmed(_)
            | Self::ConfirmationWithdrawn(_)
            | Self::CaseArchived(_) => Topic::KnowledgeCases,
            Self::ChannelConfigured(_) => Topic::Settings,
            Self::RecordSkipped(_) => Topic::LogSkips,
            Self::DeadLetter(letter) => return letter.topic.dead_letters(),
        })
    }

    /// The private fields with their names, which are part of the seal.
    pub fn private_fields(&mut self) -> Vec<(String, &mut Private)> {
        fn tagged<'a>(
            fields: Vec<(&str, &'a mut Private)>,
            tags: &'a mut [Private],
        ) -> Vec<(String, &'a mut Private)> {
            let named = fields
                .into_iter()
                .map(|(name, field)| (name.to_owned(), field));
            let tags = tags
                .iter_mut()
                .enumerate()
                .map(|(i, tag)| (format!("tags.{i}"), tag));
            named.chain(tags).collect()
        }
        match self {
            Self::MessagePosted(m) => {
                let mut fields = vec![
                    ("author_native", &mut m.author_native),
                    ("text", &mut m.text),
                ];
                fields.extend(m.author_name.as_mut().map(|name| ("author_name", name)));
                tagged(fields, &mut [])
            }
            Self::MessageEdited(m) => tagged(vec![("text", &mut m.text)], &mut []),
            Self::CaseOpened(c) => tagged(
                vec![("title", &mut c.title), ("problem", &mut c.problem)],
                &mut c.tags,
            ),
            Self::CaseSolved(c) => tagged(
                vec![
                    ("title", &mut c.title),
                    ("problem", &mut c.problem),
                    ("solution", &mut c.solution),
                ],
                &mut c.tags,
            ),
            _ => Vec::new(),
        }
    }

    /// The channel the event belongs to, for events of a channel.
    #[must_use]
    pub const fn channel(&self) -> Option<&ChannelId> {
        Some(match self {
            Self::PlatformMessage(e) => &e.channel,
            Self::PlatformEdit(e) => &e.channel,
            Self::PlatformRedaction(e) => &e.channel,
            Self::PlatformReaction(e) => &e.channel,
            Self::MessagePosted(e) => &e.channel,
            Self::MessageEdited(e) => &e.channel,
            Self::MessageRedacted(e) => &e.channel,
            Self::ReactionAdded(e) => &e.channel,
            Self::ReactionRemoved(e) => &e.channel,
            Self::WindowReady(e) => &e.channel,
            Self::CaseOpened(e) => &e.channel,
            Self::CaseSolved(e) => &e.channel,
            Self::CaseConfirmed(e) => &e.channel,
            Self::ConfirmationWithdrawn(e) => &e.channel,
            Self::CaseArchived(e) => &e.channel,
            Self::ChannelConfigured(e) => &e.channel,
            Self::RecordSkipped(_) | Self::DeadLetter(_) => return None,
        })
    }
}

impl Envelope {
    /// Whose key seals the private fields of `body`; `None` where it has none.
    #[must_use]
    pub fn subject(&self, body: &Body) -> Option<Subject> {
        let space = self.space.clone();
        match body {
            Body::MessagePosted(m) => Some(Subject::Person(space, m.person)),
            Body::MessageEdited(m) => Some(Subject::Person(space, m.person)),
            Body::CaseOpened(c) => Some(Subject::Case(space, c.case)),
            Body::CaseSolved(c) => Some(Subject::Case(space, c.case)),
            _ => None,
        }
    }
}

impl Event {
    /// Whose key seals this event's private fields; `None` where it has none.
    #[must_use]
    pub fn subject(&self) -> Option<Subject> {
        self.envelope.subject(&self.body)
    }
}
