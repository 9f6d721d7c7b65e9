//! The command line: what every command shares here, the options of each in a file of its group.

mod answers;
mod asking;
mod builds;
mod cases;
mod channel;
mod dlq;
mod erase;
mod eval;
mod memory;
mod moving;
mod space;
mod tools;
mod working;

mod redecide;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

pub(crate) use answers::{Answers, AnswersList, AnswersRate, AnswersTeach, OneTurn};
pub(crate) use asking::{Ask, Chat};
pub(crate) use builds::{Replay, ReplayAction, Verify};
pub(crate) use cases::{Cases, CasesCorrect, CasesList, CasesMerge, CasesSearch, OneCase, Order};
pub(crate) use channel::{Channel, ChannelAction, ChannelSet};
pub(crate) use dlq::{Dlq, DlqList, DlqRedrive};
pub(crate) use erase::{Erase, NativePerson};
pub(crate) use eval::Eval;
pub(crate) use memory::{Memory, MemoryAdd, MemoryChange, MemoryGraph, MemoryList, OneMemory};
pub(crate) use moving::{Export, Log, Restore, TableFormat};
pub(crate) use space::{
    Analyst, AnalystCreate, Keys, ReportOptions, Space, Token, TokenCreate, User, UserAdd,
};
pub(crate) use tools::{Config, Mcp, Models, Rendered, Schema, Sql, Topics};
pub(crate) use working::{Demo, Import, ImportTarget, Run, Standalone, Up, Work};

pub(crate) use redecide::{Redecide, RedecideAction};

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
    /// Results as one JSON object on standard output; `standalone`, `run` and `chat` print
    /// one object per line.
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
    /// Run every role in one process, and serve pages to look after it in a browser.
    Up(Up),
    /// Serve tools to an assistant that speaks the Model Context Protocol, over standard input and
    /// output.
    Mcp(Mcp),
    /// Print a link to sign in to the pages that `up` or another process serves.
    SignIn,
    /// Make sign-ins to the database for analysts, and remove them.
    #[command(subcommand)]
    Analyst(Analyst),
    /// Make tokens for programs that use the HTTP API, list them, and revoke them.
    #[command(subcommand)]
    Token(Token),
    /// Replace the key that wraps all others (docs/keys.md).
    #[command(subcommand)]
    Keys(Keys),
    /// People who sign in to the pages with a name and a password.
    #[command(subcommand)]
    User(User),
    /// Run some roles, next to other processes on the same log and tables, until interrupted.
    Run(Run),
    /// Import chat logs (docs/import-format.md) and find cases in them.
    Import(Import),
    /// Ask a question.
    Ask(Ask),
    /// Talk in a channel as one or several people, and see when the bot answers, and why not.
    Chat(Chat),
    /// List cases, show one, and say what made it solved.
    #[command(subcommand)]
    Cases(Cases),
    /// List what people asked and what became of it, and say why a question was answered so.
    #[command(subcommand)]
    Answers(Answers),
    /// Say what happened in a week, beside the week before, as Markdown.
    Report(ReportOptions),
    /// List what the bot was told to remember, add to it, and have it forgotten.
    #[command(subcommand)]
    Memory(Memory),
    /// Ask your own questions, whose answers you know, and say how many get the right one.
    Eval(Eval),
    /// Rebuild projections from the log, compare, and switch to the new build.
    Replay(Replay),
    /// Decide imported history anew by today's rules and engine, beside the live decisions.
    Redecide(Redecide),
    /// Make the tables of this version beside those of another one, and switch to them.
    Migrate,
    /// Rebuild projections next to the live ones, compare, and name every difference.
    Verify(Verify),
    /// Show channels, and set their admins.
    Channel(Channel),
    /// Erase what a person wrote, in all channels of a space, with the cases that have words of theirs.
    Erase(Erase),
    /// List spaces.
    #[command(subcommand)]
    Space(Space),
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
