//! JSON of DiscordChatExporter: a file for each channel or thread, or a folder of them.

use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

use super::each::Each;
use super::lines::{File, Message, Reaction};
use super::{At, Writer};
use crate::error::ImportError;

/// Kinds of channels that only a few people are in.
const PRIVATE: [&str; 2] = ["DirectTextChat", "DirectGroupTextChat"];
/// Kinds of messages that somebody wrote.
const WRITTEN: [&str; 4] = ["Default", "Reply", "ChatInputCommand", "ContextMenuCommand"];

fn is_file(at: &At) -> bool {
    at.has_fields(&["guild", "channel"])
}

pub(super) fn is(at: &At) -> bool {
    match at.is_dir {
        // A folder of logs is one of logs.
        true => {
            crate::files::files(&at.path).is_err() && files(at).is_ok_and(|files| !files.is_empty())
        }
        false => is_file(at),
    }
}

/// The files of a folder that are such exports, in the order of their names.
fn files(at: &At) -> Result<Vec<At>, ImportError> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&at.path).map_err(|e| at.failed(e))? {
        let path = entry.map_err(|e| at.failed(e))?.path();
        let is_json = path.extension().is_some_and(|ending| ending == "json");
        if is_json && path.is_file() {
            let file = At::open(&path)?;
            if is_file(&file) {
                files.push(file);
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

pub(super) fn read(at: &At, writer: &mut Writer) -> Result<(), ImportError> {
    if !at.is_dir {
        return read_file(at, writer, true);
    }
    for file in files(at)? {
        read_file(&file, writer, false)?;
    }
    Ok(())
}

fn read_file(at: &At, writer: &mut Writer, is_alone: bool) -> Result<(), ImportError> {
    let mut parser = serde_json::Deserializer::from_reader(at.json()?);
    let root = Chat { writer, is_alone };
    root.deserialize(&mut parser)
        .and_then(|()| parser.end())
        .map_err(|error| at.damaged(&error))
}

struct Chat<'a> {
    writer: &'a mut Writer,
    is_alone: bool,
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

impl<'de> DeserializeSeed<'de> for Chat<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Chat<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a channel of Discord")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let (mut channel, mut messages) = (Channel::default(), 0);
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "channel" => channel = map.next_value()?,
                "messages" => map.next_value_seed(Each(|value| {
                    self.writer.entry(Entry::read(value), &mut messages)
                }))?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        match !self.is_alone && PRIVATE.contains(&channel.kind.as_str()) {
            true => self.writer.leave_out(&channel.name),
            false => {
                let title = format!("#{}", channel.name);
                self.writer.end(&title, &channel.id, messages);
            }
        }
        Ok(())
    }
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
