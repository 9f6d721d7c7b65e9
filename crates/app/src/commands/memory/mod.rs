//! `threadlore memory`: what the bot was told to remember.
//!
//! | file | holds |
//! |---|---|
//! | `list`, `show` | a command each |
//! | `change` | `add` and `forget` |

mod change;
mod list;
mod show;

use serde::Serialize;
use threadlore_model::SpaceId;
use threadlore_store_postgres::{ListedMemory, MemoryFilter};

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
    /// `person`: only who said it is told; `bank`: everybody who can read the channel.
    home: &'static str,
    channel: String,
    person: String,
    /// Null when erased, and for what was said on the command line.
    name: Option<String>,
    /// The message that says it; null for what was said on the command line.
    message: Option<String>,
    /// Null when erased.
    text: Option<String>,
    said_at: String,
    archived_at: Option<String>,
    /// `replaced` or `full`.
    archive_reason: Option<&'static str>,
    archived_by: Option<String>,
    erased_at: Option<String>,
    /// How many answers quote it.
    told: u64,
}

impl Row {
    fn of(memory: &ListedMemory) -> Self {
        let archived = memory.archived.as_ref();
        Self {
            memory: memory.memory.to_string(),
            home: memory.home.name(),
            channel: memory.channel.to_string(),
            person: memory.person.to_string(),
            name: memory.name.clone(),
            message: memory.message.map(|message| message.to_string()),
            text: memory.text.clone(),
            said_at: memory.said_at.to_string(),
            archived_at: archived.map(|(at, ..)| at.to_string()),
            archive_reason: archived.map(|(_, reason, _)| reason.name()),
            archived_by: archived.map(|(.., by)| by.to_string()),
            erased_at: memory.erased_at.map(|at| at.to_string()),
            told: memory.told,
        }
    }

    /// What became of it, in one word.
    fn state(&self) -> &'static str {
        match (&self.erased_at, self.archive_reason) {
            (Some(_), _) => "erased",
            (None, Some(reason)) => reason,
            (None, None) => self.home,
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
