//! `memory`.

use clap::{Args, Subcommand};
use threadlore_model::{ChannelId, MemoryId, SpaceId};

/// What to do with what the bot was told to remember.
#[derive(Debug, Subcommand)]
pub(crate) enum Memory {
    /// List what is remembered, the newest first.
    List(MemoryList),
    /// Show what is known of one: who said it, where, what became of it, how often it was told.
    Show(OneMemory),
    /// Have something remembered that everybody is told who can read a channel.
    Add(MemoryAdd),
    /// Erase one for good, and take the answers of the last day back that quote it.
    Forget(OneMemory),
}

/// Options of `memory list`.
#[derive(Debug, Args)]
pub(crate) struct MemoryList {
    /// The space; without it `default`, or the only one that there is.
    #[arg(long)]
    pub(crate) space: Option<SpaceId>,
    /// Only what was said in this channel.
    #[arg(long, value_name = "PLATFORM:NAME")]
    pub(crate) channel: Option<ChannelId>,
    /// Also what is told no more.
    #[arg(long)]
    pub(crate) all: bool,
    /// How many to list.
    #[arg(long, default_value_t = 20, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) limit: u16,
}

/// Options of `memory add`.
#[derive(Debug, Args)]
pub(crate) struct MemoryAdd {
    /// What is to be remembered, in the words in which it is to be told.
    pub(crate) text: String,
    /// The channel whose readers are told.
    #[arg(long, value_name = "PLATFORM:NAME")]
    pub(crate) channel: ChannelId,
    /// The space; without it `default`, or the only one that there is.
    #[arg(long)]
    pub(crate) space: Option<SpaceId>,
}

/// Options of `memory show` and `memory forget`.
#[derive(Debug, Args)]
pub(crate) struct OneMemory {
    /// The id that `memory list` prints.
    #[arg(value_name = "ID")]
    pub(crate) memory: MemoryId,
    /// The space; without it `default`, or the only one that there is.
    #[arg(long)]
    pub(crate) space: Option<SpaceId>,
}
