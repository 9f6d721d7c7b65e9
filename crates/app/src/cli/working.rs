//! Commands that work on a data directory or a log: `demo`, `standalone`, `run`, `import`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use threadlore_gateways::Format;
use threadlore_model::{ChannelId, Role, SpaceId};
use threadlore_node::{ImportRequest, WORKERS};
use threadlore_settings::GATEWAYS;

/// Options of `demo`.
#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// Remove the demo's data first; a model that was pulled stays.
    #[arg(long)]
    pub(crate) fresh: bool,
    /// Search by this model too, for example all-minilm-l6-v2. It is pulled as `models pull` does it;
    /// where it cannot be had, the demo says so and goes on by words alone.
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// End after it, instead of serving its pages in a browser. It ends by itself with --json, and where
    /// standard error is no terminal.
    #[arg(long)]
    pub(crate) no_serve: bool,
}

/// Options of `standalone`.
#[derive(Debug, Args)]
pub(crate) struct Standalone {
    /// A file, or a directory of files, to import first, while the roles already work.
    #[arg(long, value_name = "PATH")]
    pub(crate) import: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) target: ImportTarget,
    /// End once nothing is left to do, instead of waiting for new messages.
    #[arg(long)]
    pub(crate) until_drained: bool,
}

/// Options of `up`.
#[derive(Debug, Args)]
pub(crate) struct Up {
    /// Where pages are served; it overrides the setting `api.listen`.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Option<SocketAddr>,
    #[command(flatten)]
    pub(crate) work: Standalone,
}

/// Options of `run`.
#[derive(Debug, Args)]
pub(crate) struct Run {
    /// The roles of this process. `gateway` is every gateway of the settings, `gateway-NAME` one of
    /// them.
    #[arg(required = true, value_parser = work())]
    pub(crate) roles: Vec<Work>,
}

/// What a process works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    /// A role.
    Role(Role),
    /// One gateway.
    Gateway(&'static str),
}

/// What can be named.
fn work() -> impl TypedValueParser<Value = Work> {
    let names = WORKERS.into_iter().chain([Role::Api]).map(Role::name);
    let names = names.chain(GATEWAYS.map(|gateway| gateway.role));
    PossibleValuesParser::new(names).try_map(|name| {
        match GATEWAYS.into_iter().find(|known| known.role == name) {
            Some(gateway) => Ok(Work::Gateway(gateway.name)),
            None => name.parse::<Role>().map(Work::Role),
        }
    })
}

/// Options of `import`.
#[derive(Debug, Args)]
pub(crate) struct Import {
    /// A file, a directory of files, or an export of Telegram, WhatsApp, Slack,
    /// DiscordChatExporter, Element, Zulip, GitHub or a mailing list.
    pub(crate) path: PathBuf,
    #[command(flatten)]
    pub(crate) target: ImportTarget,
    /// Append again what an earlier import appended; `intake` drops the repeats.
    #[arg(long)]
    pub(crate) again: bool,
    /// Read it and say what an import would take, and take nothing.
    #[arg(long, conflicts_with = "again")]
    pub(crate) dry_run: bool,
}

/// The target of an import.
#[derive(Debug, Clone, Args)]
pub(crate) struct ImportTarget {
    /// The space.
    #[arg(long, default_value = "default")]
    pub(crate) space: SpaceId,
    /// The channel, as platform:name, for example irc:#ubuntu. The chats of an export have channels of
    /// their own: of several, only this one is imported; a single one goes here.
    #[arg(long, required = false)]
    pub(crate) channel: Option<ChannelId>,
    /// Names of bots, separated by commas; * at the end matches any rest: ubottu,FloodBot*
    #[arg(long, default_value = "", value_name = "NAMES")]
    pub(crate) bots: String,
    /// Day of an IRC log's first line (YYYY-MM-DD), if its file name has no date.
    #[arg(long, value_name = "DATE")]
    pub(crate) date: Option<String>,
    /// Zone of moments that are written without one, as IRC clients, WhatsApp, JSON lines of some
    /// programs and Telegram before 2022 write them: Europe/Berlin, +02:00. Without it IRC logs and
    /// exports are read as UTC.
    #[arg(long, value_name = "ZONE")]
    pub(crate) timezone: Option<String>,
    // Its help is made of the formats that there are.
    #[arg(long, help = format!("{}; detected if not given", Format::names()))]
    pub(crate) format: Option<String>,
}

impl ImportTarget {
    pub(crate) fn request(&self, again: bool) -> ImportRequest {
        ImportRequest {
            space: self.space.clone(),
            channel: self.channel.clone(),
            bots: self.bots.clone(),
            date: self.date.clone(),
            timezone: self.timezone.clone(),
            format: self.format.clone(),
            again,
        }
    }
}
