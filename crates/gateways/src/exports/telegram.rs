//! `result.json` of Telegram Desktop ("Export chat history" and "Export Telegram data", format JSON).
//!
//! The whole file is one object, which can be larger than the memory, so messages are taken one after
//! the other as they are parsed. Of the data of an account, conversations of two are left out.

use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::Writer;
use super::each::Each;
use super::files::{Files, One};
use super::lines::{File, Message, Reaction, moment};
use crate::error::ImportError;

/// The name of the file in the folder that an export is.
const RESULT: &str = "result.json";
/// Kinds of chats that only one or two people are in.
const PRIVATE: [&str; 5] = [
    "personal_chat",
    "bot_chat",
    "saved_messages",
    "replies",
    "verification_codes",
];

/// The file of an export.
fn result(files: &Files) -> Option<One<'_>> {
    files.alone().or_else(|| files.one(RESULT))
}

pub(super) fn is(files: &Files) -> bool {
    result(files).is_some_and(|one| {
        one.has_fields(&["name", "type", "id", "messages"])
            || one.has_fields(&["about", "chats"])
            || one.has_fields(&["about", "personal_information"])
    })
}

pub(super) fn read(files: &Files, writer: &mut Writer) -> Result<(), ImportError> {
    let Some(one) = result(files) else {
        return Ok(());
    };
    let mut parser = serde_json::Deserializer::from_reader(one.json()?);
    let is_alone = !one.has_fields(&["about"]);
    let root = Chat { writer, is_alone };
    root.deserialize(&mut parser)
        .and_then(|()| parser.end())
        .map_err(|error| one.no_json(&error))
}

/// A chat, or the data of an account, which is lists of chats.
struct Chat<'a> {
    writer: &'a mut Writer,
    /// Whether this chat is the whole export: somebody wants just it.
    is_alone: bool,
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
        f.write_str("a chat of Telegram")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { writer, is_alone } = self;
        let (mut title, mut id, mut kind, mut messages) =
            (String::new(), String::new(), String::new(), 0);
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "name" => title = shown(&map.next_value()?).unwrap_or_default(),
                "id" => id = shown(&map.next_value()?).unwrap_or_default(),
                "type" => kind = shown(&map.next_value()?).unwrap_or_default(),
                "messages" => map.next_value_seed(Each(|value| {
                    writer.entry(Entry::read(value), &mut messages)
                }))?,
                "chats" | "left_chats" => map.next_value_seed(Chats(writer))?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        match !is_alone && PRIVATE.contains(&kind.as_str()) {
            true => writer.leave_out(if title.is_empty() { &kind } else { &title }),
            false => writer.end(&title, &id, messages),
        }
        Ok(())
    }
}

/// `{"about": …, "list": [chat, …]}`.
struct Chats<'a>(&'a mut Writer);

impl<'de> DeserializeSeed<'de> for Chats<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Chats<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of chats of Telegram")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "list" => map.next_value_seed(List(self.0))?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

struct List<'a>(&'a mut Writer);

impl<'de> DeserializeSeed<'de> for List<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for List<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of chats")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        loop {
            let chat = Chat {
                writer: self.0,
                is_alone: false,
            };
            if list.next_element_seed(chat)?.is_none() {
                return Ok(());
            }
        }
    }
}

/// A message as it is written; what has changed its kind in some version is taken as any value.
#[derive(Deserialize)]
struct Entry {
    #[serde(rename = "type")]
    kind: String,
    id: Option<Value>,
    #[serde(default)]
    date: String,
    date_unixtime: Option<Value>,
    from: Option<String>,
    from_id: Option<Value>,
    #[serde(default)]
    text: Value,
    reply_to_message_id: Option<Value>,
    file_name: Option<String>,
    file_size: Option<u64>,
    mime_type: Option<String>,
    media_type: Option<String>,
    sticker_emoji: Option<String>,
    photo: Option<Value>,
    poll: Option<Poll>,
    #[serde(default)]
    reactions: Vec<Reactions>,
}

#[derive(Deserialize)]
struct Poll {
    #[serde(default)]
    question: Value,
}

