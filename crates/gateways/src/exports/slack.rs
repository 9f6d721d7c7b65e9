//! The export of a workspace of Slack: a zip archive, or the folder that it was unpacked to, with
//! `users.json`, `channels.json` and a folder for each channel that has a file for each day. A folder of
//! days alone is one channel.
//!
//! Nothing of an archive is written to a file, so the names in it lead nowhere.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File as Opened;
use std::io::{self, BufReader, Read};
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use zip::ZipArchive;

use super::lines::{File, Message, Reaction, moment};
use super::mended::MendReader;
use super::{At, Writer};
use crate::error::ImportError;

/// The most bytes of one day of one channel, unpacked; a larger one is no day of a chat.
const DAY: u64 = 256 << 20;
/// Kinds of messages that somebody wrote; a message without a kind is one too.
const WRITTEN: [&str; 5] = [
    "bot_message",
    "thread_broadcast",
    "file_share",
    "me_message",
    "file_comment",
];

pub(super) fn is(at: &At) -> bool {
    match at.is_dir {
        true => {
            at.path.join("channels.json").is_file()
                || at.path.join("users.json").is_file()
                || is_days(&at.path)
        }
        false => at.head.starts_with(b"PK\x03\x04"),
    }
}

/// Whether a folder has a file of a day.
fn is_days(dir: &Path) -> bool {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    entries.into_iter().any(|entry| {
        let name = entry.file_name();
        name.to_str().is_some_and(|name| day_of(name).is_some())
    })
}

/// `2024-05-01` of `2024-05-01.json`.
fn day_of(name: &str) -> Option<&str> {
    let day = name.strip_suffix(".json")?;
    day.parse::<jiff::civil::Date>().ok().map(|_| day)
}

pub(super) fn read(at: &At, writer: &mut Writer) -> Result<(), ImportError> {
    let mut files = Files::open(at)?;
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
    for (folder, days) in files.days() {
        let title = folder.clone().unwrap_or_else(|| {
            let name = at.path.file_name().unwrap_or_default();
            name.to_string_lossy().into_owned()
        });
        if hidden.contains(&title) {
            writer.leave_out(&title);
            continue;
        }
        let mut messages = 0;
        for day in days {
            for value in files.list::<Value>(&day)? {
                let read = Entry::read(value, &people);
                let written = writer.entry(read, &mut messages);
                written.map_err(|e| at.failed(e))?;
            }
        }
        let id = ids.get(&title).cloned().unwrap_or_default();
        writer.end(&format!("#{title}"), &id, messages);
    }
    Ok(())
}

/// The files of an export, by their names in it.
enum Files<'a> {
    Folder(&'a At),
    /// The archive, and the position of each file in it.
    Archive(
        &'a At,
        Box<ZipArchive<BufReader<Opened>>>,
        BTreeMap<String, usize>,
    ),
}

impl<'a> Files<'a> {
    fn open(at: &'a At) -> Result<Self, ImportError> {
        if at.is_dir {
            return Ok(Self::Folder(at));
        }
        let damaged = |why: String| ImportError::Damaged {
            file: at.path.display().to_string(),
            why,
        };
        let file = Opened::open(&at.path).map_err(|e| at.failed(e))?;
        let archive = ZipArchive::new(BufReader::new(file));
        let archive = archive.map_err(|e| damaged(format!("the archive cannot be read: {e}")))?;
        let names = archive.file_names().map(str::to_owned);
        let names: Vec<String> = names.collect();
        // Some programs pack the folder that the export is in.
        let inner = |name: &str| {
            let lists = ["users.json", "channels.json"];
            let list = lists
                .into_iter()
                .find(|list| name.ends_with(&format!("/{list}")))?;
            Some(name[..name.len() - list.len()].to_owned())
        };
        let is_plain = |name: &String| name == "users.json" || name == "channels.json";
        let root = match names.iter().any(is_plain) {
            true => String::new(),
            false => names
                .iter()
                .find_map(|name| inner(name))
                .unwrap_or_default(),
        };
        let at_root = names.iter().filter_map(|name| {
            let short = name.strip_prefix(&root)?.to_owned();
            Some((short, archive.index_for_name(name)?))
        });
        let index: BTreeMap<String, usize> = at_root.collect();
        let files = Self::Archive(at, Box::new(archive), index);
        if files.days().is_empty() {
            return Err(damaged(
                "the archive is no export of Slack, which has users.json, channels.json and a folder for \
                 each channel: unpack it, and import what is in it"
                    .to_owned(),
            ));
        }
        Ok(files)
    }

    /// The files of days by their folder, in order; those of no folder are of the export itself.
    fn days(&self) -> Vec<(Option<String>, Vec<String>)> {
        let names: Vec<String> = match self {
            Self::Archive(_, _, index) => index.keys().cloned().collect(),
            Self::Folder(at) => folder_names(&at.path),
        };
        let mut days: BTreeMap<Option<String>, Vec<String>> = BTreeMap::new();
        for name in names {
            let (folder, file) = match name.rsplit_once('/') {
                Some((folder, file)) => (Some(folder.to_owned()), file),
                None => (None, name.as_str()),
            };
            if day_of(file).is_some() {
                days.entry(folder).or_default().push(name);
            }
        }
        days.values_mut().for_each(|days| days.sort());
        days.into_iter().collect()
    }

