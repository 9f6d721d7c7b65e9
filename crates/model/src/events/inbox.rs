//! Events that gateways deliver, in plain text. They are kept for days only.

use serde::{Deserialize, Serialize};

use crate::{ChannelId, PersonId, Timestamp};

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
    /// Native ids of the people that the message mentions, according to the platform.
    pub mentions: Vec<String>,
    /// Native id of the first message of its thread, where the platform has threads.
    pub thread_root: Option<String>,
    /// Whether it is addressed to the bot, as the platform says: by a mention, or by a reply to it.
    pub to_bot: bool,
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
    /// The native id of the person who reacted.
    pub author_id: String,
    /// The emoji, as text or shortcode.
    pub emoji: String,
    /// Added, or removed.
    pub added: bool,
    /// When.
    pub at: Timestamp,
    /// The platform's id of this update, if it has one.
    pub update_id: Option<String>,
}

/// `chat.inbox`: a gateway or importer has sent all history that it has of a channel. The last
/// messages are then examined. Without this record that happens ten minutes after the last
/// message arrived (`buffer.idle_ms`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlatformHistoryEnded {
    /// The channel.
    pub channel: ChannelId,
    /// The gateway's name for this history; the same when the same history is sent again.
    pub history_id: String,
    /// When its last message was sent.
    pub ended_at: Timestamp,
}

/// `chat.inbox`: a person, or an operator for them, asks that what they wrote is forgotten. It is
/// asked in one channel and is about the whole space.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonErasureAsked {
    /// The channel.
    pub channel: ChannelId,
    /// The person.
    pub person: PersonId,
    /// When.
    pub asked_at: Timestamp,
}
