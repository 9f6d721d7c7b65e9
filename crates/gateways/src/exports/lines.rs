//! Messages and reactions as JSON lines. What a program left out is left out here too, so that the
//! line is skipped by the one reader of such lines, counted and named.

use std::io::{self, Write};

use jiff::Timestamp;
use serde::Serialize;

use super::Writer;

/// A message of an export.
#[derive(Debug, Default, Serialize)]
#[serde(tag = "type", rename = "message")]
pub(super) struct Message {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) author: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    pub(super) bot: bool,
    pub(super) text: String,
    pub(super) at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reply_to: Option<String>,
    pub(super) mentions: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) thread: Option<String>,
    pub(super) files: Vec<File>,
    /// They are lines of their own.
    #[serde(skip)]
    pub(super) reactions: Vec<Reaction>,
}

/// What a message carries.
#[derive(Debug, Default, PartialEq, Serialize)]
pub(super) struct File {
    pub(super) name: String,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub(super) media_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bytes: Option<u64>,
}

/// Somebody's reaction to a message.
#[derive(Debug)]
pub(super) struct Reaction {
    pub(super) author: String,
    pub(super) emoji: String,
    pub(super) at: String,
}

#[derive(Serialize)]
#[serde(tag = "type", rename = "reaction_added")]
struct ReactionLine<'a> {
    id: &'a str,
    author: &'a str,
    emoji: &'a str,
    at: &'a str,
}

impl Writer {
    /// What was read of an entry of a chat: a message, which is counted, something that the export says of
    /// the chat itself, or nothing that can be understood.
    pub(super) fn entry(
        &mut self,
        read: serde_json::Result<Option<Message>>,
        messages: &mut u64,
    ) -> io::Result<()> {
        match read {
            Ok(Some(message)) => {
                *messages += 1;
                self.message(&message)
            }
            Ok(None) => self.system(),
            Err(_) => self.unknown(),
        }
    }

    /// A message, and the reactions to it.
    fn message(&mut self, message: &Message) -> io::Result<()> {
        self.line(message)?;
        for Reaction { author, emoji, at } in &message.reactions {
            let id = message.id.as_deref().unwrap_or_default();
            let line = ReactionLine {
                id,
                author,
                emoji,
                at,
            };
            self.line(&line)?;
        }
        Ok(())
    }

    /// What the export says of the chat itself, such as who joined: it is counted.
    fn system(&mut self) -> io::Result<()> {
        self.spool
            .write_all(b"{\"type\":\"admins\",\"people\":[]}\n")
    }

    /// What is no message at all: it is skipped, and counted.
    fn unknown(&mut self) -> io::Result<()> {
        self.spool.write_all(b"{\"type\":\"unknown\"}\n")
    }

    pub(super) fn line(&mut self, line: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.spool, line)?;
        self.spool.write_all(b"\n")
    }
}

/// Milliseconds as a moment; what is none stays as it is written, so that the line is skipped for it.
pub(super) fn moment(ms: i64) -> String {
    match Timestamp::from_millisecond(ms) {
        Ok(at) => at.to_string(),
        Err(_) => format!("{ms} ms"),
    }
}
