//! JSON lines: one platform event a line, as `docs/import-format.md` describes.

mod diagnosis;

use std::borrow::Cow;
use std::io::BufRead;

use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::error::Category;
use threadlore_model::{
    PlatformEdit, PlatformEvent, PlatformMessage, PlatformReaction, PlatformRedaction, Timestamp,
};

use super::{ChatFile, ChatFormat, Parser};
use crate::error::ImportError;
use crate::exports::mended;
use crate::import::ImportOptions;
use crate::parsed::{Change, Parsed, Skip, SkipReason};
use crate::source::Source;
use crate::target::Target;
use crate::text::{NAME_MAX, TEXT_MAX, cut, with_file, without_controls};

/// Longest id, in bytes.
const ID_MAX: usize = 256;
/// Longest emoji, in bytes.
const EMOJI_MAX: usize = 64;

/// Files of a message that are named at most.
const FILES: usize = 20;

/// The form of a line.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Line {
    Message(Message),
    Edit(Edit),
    Redaction(Redaction),
    ReactionAdded(Reaction),
    ReactionRemoved(Reaction),
    Admins(Admins),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Message {
    id: String,
    author: String,
    name: Option<String>,
    #[serde(default)]
    bot: bool,
    text: String,
    at: At,
    reply_to: Option<String>,
    #[serde(default)]
    mentions: Vec<String>,
    thread: Option<String>,
    #[serde(default)]
    to_bot: bool,
    #[serde(default)]
    files: Vec<File>,
}

