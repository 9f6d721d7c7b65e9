//! Suite `cost`: what a chat model as the engine is asked, per 1,000 messages of
//! `irc/dev`, beside one extraction for each message; and which cases each of the
//! two finds of those of the other.
//!
//! The model is a double behind the real protocol. For each window it answers with
//! what the built-in engine finds there, so that the runs differ in nothing but
//! when they look.

mod messages;
mod system;
mod told;

use std::path::Path;

use anyhow::ensure;
use threadlore_roles::BufferParams;

use crate::Row;
use system::Run;

/// Messages of each log in the comparison: one extraction for each message of all
/// of them would take too long.
const PART: usize = 300;

/// Rows of the comparison, and one of all messages as the product looks at them.
///
/// # Errors
/// When the data cannot be read or a part does not work.
pub(crate) fn run(data: &Path) -> anyhow::Result<Vec<Row>> {
    let folder = data.join("irc").join("dev");
    let windowed = BufferParams::default;
    let every = BufferParams {
        window_count: 1,
        ..windowed()
    };
    let part = messages::logs(&folder, PART)?;
    let (windows, each) = (system::run(&part, windowed())?, system::run(&part, every)?);
    let all = system::run(&messages::logs(&folder, usize::MAX)?, windowed())?;
    ensure!(
        windows.messages == each.messages && windows.messages > 0,
        "the two runs took {} and {} messages",
        windows.messages,
        each.messages
    );
    let beside = |name: &str, run: &Run, other: &Run| {
        let mut row = row(name, run);
        let (all, solved) = run.finds(other);
        row.metrics
            .extend([("finds_of_other", all), ("finds_of_solved", solved)]);
        row
    };
    Ok(vec![
        beside("windowed", &windows, &each),
        beside("per-message", &each, &windows),
        row("windowed/all", &all),
    ])
}

fn row(name: &str, run: &Run) -> Row {
    let per_1000 = |count: usize| 1000.0 * count as f64 / run.messages as f64;
    Row {
        name: name.to_owned(),
        metrics: vec![
            ("messages", run.messages as f64),
            ("looks_per_1000", per_1000(run.looks)),
            ("calls_per_1000", per_1000(run.calls)),
            ("kchars_per_1000", per_1000(run.chars) / 1000.0),
            ("cases", run.cases.len() as f64),
            ("solved", run.solved() as f64),
        ],
    }
}
