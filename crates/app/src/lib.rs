//! The program `threadlore`: reads settings, wires the parts together, runs one
//! command. Messages go to standard error, results to standard output.
//!
//! It is a library so that measurements use the same wiring as users: [`Node`] holds the parts of a
//! process, [`Roles`] the roles that run on them.

mod admin;
mod cli;
mod clock;
mod commands;
mod engine;
mod environment;
mod exit;
mod http;
mod node;
mod observer;
mod outages;
mod output;
mod printable;
mod steps;

use std::process::ExitCode;

use clap::Parser;

pub use environment::Environment;
pub use node::{Node, Roles, Waiting};

/// Many small texts are allocated in one thread and freed in another, which mimalloc does fast.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

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
