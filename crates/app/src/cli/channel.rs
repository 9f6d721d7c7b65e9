//! `channel`.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use threadlore_model::{Audience, ChannelId, Mode, SpaceId};
use threadlore_node::is_address;

/// Options of `channel`.
#[derive(Debug, Args)]
pub(crate) struct Channel {
    #[command(subcommand)]
    pub(crate) action: ChannelAction,
}

/// Actions of `channel`.
#[derive(Debug, Subcommand)]
pub(crate) enum ChannelAction {
    /// Show the channels of a space, with their messages, how many admins each has, who can read it
    /// and when the bot speaks in it.
    Show {
        /// The space; without it `default`, or the only one that there is.
        #[arg(long)]
        space: Option<SpaceId>,
        /// Only this channel, as platform:name.
        #[arg(long)]
        channel: Option<ChannelId>,
    },
    /// Change the admins of a channel, who can read it and when the bot speaks in it; what is not
    /// named stays as it is.
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
    /// Who can read it. An answer uses the cases of all channels that everybody in its channel can
    /// read; those of a channel for its members stay there.
    #[arg(long, group = "change", value_parser = audiences())]
    pub(crate) audience: Option<Audience>,
    /// When the bot speaks in it: it answers questions, only those that name it, or none.
    #[arg(long, group = "change", value_parser = modes())]
    pub(crate) mode: Option<Mode>,
    /// Address of documentation, named to who asks by name and gets no answer; may be repeated. These
    /// become the only ones.
    #[arg(long, value_name = "URL", group = "change", conflicts_with = "no_docs", value_parser = address)]
    pub(crate) docs: Vec<String>,
    /// Name no documentation.
    #[arg(long, group = "change")]
    pub(crate) no_docs: bool,
    /// Whether its solved cases have pages that anybody can read, for search engines too. Only where
    /// the audience is `public`.
    #[arg(long, group = "change", value_name = "yes|no", value_parser = yes_or_no)]
    pub(crate) published: Option<bool>,
}

/// An address that people can open.
fn address(text: &str) -> Result<String, String> {
    match is_address(text) {
        true => Ok(text.to_owned()),
        false => Err("an address begins with https:// or http://".to_owned()),
    }
}

/// `yes` or `no`.
pub(super) fn yes_or_no(text: &str) -> Result<bool, String> {
    match text {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err("it is `yes` or `no`".to_owned()),
    }
}

/// The audiences, as [`Audience::name`] writes them.
fn audiences() -> impl TypedValueParser<Value = Audience> {
    let named = |name: String| Audience::ALL.into_iter().find(|one| one.name() == name);
    PossibleValuesParser::new(Audience::ALL.map(Audience::name))
        .try_map(move |name| named(name).ok_or("there is no such audience"))
}

/// The modes, as [`Mode::name`] writes them.
fn modes() -> impl TypedValueParser<Value = Mode> {
    let named = |name: String| Mode::ALL.into_iter().find(|one| one.name() == name);
    PossibleValuesParser::new(Mode::ALL.map(Mode::name))
        .try_map(move |name| named(name).ok_or("there is no such mode"))
}
