//! Chores of the repository that need Rust: `cargo xtask VERB`.
//!
//! - `check-deps` fails when a crate uses one that its row in `edges.rs` does not allow;
//! - `docs` writes the generated files under `docs/` and `k8s/`;
//! - `check-docs` fails when one of them is stale, or when a page names a test that
//!   does not exist.

mod behaviours;
mod chart;
mod check;
mod dashboards;
mod dictionary;
mod docs;
mod edges;
mod metadata;
mod pages;

use std::process::ExitCode;

use anyhow::{Result, bail};

const USAGE: &str = "usage: cargo xtask check-deps | docs | check-docs";

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
