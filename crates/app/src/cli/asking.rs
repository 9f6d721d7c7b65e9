//! Commands that answer from cases: `ask` and `chat`.

use clap::Args;
use threadlore_model::{ChannelId, SpaceId};

/// Options of `ask`.
#[derive(Debug, Args)]
pub(crate) struct Ask {
    /// The question.
    pub(crate) question: String,
    /// The space; without it `default`, or the only one that there is.
    #[arg(long)]
    pub(crate) space: Option<SpaceId>,
    /// Ask as a member of this channel: only its cases count, and it needs an admin.
    #[arg(long)]
    pub(crate) channel: Option<ChannelId>,
}

/// Options of `chat`.
#[derive(Debug, Args)]
pub(crate) struct Chat {
    /// The channel to talk in. In a channel of the platform `console` the bot answers from all
    /// cases of the space, because whoever may open the data directory may see them; elsewhere from
    /// those of the channel.
    #[arg(long, default_value = "console:room")]
    pub(crate) channel: ChannelId,
    /// The space.
    #[arg(long, default_value = "default")]
    pub(crate) space: SpaceId,
    /// Who speaks at first; a line `name: text` is said by another person.
    #[arg(long = "as", default_value = "you", value_name = "NAME")]
    pub(crate) name: String,
    /// Say this line and end once it is answered, or left alone; may be repeated. Without it, lines
    /// are read from standard input.
    #[arg(long, value_name = "LINE")]
    pub(crate) say: Vec<String>,
    /// The lines were typed at a terminal, which shows them already.
    #[arg(long, hide = true)]
    pub(crate) typed: bool,
}
