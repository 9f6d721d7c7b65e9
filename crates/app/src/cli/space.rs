//! `space`.

use clap::Subcommand;

/// What to do with spaces.
#[derive(Debug, Subcommand)]
pub(crate) enum Space {
    /// List the spaces that have any message, case or channel.
    List,
}
