//! The export of a workspace of Slack: a zip archive, or the folder that it was unpacked to, with
//! `users.json`, `channels.json` and a folder for each channel that has a file for each day. A folder of
//! days alone is one channel.
//!
//! | file | holds |
//! |---|---|
//! | `marks` | a text as people see it |

mod marks;

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::Value;

use super::Writer;
use super::files::Files;
use super::lines::{File, Message, Reaction, moment};
use crate::error::ImportError;
use marks::unfolded;

/// Kinds of messages that somebody wrote; a message without a kind is one too.
const WRITTEN: [&str; 5] = [
    "bot_message",
    "thread_broadcast",
    "file_share",
    "me_message",
    "file_comment",
];

/// The files of days by their folder; those of no folder are of the export itself.
type Days = BTreeMap<Option<String>, Vec<String>>;

pub(super) fn is(files: &Files) -> bool {
    let lists = ["channels.json", "users.json"];
    lists.into_iter().any(|list| files.one(list).is_some()) || !days(files).is_empty()
}

fn days(files: &Files) -> Days {
    let mut days = Days::new();
    for one in files.all() {
        let (folder, file) = match one.name.rsplit_once('/') {
            Some((folder, file)) => (Some(folder.to_owned()), file),
            None => (None, one.name),
        };
        if is_day(file) {
            days.entry(folder).or_default().push(one.name.to_owned());
        }
    }
    days
}

/// `2024-05-01.json`
fn is_day(name: &str) -> bool {
    let day = name.strip_suffix(".json");
    day.is_some_and(|day| day.parse::<jiff::civil::Date>().is_ok())
}

pub(super) fn read(files: &Files, writer: &mut Writer) -> Result<(), ImportError> {
    let users: Vec<User> = files.list("users.json")?;
    let people = users.into_iter().filter_map(|user| {
        let id = user.id.clone()?;
        Some((id, user))
    });
    let people: BTreeMap<String, User> = people.collect();
    let mut ids = BTreeMap::new();
    for channel in files.list::<Channel>("channels.json")? {
        ids.extend(channel.name.zip(channel.id));
    }
    let mut hidden = BTreeSet::new();
    for list in ["groups.json", "mpims.json", "dms.json"] {
        for channel in files.list::<Channel>(list)? {
            hidden.extend(channel.name.or(channel.id));
        }
    }
    for (folder, days) in days(files) {
        let title = folder.clone().unwrap_or_else(|| files.title());
        // A folder of days alone is what somebody wants.
        if folder.is_some() && hidden.contains(&title) {
            writer.leave_out(&title);
            continue;
        }
        let mut messages = 0;
        for day in days {
            for value in files.list::<Value>(&day)? {
                let read = Entry::read(value, &people);
                let written = writer.entry(read, &mut messages);
                written.map_err(|e| files.failed(e))?;
            }
        }
        let id = ids.get(&title).cloned().unwrap_or_default();
        writer.end(&format!("#{title}"), &id, messages);
    }
    Ok(())
}

#[derive(Deserialize)]
struct Channel {
    id: Option<String>,
    name: Option<String>,
}

#[derive(Deserialize)]
struct User {
    id: Option<String>,
    name: Option<String>,
    #[serde(default)]
    is_bot: bool,
    profile: Option<Profile>,
}

#[derive(Deserialize)]
struct Profile {
    display_name: Option<String>,
    real_name: Option<String>,
}

impl User {
    /// As the workspace shows it.
    fn shown(&self) -> Option<&str> {
        let profile = self.profile.as_ref();
        let names = [
            profile.and_then(|profile| profile.display_name.as_deref()),
            profile.and_then(|profile| profile.real_name.as_deref()),
            self.name.as_deref(),
        ];
        names.into_iter().flatten().find(|name| !name.is_empty())
    }
}

#[derive(Deserialize)]
struct Entry {
    #[serde(rename = "type", default)]
    kind: String,
    subtype: Option<String>,
    ts: Option<String>,
    user: Option<String>,
    bot_id: Option<String>,
    username: Option<String>,
    #[serde(default)]
    text: String,
    thread_ts: Option<String>,
    #[serde(default)]
    reactions: Vec<Reactions>,
    #[serde(default)]
    files: Vec<Attachment>,
    /// What a program says, where its message has no text of its own.
    #[serde(default)]
    attachments: Vec<Card>,
    user_profile: Option<Profile>,
}

