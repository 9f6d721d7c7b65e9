//! `channel`.

use clap::{Args, Subcommand};
use threadlore_model::{ChannelId, SpaceId};

/// Options of `channel`.
#[derive(Debug, Args)]
pub(crate) struct Channel {
    #[command(subcommand)]
    pub(crate) action: ChannelAction,
}

/// Actions of `channel`.
#[derive(Debug, Subcommand)]
pub(crate) enum ChannelAction {
    /// Show the channels of a space, with their messages and how many admins each has.
    Show {
        /// The space; without it `default`, or the only one that there is.
        #[arg(long)]
        space: Option<SpaceId>,
        /// Only this channel, as platform:name.
        #[arg(long)]
        channel: Option<ChannelId>,
    },
    /// Change the admins of a channel; only the named ones are changed.
    Set(ChannelSet),
}

/// Options of `channel set`.
#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("change").required(true).multiple(true)))]
pub(crate) struct ChannelSet {
    /// The space.
    #[arg(long, default_value = "default")]
    pub(crate) space: SpaceId,
    /// The channel, as platform:name.
    #[arg(long)]
    pub(crate) channel: ChannelId,
    /// Native id of an admin; may be repeated. These become the only admins.
    #[arg(long, value_name = "NATIVE_ID", group = "change", conflicts_with_all = ["add_admin", "remove_admin", "no_admins"])]
    pub(crate) admin: Vec<String>,
    /// Native id of one more admin; may be repeated.
    #[arg(long, value_name = "NATIVE_ID", group = "change")]
    pub(crate) add_admin: Vec<String>,
    /// Native id of an admin to remove; may be repeated.
    #[arg(long, value_name = "NATIVE_ID", group = "change")]
    pub(crate) remove_admin: Vec<String>,
    /// Remove all admins: the bot is silent in a channel without any.
    #[arg(long, group = "change", conflicts_with_all = ["add_admin", "remove_admin"])]
    pub(crate) no_admins: bool,
}
