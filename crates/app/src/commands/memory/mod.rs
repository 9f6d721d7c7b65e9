//! `threadlore memory`: what the bot was told to remember, and found out by its answers.
//!
//! | file | holds |
//! |---|---|
//! | `list`, `show` | a command each |
//! | `change` | `add` and `forget` |

mod change;
mod list;
mod show;

use serde::Serialize;
use threadlore_model::{MemoryHome, SpaceId};
use threadlore_store_postgres::{ListedExchange, ListedMemory, MemoryFilter};

use super::Call;
use crate::cli::{Memory, OneMemory};
use crate::exit::BadInput;

pub(super) async fn run(command: &Memory, call: &Call<'_>) -> anyhow::Result<u8> {
    match command {
        Memory::List(options) => list::run(options, call).await,
        Memory::Show(options) => show::run(options, call).await,
        Memory::Add(options) => change::add(options, call).await,
        Memory::Forget(options) => change::forget(options, call).await,
    }
}

/// A memory, as it is printed.
#[derive(Debug, Serialize)]
struct Row {
    memory: String,
    /// `memory_bank` for what somebody said; else it is an exchange.
    tier: &'static str,
    /// `person`: only who said it is told; `bank`: everybody who can read the channel. Null for an
    /// exchange.
    home: Option<&'static str>,
    channel: String,
    /// Null for an exchange.
    person: Option<String>,
    /// Null when erased, and for what was said on the command line.
    name: Option<String>,
    /// The message that says it; null for what was said on the command line.
    message: Option<String>,
    /// Null when erased. Of an exchange, the question that was asked last.
    text: Option<String>,
    /// What is known of an exchange.
    exchange: Option<Exchange>,
    said_at: String,
    archived_at: Option<String>,
    /// `replaced`, `full`, `expired` or `failed`.
    archive_reason: Option<&'static str>,
    archived_by: Option<String>,
    erased_at: Option<String>,
    /// How many answers quote it.
    told: u64,
}

/// An exchange, as it is printed.
#[derive(Debug, Serialize)]
struct Exchange {
    case: String,
    /// Null when erased.
    title: Option<String>,
    /// The chance that it works when it is given again, in thousandths.
    score: i64,
    worked: i64,
    failed: i64,
    partial: i64,
    used_at: String,
    /// When it leaves its tier; null where it does not.
    until: Option<String>,
}

impl Exchange {
    fn of(exchange: &ListedExchange) -> Self {
        Self {
            case: exchange.case.to_string(),
            title: exchange.title.clone(),
            score: exchange.score,
            worked: exchange.worked,
            failed: exchange.failed,
            partial: exchange.partial,
            used_at: exchange.used_at.to_string(),
            until: exchange.until.map(|at| at.to_string()),
        }
    }

    /// How often it worked, in words.
    fn tried(&self) -> String {
        let uses = self.worked + self.failed + self.partial;
        format!("worked {} of {uses}", self.worked)
    }
}

impl Row {
    fn of(memory: &ListedMemory) -> Self {
        let archived = memory.archived.as_ref();
        Self {
            memory: memory.memory.to_string(),
            tier: memory.tier.name(),
            home: memory.home.map(MemoryHome::name),
            channel: memory.channel.to_string(),
            person: memory.person.map(|person| person.to_string()),
            name: memory.name.clone(),
            message: memory.message.map(|message| message.to_string()),
            text: memory.text.clone(),
            exchange: memory.exchange.as_ref().map(Exchange::of),
            said_at: memory.said_at.to_string(),
            archived_at: archived.map(|(at, _)| at.to_string()),
            archive_reason: archived.map(|(_, reason)| reason.name()),
            archived_by: memory.archived_by.map(|by| by.to_string()),
            erased_at: memory.erased_at.map(|at| at.to_string()),
            told: memory.told,
        }
    }

    /// What became of it, in one word.
    fn state(&self) -> &'static str {
        match (&self.erased_at, self.archive_reason) {
            (Some(_), _) => "erased",
            (None, Some(reason)) => reason,
            (None, None) => self.home.unwrap_or(self.tier),
        }
    }
}

/// The memory that is named, and its space.
///
/// # Errors
/// `BadInput` when the space has none of that id.
async fn find(options: &OneMemory, call: &Call<'_>) -> anyhow::Result<(SpaceId, ListedMemory)> {
    let node = &call.host.node;
    let space = call.space(options.space.as_ref()).await?;
    let filter = MemoryFilter {
        memory: Some(options.memory),
        limit: 1,
        ..MemoryFilter::default()
    };
    let (found, _) = node.memories(&space, filter).await?;
    let Some(memory) = found.into_iter().next() else {
        return Err(BadInput(format!(
            "nothing is remembered under {} in the space {space}: `threadlore memory list --all \
             --space {space}` lists what is",
            options.memory
        ))
        .into());
    };
    Ok((space, memory))
}
