//! `threadlore standalone`: every role in one process.

use std::process::ExitCode;

use threadlore_settings::Settings;

use super::import::{drained, into, take};
use super::interrupted;
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
        Some(path) => Some((into(&options.target, false)?, path.clone())),
        None => None,
    };
    let node = Node::open(settings, environment).await?;
    let mut roles = Roles::start(&node).await?;
    eprintln!("running every role on {}", node.settings.data_dir.display());
    let work = async {
        if let Some((into, path)) = &import {
            let summary = take(&node, into, path).await?;
            if json {
                println!("{}", serde_json::to_string(&summary)?);
            }
        }
        if options.until_drained {
            return drained(&node).await;
        }
        std::future::pending().await
    };
    let ended = tokio::select! {
        done = work => done,
        told = interrupted() => told.map(|()| eprintln!("stopping: finishing what is in hand")),
        error = roles.failed() => Err(error),
        error = node.keep_retention() => Err(error),
    };
    let stopped = roles.stop().await;
    // What ended the work says more than what it led to.
    ended.and(stopped)?;
    eprintln!("stopped");
    Ok(ExitCode::SUCCESS)
}
