//! The fold of messages and of reactions on them, from `chat.events`.
//!
//! The result does not depend on the order in which a post, its edits and its redaction arrive: a
//! redaction wins for ever, the highest revision wins, and events that arrive before their post
//! are kept.

use threadlore_model::{
    Body, ChannelId, Event, MessageEdited, MessageId, MessagePosted, MessageRedacted, PersonId,
    SpaceId, Timestamp,
};

use crate::table::table;
use crate::text::{clean, clean_emoji, clean_private, clean_time};
use crate::{Folded, ProjectedRow};

/// A message. Fields that only the post has are `None` until the post is folded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageRow {
    /// The tenant.
    pub space: SpaceId,
    /// The message.
    pub message: MessageId,
    /// The channel.
    pub channel: ChannelId,
    /// Its author.
    pub person: Option<PersonId>,
    /// The platform's id of the message; `Some` once the post was folded.
    pub native_id: Option<String>,
    /// The author's name; `None` when unknown, erased or redacted.
    pub name: Option<String>,
    /// The text; `None` once erased or redacted.
    pub text: Option<String>,
    /// Written by a bot.
    pub bot: bool,
    /// The message it replies to.
    pub reply_to: Option<MessageId>,
    /// The message with which its thread begins.
    pub thread: Option<MessageId>,
    /// The people that the message mentions, in the order of the event.
    pub mentions: Vec<PersonId>,
    /// When it was sent.
    pub sent_at: Option<Timestamp>,
    /// Revision of the text; 0 is the post.
    pub revision: i64,
    /// When it was last edited.
    pub edited_at: Option<Timestamp>,
    /// When it was redacted.
    pub redacted_at: Option<Timestamp>,
}

table!(
    MessageRow: "messages",
    key [space, message],
    columns [
        channel, person, native_id, name, text, bot, reply_to, thread, mentions, sent_at,
        revision, edited_at, redacted_at,
    ]
);

impl ProjectedRow for MessageRow {
    type Key = (SpaceId, MessageId);

    fn touched(event: &Event) -> Option<Self::Key> {
        let message = match &event.body {
            Body::MessagePosted(e) => e.message,
            Body::MessageEdited(e) => e.message,
            Body::MessageRedacted(e) => e.message,
            _ => return None,
        };
        Some((event.envelope.space.clone(), message))
    }

    fn key(&self) -> Self::Key {
        (self.space.clone(), self.message)
    }

    fn fold(row: &mut Option<Self>, event: &Event) -> Folded {
        fold_message(row, event)
    }
}

impl MessageRow {
    /// A row of which only the place is known.
    fn unknown(space: &SpaceId, message: MessageId, channel: &ChannelId) -> Self {
        Self {
            space: space.clone(),
            message,
            channel: channel.clone(),
            person: None,
            native_id: None,
            name: None,
            text: None,
            bot: false,
            reply_to: None,
            thread: None,
            mentions: Vec::new(),
            sent_at: None,
            revision: 0,
            edited_at: None,
            redacted_at: None,
        }
    }
}

/// A reaction. One that was taken back has no row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReactionRow {
    /// The tenant.
    pub space: SpaceId,
    /// The channel.
    pub channel: ChannelId,
    /// The message reacted to.
    pub message: MessageId,
    /// The person who reacted.
    pub person: PersonId,
    /// The emoji.
    pub emoji: String,
    /// When.
    pub at: Timestamp,
}

table!(ReactionRow: "reactions", key [space, message, person, emoji], columns [channel, at]);

impl ProjectedRow for ReactionRow {
    /// Message, person, emoji.
    type Key = (SpaceId, MessageId, PersonId, String);

    fn touched(event: &Event) -> Option<Self::Key> {
        let (message, person, emoji) = match &event.body {
            Body::ReactionAdded(e) => (e.message, e.person, &e.emoji),
            Body::ReactionRemoved(e) => (e.message, e.person, &e.emoji),
            _ => return None,
        };
        Some((
            event.envelope.space.clone(),
            message,
            person,
            clean_emoji(emoji),
        ))
    }

