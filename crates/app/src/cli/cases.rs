//! `cases`.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum};
use threadlore_model::{ChannelId, SpaceId, Status};

use crate::commands::CaseName;

/// What to do with cases.
#[derive(Debug, Subcommand)]
pub(crate) enum Cases {
    /// List cases, those found last first.
    List(CasesList),
    /// Show one case: its texts, the messages that it comes from, and what happened to it.
    Show(OneCase),
    /// Find cases by words, the nearest first.
    Search(CasesSearch),
    /// Say what made a case solved: which line, reaction or report, by whom, by which rules.
    Why(OneCase),
    /// Give a case another solution, which counts from then on: it is what an admin says.
    Correct(CasesCorrect),
    /// Archive a case that is outdated: no answer uses it any more. A correction brings it back.
    Archive(OneCase),
    /// Merge a case into another one of its channel that is about the same problem and stands for both.
    Merge(CasesMerge),
    /// Undo the merge of a case, by the rules or by hand.
    Split(OneCase),
    /// Erase the texts of a case for good, with its key: nothing finds or shows them any more.
    Erase(OneCase),
}

/// Options of `cases correct`.
#[derive(Debug, Args)]
pub(crate) struct CasesCorrect {
    #[command(flatten)]
    pub(crate) one: OneCase,
    /// The solution, in the words in which it is to be given.
    #[arg(long, value_name = "TEXT")]
    pub(crate) solution: String,
}

/// Options of `cases merge`.
#[derive(Debug, Args)]
pub(crate) struct CasesMerge {
    #[command(flatten)]
    pub(crate) one: OneCase,
    /// The case that stays: its link or its id.
    #[arg(long, value_name = "LINK_OR_ID")]
    pub(crate) into: CaseName,
}

/// Options of `cases list`.
#[derive(Debug, Args)]
pub(crate) struct CasesList {
    /// The space; without it `default`, or the only one that there is.
    #[arg(long)]
    pub(crate) space: Option<SpaceId>,
    /// Only cases of this channel.
    #[arg(long, value_name = "PLATFORM:NAME")]
    pub(crate) channel: Option<ChannelId>,
    /// Only cases in this state.
    #[arg(long, value_name = "STATE", value_parser = statuses())]
    pub(crate) state: Option<Status>,
    /// Which come first.
    #[arg(long, value_enum, default_value_t = Order::Newest)]
    pub(crate) order: Order,
    /// How many to list.
    #[arg(long, default_value_t = 20, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) limit: u16,
}

/// Options of `cases search`.
#[derive(Debug, Args)]
pub(crate) struct CasesSearch {
    /// What the problem is about.
    pub(crate) words: String,
    /// The space; without it `default`, or the only one that there is.
    #[arg(long)]
    pub(crate) space: Option<SpaceId>,
}

/// The order of a list, by the channel time at which a case was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Order {
    /// Found last first.
    Newest,
    /// Found first first.
    Oldest,
}

/// Options of commands on one case.
#[derive(Debug, Args)]
pub(crate) struct OneCase {
    /// The case: its link, as `ask` and `cases list` print it, or its id.
    #[arg(value_name = "LINK_OR_ID")]
    pub(crate) case: CaseName,
    /// The space; without it `default`, or the only one that there is.
    #[arg(long)]
    pub(crate) space: Option<SpaceId>,
}

fn statuses() -> impl TypedValueParser<Value = Status> {
    let named = |name: String| Status::ALL.into_iter().find(|status| status.name() == name);
    PossibleValuesParser::new(Status::ALL.map(Status::name))
        .try_map(move |name| named(name).ok_or("there is no such state"))
}
