//! Rendering: the Markdown of an answer becomes messages of a platform.
//!
//! [`render`] is a pure function. What it is given is not trusted: an answer quotes what people
//! wrote. So text always comes out as text. Raw HTML is shown and never live, only web and mail
//! addresses become links, and names of whole rooms (`@everyone`, `<!channel>`) get an invisible
//! character, so that they notify nobody. Control characters and overrides of the direction of
//! writing are removed. Nesting is bounded: what is nested deeper is shown less deep.
//!
//! | platform | formatted | a part has at most |
//! |---|---|---|
//! | Matrix | HTML of `org.matrix.custom.html` | 40,000 bytes, body and HTML together, as JSON |
//! | Telegram | HTML of its Bot API | 4,096 UTF-16 units of text, 16,384 of HTML, 100 entities |
//! | Slack | mrkdwn | 3,000 characters: a block's text, below the 4,000 that a message shows well |
//! | Discord | Markdown | 2,000 characters |
//! | plain | nothing | what the caller says |
//!
//! An event of Matrix has 65,536 bytes. A part leaves room for its envelope, and for an encrypted
//! room, where the content grows by a third.
//!
//! A text that is longer than a part is split at the end of a paragraph, or else of a line, a
//! sentence or a word, if there is one in the second half of the part. A link, a run of code or of
//! bold text is not cut if it fits into a part; a longer one, and a block of code, is closed and
//! opened again. A grapheme cluster is cut only where a part is too short for it. White space at a
//! cut is dropped outside of code.
//!
//! | module | holds |
//! |---|---|
//! | `parse` | Markdown to a list of pieces, made safe |
//! | `address` | which addresses may be links |
//! | `mentions` | names that would notify a room |
//! | `document` | the pieces |
//! | `dialect` | what a markup language is: `plain`, `matrix`, `telegram`, `slack`, `discord` |
//! | `page` | one part while it is written |
//! | `size` | how the platforms count |
//! | `split` | where a part ends |

mod address;
mod dialect;
mod discord;
mod document;
mod matrix;
mod mentions;
mod page;
mod parse;
mod plain;
mod size;
mod slack;
mod split;
mod telegram;

use std::fmt;

use dialect::Dialect;
use parse::Rules;
use size::{Limits, Unit};

/// What a text is rendered for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Platform {
    /// `body` and `formatted_body` of an `m.room.message`. Send it with an empty `m.mentions`.
    Matrix,
    /// The text of `sendMessage`, with the parse mode `HTML`.
    Telegram,
    /// The `text` of `chat.postMessage`, or of a section block, as mrkdwn.
    Slack,
    /// The `content` of a message. Send it with no `allowed_mentions`.
    Discord,
    /// Text without markup, in parts of at most `limit` characters. A limit counts as at least
    /// 128, and `usize::MAX` gives one part.
    Plain {
        /// Unicode scalar values of a part, at most.
        limit: usize,
    },
}

/// One message.
#[derive(Clone, PartialEq, Eq)]
pub struct Part {
    /// The text without markup, within the platform's limit: for clients without markup, and to be
    /// sent where the platform refuses `formatted`. The target of a link follows its text.
    pub body: String,
    /// The text in the platform's markup, where it has one.
    pub formatted: Option<String>,
}

/// Shows lengths in bytes, because a part has what people wrote.
impl fmt::Debug for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Part")
            .field("body", &self.body.len())
            .field("formatted", &self.formatted.as_ref().map(String::len))
            .finish()
    }
}

/// Renders Markdown (CommonMark with strikethrough; a table is shown as it is written) as messages in their order. There
/// is none where the text has nothing that can be seen. It takes time and memory in proportion to
/// the length of the text.
#[must_use]
pub fn render(markdown: &str, platform: Platform) -> Vec<Part> {
    let document = parse::parse(markdown, &platform.rules());
    split::split(&document, platform.dialect(), platform.limits())
}

/// Fewest characters of a part of plain text: more than the prefix of any line.
const PLAIN_LEAST: usize = 128;

impl Platform {
    fn dialect(self) -> Option<&'static dyn Dialect> {
        match self {
            Self::Matrix => Some(&matrix::Matrix),
            Self::Telegram => Some(&telegram::Telegram),
            Self::Slack => Some(&slack::Slack),
            Self::Discord => Some(&discord::Discord),
            Self::Plain { .. } => None,
        }
    }

    fn limits(self) -> Limits {
        let same = |unit, most| Limits {
            unit,
            body: most,
            formatted: most,
            both: usize::MAX,
            entities: usize::MAX,
        };
        match self {
            Self::Matrix => Limits {
                both: 40_000,
                ..same(Unit::JsonBytes, 40_000)
            },
            Self::Telegram => Limits {
                formatted: 16_384,
                entities: 100,
                ..same(Unit::Utf16, 4_096)
            },
            Self::Slack => same(Unit::Characters, 3_000),
            Self::Discord => same(Unit::Characters, 2_000),
            Self::Plain { limit } => same(Unit::Characters, limit.max(PLAIN_LEAST)),
        }
    }

    fn rules(self) -> Rules {
        let nested = matches!(self, Self::Matrix | Self::Plain { .. });
        Rules {
            quotes: if nested { 4 } else { 1 },
            mail: matches!(self, Self::Matrix | Self::Slack),
            rooms: match self {
                Self::Matrix => &["room"],
                Self::Slack => &["channel", "everyone", "group", "here"],
                Self::Discord => &["everyone", "here"],
                Self::Telegram | Self::Plain { .. } => &[],
            },
            references: matches!(self, Self::Slack | Self::Discord),
        }
    }
}

#[cfg(test)]
mod tests;
