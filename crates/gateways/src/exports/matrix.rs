//! "Export chat" of Element, format JSON: one room. Events are read as the gateway reads them in the room,
//! into the channel that the room is there, so what was heard live is not taken twice.

use ruma::UserId;
use ruma::events::AnySyncTimelineEvent;
use ruma::serde::Raw;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::to_raw_value;
use threadlore_model::{Body, ChannelId, SpaceId, Timestamp};

use super::Writer;
use super::each::{Piece, pieces};
use super::files::Files;
use super::lines::Message;
use crate::bots::Bots;
use crate::error::ImportError;
use crate::live::LiveChannel;
use crate::matrix::{Heard, Reader, Room};

pub(super) fn is(files: &Files) -> bool {
    let one = files.alone();
    one.is_some_and(|one| one.has_fields(&["room_name", "exported_by", "messages"]))
}

/// What happened to a message later.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Later {
    Edit {
        id: String,
        author: String,
        text: String,
        at: String,
        revision: i64,
    },
    ReactionAdded {
        id: String,
        author: String,
        emoji: String,
        at: String,
        update: Option<String>,
    },
    ReactionRemoved {
        id: String,
        author: String,
        emoji: String,
        at: String,
        update: Option<String>,
    },
    Redaction {
        id: String,
        at: String,
    },
}

pub(super) fn read(files: &Files, writer: &mut Writer) -> Result<(), ImportError> {
    let Some(one) = files.alone() else {
        return Ok(());
    };
    // Whose room it is shows when it is imported; here only what is said matters.
    let (space, channel) = (SpaceId::parse("export"), ChannelId::parse("matrix:export"));
    let (Ok(space), Ok(channel)) = (space, channel) else {
        unreachable!("names of letters");
    };
    let mut room = Room::new(LiveChannel { space, channel });
    let bots = Bots::default();
    let Ok(nobody) = UserId::parse("@nobody:threadlore.invalid") else {
        unreachable!("a name of letters");
    };
    let reader = Reader {
        bots: &bots,
        admins: &[],
        own: &nobody,
        // What is dated in the future is skipped when it is imported, and named.
        now: Timestamp::from_millis(i64::MAX),
    };
    let (mut title, mut id, mut messages) = (String::new(), String::new(), 0);
    let read = pieces(one.json()?, |field, piece| match (field, piece) {
        ("room_name", Piece::Whole(Value::String(name))) => {
            title = name;
            Ok(())
        }
        ("messages", Piece::Element(event)) => {
            if let Some(room) = event.get("room_id").and_then(Value::as_str) {
                room.clone_into(&mut id);
            }
            let raw = Raw::<AnySyncTimelineEvent>::from_json(to_raw_value(&event)?);
            let heard = room.read(&raw, &reader);
            take(heard, writer, &mut messages)
        }
        _ => Ok(()),
    });
    read.map_err(|error| one.no_json(&error))?;
    writer.end(if id.is_empty() { &title } else { &id }, &title, messages);
    Ok(())
}

fn take(heard: Option<Heard>, writer: &mut Writer, messages: &mut u64) -> std::io::Result<()> {
    let Some(Heard::Event(event)) = heard else {
        return writer.entry(Ok(None), messages);
    };
    let later = match event.body {
        Body::PlatformMessage(message) => {
            let message = Message {
                id: Some(message.native_id),
                author: Some(message.author_id),
                name: message.author_name,
                bot: message.author_is_bot,
                text: message.text,
                at: message.sent_at.to_string(),
                reply_to: message.reply_to,
                mentions: message.mentions,
                thread: message.thread_root,
                ..Message::default()
            };
            return writer.entry(Ok(Some(message)), messages);
        }
        Body::PlatformEdit(edit) => Later::Edit {
            id: edit.native_id,
            author: edit.author_id,
            text: edit.text,
            at: edit.edited_at.to_string(),
            revision: edit.revision,
        },
        Body::PlatformReaction(one) if one.added => Later::ReactionAdded {
            id: one.native_id,
            author: one.author_id,
            emoji: one.emoji,
            at: one.at.to_string(),
            update: one.update_id,
        },
        Body::PlatformReaction(one) => Later::ReactionRemoved {
            id: one.native_id,
            author: one.author_id,
            emoji: one.emoji,
            at: one.at.to_string(),
            update: one.update_id,
        },
        Body::PlatformRedaction(redaction) => Later::Redaction {
            id: redaction.native_id,
            at: redaction.redacted_at.to_string(),
        },
        _ => return writer.entry(Ok(None), messages),
    };
    writer.line(&later)
}
