//! Commands: one file each.

mod ask;
mod channel;
mod config;
mod demo;
mod import;
mod replay;
mod schema;
mod standalone;
mod verify;

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use clap::CommandFactory;
use threadlore_settings::Settings;

use crate::cli::{Cli, Command, Global};
use crate::environment::Environment;
use crate::exit::{BadInput, Interrupted};

/// Runs the command; the exit code of a success may tell more than 0.
pub(crate) fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    let environment = Environment::read();
    if let Command::Completions { shell } = cli.command {
        let mut command = Cli::command();
        clap_complete::generate(shell, &mut command, "threadlore", &mut std::io::stdout());
        return Ok(ExitCode::SUCCESS);
    }
    let settings = settings(&cli.global, &environment)?;
    match cli.command {
        Command::Config(command) => return config::run(&command, &settings),
        Command::Schema(command) => return schema::run(&command),
        _ => {}
    }
    threadlore_telemetry::init(&settings.telemetry.level, settings.telemetry.json)
        .map_err(|e| BadInput(e.to_string()))?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("starting the async runtime")?;
    let json = cli.global.json;
    runtime.block_on(async {
        if let Command::Standalone(options) = cli.command {
            return standalone::run(options, settings, &environment, json).await;
        }
        tokio::select! {
            done = once(cli.command, settings, &environment, json) => done,
            told = interrupted() => told.and(Err(Interrupted.into())),
        }
    })
}

/// A command that ends by itself. Dropped midway it leaves what a crash would leave.
async fn once(
    command: Command,
    settings: Settings,
    environment: &Environment,
    json: bool,
) -> anyhow::Result<ExitCode> {
    match command {
        Command::Demo(options) => demo::run(options, settings, environment, json).await,
        Command::Import(options) => import::run(options, settings, environment, json).await,
        Command::Ask(options) => ask::run(options, settings, environment, json).await,
        Command::Replay(options) => replay::run(options, settings, environment, json).await,
        Command::Verify(options) => verify::run(options, settings, environment, json).await,
        Command::Channel(options) => channel::run(options, settings, environment).await,
        Command::Standalone(_)
        | Command::Config(_)
        | Command::Schema(_)
        | Command::Completions { .. } => Ok(ExitCode::SUCCESS),
    }
}

/// Returns at SIGINT or SIGTERM.
async fn interrupted() -> anyhow::Result<()> {
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    tokio::select! {
        interrupted = tokio::signal::ctrl_c() => interrupted?,
        _ = terminate.recv() => {}
    }
    Ok(())
}

fn settings(global: &Global, environment: &Environment) -> anyhow::Result<Settings> {
    let default = Path::new("threadlore.toml");
    let path = match &global.config {
        Some(path) => Some(path.as_path()),
        None => default.exists().then_some(default),
    };
    let text = match path {
        Some(path) => Some(std::fs::read_to_string(path).map_err(|e| {
            BadInput(format!(
                "the settings file {} cannot be read: {e}",
                path.display()
            ))
        })?),
        None => None,
    };
    let mut settings = Settings::load(text.as_deref(), &environment.variables)?;
    if let Some(dir) = &global.data_dir {
        settings.data_dir.clone_from(dir);
    }
    Ok(settings)
}
