//! "Export organization" of Zulip: a `.tar.gz`, or the folder that it was unpacked to, with `realm.json`
//! and `messages-000001.json` and so on. Each channel (stream) that all can read is one here, and each
//! topic a thread.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;

use super::each::{Piece, pieces};
use super::files::{Files, One};
use super::lines::{Message, Reaction, moment};
use super::{SortedChat, Writer};
use crate::error::ImportError;

/// The file that says who and what is there.
const REALM: &str = "realm.json";
/// A recipient that is a channel; the others are one or a few people.
const STREAM: u64 = 2;
/// Topics whose first message is remembered.
const REMEMBERED: usize = 1_000_000;

pub(super) fn is(files: &Files) -> bool {
    files.one(REALM).is_some() && parts(files).next().is_some()
}

fn parts(files: &Files) -> impl Iterator<Item = One<'_>> {
    let is_part = |one: &One<'_>| {
        let name = one.name.strip_prefix("messages-");
        name.is_some_and(|rest| rest.ends_with(".json"))
    };
    files.top().filter(is_part)
}

pub(super) fn read(files: &Files, writer: &mut Writer) -> Result<(), ImportError> {
    let mut realm = Realm::default();
    if let Some(one) = files.one(REALM) {
        let read = pieces(one.json()?, |list, piece| {
            realm.take(list, piece);
            Ok(())
        });
        read.map_err(|error| one.no_json(&error))?;
    }
    let mut chats: BTreeMap<u64, SortedChat> = BTreeMap::new();
    let mut topics = HashMap::new();
    for one in parts(files) {
        let read = pieces(one.json()?, |list, piece| {
            let ("zerver_message", Piece::Element(value)) = (list, piece) else {
                return Ok(());
            };
            let entry = Entry::deserialize(value)?;
            let chat = chats.entry(entry.recipient).or_default();
            let (order, message) = (entry.milliseconds(), realm.message(entry, &mut topics));
            writer.sorted_entry(chat, order, Ok(Some(message)))
        });
        read.map_err(|error| one.no_json(&error))?;
    }
    for (recipient, chat) in chats {
        let stream = realm.recipients.get(&recipient);
        match stream.and_then(|stream| realm.streams.get(stream)) {
            Some(stream) if !stream.invite_only => {
                let title = format!("#{}", stream.name);
                let ended = writer.end_sorted(&title, &recipient.to_string(), chat);
                ended.map_err(|e| files.failed(e))?;
            }
            Some(stream) => writer.leave_out(&format!("#{}", stream.name)),
            None => writer.leave_out("a conversation"),
        }
    }
    Ok(())
}

/// Who and what there is.
#[derive(Default)]
struct Realm {
    people: HashMap<u64, Person>,
    by_name: HashMap<String, u64>,
    streams: HashMap<u64, Stream>,
    /// The stream that a recipient is.
    recipients: HashMap<u64, u64>,
    reactions: HashMap<u64, Vec<(u64, String)>>,
}

#[derive(Deserialize)]
struct Person {
    id: u64,
    #[serde(default)]
    full_name: String,
    #[serde(default)]
    is_bot: bool,
}

#[derive(Deserialize)]
struct Stream {
    id: u64,
    name: String,
    #[serde(default)]
    invite_only: bool,
}

#[derive(Deserialize)]
struct Recipient {
    id: u64,
    #[serde(rename = "type")]
    kind: u64,
    type_id: u64,
}

#[derive(Deserialize)]
struct Reacted {
    message: u64,
    user_profile: u64,
    emoji_name: String,
    /// Of an emoji of Unicode, its code points in hexadecimal.
    #[serde(default)]
    emoji_code: String,
    #[serde(default)]
    reaction_type: String,
}

#[derive(Deserialize)]
struct Entry {
    id: u64,
    sender: u64,
    recipient: u64,
    #[serde(default)]
    subject: String,
    #[serde(default)]
    content: String,
    /// Seconds since 1970.
    date_sent: f64,
}

impl Entry {
    fn milliseconds(&self) -> i64 {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "what is too large becomes the largest"
        )]
        let ms = (self.date_sent * 1000.0).round() as i64;
        ms
    }
}

