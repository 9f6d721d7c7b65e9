//! Chores of the repository that need Rust: `cargo xtask VERB`.
//!
//! - `check-deps` fails when a crate uses one that its row in `edges.rs` does not allow;
//! - `docs` writes the generated files under `docs/` and `deploy/`;
//! - `check-docs` fails when one of them is stale, or when `docs/behaviours.md` names a test that
//!   does not exist;
//! - `train-threads` learns the weights of links from labelled chat and writes them (minutes:
//!   run it as `cargo run --release -p threadlore-xtask -- train-threads …`).

mod behaviours;
mod check;
mod docs;
mod edges;
mod metadata;

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, bail};
use threadlore_xtask::threads::train;

const USAGE: &str =
    "usage: cargo xtask check-deps | docs | check-docs | train-threads --data DIR --date DAY";

/// The weights that `threadlore-language` is built with.
const WEIGHTS: &str = "crates/language/src/threads/weights.txt";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let verbs: Vec<String> = std::env::args().skip(1).collect();
    match verbs.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["check-deps"] => check_deps(),
        ["docs"] => docs::write(),
        ["check-docs"] => docs::check(),
        ["train-threads", "--data", data, "--date", day] => {
            train::command(Path::new(data), day, &docs::root().join(WEIGHTS))
        }
        _ => bail!("{USAGE}"),
    }
}

fn check_deps() -> Result<()> {
    let violations = check::check(&metadata::read()?, &edges::TABLE);
    if violations.is_empty() {
        return Ok(());
    }
    bail!(
        "{}\n(the table is in crates/xtask/src/edges.rs)",
        violations.join("\n")
    )
}
