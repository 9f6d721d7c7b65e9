//! Mail: an mbox file, as mail programs and archives of mailing lists have it (mailman's text archives
//! too, which hide addresses as `ann at example.org`), or a folder of them. All of it is one channel.
//!
//! | file | holds |
//! |---|---|
//! | `mbox` | the messages of a file, one after the other |
//! | `own` | what somebody wrote, without what is quoted, signed or added by a list |

mod mbox;
mod own;

use std::collections::HashMap;
use std::io::BufRead;

use jiff::Timestamp;
use mail_parser::{Address, HeaderValue, MessageParser, MimeHeaders};

use super::files::{Files, One};
use super::lines::{File, Message};
use super::{SortedChat, Writer};
use crate::error::ImportError;
use mbox::{Mbox, is_mbox};
use own::{own_words, subject};

/// Files of a folder that are looked at to find out what it is.
const LOOKED_AT: usize = 3;
/// Messages whose thread is remembered, for those that name no more than what they reply to.
const REMEMBERED: usize = 1_000_000;

pub(super) fn is(files: &Files) -> bool {
    match files.alone() {
        Some(one) => is_mbox(&one.head()),
        None => boxes(files).take(LOOKED_AT).any(|one| is_mbox(&one.head())),
    }
}

/// The files that may be mail, by their names.
fn boxes(files: &Files) -> impl Iterator<Item = One<'_>> {
    files.top().filter(|one| {
        let name = one.name.strip_suffix(".gz").unwrap_or(one.name);
        name.ends_with(".mbox") || name.ends_with(".txt")
    })
}

pub(super) fn read(files: &Files, writer: &mut Writer) -> Result<(), ImportError> {
    let mut list = List {
        threads: HashMap::new(),
        last: 0,
        chat: SortedChat::default(),
        writer,
    };
    match files.alone() {
        Some(one) => list.read(one)?,
        None => {
            // The names of months do not sort as months do, and an answer comes after its question.
            let dated = boxes(files).filter_map(|one| {
                let head = one.head();
                is_mbox(&head).then(|| (first(&head), one))
            });
            let mut dated: Vec<(Option<Timestamp>, One<'_>)> = dated.collect();
            dated.sort_by_key(|(at, _)| *at);
            for (_, one) in dated {
                list.read(one)?;
            }
        }
    }
    let (chat, title) = (list.chat, files.title());
    let ended = writer.end_sorted(&title, &title, chat);
    ended.map_err(|e| files.failed(e))
}

/// The date of the first message of a file.
fn first(head: &[u8]) -> Option<Timestamp> {
    let bytes = Mbox::new(head).next().ok()??;
    let mail = MessageParser::new().parse(&bytes)?;
    mail.date()?.to_rfc3339().parse().ok()
}

struct List<'a> {
    /// The first message of the thread that a message is in.
    threads: HashMap<String, String>,
    /// The date of the message before: that of one without a date that is one.
    last: i64,
    chat: SortedChat,
    writer: &'a mut Writer,
}

impl List<'_> {
    fn read(&mut self, one: One<'_>) -> Result<(), ImportError> {
        let mut mbox = Mbox::new(one.reader()?);
        self.take(&mut mbox).map_err(|e| one.failed(e))
    }

    fn take(&mut self, mbox: &mut Mbox<impl BufRead>) -> std::io::Result<()> {
        while let Some(bytes) = mbox.next()? {
            let message = self.message(&bytes);
            let date = message
                .as_ref()
                .and_then(|one| one.at.parse::<Timestamp>().ok());
            self.last = date.map_or(self.last, Timestamp::as_millisecond);
            let read = message.ok_or_else(|| serde::de::Error::custom("no message"));
            let (chat, last) = (&mut self.chat, self.last);
            self.writer.sorted_entry(chat, last, read.map(Some))?;
        }
        Ok(())
    }

    /// `None` for what has no header at all.
    fn message(&mut self, bytes: &[u8]) -> Option<Message> {
        let mail = MessageParser::new().parse(bytes)?;
        let id = mail.message_id().map(str::to_owned);
        let (author, name) = mail.from().and_then(sender).unzip();
        let at = mail.date().map(mail_parser::DateTime::to_rfc3339);
        let references = ids(mail.references());
        let replied = ids(mail.in_reply_to());
        let reply_to = replied.first().or(references.last()).cloned();
        let root = match (references.first(), &reply_to) {
            (Some(root), _) => Some(root.clone()),
            (None, Some(reply)) => self.threads.get(reply).or(Some(reply)).cloned(),
            (None, None) => id.clone(),
        };
        if let Some((id, root)) = id.clone().zip(root.clone())
            && self.threads.len() < REMEMBERED
        {
            self.threads.insert(id, root);
        }
        let body = mail.body_text(0).unwrap_or_default();
        let mut text = own_words(&body);
        let about = mail.subject().map(subject).unwrap_or_default();
        if reply_to.is_none() && !about.is_empty() {
            // What a thread is about stands nowhere else.
            text = format!("{about}\n\n{text}").trim_end().to_owned();
        }
        let automatic = mail.header_raw("Auto-Submitted").map(str::trim);
        let files = mail.attachments().filter_map(|part| {
            let kind = part.content_type();
            let media_type = kind.map(|kind| match kind.subtype() {
                Some(subtype) => format!("{}/{subtype}", kind.ctype()),
                None => kind.ctype().to_owned(),
            });
            Some(File {
                name: part.attachment_name()?.to_owned(),
                media_type,
                bytes: Some(part.contents().len() as u64),
            })
        });
        Some(Message {
            id,
            author,
            name: name.flatten(),
            bot: automatic.is_some_and(|how| how != "no"),
            text,
            at: at.unwrap_or_default(),
            reply_to,
            thread: root,
            files: files.collect(),
            ..Message::default()
        })
    }
}

/// Who wrote, and the name.
fn sender(from: &Address<'_>) -> Option<(String, Option<String>)> {
    let one = from.first()?;
    let name = one.name.as_deref().map(str::trim);
    let address = one.address.as_deref().unwrap_or_default().trim();
    // Archives write `ann at example.org (Ann Lee)`, which is no address.
    let (address, name) = match address.contains('@') {
        true => (address.to_owned(), name),
        false => {
            let written = match (name, address) {
                (Some(name), "") => name,
                (_, address) => address,
            };
            let (hidden, shown) = match written.split_once('(') {
                Some((hidden, shown)) => (hidden, Some(shown.trim_end_matches(')').trim())),
                None => (written, name.filter(|name| *name != written)),
            };
            (hidden.trim().replace(" at ", "@"), shown)
        }
    };
    let name = name.filter(|name| !name.is_empty()).map(str::to_owned);
    (!address.is_empty()).then(|| (address.to_lowercase(), name))
}

fn ids(header: &HeaderValue<'_>) -> Vec<String> {
    match header {
        HeaderValue::Text(id) => vec![id.to_string()],
        HeaderValue::TextList(ids) => ids.iter().map(ToString::to_string).collect(),
        _ => Vec::new(),
    }
}
