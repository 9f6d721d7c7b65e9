//! JSON of DiscordChatExporter: a file for each channel or thread, or a folder of them.

use serde::Deserialize;
use serde_json::Value;

use super::Writer;
use super::each::{Piece, pieces};
use super::files::{Files, One};
use super::lines::{File, Message, Reaction};
use crate::error::ImportError;

/// Kinds of channels that only a few people are in.
const PRIVATE: [&str; 2] = ["DirectTextChat", "DirectGroupTextChat"];
/// Kinds of messages that somebody wrote.
const WRITTEN: [&str; 4] = ["Default", "Reply", "ChatInputCommand", "ContextMenuCommand"];

fn is_file(one: One<'_>) -> bool {
    one.has_fields(&["guild", "channel"])
}

/// The files that are such exports, in the order of their names.
fn parts(files: &Files) -> impl Iterator<Item = One<'_>> {
    let is_alone = files.alone().is_some();
    let is_json = move |one: &One<'_>| is_alone || one.name.ends_with(".json");
    files.top().filter(move |one| is_json(one) && is_file(*one))
}

pub(super) fn is(files: &Files) -> bool {
    // A folder of logs is one of logs.
    let is_logs = files.path.is_dir() && crate::files::files(&files.path).is_ok();
    !is_logs && parts(files).next().is_some()
}

pub(super) fn read(files: &Files, writer: &mut Writer) -> Result<(), ImportError> {
    let is_alone = files.alone().is_some();
    for one in parts(files) {
        let (mut channel, mut messages) = (Channel::default(), 0);
        let read = pieces(one.json()?, |field, piece| match (field, piece) {
            ("channel", Piece::Whole(value)) => {
                channel = Channel::deserialize(value)?;
                Ok(())
            }
            ("messages", Piece::Element(value)) => writer.entry(Entry::read(value), &mut messages),
            _ => Ok(()),
        });
        read.map_err(|error| one.no_json(&error))?;
        match !is_alone && PRIVATE.contains(&channel.kind.as_str()) {
            true => writer.leave_out(&channel.name),
            false => writer.end(&format!("#{}", channel.name), &channel.id, messages),
        }
    }
    Ok(())
}

#[derive(Default, Deserialize)]
struct Channel {
    #[serde(default)]
    id: String,
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    #[serde(rename = "type")]
    kind: String,
    id: Option<String>,
    #[serde(default)]
    timestamp: String,
    #[serde(default)]
    content: String,
    author: Option<Person>,
    #[serde(default)]
    attachments: Vec<Attachment>,
    #[serde(default)]
    stickers: Vec<Sticker>,
    #[serde(default)]
    reactions: Vec<Reactions>,
    #[serde(default)]
    mentions: Vec<Person>,
    reference: Option<Reference>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Person {
    id: Option<String>,
    name: Option<String>,
    nickname: Option<String>,
    #[serde(default)]
    is_bot: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Attachment {
    #[serde(default)]
    file_name: String,
    file_size_bytes: Option<u64>,
}

#[derive(Deserialize)]
struct Sticker {
    #[serde(default)]
    name: String,
}

#[derive(Deserialize)]
struct Reactions {
    emoji: Option<Emoji>,
    /// Only newer versions name who reacted.
    #[serde(default)]
    users: Vec<Person>,
}

#[derive(Deserialize)]
struct Emoji {
    name: Option<String>,
    code: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reference {
    message_id: Option<String>,
}

impl Entry {
    /// A message, or `None` for what the export says of the channel itself.
    fn read(value: Value) -> serde_json::Result<Option<Message>> {
        let entry = Self::deserialize(value)?;
        let is_written = WRITTEN.contains(&entry.kind.as_str());
        Ok(is_written.then(|| entry.message()))
    }

    fn message(self) -> Message {
        let author = self.author;
        let (id, bot) = author
            .as_ref()
            .map_or((None, false), |one| (one.id.clone(), one.is_bot));
        let name = author.and_then(|one| one.nickname.or(one.name));
        let files = self.attachments.into_iter().map(|one| File {
            name: one.file_name,
            media_type: None,
            bytes: one.file_size_bytes,
        });
        let stickers: Vec<String> = self.stickers.into_iter().map(|one| one.name).collect();
        let text = match self.content.is_empty() {
            true => stickers.join(" "),
            false => self.content,
        };
        let at = &self.timestamp;
        let reactions = self.reactions.into_iter().flat_map(|reacted| {
            // A custom emoji has its name alone; of others the sign itself.
            let emoji = reacted.emoji.and_then(|emoji| emoji.name.or(emoji.code));
            let emoji = emoji.unwrap_or_default();
            let people = reacted.users.into_iter().filter_map(|person| person.id);
            people
                .map(|author| Reaction {
                    author,
                    emoji: emoji.clone(),
                    // When is not in the export.
                    at: at.clone(),
                })
                .filter(|one| !one.emoji.is_empty())
                .collect::<Vec<_>>()
        });
        Message {
            reactions: reactions.collect(),
            id: self.id,
            author: id,
            name,
            bot,
            text,
            reply_to: self.reference.and_then(|reference| reference.message_id),
            mentions: self.mentions.into_iter().filter_map(|one| one.id).collect(),
            thread: None,
            files: files.collect(),
            at: self.timestamp,
        }
    }
}
