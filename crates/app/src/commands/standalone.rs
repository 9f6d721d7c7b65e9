//! `threadlore standalone`: every role in one process.

use std::process::ExitCode;

use threadlore_settings::Settings;

use super::import::{drained, into, take};
use crate::cli::Standalone;
use crate::environment::Environment;
use crate::node::{Node, Roles};

pub(super) async fn run(
    options: Standalone,
    settings: Settings,
    environment: &Environment,
    json: bool,
) -> anyhow::Result<ExitCode> {
    let import = match &options.import {
        Some(source) => Some((into(&source.target, false)?, source.path.clone())),
        None => None,
    };
    let node = Node::open(settings, environment).await?;
    let mut roles = Roles::start(&node).await?;
    eprintln!("running every role on {}", node.settings.data_dir.display());
    let ended = tokio::select! {
        done = async {
            if let Some((into, path)) = &import {
                let summary = take(&node, into, path).await?;
                if json {
                    println!("{}", serde_json::to_string(&summary)?);
                }
            }
            if options.until_drained {
                return drained(&node).await;
            }
            interrupted().await
        } => done,
        error = roles.failed() => Err(error),
    };
    roles.stop().await?;
    ended?;
    eprintln!("stopped");
    Ok(ExitCode::SUCCESS)
}

/// Returns at SIGINT or SIGTERM.
async fn interrupted() -> anyhow::Result<()> {
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    tokio::select! {
        interrupted = tokio::signal::ctrl_c() => interrupted?,
        _ = terminate.recv() => {}
    }
    eprintln!("stopping: finishing what is in hand");
    Ok(())
}