#[derive(Deserialize)]
struct Reactions {
    emoji: Option<String>,
    #[serde(default)]
    recent: Vec<Recent>,
}

/// Who reacted; Telegram names the last few.
#[derive(Deserialize)]
struct Recent {
    from_id: Option<Value>,
    #[serde(default)]
    date: String,
}

impl Entry {
    /// A message, or `None` for what the export says of the chat itself.
    fn read(value: Value) -> serde_json::Result<Option<Message>> {
        let entry = Self::deserialize(value)?;
        Ok((entry.kind == "message").then(|| entry.message()))
    }

    fn message(self) -> Message {
        let local = milliseconds(&self.date);
        let exact = self.date_unixtime.as_ref().and_then(number);
        let exact = exact.map(|seconds| seconds.saturating_mul(1000));
        // Dates are of the clock of whoever exported; the exact one says how far that was off.
        let ahead = local
            .zip(exact)
            .map_or(0, |(local, exact)| local.saturating_sub(exact));
        // Without the exact one it is left without a zone: the import knows it.
        let at = exact.map_or_else(|| self.date.clone(), moment);
        let mut mentions = Vec::new();
        let mut text = plain(&self.text, &mut mentions);
        if let Some(poll) = &self.poll {
            text = plain(&poll.question, &mut mentions);
        }
        if let Some(emoji) = self.sticker_emoji.filter(|_| text.is_empty()) {
            text = emoji;
        }
        let name = match (self.file_name, self.photo.is_some()) {
            (Some(name), _) => Some(name),
            (None, true) => Some("photo".to_owned()),
            (None, false) => self.media_type.filter(|kind| kind != "sticker"),
        };
        let files = name.map(|name| File {
            name,
            media_type: self.mime_type,
            bytes: self.file_size,
        });
        let reaction = |emoji: &str, one: Recent| {
            let author = one.from_id.as_ref().and_then(shown)?;
            let at = milliseconds(&one.date).map(|local| moment(local.saturating_sub(ahead)));
            Some(Reaction {
                author,
                emoji: emoji.to_owned(),
                at: at.unwrap_or(one.date),
            })
        };
        let reactions = self.reactions.into_iter().flat_map(|reacted| {
            let emoji = reacted.emoji.unwrap_or_default();
            let all = reacted.recent.into_iter();
            let all = all.filter_map(|one| reaction(&emoji, one));
            all.filter(|one| !one.emoji.is_empty()).collect::<Vec<_>>()
        });
        Message {
            id: self.id.as_ref().and_then(shown),
            author: self.from_id.as_ref().and_then(shown),
            name: self.from,
            bot: false,
            text,
            at,
            reply_to: self.reply_to_message_id.as_ref().and_then(shown),
            mentions,
            thread: None,
            files: files.into_iter().collect(),
            reactions: reactions.collect(),
        }
    }
}

/// A text is a string, or pieces: strings, and objects with a text and what it is.
fn plain(text: &Value, mentions: &mut Vec<String>) -> String {
    match text {
        Value::String(text) => text.clone(),
        Value::Array(pieces) => pieces.iter().map(|piece| plain(piece, mentions)).collect(),
        Value::Object(piece) => {
            if piece.get("type").and_then(Value::as_str) == Some("mention_name")
                && let Some(id) = piece.get("user_id").and_then(shown)
            {
                // A sender is `user17`, and a mention has the number alone.
                mentions.push(match id.starts_with("user") {
                    true => id,
                    false => format!("user{id}"),
                });
            }
            let inner = piece.get("text");
            inner.map_or_else(String::new, |inner| plain(inner, mentions))
        }
        _ => String::new(),
    }
}

/// An id as text; older versions write numbers.
fn shown(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn number(value: &Value) -> Option<i64> {
    match value {
        Value::String(text) => text.parse().ok(),
        other => other.as_i64(),
    }
}

/// `2024-05-01T12:00:00`, as if it was in UTC.
fn milliseconds(date: &str) -> Option<i64> {
    let date: jiff::civil::DateTime = date.parse().ok()?;
    let at = date.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
    Some(at.timestamp().as_millisecond())
}
