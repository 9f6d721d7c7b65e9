//! `threadlore import`: logs become messages, and cases are found in them.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use serde::Serialize;
use threadlore_gateways::{PassedOver, Summary};
use threadlore_model::{ChannelId, Key, SpaceId};
use threadlore_node::{ImportPlan, LEAST_ROOM, Node, Waiting, is_full};
use threadlore_ports::Right;

use super::Call;
use super::letters::{Failed, Letters};
use crate::cli::{Import, ImportTarget};
use crate::exit::{self, BadInput, Full};
use crate::output::Output;
use crate::printable::counted;

pub(super) async fn run(options: &Import, call: &Call<'_>) -> anyhow::Result<u8> {
    let path = call.dir.join(&options.path);
    let plan = plan(&options.target, options.again, &path, call.out).await?;
    if options.dry_run {
        return survey(plan, call).await;
    }
    call.host.start().await?;
    let log = call.host.node.log.as_ref();
    let space = &options.target.space;
    let channels = plan.channels();
    let keys = channels
        .iter()
        .map(|channel| Key::of_channel(space, channel));
    let letters = Letters::from_now(log, keys.collect()).await?;
    let known = match options.again {
        true => Some(messages(call, space).await?),
        false => None,
    };
    let summary = take(&call.host.node, call.out, &plan).await?;
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
        channels,
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

/// What an import would take, channel by channel.
#[derive(Serialize)]
struct Survey {
    /// Always true: nothing was taken.
    dry_run: bool,
    channels: Vec<ChannelSurvey>,
}

/// What an import would take into a channel.
#[derive(Serialize)]
struct ChannelSurvey {
    channel: ChannelId,
    /// When the last of it happened.
    until: Option<String>,
    #[serde(flatten)]
    summary: Summary,
}

/// Reads what is planned, says what is in it, and takes nothing.
async fn survey(plan: ImportPlan, call: &Call<'_>) -> anyhow::Result<u8> {
    let now = call.host.node.clock.now();
    let read = tokio::task::spawn_blocking(move || plan.survey(now));
    let read = read.await.context("reading what is to be imported")??;
    let channels = read.into_iter().map(|(channel, summary)| ChannelSurvey {
        channel,
        until: summary.last.map(|at| at.to_string()),
        summary,
    });
    let channels: Vec<ChannelSurvey> = channels.collect();
    let mut all = Summary::default();
    for one in &channels {
        all.merge(one.summary.clone());
    }
    if all.took_nothing() {
        return nothing(&all, call);
    }
    if call.json {
        let survey = Survey {
            dry_run: true,
            channels,
        };
        call.out.json(&survey)?;
        return Ok(0);
    }
    for one in &channels {
        let until = one.until.as_deref().unwrap_or("no time at all");
        call.out
            .print(format_args!("{}, until {until}", one.channel));
        call.out.print(&one.summary);
    }
    call.out
        .say("that is what an import would take; nothing was taken");
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
    /// Where the messages are.
    channels: Vec<ChannelId>,
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
    target.request(false).check(path)
}

/// Finds out what there is to import, and reads an export.
pub(super) async fn plan(
    target: &ImportTarget,
    again: bool,
    path: &Path,
    out: &Output,
) -> anyhow::Result<ImportPlan> {
    out.say(format_args!("reading {}", path.display()));
    let (request, path) = (target.request(again), path.to_owned());
    let read = tokio::task::spawn_blocking(move || ImportPlan::read(&request, &path));
    let plan = read.await.context("reading what is to be imported")??;
    if let Some(export) = &plan.export {
        let line = |(channel, messages): &(ChannelId, u64)| {
            format!("\n  {channel}  {}", counted(*messages, "message"))
        };
        out.say(format_args!(
            "an export of {} with {}:{}",
            export.name,
            counted(export.chats.len() as u64, "chat"),
            export.chats.iter().map(line).collect::<String>()
        ));
        if export.left_out > 0 {
            out.say(format_args!(
                "{} of a few people left out: export one alone to import it",
                counted(export.left_out as u64, "conversation")
            ));
        }
    }
    Ok(plan)
}

/// Appends what is planned to `chat.inbox`.
pub(super) async fn take(node: &Node, out: &Output, plan: &ImportPlan) -> anyhow::Result<Summary> {
    let steps = out.steps("importing", 0, true);
    let all = plan.take(node, |read, total| steps.at(read, total)).await?;
    let count = plan.count() as u64;
    let closing = format!(
        "{} from {}, {} lines done by an earlier run{}",
        counted(all.taken(), "event"),
        match &plan.export {
            None => counted(count, "file"),
            Some(_) => counted(count, "chat"),
        },
        all.earlier,
        match all.passed_over.len() {
            0 => String::new(),
            n => format!(", {n} files passed over"),
        }
    );
    steps.done(&closing);
    Ok(all)
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
