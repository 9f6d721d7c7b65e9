//! Issues and discussions of GitHub as JSON: what `gh issue list --json …`, `gh api` for issues, their
//! comments and discussions (GraphQL), or any program that saves the answers of the API, wrote to files. Each
//! repository is a channel, each issue or discussion a thread in it.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use super::each::{Piece, pieces};
use super::files::{Files, One};
use super::lines::{Message, Reaction};
use super::{SortedChat, Writer};
use crate::error::ImportError;
use crate::looks::fields_of;

/// How deep an answer of GraphQL is looked into for issues and discussions.
const DEPTH: usize = 6;

fn is_file(one: One<'_>) -> bool {
    let head = one.head();
    let text = String::from_utf8_lossy(&head);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let (text, is_list) = match text.strip_prefix('[') {
        Some(inner) => (inner.trim_start(), true),
        None => (text, false),
    };
    let fields = fields_of(text.as_bytes());
    let has = |name: &str| fields.iter().any(|one| one == name);
    match is_list {
        true => {
            (has("number") || has("issue_url")) && (has("body") || has("title")) && has_url(text)
        }
        false => has("data") && (text.contains("\"discussions\"") || text.contains("\"issues\"")),
    }
}

fn has_url(text: &str) -> bool {
    text.contains("/issues/") || text.contains("/discussions/")
}

fn parts(files: &Files) -> Vec<One<'_>> {
    if let Some(one) = files.alone() {
        return Vec::from_iter(is_file(one).then_some(one));
    }
    let json = files.top().filter(|one| one.name.ends_with(".json"));
    json.filter(|one| is_file(*one)).collect()
}

pub(super) fn is(files: &Files) -> bool {
    !parts(files).is_empty()
}

pub(super) fn read(files: &Files, writer: &mut Writer) -> Result<(), ImportError> {
    let mut repositories = Repositories {
        chats: BTreeMap::new(),
        writer,
    };
    for one in parts(files) {
        let read = pieces(one.json()?, |list, piece| match (list, piece) {
            ("", Piece::Element(value)) => repositories.take(value),
            ("data", Piece::Whole(value)) => repositories.find(value, 0),
            _ => Ok(()),
        });
        read.map_err(|error| one.no_json(&error))?;
    }
    let Repositories { chats, writer } = repositories;
    for (name, chat) in chats {
        let ended = writer.end_sorted(&name, &name, chat);
        ended.map_err(|e| files.failed(e))?;
    }
    Ok(())
}

/// An issue, a discussion or a comment, as any of the ways to get it writes it.
#[derive(Deserialize)]
struct Entry {
    title: Option<String>,
    #[serde(default)]
    body: Option<String>,
    url: Option<String>,
    /// The page, where `url` is that of the API.
    html_url: Option<String>,
    #[serde(alias = "user")]
    author: Option<Person>,
    #[serde(alias = "created_at", rename = "createdAt")]
    created: Option<String>,
    /// A list, an object with a list, or a number.
    #[serde(default)]
    comments: Value,
    #[serde(default)]
    replies: Value,
    pull_request: Option<Value>,
    #[serde(rename = "isAnswer", default)]
    is_answer: bool,
}

#[derive(Clone, Deserialize)]
struct Person {
    #[serde(default)]
    login: String,
    name: Option<String>,
    #[serde(rename = "type", alias = "__typename", default)]
    kind: String,
    #[serde(default)]
    is_bot: bool,
}

/// The address of something: `https://github.com/OWNER/NAME/issues/7#issuecomment-99`.
struct Address {
    repository: String,
    thread: String,
    id: String,
}

impl Address {
    fn of(url: &str) -> Option<Self> {
        let path = url.split_once("://")?.1.split_once('/')?.1;
        let path = path.strip_prefix("repos/").unwrap_or(path);
        let (path, fragment) = match path.split_once('#') {
            Some((path, fragment)) => (path, Some(fragment)),
            None => (path, None),
        };
        let parts: Vec<&str> = path.split('/').collect();
        let [
            owner,
            name,
            kind @ ("issues" | "discussions" | "pull"),
            number,
        ] = parts[..]
        else {
            return None;
        };
        let thread = format!("{kind}/{number}");
        Some(Self {
            repository: format!("{owner}/{name}"),
            id: fragment.map_or_else(|| thread.clone(), |fragment| format!("{thread}#{fragment}")),
            thread,
        })
    }
}