#[derive(Deserialize)]
struct Reactions {
    #[serde(default)]
    name: String,
    #[serde(default)]
    users: Vec<String>,
}

#[derive(Deserialize)]
struct Attachment {
    name: Option<String>,
    mimetype: Option<String>,
    size: Option<u64>,
}

#[derive(Deserialize)]
struct Card {
    pretext: Option<String>,
    title: Option<String>,
    text: Option<String>,
    fallback: Option<String>,
}

impl Card {
    fn shown(&self) -> String {
        let parts = [&self.pretext, &self.title, &self.text]
            .into_iter()
            .flatten();
        let parts: Vec<&str> = parts
            .map(String::as_str)
            .filter(|part| !part.is_empty())
            .collect();
        match parts.is_empty() {
            true => self.fallback.clone().unwrap_or_default(),
            false => parts.join("\n"),
        }
    }
}

impl Entry {
    /// A message, or `None` for what the export says of the channel itself.
    fn read(value: Value, people: &BTreeMap<String, User>) -> serde_json::Result<Option<Message>> {
        let entry = Self::deserialize(value)?;
        Ok(entry.is_written().then(|| entry.message(people)))
    }

    fn is_written(&self) -> bool {
        let kind = self.subtype.as_deref();
        self.kind == "message" && kind.is_none_or(|kind| WRITTEN.contains(&kind))
    }

    fn message(self, people: &BTreeMap<String, User>) -> Message {
        let author = self.user.or(self.bot_id.clone());
        let known = author.as_ref().and_then(|id| people.get(id));
        let profile = self.user_profile.as_ref();
        let of_profile =
            profile.and_then(|one| one.display_name.as_deref().or(one.real_name.as_deref()));
        let name = known
            .and_then(User::shown)
            .or(of_profile)
            .filter(|name| !name.is_empty());
        let name = name.map(str::to_owned).or(self.username);
        let at = match self.ts.as_deref() {
            Some(ts) => at(ts),
            None => String::new(),
        };
        let mut mentions = Vec::new();
        let text = match self.text.is_empty() {
            true => {
                let cards: Vec<String> = self.attachments.iter().map(Card::shown).collect();
                cards.join("\n")
            }
            false => self.text,
        };
        let text = unfolded(&text, people, &mut mentions);
        let files = self.files.into_iter().filter_map(|file| {
            Some(File {
                name: file.name?,
                media_type: file.mimetype,
                bytes: file.size,
            })
        });
        let reactions = self.reactions.into_iter().flat_map(|reacted| {
            // `+1::skin-tone-2`.
            let emoji = reacted
                .name
                .split("::")
                .next()
                .unwrap_or_default()
                .to_owned();
            let people = reacted.users.into_iter();
            let of = |author| Reaction {
                author,
                emoji: emoji.clone(),
                // When is not in the export.
                at: at.clone(),
            };
            let all = people.map(of).filter(|one| !one.emoji.is_empty());
            all.collect::<Vec<_>>()
        });
        let reactions = reactions.collect();
        let root = self.thread_ts.filter(|root| Some(root) != self.ts.as_ref());
        Message {
            id: self.ts,
            bot: known.is_some_and(|user| user.is_bot)
                || self.bot_id.is_some()
                || self.subtype.as_deref() == Some("bot_message"),
            author,
            name,
            text,
            at,
            reply_to: root.clone(),
            mentions,
            thread: root,
            files: files.collect(),
            reactions,
        }
    }
}

/// `1452988821.000002`: seconds, and what tells messages of one second apart.
fn at(ts: &str) -> String {
    let (seconds, rest) = ts.split_once('.').unwrap_or((ts, ""));
    let Ok(seconds) = seconds.parse::<i64>() else {
        return ts.to_owned();
    };
    let digits: String = rest.chars().chain("000".chars()).take(3).collect();
    let ms = digits.parse().unwrap_or(0);
    moment(seconds.saturating_mul(1000).saturating_add(ms))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_has_the_fraction_that_is_time() {
        assert_eq!(at("1452988821.123456"), "2016-01-17T00:00:21.123Z");
        assert_eq!(at("1452988821"), "2016-01-17T00:00:21Z");
        assert_eq!(at("soon"), "soon");
    }
}
