//! `eval`.

use std::path::PathBuf;

use clap::Args;
use threadlore_model::SpaceId;

/// Options of `eval`.
#[derive(Debug, Args)]
pub(crate) struct Eval {
    /// The questions, one JSON object a line: `question`, and what it should get: `case` (a link or
    /// an id) or `text` (a part of the answer, or a list of such); neither where silence is right.
    /// `channel` and `space` where it is asked.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The space of questions that name none; without it `default`, or the only one that there is.
    #[arg(long)]
    pub(crate) space: Option<SpaceId>,
    /// How many right answers a wrong one costs, where a threshold is suggested.
    #[arg(long, default_value_t = 2, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1000))]
    pub(crate) wrong_costs: u32,
    /// Print what became of each question, too.
    #[arg(long)]
    pub(crate) each: bool,
}
