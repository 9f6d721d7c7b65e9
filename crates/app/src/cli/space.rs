//! `space`, `report` and `token`.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use threadlore_api::report::ReportForm;
use threadlore_api::tokens::{DAYS, MOST_DAYS};
use threadlore_model::{SpaceId, Timestamp};
use threadlore_ports::Right;

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
    /// In which form: `html` is a page by itself, to be sent or kept.
    #[arg(long, default_value = ReportForm::default().name(), value_parser = report_form())]
    pub(crate) format: ReportForm,
}

/// The forms of a report, as [`ReportForm::name`] writes them.
fn report_form() -> impl TypedValueParser<Value = ReportForm> {
    let named = |name: String| ReportForm::ALL.into_iter().find(|one| one.name() == name);
    PossibleValuesParser::new(ReportForm::ALL.map(ReportForm::name))
        .try_map(move |name| named(name).ok_or("there is no such form"))
}

/// What to do with sign-ins of analysts.
#[derive(Debug, Subcommand)]
pub(crate) enum Analyst {
    /// Make a user of the database who reads one space and changes nothing; its password is printed once.
    /// One that is there gets another password.
    Create(AnalystCreate),
    /// List them, with the space that each reads.
    List,
    /// Remove one.
    Remove {
        /// Its name.
        name: String,
    },
}

/// Options of `analyst create`.
#[derive(Debug, Args)]
pub(crate) struct AnalystCreate {
    /// Its name in the database: lower-case letters, digits and _, a letter first.
    pub(crate) name: String,
    /// The space that it reads.
    #[arg(long, default_value = "default")]
    pub(crate) space: SpaceId,
}

/// What to do with keys.
#[derive(Debug, Subcommand)]
pub(crate) enum Keys {
    /// Wrap every key again that is under the second master key, under the first one; then nothing needs the second.
    Rewrap,
}

/// What to do with tokens.
#[derive(Debug, Subcommand)]
pub(crate) enum Token {
    /// Make a token for a program that uses the HTTP API; it is printed once, and kept nowhere.
    Create(TokenCreate),
    /// List the tokens of a space: what each may, when it was used last, which were revoked.
    List {
        /// The space.
        #[arg(long, default_value = "default")]
        space: SpaceId,
    },
    /// Revoke a token; it counts no more within five seconds.
    Revoke {
        /// Its id, as a list has it.
        id: String,
        /// The space that it is for.
        #[arg(long, default_value = "default")]
        space: SpaceId,
    },
}

/// Actions on accounts.
#[derive(Debug, Subcommand)]
pub(crate) enum User {
    /// Give somebody rights, with an account where they have none; who has no password gets a link to choose one.
    Add(UserAdd),
    /// List who has an account, and what each may.
    List {
        /// The space; all of them, where none is named.
        #[arg(long)]
        space: Option<SpaceId>,
    },
    /// Print a link with which somebody chooses another password; sessions with the old one end then.
    Link {
        /// The name.
        name: String,
    },
    /// Take away what somebody may; an account that may nothing more is gone.
    Remove {
        /// The name.
        name: String,
        /// The space; all of them, where none is named.
        #[arg(long)]
        space: Option<SpaceId>,
    },
}

/// Options of `user add`.
#[derive(Debug, Args)]
pub(crate) struct UserAdd {
    /// The name: a-z, 0-9, `.`, `_`, `-`, `+` and `@`, such as an e-mail address.
    pub(crate) name: String,
    /// The rights, separated by commas: ask, read, admin (correct, teach, erase, settings of channels). None
    /// includes another.
    #[arg(long, default_value = "ask,read,admin", value_delimiter = ',', value_parser = right())]
    pub(crate) may: Vec<Right>,
    /// The space; may be repeated.
    #[arg(long, default_value = "default")]
    pub(crate) space: Vec<SpaceId>,
}

/// Options of `token create`.
#[derive(Debug, Args)]
pub(crate) struct TokenCreate {
    /// What it is called in the log, such as the name of the program.
    pub(crate) name: String,
    /// Its rights, separated by commas: ingest (send messages), ask, read, admin. None includes another.
    #[arg(long, required = true, value_delimiter = ',', value_parser = right())]
    pub(crate) may: Vec<Right>,
    /// The days that it counts.
    #[arg(long, default_value_t = DAYS, value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_DAYS)))]
    pub(crate) days: u32,
    /// The space that it is for.
    #[arg(long, default_value = "default")]
    pub(crate) space: SpaceId,
}

/// The rights, as [`Right::name`] writes them.
fn right() -> impl TypedValueParser<Value = Right> {
    PossibleValuesParser::new(Right::ALL.map(Right::name))
        .map(|name| name.parse().expect("it is one of these names"))
}
