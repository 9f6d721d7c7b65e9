//! Commands that answer from cases: `ask`.

use clap::Args;
use threadlore_model::{ChannelId, SpaceId};

/// Options of `ask`.
#[derive(Debug, Args)]
pub(crate) struct Ask {
    /// The question.
    pub(crate) question: String,
    /// The space.
    #[arg(long, default_value = "default")]
    pub(crate) space: SpaceId,
    /// Ask as a member of this channel: only its cases count, and it needs an admin.
    #[arg(long)]
    pub(crate) channel: Option<ChannelId>,
}
