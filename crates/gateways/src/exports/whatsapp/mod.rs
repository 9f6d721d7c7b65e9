//! "Export chat" of WhatsApp: a text file of one chat, `_chat.txt` from iPhones and `WhatsApp Chat with
//! NAME.txt` from Android, alone, in the zip archive that the app makes, or in a folder.
//!
//! The app writes no ids and no zone: a message is known by its moment, writer and words, and by how many
//! of the same came before it. Dates are as the phone's language has them, and which of their
//! numbers is the day follows from all of them.
//!
//! | file | holds |
//! |---|---|
//! | `head` | the beginning of a message: date, time and writer |
//! | `text` | what a message says, without the marks of the app |

mod head;
mod text;

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Seek};
use std::path::Path;

use jiff::SignedDuration;
use jiff::civil::DateTime;
use sha2::{Digest, Sha256};

use super::Writer;
use super::files::{Files, One, stem};
use super::lines::Message;
use super::spool::PartReader;
use crate::error::ImportError;
use crate::moments::Moments;
use head::{Clock, Head, Order, head};

/// The name of the file in what iPhones make.
const CHAT: &str = "_chat.txt";
/// Lines that are looked at to find out what a file is.
const LOOKED_AT: usize = 20;
/// The most bytes of a line, and of a message: what is longer is cut there.
const LONGEST: usize = 1 << 20;
/// The words that the app puts before the name of a chat, in some languages of phones.
const TITLES: [&str; 12] = [
    "WhatsApp Chat with ",
    "WhatsApp Chat - ",
    "WhatsApp-Chat mit ",
    "WhatsApp Chat mit ",
    "Chat de WhatsApp con ",
    "Discussion WhatsApp avec ",
    "Conversa do WhatsApp com ",
    "Chat WhatsApp con ",
    "Чат WhatsApp с контактом ",
    "Чат WhatsApp с группой ",
    "Чат WhatsApp із ",
    "צ'אט WhatsApp עם ",
];

/// The file of the chat.
fn chat(files: &Files) -> Option<One<'_>> {
    let is_named = |one: &One<'_>| one.name.ends_with(".txt") && one.name.contains("WhatsApp");
    files
        .alone()
        .or_else(|| files.one(CHAT))
        .or_else(|| files.top().find(is_named))
}

pub(super) fn is(files: &Files) -> bool {
    chat(files).is_some_and(|one| is_chat(&one.head()))
}

/// Whether most of the first lines that are not blank begin a message.
fn is_chat(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let looked_at: Vec<&str> = lines.take(LOOKED_AT).collect();
    let heads = looked_at.iter().filter(|line| head(line).is_some()).count();
    let begins = looked_at.first().is_some_and(|line| head(line).is_some());
    begins && heads * 2 >= looked_at.len()
}

pub(super) fn read(files: &Files, writer: &mut Writer) -> Result<(), ImportError> {
    let Some(at) = chat(files) else {
        return Ok(());
    };
    let mut lines = Lines {
        reader: at.reader()?,
        bytes: Vec::new(),
    };
    let order = order(&mut lines).map_err(|e| at.failed(e))?;
    lines.reader.rewind().map_err(|e| at.failed(e))?;
    let mut chat = Chat {
        order,
        said: HashMap::new(),
        last: None,
        moments: Moments::default(),
        messages: 0,
        writer,
    };
    let mut current: Option<(Head, String)> = None;
    while let Some(line) = lines.next().map_err(|e| at.failed(e))? {
        match head(&line) {
            Some(found) => {
                let begun = current.replace((found.head, found.text.to_owned()));
                chat.take(begun).map_err(|e| at.failed(e))?;
            }
            // A message of several lines goes on.
            None => match &mut current {
                Some((_, text)) if text.len() + line.len() < LONGEST => {
                    text.push('\n');
                    text.push_str(&line);
                }
                Some(_) => {}
                // Nothing came before it, so nobody said it.
                None => chat.nobody(&line).map_err(|e| at.failed(e))?,
            },
        }
    }
    chat.take(current).map_err(|e| at.failed(e))?;
    let messages = chat.messages;
    let title = title(files, at);
    writer.end(&title, &title, messages);
    Ok(())
}

/// The name of a chat, by the name of its file, archive or folder.
fn title(files: &Files, chat: One<'_>) -> String {
    let folder = files.path.parent().and_then(Path::file_name);
    let name = match (chat.name, folder) {
        (CHAT, Some(folder)) if files.path.ends_with(CHAT) => folder.to_string_lossy().into_owned(),
        (CHAT, _) => files.title(),
        (name, _) => stem(name).to_owned(),
    };
    let known = TITLES.iter().find_map(|title| name.strip_prefix(title));
    known.unwrap_or(&name).trim().to_owned()
}