/// What a message carries.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    #[serde(rename = "type")]
    media_type: Option<String>,
    bytes: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Edit {
    id: String,
    author: String,
    revision: Option<i64>,
    text: String,
    at: At,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Redaction {
    id: String,
    at: At,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reaction {
    id: String,
    author: String,
    emoji: String,
    at: At,
    update: Option<String>,
}

/// A moment, as programs write it.
#[derive(Deserialize)]
#[serde(untagged)]
enum At {
    Text(String),
    Number(serde_json::Number),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Admins {
    people: Vec<String>,
}

/// The format.
pub(super) struct Form;

impl ChatFormat for Form {
    fn name(&self) -> &'static str {
        "jsonl"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["jsonl", "ndjson"]
    }

    fn is_format_of(&self, lines: &[&str]) -> bool {
        lines.first().is_some_and(|line| is_object(line))
    }

    fn parser(&self, file: ChatFile<'_>) -> Result<Box<dyn Parser>, ImportError> {
        let ImportOptions {
            target, timezone, ..
        } = file.options;
        Ok(Box::new(JsonLines::new(target.clone(), timezone.clone())))
    }
}

impl<R: BufRead> Source<R> {
    /// JSON lines; `now` is the wall clock, for detecting dates in the future, and `zone` that of moments
    /// which name none.
    #[must_use]
    pub fn json_lines(reader: R, target: Target, now: Timestamp, zone: Option<TimeZone>) -> Self {
        Self::new(reader, Box::new(JsonLines::new(target, zone)), now)
    }
}

/// Whether a line begins as an object does.
fn is_object(line: &str) -> bool {
    line.trim_start().starts_with('{')
}

/// Reads the lines of one file.
#[derive(Debug)]
struct JsonLines {
    target: Target,
    /// The zone of moments that name none.
    timezone: Option<TimeZone>,
}

impl Parser for JsonLines {
    fn wants_utf8(&self) -> bool {
        true
    }

    fn read(&mut self, line: super::Line<'_>, changes: &mut Vec<Change>) -> Parsed {
        self.line(line.text, line.ended, changes)
    }
}

impl JsonLines {
    const fn new(target: Target, timezone: Option<TimeZone>) -> Self {
        Self { target, timezone }
    }

    /// Reads a line; `ended` unless the file stops within it.
    fn line(&self, line: &str, ended: bool, changes: &mut Vec<Change>) -> Parsed {
        // A derived reader would also take a list of the fields' values in order.
        if !is_object(line) {
            return Parsed::skip(SkipReason::NotJson);
        }
        let mut parsed = serde_json::from_str(line);
        let line = match &parsed {
            Err(error) if error.is_syntax() => mended(line),
            _ => Cow::Borrowed(line),
        };
        if let Cow::Owned(line) = &line {
            parsed = serde_json::from_str(line);
            changes.push(Change::Mended);
        }
        let parsed = parsed.map_err(|e| match e.classify() {
            Category::Data => diagnosis::of(&line),
            Category::Eof if !ended => SkipReason::CutOff.into(),
            _ => SkipReason::NotJson.into(),
        });
        let event = parsed.and_then(|line| match line {
            Line::Message(message) => self.message(message, changes),
            Line::Edit(edit) => self.edit(edit, changes),
            Line::Redaction(redaction) => self.redaction(redaction),
            Line::ReactionAdded(reaction) => self.reaction(reaction, true),
            Line::ReactionRemoved(reaction) => self.reaction(reaction, false),
            Line::Admins(admins) => all("people", admins.people).map(Parsed::Admins),
        });
        event.unwrap_or_else(Parsed::Skip)
    }

    /// A moment: a text with its zone, or without one where the import knows it; or a number.
    fn moment(&self, at: &At) -> Result<Timestamp, Skip> {
        let bad = |problem| Skip::of_field(SkipReason::BadTime, "at", problem);
        let none = || bad("not a time such as 2024-05-01T12:00:00Z");
        let text = match at {
            At::Text(text) => text,
            At::Number(number) => {
                let known = number.as_f64().and_then(moment_of_number);
                return known.ok_or_else(none);
            }
        };
        if let Ok(at) = text.parse::<jiff::Timestamp>() {
            return Ok(Timestamp::from_millis(at.as_millisecond()));
        }
        if let Ok(number) = text.parse::<f64>() {
            return moment_of_number(number).ok_or_else(none);
        }
        let civil: jiff::civil::DateTime = text.parse().map_err(|_| none())?;
        let Some(zone) = &self.timezone else {
            return Err(bad("without a zone: name it by --timezone, such as +02:00"));
        };
        let at = civil.to_zoned(zone.clone()).map_err(|_| none())?;
        Ok(Timestamp::from_millis(at.timestamp().as_millisecond()))
    }

    fn message(&self, line: Message, changes: &mut Vec<Change>) -> Result<Parsed, Skip> {
        let at = self.moment(&line.at)?;
        let id = checked("id", line.id)?;
        let author_id = checked("author", line.author)?;
        let text = line
            .files
            .iter()
            .take(FILES)
            .rev()
            .fold(line.text, |text, file| {
                with_file(&text, &file.name, file.media_type.as_deref(), file.bytes)
            });
        let text = kept(&text, TEXT_MAX, Change::TextCut, changes);
        if text.trim().is_empty() {
            return Err(Skip::of_field(SkipReason::NoText, "text", "empty"));
        }
        let author_name = line
            .name
            .map(|name| kept(name.trim(), NAME_MAX, Change::NameCut, changes))
            .filter(|name| !name.is_empty());
        let shown = author_name.as_deref().unwrap_or(&author_id);
        let author_is_bot = line.bot || self.target.bots.has(shown);
        let message = PlatformMessage {
            channel: self.target.channel.clone(),
            native_id: id.clone(),
            author_id,
            author_name,
            author_is_bot,
            text,
            sent_at: at,
            reply_to: optional("reply_to", line.reply_to)?,
            mentions: all("mentions", line.mentions)?,
            thread_root: optional("thread", line.thread)?,
            to_bot: line.to_bot,
        };
        Ok(self.target.event(PlatformEvent::Message(&id), message, at))
    }

    fn edit(&self, line: Edit, changes: &mut Vec<Change>) -> Result<Parsed, Skip> {
        let at = self.moment(&line.at)?;
        let id = checked("id", line.id)?;
        let revision = line.revision.unwrap_or(at.as_millis());
        if revision < 1 {
            let problem = "less than 1; the message as it was posted is 0";
            return Err(Skip::of_field(SkipReason::NotOfFormat, "revision", problem));
        }
        let edit = PlatformEdit {
            channel: self.target.channel.clone(),
            native_id: id.clone(),
            author_id: checked("author", line.author)?,
            revision,
            text: kept(&line.text, TEXT_MAX, Change::TextCut, changes),
            edited_at: at,
        };
        Ok(self
            .target
            .event(PlatformEvent::Edit(&id, revision), edit, at))
    }

    fn redaction(&self, line: Redaction) -> Result<Parsed, Skip> {
        let at = self.moment(&line.at)?;
        let id = checked("id", line.id)?;
        let redaction = PlatformRedaction {
            channel: self.target.channel.clone(),
            native_id: id.clone(),
            redacted_at: at,
        };
        Ok(self
            .target
            .event(PlatformEvent::Redaction(&id), redaction, at))
    }

    fn reaction(&self, line: Reaction, added: bool) -> Result<Parsed, Skip> {
        let at = self.moment(&line.at)?;
        let (id, person) = (checked("id", line.id)?, checked("author", line.author)?);
        let (emoji, update) = (
            checked("emoji", line.emoji)?,
            optional("update", line.update)?,
        );
        if emoji.len() > EMOJI_MAX {
            let problem = "longer than 64 bytes";
            return Err(Skip::of_field(SkipReason::BadId, "emoji", problem));
        }
        let occurrence = update.clone().unwrap_or_else(|| at.as_millis().to_string());
        let reaction = PlatformReaction {
            channel: self.target.channel.clone(),
            native_id: id.clone(),
            author_id: person.clone(),
            emoji: emoji.clone(),
            added,
            at,
            update_id: update,
        };
        let what = PlatformEvent::Reaction(&id, &person, &emoji, added, &occurrence);
        Ok(self.target.event(what, reaction, at))
    }
}

/// Seconds, or thousandths, millionths or billionths of them, since 1970: by its size, because no chat is
/// from before 1973 or after 5138.
fn moment_of_number(number: f64) -> Option<Timestamp> {
    const LEAST: f64 = 1e8;
    let ms = match number.abs() {
        size if size < LEAST => return None,
        size if size < 1e11 => number * 1e3,
        size if size < 1e14 => number,
        size if size < 1e17 => number / 1e3,
        size if size < 1e20 => number / 1e6,
        _ => return None,
    };
    let ms = ms.round() as i64;
    let at = jiff::Timestamp::from_millisecond(ms).ok()?;
    Some(Timestamp::from_millis(at.as_millisecond()))
}

/// Checks an id. Ids are never altered, because two ids could become equal.
fn checked(field: &str, id: String) -> Result<String, Skip> {
    let problem = if id.trim().is_empty() {
        "empty"
    } else if id.len() > ID_MAX {
        "longer than 256 bytes"
    } else if id.contains(char::is_control) {
        "has control characters"
    } else {
        return Ok(id);
    };
    Err(Skip::of_field(SkipReason::BadId, field, problem))
}

fn optional(field: &str, id: Option<String>) -> Result<Option<String>, Skip> {
    id.map(|id| checked(field, id)).transpose()
}

fn all(field: &str, ids: Vec<String>) -> Result<Vec<String>, Skip> {
    ids.into_iter().map(|id| checked(field, id)).collect()
}

fn kept(text: &str, max: usize, shortened: Change, changes: &mut Vec<Change>) -> String {
    // Line ends of Windows do not count as removed control characters.
    let text = text.replace("\r\n", "\n");
    let clean = without_controls(&text);
    if clean.len() < text.len() && !changes.contains(&Change::ControlsRemoved) {
        changes.push(Change::ControlsRemoved);
    }
    let kept = cut(&clean, max);
    if kept.len() < clean.len() {
        changes.push(shortened);
    }
    kept.to_owned()
}

#[cfg(test)]
mod tests;
