//! Between chat platforms and the log: importers, which make chat logs of other programs platform
//! events in `chat.inbox`; what a live channel needs; the rendering of answers for each platform; and
//! a gateway.
//!
//! An import reads a file once, line by line, in bounded memory. Every line is counted exactly
//! once: imported, recognised as a system line, blank, skipped for a stated reason, or imported by
//! an earlier run. The result for a line depends on other lines only through the day, the clock and
//! the count of equal lines. So a file that is read again gives the same ids, and `intake` drops
//! the repeats.
//!
//! | module | holds |
//! |---|---|
//! | [`files`](LogFile) | paths to readers, with errors that say what to do |
//! | `packed` | what is packed by gzip, or in UTF-16 |
//! | [`lines`](Source) | lines no longer than a limit, decoded and cleaned |
//! | [`format`](Format) | the table of formats, and how a format is found out |
//! | [`format::irc`](Format::Irc) | Ubuntu-style IRC logs |
//! | [`format::jsonl`](Format::JsonLines) | our own format, `docs/import-format.md` |
//! | [`exports`](Export) | exports of Telegram, Slack and DiscordChatExporter, chat by chat, as our own format |
//! | [`history`](end_history) | the end of imported history |
//! | [`live`](LiveChannel) | messages of a live channel, and what the responder decides about it |
//! | [`body`](Batch) | the JSON lines of a call, taken as a whole or not at all |
//! | [`import`](import()) | batches to the log, checkpoints, the closing count |
//! | [`render`](render()) | Markdown to messages of Matrix, Telegram, Slack, Discord, or plain text |
//! | [`irc`](IrcGateway) | the gateway of an IRC server |
//! | [`matrix`](MatrixGateway) | the gateway of an account of Matrix |
//! | [`webhook`](WebhookGateway) | the gateway of platforms that make and take HTTP calls |

mod body;
mod bots;
mod checkpoint;
mod error;
mod exports;
mod files;
mod format;
mod history;
mod import;
mod irc;
mod lines;
mod live;
mod looks;
mod matrix;
mod moments;
mod packed;
mod parsed;
mod render;
mod source;
mod summary;
mod target;
mod text;
mod webhook;

pub use body::{BadBody, Batch, read as read_body};
pub use bots::{BadPattern, Bots, Habits};
pub use error::ImportError;
pub use exports::{Export, ExportChat, export, is_export};
pub use files::{LogFile, files};
pub use format::{ClockHours, ClockStyle, Format, UnknownFormat};
pub use history::end_history;
pub use import::{ImportOptions, Input, Progress, import, survey};
pub use irc::{IrcConfig, IrcError, IrcGateway, IrcSettings};
pub use live::{Decisions, LiveChannel, Posted};
pub use matrix::{MatrixConfig, MatrixError, MatrixGateway, MatrixSettings};
pub use parsed::{Change, Item, Parsed, Skip, SkipReason};
pub use render::{Part, Platform, render};
pub use source::{Position, Source};
pub use summary::{ClockNote, PassedOver, Place, Summary, Tally};
pub use target::Target;
pub use webhook::{WebhookConfig, WebhookError, WebhookFormat, WebhookGateway};