    /// A file with a list; one that is not there has nothing in it.
    fn list<T: DeserializeOwned>(&mut self, name: &str) -> Result<Vec<T>, ImportError> {
        let (at, mut bytes) = (self.at(), Vec::new());
        let file = at.path.join(name).display().to_string();
        let damaged = |why: String| ImportError::Damaged {
            file: file.clone(),
            why,
        };
        let read = |from: &mut dyn Read, bytes: &mut Vec<u8>| -> io::Result<()> {
            MendReader::new(BufReader::new(from))
                .take(DAY + 1)
                .read_to_end(bytes)?;
            Ok(())
        };
        let done = match self {
            Self::Folder(at) => {
                let inside = at.path.join(name);
                // Of a folder of days the list is beside it.
                let beside = at.path.parent().map(|parent| parent.join(name));
                let mut places = [Some(inside), beside].into_iter().flatten();
                let Some(path) = places.find(|path| path.is_file()) else {
                    return Ok(Vec::new());
                };
                Opened::open(path).and_then(|mut file| read(&mut file, &mut bytes))
            }
            Self::Archive(_, archive, index) => {
                let Some(position) = index.get(name) else {
                    return Ok(Vec::new());
                };
                match archive.by_index(*position) {
                    Ok(mut file) => read(&mut file, &mut bytes),
                    Err(error) => return Err(damaged(format!("it cannot be unpacked: {error}"))),
                }
            }
        };
        done.map_err(|error| damaged(format!("it cannot be read: {error}")))?;
        if bytes.len() as u64 > DAY {
            return Err(damaged(format!("it has more than {} MiB", DAY >> 20)));
        }
        serde_json::from_slice(&bytes).map_err(|error| damaged(format!("it is no list: {error}")))
    }

    fn at(&self) -> &'a At {
        match self {
            Self::Folder(at) | Self::Archive(at, ..) => at,
        }
    }
}

/// The files in a folder, and in the folders in it.
fn folder_names(dir: &Path) -> Vec<String> {
    let inside = |dir: &Path| {
        let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
        let entries = entries.into_iter().map(|entry| entry.path());
        entries.collect::<Vec<_>>()
    };
    let name = |path: &Path| path.strip_prefix(dir).ok()?.to_str().map(str::to_owned);
    let mut names = Vec::new();
    for path in inside(dir) {
        match path.is_dir() {
            true => names.extend(inside(&path).iter().filter_map(|path| name(path))),
            false => names.extend(name(&path)),
        }
    }
    names
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

/// A text as people see it: `<@U17>` is a person, `<#C1|general>` a channel, `<https://x|label>` a link.
fn unfolded(text: &str, people: &BTreeMap<String, User>, mentions: &mut Vec<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        out.push_str(before);
        let Some((mark, behind)) = after.split_once('>') else {
            out.push('<');
            rest = after;
            continue;
        };
        rest = behind;
        let (what, label) = match mark.split_once('|') {
            Some((what, label)) => (what, Some(label).filter(|label| !label.is_empty())),
            None => (mark, None),
        };
        match what.chars().next() {
            Some('@') => {
                let id = &what[1..];
                let known = people.get(id).and_then(User::shown).or(label).unwrap_or(id);
                out.push('@');
                out.push_str(known);
                mentions.push(id.to_owned());
            }
            Some('#') => {
                out.push('#');
                out.push_str(label.unwrap_or(&what[1..]));
            }
            Some('!') => {
                let name = what[1..].split('^').next().unwrap_or_default();
                let shown = label
                    .map(str::to_owned)
                    .unwrap_or_else(|| format!("@{name}"));
                out.push_str(&shown);
            }
            _ => {
                let address = what.strip_prefix("mailto:").unwrap_or(what);
                match label.filter(|label| *label != address && !address.ends_with(label)) {
                    Some(label) => out.push_str(&format!("{label} ({address})")),
                    None => out.push_str(address),
                }
            }
        }
    }
    out.push_str(rest);
    out.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_become_what_people_see() {
        let bob = User {
            id: Some("U1".to_owned()),
            name: Some("bob".to_owned()),
            is_bot: false,
            profile: None,
        };
        let people = BTreeMap::from([("U1".to_owned(), bob)]);
        let mut mentions = Vec::new();
        for (text, expect) in [
            ("<@U1> and <@U2|eve> and <@U3>", "@bob and @eve and @U3"),
            ("in <#C1|general> and <#C2>", "in #general and #C2"),
            (
                "<!here> <!subteam^S1|@ops> <!channel>",
                "@here @ops @channel",
            ),
            (
                "<https://x.org/a|the page> <https://x.org> <http://x.org|x.org>",
                "the page (https://x.org/a) https://x.org http://x.org",
            ),
            ("<mailto:a@x.org|a@x.org>", "a@x.org"),
            ("1 &lt; 2 &amp;&amp; a &gt; b", "1 < 2 && a > b"),
            ("&amp;lt;", "&lt;"),
            ("a < b", "a < b"),
            ("<>", ""),
            ("<@>", "@"),
        ] {
            assert_eq!(unfolded(text, &people, &mut mentions), expect, "{text}");
        }
        assert_eq!(mentions[..3], ["U1", "U2", "U3"]);
    }

    #[test]
    fn a_moment_has_the_fraction_that_is_time() {
        assert_eq!(at("1452988821.123456"), "2016-01-17T00:00:21.123Z");
        assert_eq!(at("1452988821"), "2016-01-17T00:00:21Z");
        assert_eq!(at("soon"), "soon");
    }
}
