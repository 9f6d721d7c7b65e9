//! The command line.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use threadlore_model::{ChannelId, Role, SpaceId, Timestamp, Topic};
use threadlore_ports::Projection;

use crate::commands::{LetterPlace, letters};
use crate::node::WORKERS;

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
    /// Settings file (TOML); without it `threadlore.toml` of the working directory, if there is one.
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Data directory; goes before the settings.
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// Results as one JSON object on standard output; `standalone` and `run` print one object
    /// per line.
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// See it work on real chat: import, cases, answers, a replay with equal digests.
    Demo(Demo),
    /// Run every role in one process until interrupted.
    Standalone(Standalone),
    /// Run some roles, beside other processes on the same log and tables, until interrupted.
    Run(Run),
    /// Import chat logs (Ubuntu-style IRC, or JSON lines) and find cases in them.
    Import(Import),
    /// Ask a question.
    Ask(Ask),
    /// Rebuild projections from the log, compare, and switch to the new build.
    Replay(Replay),
    /// Rebuild aside, compare with what is live, and name what differs.
    Verify(Verify),
    /// Show channels, and set who looks after them.
    Channel(Channel),
    /// Open psql on the tables, as an analyst of one space.
    Sql(Sql),
    /// List dead letters, and try them again.
    #[command(subcommand)]
    Dlq(Dlq),
    /// Write everything that a space owns to a directory.
    Export(Export),
    /// Bring back a space that was exported.
    Restore(Restore),
    /// Look at the settings.
    #[command(subcommand)]
    Config(Config),
    /// Check event schemas for compatibility.
    #[command(subcommand)]
    Schema(Schema),
    /// Look at the topics of a cluster, and make those that are missing.
    #[command(subcommand)]
    Topics(Topics),
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
    /// Start from nothing: remove the demo's data first.
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
    /// End once nothing is left to do, instead of waiting for more.
    #[arg(long)]
    pub(crate) until_drained: bool,
}

/// Options of `run`.
#[derive(Debug, Args)]
pub(crate) struct Run {
    /// What this process does.
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
    /// Append again what an earlier import took; repeats are dropped on the way in.
    #[arg(long)]
    pub(crate) again: bool,
}

/// Where an import goes.
#[derive(Debug, Clone, Args)]
pub(crate) struct ImportTarget {
    /// The space.
    #[arg(long, default_value = "default")]
    pub(crate) space: SpaceId,
    /// The channel, as platform:name, for example irc:#ubuntu.
    #[arg(long, required = false)]
    pub(crate) channel: Option<ChannelId>,
    /// Names of bots, with * for any rest: ubottu,FloodBot*
    #[arg(long, default_value = "", value_name = "NAMES")]
    pub(crate) bots: String,
    /// Day of an IRC log's first line (YYYY-MM-DD), when its file name does not say.
    #[arg(long, value_name = "DATE")]
    pub(crate) date: Option<String>,
    /// irc or jsonl; found out when not given.
    #[arg(long)]
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
    /// Ask as somebody in this channel: only its cases, and only when it is set up.
    #[arg(long)]
    pub(crate) channel: Option<ChannelId>,
}

/// Options of `replay`.
#[derive(Debug, Args)]
pub(crate) struct Replay {
    /// Which one; all of them when not given.
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

/// What else can be done with builds.
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
        /// Which one.
        #[arg(long, value_name = "NAME", value_parser = projections())]
        projection: Projection,
    },
    /// List builds.
    List,
}

/// Options of `verify`.
#[derive(Debug, Args)]
pub(crate) struct Verify {
    /// Which one; all of them when not given.
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

/// Options of `channel` before it had `show` and `set`: only to say what replaces them.
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

/// What to do with channels.
#[derive(Debug, Subcommand)]
pub(crate) enum ChannelAction {
    /// Show the channels of a space: messages, and how many people look after each.
    Show {
        /// The space.
        #[arg(long, default_value = "default")]
        space: SpaceId,
        /// Only this channel, as platform:name.
        #[arg(long)]
        channel: Option<ChannelId>,
    },
    /// Change what is named; everything else stays as it is.
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
    /// Native id of an admin; repeated, these are the admins and nobody else.
    #[arg(long, value_name = "NATIVE_ID", group = "change", conflicts_with_all = ["add_admin", "remove_admin", "no_admins"])]
    pub(crate) admin: Vec<String>,
    /// Native id of one more admin; may be repeated.
    #[arg(long, value_name = "NATIVE_ID", group = "change")]
    pub(crate) add_admin: Vec<String>,
    /// Native id of somebody who is an admin no longer; may be repeated.
    #[arg(long, value_name = "NATIVE_ID", group = "change")]
    pub(crate) remove_admin: Vec<String>,
    /// Remove all admins: the bot is silent in a channel without any.
    #[arg(long, group = "change", conflicts_with_all = ["add_admin", "remove_admin"])]
    pub(crate) no_admins: bool,
}

/// Options of `sql`.
#[derive(Debug, Args)]
pub(crate) struct Sql {
    /// The space whose rows are seen.
    #[arg(long, default_value = "default")]
    pub(crate) space: SpaceId,
    /// Arguments for psql, such as `-c 'SELECT count(*) FROM lore.cases'`.
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) args: Vec<std::ffi::OsString>,
}

