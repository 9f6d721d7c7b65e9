//! `memory`.

use super::channel::yes_or_no;
use clap::{Args, Subcommand};
use threadlore_api::graph::{DAYS, MOST_DAYS};
use threadlore_model::{ChannelId, MemoryId, MemoryTier, SpaceId, Timestamp};

/// What to do with what the bot was told to remember, and found out by its answers.
#[derive(Debug, Subcommand)]
pub(crate) enum Memory {
    /// List what is remembered: first what somebody said, the newest first, then the questions whose
    /// answers worked most often.
    List(MemoryList),
    /// Show what is known of one: who said it and where, or what was asked and how often the answer worked,
    /// what became of it, how often it was told.
    Show(OneMemory),
    /// Say what people ask about: the words of their questions, who answered them and how well; of a subject
    /// also the cases that answered it, what nobody could, and the words beside it. Asks no model.
    Graph(MemoryGraph),
    /// Have something remembered that everybody is told who can read a channel.
    Add(MemoryAdd),
    /// Have everybody told something in other words, or a model know it with every question: another memory
    /// comes in its place.
    Change(MemoryChange),
    /// Have everybody told again what is told no more, in the place of what came in its own.
    Restore(OneMemory),
    /// Erase what somebody said for good, and take the answers of the last day back that quote it.
    Forget(OneMemory),
}

/// Options of `memory list`.
#[derive(Debug, Args)]
pub(crate) struct MemoryList {
    /// The space; without it `default`, or the only one that there is.
    #[arg(long)]
    pub(crate) space: Option<SpaceId>,
    /// Only what is kept so long: `memory_bank` is what somebody said to be remembered, `working`,
    /// `history` and `patterns` are questions with the answers that they got.
    #[arg(long, value_name = "TIER", value_parser = tier)]
    pub(crate) tier: Option<MemoryTier>,
    /// Only what was said, or asked, in this channel.
    #[arg(long, value_name = "PLATFORM:NAME")]
    pub(crate) channel: Option<ChannelId>,
    /// Also what is told no more.
    #[arg(long)]
    pub(crate) all: bool,
    /// How many to list.
    #[arg(long, default_value_t = 20, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) limit: u16,
}

fn tier(text: &str) -> Result<MemoryTier, String> {
    let mut all = MemoryTier::ALL.into_iter();
    all.find(|tier| tier.name() == text).ok_or_else(|| {
        let names = MemoryTier::ALL.map(MemoryTier::name);
        format!("a tier is one of {}", names.join(", "))
    })
}

/// Options of `memory graph`.
#[derive(Debug, Args)]
pub(crate) struct MemoryGraph {
    /// Words of a subject, or a whole question.
    #[arg(value_name = "WORD")]
    pub(crate) about: Vec<String>,
    /// A word to which the first one leads, by questions that have two of the words between them.
    #[arg(long, value_name = "WORD", requires = "about")]
    pub(crate) to: Option<String>,
    /// How many days.
    #[arg(long, default_value_t = DAYS, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_DAYS)))]
    pub(crate) days: u32,
    /// When they end; now, if it is not said.
    #[arg(long, value_name = "TIME")]
    pub(crate) until: Option<Timestamp>,
    /// The space; without it `default`, or the only one that there is.
    #[arg(long)]
    pub(crate) space: Option<SpaceId>,
}

/// Options of `memory add`.
#[derive(Debug, Args)]
pub(crate) struct MemoryAdd {
    /// What is to be remembered, in the words in which it is to be told.
    pub(crate) text: String,
    /// The channel whose readers are told.
    #[arg(long, value_name = "PLATFORM:NAME")]
    pub(crate) channel: ChannelId,
    /// A chat model that reads is to know it with every question.
    #[arg(long)]
    pub(crate) always: bool,
    /// The space; without it `default`, or the only one that there is.
    #[arg(long)]
    pub(crate) space: Option<SpaceId>,
}

/// Options of `memory change`.
#[derive(Debug, Args)]
pub(crate) struct MemoryChange {
    #[command(flatten)]
    pub(crate) one: OneMemory,
    /// The words in which it is told from now on.
    #[arg(long, required_unless_present = "always")]
    pub(crate) text: Option<String>,
    /// Whether a chat model that reads is to know it with every question.
    #[arg(long, value_name = "yes|no", value_parser = yes_or_no)]
    pub(crate) always: Option<bool>,
}

/// Options of `memory show`, `memory restore` and `memory forget`.
#[derive(Debug, Args)]
pub(crate) struct OneMemory {
    /// The id that `memory list` prints.
    #[arg(value_name = "ID")]
    pub(crate) memory: MemoryId,
    /// The space; without it `default`, or the only one that there is.
    #[arg(long)]
    pub(crate) space: Option<SpaceId>,
}
