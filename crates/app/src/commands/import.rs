//! `threadlore import`: logs become messages, and cases are found in them.

use std::path::Path;
use std::process::ExitCode;
use std::str::FromStr;

use threadlore_gateways::{Bots, Format, ImportOptions, Summary, Target, files, import};
use threadlore_settings::Settings;

use crate::cli::{Import, ImportTarget};
use crate::environment::Environment;
use crate::exit::BadInput;
use crate::node::{Node, Roles};
use crate::output::Steps;

pub(super) async fn run(
    options: Import,
    settings: Settings,
    environment: &Environment,
    json: bool,
) -> anyhow::Result<ExitCode> {
    let into = into(&options.target, options.again)?;
    let node = Node::open(settings, environment).await?;
    let mut roles = Roles::start(&node).await?;
    let summary = take(&node, &into, &options.path).await?;
    work(&node, &mut roles).await?;
    roles.stop().await?;
    if json {
        println!("{}", serde_json::to_string(&summary)?);
    } else {
        println!("{summary}");
    }
    Ok(ExitCode::SUCCESS)
}

/// Options as the importer takes them.
pub(super) fn into(target: &ImportTarget, again: bool) -> anyhow::Result<ImportOptions> {
    let channel = target
        .channel
        .clone()
        .ok_or_else(|| BadInput("name the channel: --channel irc:#ubuntu".to_owned()))?;
    let bad = |e: &dyn std::fmt::Display| BadInput(e.to_string());
    let format = target.format.as_deref().map(Format::from_str).transpose();
    let date = target
        .date
        .as_deref()
        .map(jiff::civil::Date::from_str)
        .transpose();
    Ok(ImportOptions {
        target: Target {
            space: target.space.clone(),
            channel,
            bots: Bots::parse(&target.bots).map_err(|e| bad(&e))?,
        },
        format: format.map_err(|e| bad(&e))?,
        date: date.map_err(|e| bad(&format!("--date is not a day (YYYY-MM-DD): {e}")))?,
        again,
    })
}

/// Appends a file, or the files of a directory, to `chat.inbox`.
pub(super) async fn take(
    node: &Node,
    options: &ImportOptions,
    path: &Path,
) -> anyhow::Result<Summary> {
    let files = files(path)?;
    let total: u64 = files.iter().map(|file| file.size).sum();
    let steps = Steps::start("importing", total, true);
    let (mut all, mut before) = (Summary::default(), 0);
    for file in &files {
        let now = node.clock.now();
        let input = file.open()?;
        let summary = import(
            node.log.as_ref(),
            node.blobs.as_ref(),
            now,
            options,
            input,
            |progress| {
                steps.at(before + progress.read.bytes, total);
            },
        )
        .await?;
        before += file.size;
        all.merge(summary);
    }
    let closing = format!(
        "{} events from {} files, {} lines done by an earlier run",
        all.taken(),
        files.len(),
        all.earlier
    );
    steps.done(&closing);
    Ok(all)
}

/// Returns when every role has done what there is to do, or when one failed.
pub(super) async fn work(node: &Node, roles: &mut Roles) -> anyhow::Result<()> {
    tokio::select! {
        drained = drained(node) => drained,
        error = roles.failed() => Err(error),
    }
}

/// Returns when there is nothing left to do.
pub(super) async fn drained(node: &Node) -> anyhow::Result<()> {
    let most = std::sync::atomic::AtomicU64::new(0);
    let steps = Steps::start("working", 0, false);
    node.drain(&|left| {
        let total = most.fetch_max(left.records, std::sync::atomic::Ordering::Relaxed);
        let total = total.max(left.records);
        steps.at(total - left.records, total);
    })
    .await?;
    steps.done("nothing is left to do");
    Ok(())
}
