//! `threadlore import`: logs become messages, and cases are found in them.

use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use serde::Serialize;
use threadlore_gateways::{
    Bots, Format, ImportError, ImportOptions, LogFile, PassedOver, Summary, Target, end_history,
    files, import,
};
use threadlore_model::{Key, SpaceId};
use threadlore_node::{LEAST_ROOM, Node, Waiting, is_full};
use threadlore_ports::Right;

use super::Call;
use super::letters::{Failed, Letters};
use crate::cli::{Import, ImportTarget};
use crate::exit::{self, BadInput, Full};
use crate::output::Output;

pub(super) async fn run(options: &Import, call: &Call<'_>) -> anyhow::Result<u8> {
    let into = into(&options.target, options.again)?;
    call.host.start().await?;
    let path = call.dir.join(&options.path);
    let log = call.host.node.log.as_ref();
    let Target { space, channel, .. } = &into.target;
    let letters = Letters::from_now(log, Key::of_channel(space, channel)).await?;
    let known = match options.again {
        true => Some(messages(call, space).await?),
        false => None,
    };
    let summary = take(&call.host.node, call.out, &into, &path).await?;
    if summary.took_nothing() {
        return nothing(&summary, call);
    }
    work(call).await?;
    let failed_looks = letters.failed(log).await?;
    let new_messages = match known {
        Some(known) => Some(messages(call, space).await?.saturating_sub(known)),
        None => None,
    };
    let done = Done {
        summary,
        new_messages,
        failed_looks,
    };
    if call.json {
        call.out.json(&done)?;
    } else {
        call.out.print(done);
    }
    Ok(0)
}

/// How many messages the space has.
async fn messages(call: &Call<'_>, space: &SpaceId) -> anyhow::Result<u64> {
    let node = &call.host.node;
    let scope = node.scope(space, Right::Read)?;
    Ok(node.reader().counts(&scope).await?.messages)
}

/// Says that nothing could be imported, and why.
fn nothing(summary: &Summary, call: &Call<'_>) -> anyhow::Result<u8> {
    if call.json {
        call.out.json(summary)?;
    } else {
        call.out.print(summary);
    }
    call.out.say(exit::sentence(&refused(summary)));
    Ok(exit::BAD_INPUT)
}

/// The summary as an error.
pub(super) fn refused(summary: &Summary) -> anyhow::Error {
    let mut sentence = "nothing was imported".to_owned();
    if let Some(PassedOver { file, why }) = summary.passed_over.first() {
        sentence = format!("{sentence}: {file}: {why}");
    }
    if summary.passed_over.len() > 1 {
        sentence = format!(
            "{sentence} (and {} more files)",
            summary.passed_over.len() - 1
        );
    }
    BadInput(sentence).into()
}

/// The result of an import.
#[derive(Serialize)]
struct Done {
    #[serde(flatten)]
    summary: Summary,
    /// With `--again`: how many of the messages were not in the space before.
    #[serde(skip_serializing_if = "Option::is_none")]
    new_messages: Option<u64>,
    failed_looks: Failed,
}

impl fmt::Display for Done {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.summary)?;
        if let Some(new) = self.new_messages {
            let repeats = self.summary.messages.saturating_sub(new);
            write!(
                f,
                "\n  of the messages {new} are new, {repeats} are repeats"
            )?;
        }
        write!(f, "{}", self.failed_looks)
    }
}

/// Whether there is a place for it, and something at the path that can be read.
pub(super) fn check(target: &ImportTarget, path: &Path) -> anyhow::Result<()> {
    into(target, false)?;
    for file in files(path)? {
        file.open()?;
    }
    Ok(())
}

/// The options for the importer.
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
    out: &Output,
    options: &ImportOptions,
    path: &Path,
) -> anyhow::Result<Summary> {
    let files = files(path)?;
    let Target { space, channel, .. } = &options.target;
    let begin = |file: &LogFile| node.imports.begin(space, channel, &file.path);
    let _importing = files.iter().map(begin).collect::<Result<Vec<_>, _>>()?;
    let total: u64 = files.iter().map(|file| file.size).sum();
    let steps = out.steps("importing", total, true);
    let blobs = node.blobs();
    let (mut all, mut before) = (Summary::default(), 0);
    for file in &files {
        let now = node.clock.now();
        let input = file.open()?;
        let imported = import(node.log.as_ref(), blobs, now, options, input, |progress| {
            steps.at(before + progress.read.bytes, total);
        })
        .await;
        before += file.size;
        merge(&mut all, &file.path, files.len(), imported)?;
    }
    end_history(node.log.as_ref(), &options.target, &all).await?;
    let closing = format!(
        "{} events from {} files, {} lines done by an earlier run{}",
        all.taken(),
        files.len(),
        all.earlier,
        match all.passed_over.len() {
            0 => String::new(),
            n => format!(", {n} files passed over"),
        }
    );
    steps.done(&closing);
    Ok(all)
}

/// Adds the result of one file. A file of an unknown format is passed over, unless it is the only
/// one.
fn merge(
    all: &mut Summary,
    path: &Path,
    files: usize,
    imported: Result<Summary, ImportError>,
) -> anyhow::Result<()> {
    match imported {
        Ok(summary) => all.merge(summary),
        Err(error) if files > 1 && error.is_about_content() => {
            let path = path.display().to_string();
            let why = error.to_string();
            let why = why.strip_prefix(&format!("{path}: ")).unwrap_or(&why);
            all.pass_over(&path, why.to_owned());
        }
        Err(error) => return Err(error.into()),
    }
    Ok(())
}

/// Lets the roles work until nothing is left to do.
pub(super) async fn work(call: &Call<'_>) -> anyhow::Result<()> {
    call.host.start().await?;
    if call.host.node.is_shared() {
        call.out.say(
            "waiting for the processes that run the roles (Ctrl-C ends the waiting and nothing else)",
        );
    }
    drained(&call.host.node, call.out).await
}

/// Returns when there is nothing left to do, or when the disk is full: the database
/// would try again for ever.
pub(super) async fn drained(node: &Node, out: &Output) -> anyhow::Result<()> {
    let most = std::sync::atomic::AtomicU64::new(0);
    let steps = out.steps("working", 0, false);
    let progress = |left: Waiting| {
        let total = most.fetch_max(left.records, std::sync::atomic::Ordering::Relaxed);
        let total = total.max(left.records);
        steps.at(total - left.records, total);
    };
    tokio::select! {
        drained = node.drain(&progress) => drained?,
        full = full(node) => return Err(full.into()),
    }
    steps.done("nothing is left to do");
    Ok(())
}

/// Time between two checks of the free disk space.
const LOOK: Duration = Duration::from_secs(5);

/// Returns when the disk is full.
pub(super) async fn full(node: &Node) -> Full {
    loop {
        node.clock.sleep(LOOK).await;
        let dir = node.settings.data_dir.clone();
        let look = tokio::task::spawn_blocking(move || (is_full(&dir, LEAST_ROOM), dir));
        if let Ok((true, dir)) = look.await {
            return Full(dir);
        }
    }
}