impl Realm {
    /// What is of another form is left out: it is about something else.
    fn take(&mut self, list: &str, piece: Piece) {
        let Piece::Element(value) = piece else { return };
        match list {
            "zerver_userprofile"
            | "zerver_userprofile_crossrealm"
            | "zerver_userprofile_mirrordummy" => {
                if let Ok(person) = Person::deserialize(value) {
                    self.by_name.insert(person.full_name.clone(), person.id);
                    self.people.insert(person.id, person);
                }
            }
            "zerver_stream" => {
                if let Ok(stream) = Stream::deserialize(value) {
                    self.streams.insert(stream.id, stream);
                }
            }
            "zerver_recipient" => {
                if let Ok(recipient) = Recipient::deserialize(value)
                    && recipient.kind == STREAM
                {
                    self.recipients.insert(recipient.id, recipient.type_id);
                }
            }
            "zerver_reaction" => {
                if let Ok(one) = Reacted::deserialize(value) {
                    let emoji = one.emoji();
                    let reactions = self.reactions.entry(one.message).or_default();
                    reactions.push((one.user_profile, emoji));
                }
            }
            _ => {}
        }
    }

    fn message(&self, entry: Entry, topics: &mut HashMap<(u64, String), String>) -> Message {
        let at = moment(entry.milliseconds());
        let (id, topic) = (entry.id.to_string(), entry.subject.trim());
        // Whoever marks a topic as resolved renames it.
        let key = topic.trim_start_matches('✔').trim().to_lowercase();
        let key = (entry.recipient, key);
        let (mut text, mentions) = self.text(&entry.content);
        let mut root = topics.get(&key).cloned();
        if root.is_none() && topics.len() < REMEMBERED {
            topics.insert(key, id.clone());
            root = Some(id.clone());
            if !topic.is_empty() && topic != "(no topic)" {
                // What a topic is about stands nowhere else.
                text = format!("{topic}\n\n{text}");
            }
        }
        let person = self.people.get(&entry.sender);
        let reactions = self.reactions.get(&entry.id).into_iter().flatten();
        let reactions = reactions.map(|(person, emoji)| Reaction {
            author: person.to_string(),
            emoji: emoji.clone(),
            // An export does not say when somebody reacted.
            at: at.clone(),
        });
        Message {
            id: Some(id),
            author: Some(entry.sender.to_string()),
            name: person.map(|person| person.full_name.clone()),
            bot: person.is_some_and(|person| person.is_bot),
            text,
            mentions,
            thread: root,
            reactions: reactions.collect(),
            at,
            ..Message::default()
        }
    }

    /// A text as people see it, and whom it mentions: `@**Ann Lee**` or, of several people of one name,
    /// `@**Ann Lee|17**`, and `#**channel**`.
    fn text(&self, written: &str) -> (String, Vec<String>) {
        let (mut text, mut mentions, mut rest) = (String::new(), Vec::new(), written);
        while let Some((before, mark, inner, behind)) = next_mark(rest) {
            text.push_str(before);
            let (name, id) = match inner.rsplit_once('|') {
                Some((name, id)) => (name, id.parse().ok()),
                None => (inner, self.by_name.get(inner).copied()),
            };
            text.push(mark);
            text.push_str(name);
            if mark == '@'
                && let Some(id) = id
            {
                mentions.push(id.to_string());
            }
            rest = behind;
        }
        text.push_str(rest);
        (text, mentions)
    }
}

/// What precedes the next mark, which one it is, what stands in it and what is behind it.
fn next_mark(text: &str) -> Option<(&str, char, &str, &str)> {
    const MARKS: [(&str, char); 3] = [("@**", '@'), ("@_**", '@'), ("#**", '#')];
    let found = MARKS.iter().filter_map(|(written, mark)| {
        let at = text.find(written)?;
        let (inner, behind) = text[at + written.len()..].split_once("**")?;
        let is_name = !inner.is_empty() && !inner.contains('\n');
        is_name.then_some((&text[..at], *mark, inner, behind))
    });
    found.min_by_key(|(before, ..)| before.len())
}

impl Reacted {
    fn emoji(&self) -> String {
        let scalars = self.emoji_code.split('-').map(|code| {
            let number = u32::from_str_radix(code, 16).ok()?;
            char::from_u32(number)
        });
        let unicode: Option<String> = scalars.collect();
        match unicode.filter(|_| self.reaction_type == "unicode_emoji") {
            Some(emoji) => emoji,
            None => self.emoji_name.clone(),
        }
    }
}