    fn key(&self) -> Self::Key {
        (
            self.space.clone(),
            self.message,
            self.person,
            self.emoji.clone(),
        )
    }

    fn fold(row: &mut Option<Self>, event: &Event) -> Folded {
        fold_reaction(row, event)
    }
}

/// Folds an event into the message it is about; others change nothing.
pub fn fold_message(row: &mut Option<MessageRow>, event: &Event) -> Folded {
    let space = &event.envelope.space;
    match &event.body {
        Body::MessagePosted(e) => post(
            row.get_or_insert_with(|| MessageRow::unknown(space, e.message, &e.channel)),
            e,
        ),
        // Revision 0 is the post, so an edit that does not go above it says nothing.
        Body::MessageEdited(e) if e.revision <= 0 => Folded::Unchanged(NOT_HIGHER),
        Body::MessageEdited(e) => edit(
            row.get_or_insert_with(|| MessageRow::unknown(space, e.message, &e.channel)),
            e,
        ),
        Body::MessageRedacted(e) => redact(
            row.get_or_insert_with(|| MessageRow::unknown(space, e.message, &e.channel)),
            e,
        ),
        _ => Folded::Unchanged("the event is not about a message"),
    }
}

const NOT_HIGHER: &str = "the message has this revision or a higher one";

fn post(row: &mut MessageRow, event: &MessagePosted) -> Folded {
    if row.native_id.is_some() {
        return Folded::Unchanged("the message is known");
    }
    row.person = Some(event.person);
    row.native_id = Some(clean(&event.native_id));
    row.bot = event.bot;
    row.reply_to = event.reply_to;
    let root = event.thread_root.as_deref();
    row.thread = root.map(|root| MessageId::of_native(&row.space, &event.channel, root));
    row.mentions = event.mentions.clone();
    row.sent_at = Some(clean_time(event.sent_at));
    if row.redacted_at.is_none() {
        row.name = event.author_name.as_ref().and_then(clean_private);
        if row.revision == 0 {
            row.text = clean_private(&event.text);
        }
    }
    Folded::Changed
}

fn edit(row: &mut MessageRow, event: &MessageEdited) -> Folded {
    if event.revision <= row.revision {
        return Folded::Unchanged(NOT_HIGHER);
    }
    if row.native_id.is_none() {
        row.person = Some(event.person);
    }
    row.revision = event.revision;
    row.edited_at = Some(clean_time(event.edited_at));
    if row.redacted_at.is_none() {
        row.text = clean_private(&event.text);
    }
    Folded::Changed
}

fn redact(row: &mut MessageRow, event: &MessageRedacted) -> Folded {
    if row.redacted_at.is_some() {
        return Folded::Unchanged("the message is redacted");
    }
    row.redacted_at = Some(clean_time(event.redacted_at));
    row.name = None;
    row.text = None;
    Folded::Changed
}

/// Folds an event into the reaction it is about; others change nothing.
pub fn fold_reaction(row: &mut Option<ReactionRow>, event: &Event) -> Folded {
    match (&event.body, row.is_some()) {
        (Body::ReactionAdded(_), true) => Folded::Unchanged("the reaction is known"),
        (Body::ReactionAdded(e), false) => {
            *row = Some(ReactionRow {
                space: event.envelope.space.clone(),
                channel: e.channel.clone(),
                message: e.message,
                person: e.person,
                emoji: clean_emoji(&e.emoji),
                at: clean_time(e.at),
            });
            Folded::Changed
        }
        (Body::ReactionRemoved(_), true) => {
            *row = None;
            Folded::Changed
        }
        (Body::ReactionRemoved(_), false) => Folded::Unchanged("the reaction is not there"),
        _ => Folded::Unchanged("the event is not about a reaction"),
    }
}

#[cfg(test)]
mod tests;
