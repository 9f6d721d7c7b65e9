//! The binary `threadlore`: reads settings, wires the parts together, runs one
//! command. Messages go to standard error, results to standard output.

mod cli;
mod clock;
mod commands;
mod engine;
mod environment;
mod exit;
mod node;
mod observer;
mod output;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    match commands::run(cli) {
        Ok(code) => code,
        Err(error) => exit::report(&error),
    }
}