/// The lines of a chat, none longer than may be.
struct Lines {
    reader: BufReader<PartReader>,
    bytes: Vec<u8>,
}

impl Lines {
    /// The next line without its end; `None` after the last one.
    fn next(&mut self) -> std::io::Result<Option<String>> {
        self.bytes.clear();
        let mut limited = self.reader.by_ref().take(LONGEST as u64);
        if limited.read_until(b'\n', &mut self.bytes)? == 0 {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&self.bytes);
        let text = text.trim_start_matches('\u{feff}');
        Ok(Some(text.trim_end_matches(['\n', '\r']).to_owned()))
    }
}

/// Which number of the dates is the day: the order in which all of them are dates and which goes back
/// least often; where both are alike, as the clock says, because who has twelve hours mostly writes the
/// month first.
fn order(lines: &mut Lines) -> std::io::Result<Order> {
    let mut tried = Order::ALL.map(|order| (order, 0u64, 0u64, None));
    let mut twelve = false;
    while let Some(line) = lines.next()? {
        let Some(found) = head(&line) else { continue };
        twelve |= matches!(found.head.clock, Clock::Morning | Clock::Afternoon);
        for (order, bad, back, last) in &mut tried {
            match found.head.at(*order) {
                None => *bad += 1,
                Some(at) => {
                    if last.is_some_and(|last| at < last) {
                        *back += 1;
                    }
                    *last = Some(at);
                }
            }
        }
    }
    let rarity = |order: Order| match order {
        Order::YearMonthDay => 2,
        Order::MonthDayYear => u8::from(!twelve),
        Order::DayMonthYear => u8::from(twelve),
    };
    let best = tried
        .iter()
        .min_by_key(|(order, bad, back, _)| (*bad, *back, rarity(*order)));
    Ok(best.map_or(Order::DayMonthYear, |(order, ..)| *order))
}

/// Takes the messages of a chat.
struct Chat<'a> {
    order: Order,
    /// How often the same was said at the same moment, since the clock went on.
    said: HashMap<[u8; 12], u32>,
    last: Option<DateTime>,
    moments: Moments,
    messages: u64,
    writer: &'a mut Writer,
}

impl Chat<'_> {
    fn take(&mut self, begun: Option<(Head, String)>) -> std::io::Result<()> {
        let Some((head, text)) = begun else {
            return Ok(());
        };
        let Some(author) = &head.author else {
            // What the app says of the chat itself.
            return self.writer.entry(Ok(None), &mut self.messages);
        };
        let Some(text) = text::said(&text) else {
            return self.writer.entry(Ok(None), &mut self.messages);
        };
        // Without a zone: the import knows it. What is no moment is skipped for it, and named.
        let civil = head.at(self.order);
        let at = civil.map_or_else(|| head.written.clone(), |civil| civil.to_string());
        let id = self.id(&head, &at, &text.text);
        let at = civil.map_or(at, |civil| self.follows(civil).to_string());
        let message = Message {
            id: Some(id),
            author: Some(author.clone()),
            name: Some(author.clone()),
            text: text.text,
            at,
            mentions: text.mentions,
            files: text.files,
            ..Message::default()
        };
        self.writer.entry(Ok(Some(message)), &mut self.messages)
    }

    /// A line before the first message: it is skipped, and counted.
    fn nobody(&mut self, line: &str) -> std::io::Result<()> {
        if line.trim().is_empty() {
            return Ok(());
        }
        let unknown = serde::de::Error::custom("no message");
        self.writer.entry(Err(unknown), &mut self.messages)
    }

    /// The moment of a message among others of its minute or second.
    fn follows(&mut self, written: DateTime) -> DateTime {
        let millis = written.duration_since(DateTime::ZERO).as_millis();
        let later = self
            .moments
            .later(i64::try_from(millis).unwrap_or_default());
        written.saturating_add(SignedDuration::from_millis(later))
    }

    /// The same for the same message of every export of the chat.
    fn id(&mut self, head: &Head, at: &str, text: &str) -> String {
        let moment = head.at(self.order);
        if moment > self.last {
            self.said.clear();
            self.last = moment;
        }
        let mut hash = Sha256::new();
        for part in [at, head.author.as_deref().unwrap_or_default(), text] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part.as_bytes());
        }
        let hash = hash.finalize();
        let mut key = [0; 12];
        key.copy_from_slice(&hash[..12]);
        let before = self.said.entry(key).or_default();
        *before += 1;
        let hex: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
        match *before {
            1 => hex,
            n => format!("{hex}-{n}"),
        }
    }
}
