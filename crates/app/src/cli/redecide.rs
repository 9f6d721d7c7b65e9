//! The command line of `redecide`.

use clap::{Args, Subcommand};

/// Options of `redecide`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Redecide {
    /// Say what it would cost; decide nothing. With a model that is one call, to see how long it
    /// takes.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Begin although a model is asked, which may cost money.
    #[arg(long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) shown: Shown,
    #[command(subcommand)]
    pub(crate) action: Option<RedecideAction>,
}

/// How much of a comparison is shown.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Shown {
    /// Cases shown of each kind: gone, new, changed.
    #[arg(long, value_name = "COUNT", default_value_t = 5)]
    pub(crate) samples: usize,
}

/// Other actions on decision runs.
#[derive(Debug, Subcommand)]
pub(crate) enum RedecideAction {
    /// Compare a run with the live one, case by case.
    Compare {
        /// Its number; the latest one that is not live if not given.
        run: Option<u32>,
        #[command(flatten)]
        shown: Shown,
    },
    /// Make a run live, once it has decided everything.
    Switch {
        /// Its number; the latest one that is not live if not given.
        run: Option<u32>,
        /// Also where confirmations by people would be lost.
        #[arg(long)]
        anyway: bool,
    },
    /// Go back to the run that was live before.
    Rollback,
    /// Drop a run that is not live: it is decided no more, and nothing of it can be read again.
    Drop {
        /// Its number, as `list` shows it.
        run: u32,
    },
    /// List the runs.
    List,
}