/// What to do with dead letters.
#[derive(Debug, Subcommand)]
pub(crate) enum Dlq {
    /// List letters, the newest first.
    List(DlqList),
    /// Show all that is known about a letter.
    Show {
        /// The letter, as topic/partition/offset: chat.inbox.dlq/3/17.
        letter: LetterPlace,
        /// Print the record's value, too; it may hold text and names of people.
        #[arg(long)]
        value: bool,
    },
    /// Try again, once the cause is mended.
    Redrive(DlqRedrive),
}

/// Options of `dlq list`.
#[derive(Debug, Args)]
pub(crate) struct DlqList {
    /// Letters about this topic only.
    #[arg(long, value_name = "NAME", value_parser = letters)]
    pub(crate) topic: Option<Topic>,
    /// Letters of this space only; those that nobody could read are of the space system.
    #[arg(long)]
    pub(crate) space: Option<SpaceId>,
    /// How many.
    #[arg(long, default_value_t = 50, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) limit: u16,
}

/// Options of `dlq redrive`.
#[derive(Debug, Args)]
pub(crate) struct DlqRedrive {
    /// Letters, as topic/partition/offset: chat.inbox.dlq/3/17.
    #[arg(
        required_unless_present = "topic",
        conflicts_with = "topic",
        value_name = "LETTER"
    )]
    pub(crate) letters: Vec<LetterPlace>,
    /// All letters about this topic.
    #[arg(long, value_name = "NAME", value_parser = letters)]
    pub(crate) topic: Option<Topic>,
    /// Of those, the ones whose reason has these words in it.
    #[arg(long, value_name = "WORDS", requires = "topic")]
    pub(crate) reason: Option<String>,
    /// Say what would be done; change nothing.
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
    /// Say what would be written; write nothing.
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
    /// Check all of it, and say what would be done; change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// What to do with settings.
#[derive(Debug, Subcommand)]
pub(crate) enum Config {
    /// Check the settings and say what is wrong.
    Check,
    /// Print the settings in force, secrets masked.
    Print,
    /// Print the reference of all settings.
    Docs,
}

/// What to do with topics.
#[derive(Debug, Subcommand)]
pub(crate) enum Topics {
    /// Compare the cluster's topics with what they must be.
    Plan,
    /// Make the topics that are missing; those that differ are not touched.
    Apply {
        /// Brokers that keep each record.
        #[arg(long, default_value_t = 3, value_name = "N", value_parser = clap::value_parser!(i32).range(1..=100))]
        replicas: i32,
    },
    /// Print what other tools make them from; it needs no cluster.
    Render {
        /// What to print.
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

/// What to do with the log.
#[derive(Debug, Subcommand)]
pub(crate) enum Log {
    /// Copy all of it, with its keys and blobs, to where another settings file keeps its own.
    Copy {
        /// Settings file of the target; its log must be empty.
        #[arg(long, value_name = "CONFIG")]
        to: PathBuf,
        /// Say what would be copied; change nothing.
        #[arg(long)]
        dry_run: bool,
    },
}

/// What topics are rendered as.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(crate) enum Rendered {
    /// Strimzi `KafkaTopic` manifests.
    StrimziTopics,
    /// Strimzi `KafkaUser` manifests, one for each role, with what it may do.
    StrimziUsers,
    /// The same as commands of kafka-acls.sh.
    Acls,
    /// An AsyncAPI 3 document.
    Asyncapi,
}

/// What to do with schemas.
#[derive(Debug, Subcommand)]
pub(crate) enum Schema {
    /// Check that every version reads every other.
    Check,
}
