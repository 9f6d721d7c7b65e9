//! Platform events as `intake` publishes them.

use serde::{Deserialize, Serialize};

use crate::{ChannelId, MessageId, PersonId, Private, Timestamp};

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
    /// The people that the message mentions.
    pub mentions: Vec<PersonId>,
    /// When it was sent.
    pub sent_at: Timestamp,
    /// The platform's id of the first message of its thread.
    pub thread_root: Option<String>,
    /// Whether it is addressed to the bot, as the platform says.
    pub to_bot: bool,
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
    /// The person who reacted.
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
    /// The person who reacted.
    pub person: PersonId,
    /// The emoji.
    pub emoji: String,
    /// When.
    pub at: Timestamp,
}

/// `chat.events`: imported history ends here. Later messages are of another import, or live.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryEnded {
    /// The channel.
    pub channel: ChannelId,
    /// When its last message was sent.
    pub ended_at: Timestamp,
}

/// `chat.events`: the key of a person is destroyed, in the whole space and for ever. What was sealed
/// with it cannot be read any more, and nothing that they write from now on is kept. Their messages
/// in the tables are redacted one by one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonErased {
    /// The channel in which it was asked for.
    pub channel: ChannelId,
    /// The person.
    pub person: PersonId,
    /// When it was asked for.
    pub asked_at: Timestamp,
}
