//! `threadlore memory`: what the bot was told to remember, and found out by its answers.
//!
//! | file | holds |
//! |---|---|
//! | `list`, `show`, `graph` | a command each |
//! | `change` | `add`, `change`, `restore` and `forget` |

mod change;
mod graph;
mod list;
mod show;

use threadlore_model::SpaceId;
use threadlore_store_postgres::{ListedMemory, MemoryFilter};

use super::Call;
use crate::cli::{Memory, OneMemory};
use crate::exit::BadInput;

pub(super) async fn run(command: &Memory, call: &Call<'_>) -> anyhow::Result<u8> {
    match command {
        Memory::List(options) => list::run(options, call).await,
        Memory::Graph(options) => graph::run(options, call).await,
        Memory::Show(options) => show::run(options, call).await,
        Memory::Add(options) => change::add(options, call).await,
        Memory::Change(options) => change::change(options, call).await,
        Memory::Restore(options) => change::restore(options, call).await,
        Memory::Forget(options) => change::forget(options, call).await,
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
