//! The program `threadlore`: reads settings, opens a node (`threadlore-node`), runs one command.
//! Messages go to standard error, results to standard output.
//!
//! | module | holds |
//! |---|---|
//! | `cli` | the command line |
//! | `commands` | one file for each command |
//! | `admin` | commands that run in the process that owns the data directory |
//! | `exit` | the exit code that an error leads to |
//! | `output`, `steps`, `printable` | results, messages and progress, safe for a terminal |

mod admin;
mod cli;
mod commands;
mod exit;
mod output;
mod printable;
mod steps;

use std::process::ExitCode;

use clap::Parser;

/// Runs the command that the process was started with.
#[must_use]
pub fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    let done = commands::run(cli);
    let code = done.unwrap_or_else(|error| {
        output::Output::Here.say(exit::sentence(&error));
        exit::code(&error)
    });
    ExitCode::from(code)
}
