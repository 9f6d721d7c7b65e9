//! `dlq`.

use clap::{Args, Subcommand};
use threadlore_model::{SpaceId, Topic};
use threadlore_node::{DeadLetterPlace, dead_letter_topic};

/// Actions on dead letters.
#[derive(Debug, Subcommand)]
pub(crate) enum Dlq {
    /// List dead letters, the newest first.
    List(DlqList),
    /// Show everything about one dead letter.
    Show {
        /// The dead letter, as topic/partition/offset: chat.inbox.dlq/3/17.
        letter: DeadLetterPlace,
        /// Print the record's value, too; it may hold text and names of people.
        #[arg(long)]
        value: bool,
    },
    /// Redrive dead letters once their cause is fixed.
    Redrive(DlqRedrive),
}

/// Options of `dlq list`.
#[derive(Debug, Args)]
pub(crate) struct DlqList {
    /// Only dead letters of this source topic.
    #[arg(long, value_name = "NAME", value_parser = dead_letter_topic)]
    pub(crate) topic: Option<Topic>,
    /// Only dead letters of this space; records that could not be read are in the space system.
    #[arg(long)]
    pub(crate) space: Option<SpaceId>,
    /// Only those behind this one, as topic/partition/offset.
    #[arg(long, value_name = "LETTER")]
    pub(crate) after: Option<DeadLetterPlace>,
    /// How many to list.
    #[arg(long, default_value_t = 50, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) limit: u16,
}

/// Options of `dlq redrive`.
#[derive(Debug, Args)]
pub(crate) struct DlqRedrive {
    /// Dead letters, as topic/partition/offset: chat.inbox.dlq/3/17.
    #[arg(
        required_unless_present = "topic",
        conflicts_with = "topic",
        value_name = "LETTER"
    )]
    pub(crate) letters: Vec<DeadLetterPlace>,
    /// All dead letters of this source topic.
    #[arg(long, value_name = "NAME", value_parser = dead_letter_topic)]
    pub(crate) topic: Option<Topic>,
    /// Of those, only the ones whose reason contains these words.
    #[arg(long, value_name = "WORDS", requires = "topic")]
    pub(crate) reason: Option<String>,
    /// Print what would be done, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
}
