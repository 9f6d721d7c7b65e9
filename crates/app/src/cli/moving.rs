//! Commands that move a space or a log: `export`, `restore`, `log`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use threadlore_model::SpaceId;

/// Options of `export`.
#[derive(Debug, Args)]
pub(crate) struct Export {
    /// The directory, or `s3://BUCKET/NAME`, in which `{time}` is the time; nothing must be there.
    #[arg(value_name = "DIR")]
    pub(crate) to: PathBuf,
    /// The space.
    #[arg(long, default_value = "default")]
    pub(crate) space: SpaceId,
    /// Print what would be written, and write nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Export the tables that analysts read, a file each, in place of what `restore` takes.
    #[arg(long, conflicts_with = "dry_run")]
    pub(crate) tables: bool,
    /// What these files are.
    #[arg(long, value_enum, default_value_t = TableFormat::Parquet, requires = "tables")]
    pub(crate) format: TableFormat,
}

/// What a table is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableFormat {
    /// Apache Parquet, with types.
    Parquet,
    /// Text with commas, in UTF-8.
    Csv,
}

/// Options of `restore`.
#[derive(Debug, Args)]
pub(crate) struct Restore {
    /// The directory that `export` wrote, or the `s3://BUCKET/NAME`; with `{time}` in it, the newest one.
    #[arg(value_name = "DIR")]
    pub(crate) from: PathBuf,
    /// The exporting installation's key for people, for a new data directory.
    #[arg(long, value_name = "FILE")]
    pub(crate) people_key: Option<PathBuf>,
    /// Check the export, print what would be done, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
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
