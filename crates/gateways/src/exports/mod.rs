//! Exports of chat platforms: one file, archive or folder with several chats. Each chat becomes JSON
//! lines ([`Format::JsonLines`](crate::Format::JsonLines)) in a file without a name, which is gone with
//! this process, and is imported as such: whatever cannot be taken is skipped there, counted and named.
//!
//! | file | holds |
//! |---|---|
//! | `files` | the files of an export, whether in a folder, an archive or alone |
//! | `each` | a list of a document, element by element |
//! | `spool` | the file without a name, and a part of it as a reader |
//! | `lines` | messages and reactions as JSON lines |
//! | `mended` | JSON that programs write and no parser reads |
//! | `telegram`, `discord`, `slack`, `whatsapp`, `matrix`, `zulip`, `github`, `mail` | a platform each |
//!
//! To add a platform: a module that says what its exports look like and reads them, and a line in
//! [`PLATFORMS`].

mod discord;
mod each;
mod files;
mod github;
mod lines;
mod mail;
mod matrix;
mod mended;
mod slack;
mod spool;
mod telegram;
mod whatsapp;
mod zulip;

use std::collections::BTreeSet;
use std::io::{self, BufReader, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

use threadlore_model::ChannelId;

use crate::error::ImportError;
use crate::import::Input;
use files::Files;
use lines::Message;
use spool::{Part, Spool};

pub(crate) use mended::mended;

/// The longest name of a channel that is made of a chat's name, in characters.
const NAME: usize = 100;

/// A platform whose exports are read.
struct PlatformExports {
    /// As in the channel's name.
    platform: &'static str,
    /// For people.
    name: &'static str,
    /// Whether this is an export of the platform.
    is: fn(&Files) -> bool,
    /// Reads it.
    read: fn(&Files, &mut Writer) -> Result<(), ImportError>,
}

const PLATFORMS: [PlatformExports; 8] = [
    PlatformExports {
        platform: "telegram",
        name: "Telegram",
        is: telegram::is,
        read: telegram::read,
    },
    PlatformExports {
        platform: "discord",
        name: "DiscordChatExporter",
        is: discord::is,
        read: discord::read,
    },
    PlatformExports {
        platform: "whatsapp",
        name: "WhatsApp",
        is: whatsapp::is,
        read: whatsapp::read,
    },
    PlatformExports {
        platform: "slack",
        name: "Slack",
        is: slack::is,
        read: slack::read,
    },
    PlatformExports {
        platform: "matrix",
        name: "Element",
        is: matrix::is,
        read: matrix::read,
    },
    PlatformExports {
        platform: "zulip",
        name: "Zulip",
        is: zulip::is,
        read: zulip::read,
    },
    PlatformExports {
        platform: "github",
        name: "GitHub",
        is: github::is,
        read: github::read,
    },
    PlatformExports {
        platform: "mail",
        name: "mail",
        is: mail::is,
        read: mail::read,
    },
];

/// An export, read.
#[derive(Debug)]
pub struct Export {
    /// The program or platform that wrote it.
    pub name: &'static str,
    /// Its chats.
    pub chats: Vec<ExportChat>,
    /// Names of conversations among a few people that were left out.
    pub left_out: Vec<String>,
}

/// A chat of an export.
#[derive(Debug)]
pub struct ExportChat {
    /// The channel that it is imported into, unless another one is named.
    pub channel: ChannelId,
    /// Its messages.
    pub messages: u64,
    name: String,
    part: Part,
}

impl ExportChat {
    /// Its messages, for an import.
    #[must_use]
    pub fn input(&self) -> Input<BufReader<impl Read + std::io::Seek + Send + use<>>> {
        Input {
            name: self.name.clone(),
            size: self.part.size(),
            reader: BufReader::with_capacity(64 << 10, self.part.reader()),
        }
    }
}

/// Whether there is an export at a path, which has channels of its own.
///
/// # Errors
/// The file cannot be opened.
pub fn is_export(path: &Path) -> Result<bool, ImportError> {
    Ok(found(path)?.is_some())
}

/// Reads the export at a path; `None` where what is there is none.
///
/// # Errors
/// It cannot be read, is damaged, or has no chat that several people can read.
pub fn export(path: &Path) -> Result<Option<Export>, ImportError> {
    let Some((files, platform)) = found(path)? else {
        return Ok(None);
    };
    let mut writer = Writer {
        spool: Spool::new().map_err(|e| files.failed(e))?,
        platform: platform.platform,
        path: files.path.clone(),
        taken: BTreeSet::new(),
        chats: Vec::new(),
        left_out: Vec::new(),
    };
    let read = (platform.read)(&files, &mut writer);
    if writer.spool.is_full() {
        let file = files.path.display().to_string();
        return Err(ImportError::NoRoom { file });
    }
    read?;
    writer.spool.flush().map_err(|e| files.failed(e))?;
    let Writer {
        spool,
        chats,
        left_out,
        ..
    } = writer;
    if chats.is_empty() {
        let file = files.path.display().to_string();
        return Err(ImportError::NoChats { file, left_out });
    }
    let spool = spool.done().map_err(|e| files.failed(e))?;
    let chats = chats.into_iter().map(|chat| ExportChat {
        channel: chat.channel,
        messages: chat.messages,
        name: chat.name,
        part: spool.part(chat.bytes),
    });
    Ok(Some(Export {
        name: platform.name,
        chats: chats.collect(),
        left_out,
    }))
}

fn found(path: &Path) -> Result<Option<(Files, &'static PlatformExports)>, ImportError> {
    let files = Files::open(path)?;
    let platform = PLATFORMS.iter().find(|platform| (platform.is)(&files));
    Ok(platform.map(|platform| (files, platform)))
}

/// Takes the chats of an export.
struct Writer {
    spool: Spool,
    platform: &'static str,
    path: PathBuf,
    taken: BTreeSet<String>,
    chats: Vec<ChatPart>,
    left_out: Vec<String>,
}

struct ChatPart {
    channel: ChannelId,
    messages: u64,
    name: String,
    bytes: Range<u64>,
}

/// A chat whose messages stand among those of others, or in another order.
#[derive(Default)]
struct SortedChat {
    messages: u64,
    /// What each is sorted by, and where it was written.
    entries: Vec<(i64, Range<u64>)>,
}

impl Writer {
    /// Takes an entry of such a chat; `order` says where its place is.
    fn sorted_entry(
        &mut self,
        chat: &mut SortedChat,
        order: i64,
        read: serde_json::Result<Option<Message>>,
    ) -> io::Result<()> {
        self.entry(read, &mut chat.messages)?;
        chat.entries.push((order, self.spool.since_last()));
        Ok(())
    }

    /// Ends such a chat.
    fn end_sorted(&mut self, title: &str, id: &str, mut chat: SortedChat) -> io::Result<()> {
        chat.entries.sort_by_key(|(order, _)| *order);
        self.spool.flush()?;
        for (_, bytes) in &chat.entries {
            self.spool.again(bytes)?;
        }
        self.end(title, id, chat.messages);
        Ok(())
    }

    /// Ends a chat: what was written since the last one ended. A chat without messages is none.
    fn end(&mut self, title: &str, id: &str, messages: u64) {
        let bytes = self.spool.since_last();
        if messages == 0 {
            return;
        }
        let channel = self.channel(title, id);
        let name = format!("{}/{}", self.path.display(), channel.as_str());
        self.chats.push(ChatPart {
            channel,
            messages,
            name,
            bytes,
        });
    }

    /// The same for one that only its few members may know of: it is not imported.
    fn leave_out(&mut self, title: &str) {
        self.spool.forget_since_last();
        self.left_out.push(title.to_owned());
    }

    /// A channel that no other chat of the export has.
    fn channel(&mut self, title: &str, id: &str) -> ChannelId {
        let shown = plain(title);
        let name = match shown.is_empty() {
            true => plain(id),
            false => shown,
        };
        let mut native = name.clone();
        let mut more = 1;
        while !self.taken.insert(native.clone()) {
            more += 1;
            native = format!("{name}-{more}");
        }
        let channel = ChannelId::parse(&format!("{}:{native}", self.platform));
        channel.unwrap_or_else(|_| unreachable!("`plain` leaves what a channel may have"))
    }
}

/// A name without what a channel's may not have.
fn plain(name: &str) -> String {
    let parts = name.split(|c: char| c == '/' || c.is_whitespace() || c.is_control());
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    parts.join("-").chars().take(NAME).collect()
}

#[cfg(test)]
mod tests;
