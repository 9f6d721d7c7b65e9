//! Commands on builds of projections: `replay`, `verify`.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use threadlore_model::Timestamp;
use threadlore_ports::Projection;

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
    /// Make a build live that is kept: of a replay that did not switch, or that differs from the live one which is known
    /// to be wrong.
    Switch {
        /// Of which projection.
        #[arg(long, value_name = "NAME", value_parser = projections())]
        projection: Projection,
        /// Its number, as `list` shows it.
        number: u32,
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

/// The projections that can be named.
fn projections() -> impl TypedValueParser<Value = Projection> {
    PossibleValuesParser::new(Projection::ALL.map(Projection::name))
        .try_map(|name| name.parse::<Projection>())
}

/// A moment in RFC 3339.
fn time(text: &str) -> Result<Timestamp, String> {
    text.parse()
        .map_err(|e| format!("{e}; write a time with its zone, for example 2026-11-23T08:00:00Z"))
}