struct Repositories<'a> {
    chats: BTreeMap<String, SortedChat>,
    writer: &'a mut Writer,
}

impl Repositories<'_> {
    /// The issues and discussions in an answer of GraphQL.
    fn find(&mut self, value: Value, depth: usize) -> std::io::Result<()> {
        match value {
            Value::Object(object)
                if object.contains_key("title") && object.contains_key("body") =>
            {
                self.take(Value::Object(object))
            }
            Value::Object(object) if depth < DEPTH => {
                let mut inner = object.into_iter();
                inner.try_for_each(|(_, value)| self.find(value, depth + 1))
            }
            Value::Array(list) if depth < DEPTH => {
                let mut inner = list.into_iter();
                inner.try_for_each(|value| self.find(value, depth + 1))
            }
            _ => Ok(()),
        }
    }

    /// An issue, a discussion or a comment, with what was said to it.
    fn take(&mut self, value: Value) -> std::io::Result<()> {
        let entry = Entry::deserialize(value)?;
        let Some(address) = entry.address() else {
            return Err(std::io::Error::other(
                "an entry without the address of an issue or a discussion on GitHub (`url` or `html_url`)",
            ));
        };
        let asker = entry.author.as_ref().map(|author| author.login.clone());
        let mut said = vec![entry];
        while let Some(mut entry) = said.pop() {
            for inner in [&mut entry.comments, &mut entry.replies] {
                for value in list(inner.take()) {
                    said.push(Entry::deserialize(value)?);
                }
            }
            self.write(entry, &address, asker.as_deref())?;
        }
        Ok(())
    }

    fn write(
        &mut self,
        entry: Entry,
        thread: &Address,
        asker: Option<&str>,
    ) -> std::io::Result<()> {
        let chat = self.chats.entry(thread.repository.clone()).or_default();
        let order = entry
            .created
            .as_deref()
            .and_then(|at| at.parse::<Timestamp>().ok());
        let order = order.map_or(0, Timestamp::as_millisecond);
        let read = match entry.pull_request.is_some() || thread.thread.starts_with("pull/") {
            // What is said of a change is about its code.
            true => None,
            false => Some(entry.message(thread, asker)),
        };
        self.writer.sorted_entry(chat, order, Ok(read))
    }
}

/// The elements of a list, or of what has one in it.
fn list(value: Value) -> Vec<Value> {
    match value {
        Value::Array(list) => list,
        Value::Object(mut object) => object.remove("nodes").map(list).unwrap_or_default(),
        _ => Vec::new(),
    }
}

impl Entry {
    fn address(&self) -> Option<Address> {
        let urls = [&self.html_url, &self.url].into_iter().flatten();
        urls.into_iter().find_map(|url| Address::of(url))
    }

    fn message(self, thread: &Address, asker: Option<&str>) -> Message {
        let id = self.address().map(|address| address.id);
        let is_first = id.as_ref() == Some(&thread.thread);
        let body = without_comments(&self.body.unwrap_or_default());
        let text = match self.title {
            Some(title) => format!("{title}\n\n{body}").trim_end().to_owned(),
            None => body,
        };
        let login = self.author.as_ref().map(|author| author.login.clone());
        let is_bot = self.author.as_ref().is_some_and(|author| {
            author.is_bot || author.kind == "Bot" || author.login.ends_with("[bot]")
        });
        let at = self.created.unwrap_or_default();
        // That somebody chose the answer is what a reaction says elsewhere.
        let chosen = asker.filter(|_| self.is_answer).map(|asker| Reaction {
            author: asker.to_owned(),
            emoji: "✅".to_owned(),
            at: at.clone(),
        });
        Message {
            id,
            name: self.author.and_then(|author| author.name).or(login.clone()),
            author: login,
            bot: is_bot,
            text,
            at,
            reply_to: (!is_first).then(|| thread.thread.clone()),
            thread: Some(thread.thread.clone()),
            reactions: chosen.into_iter().collect(),
            ..Message::default()
        }
    }
}

/// Without what a form says to whom fills it in.
fn without_comments(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("<!--") {
        shown.push_str(before);
        rest = behind.split_once("-->").map_or("", |(_, behind)| behind);
    }
    shown.push_str(rest);
    shown.replace('\r', "").trim().to_owned()
}
