//! `space` and `report`.

use clap::{Args, Subcommand};
use threadlore_model::{SpaceId, Timestamp};

/// What to do with spaces.
#[derive(Debug, Subcommand)]
pub(crate) enum Space {
    /// List the spaces that have any message, case or channel.
    List,
}

/// Options of `report`.
#[derive(Debug, Args)]
pub(crate) struct ReportOptions {
    /// How many days it is about.
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=366))]
    pub(crate) days: u32,
    /// When these days end, for example 2026-11-23T00:00:00Z; without it now. Imported history has its
    /// own time.
    #[arg(long, value_name = "TIME")]
    pub(crate) until: Option<Timestamp>,
    /// The space; without it `default`, or the only one that there is.
    #[arg(long)]
    pub(crate) space: Option<SpaceId>,
}
