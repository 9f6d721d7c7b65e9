//! `threadlore import`: logs become messages, and cases are found in them.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use anyhow::Context;
use jiff::tz::TimeZone;
use serde::Serialize;
use threadlore_gateways::{
    Bots, Export, ExportChat, Format, ImportError, ImportOptions, LogFile, PassedOver, Progress,
    Summary, Target, end_history, export, files, import, is_export,
};
use threadlore_model::{ChannelId, Key, SpaceId};
use threadlore_node::{LEAST_ROOM, Node, Waiting, is_full};
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
async fn survey(plan: Plan, call: &Call<'_>) -> anyhow::Result<u8> {
    let now = call.host.node.clock.now();
    let read = move || -> anyhow::Result<Vec<ChannelSurvey>> {
        let part = |(options, what): (ImportOptions, What)| {
            let mut summary = Summary::default();
            match what {
                What::Logs(files) => {
                    for file in &files {
                        let read = file
                            .open()
                            .and_then(|input| threadlore_gateways::survey(now, &options, input));
                        merge(&mut summary, &file.path, files.len(), read)?;
                    }
                }
                What::Chat(chat) => {
                    summary = threadlore_gateways::survey(now, &options, chat.input())?;
                }
            }
            Ok(ChannelSurvey {
                channel: options.target.channel,
                until: summary.last.map(|at| at.to_string()),
                summary,
            })
        };
        plan.parts.into_iter().map(part).collect()
    };
    let channels = tokio::task::spawn_blocking(read)
        .await
        .context("reading what is to be imported")??;
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
    // Of a format that is named there is no export.
    if target.format.is_none() && is_export(path)? {
        return Ok(());
    }
    into(target, named(target, path)?, false)?;
    for file in files(path)? {
        file.check()?;
    }
    Ok(())
}

fn named(target: &ImportTarget, path: &Path) -> anyhow::Result<ChannelId> {
    let named = target.channel.clone();
    let unnamed = || {
        BadInput(format!(
            "{} is no export that is known (docs/import-format.md), so it is taken for logs of one channel: \
             name the channel: --channel irc:#ubuntu",
            path.display()
        ))
    };
    Ok(named.ok_or_else(unnamed)?)
}

/// What is imported: logs into one channel, or the chats of an export, each into its own.
pub(super) struct Plan {
    path: PathBuf,
    parts: Vec<(ImportOptions, What)>,
}

enum What {
    Logs(Vec<LogFile>),
    Chat(ExportChat),
}

impl Plan {
    fn channels(&self) -> Vec<ChannelId> {
        let channels = self.parts.iter().map(|(into, _)| &into.target.channel);
        channels.cloned().collect()
    }
}

/// Finds out what there is to import, and reads an export.
pub(super) async fn plan(
    target: &ImportTarget,
    again: bool,
    path: &Path,
    out: &Output,
) -> anyhow::Result<Plan> {
    let path = path.to_owned();
    out.say(format_args!("reading {}", path.display()));
    let found = match target.format {
        Some(_) => None,
        None => {
            let at = path.clone();
            let found = tokio::task::spawn_blocking(move || export(&at));
            found.await.context("reading what is to be imported")??
        }
    };
    let Some(export) = found else {
        let into = into(target, named(target, &path)?, again)?;
        let parts = vec![(into, What::Logs(files(&path)?))];
        return Ok(Plan { path, parts });
    };
    let chats = chosen(export, target.channel.as_ref(), out)?;
    let parts = chats.into_iter().map(|(channel, chat)| {
        let mut into = into(target, channel, again)?;
        into.timezone.get_or_insert(TimeZone::UTC);
        Ok((into, What::Chat(chat)))
    });
    let parts = parts.collect::<anyhow::Result<_>>()?;
    Ok(Plan { path, parts })
}

/// The chats of an export that are imported, each with its channel: all, or the one that is named. Of an
/// export of one chat, the channel that is named is where it goes.
fn chosen(
    export: Export,
    named: Option<&ChannelId>,
    out: &Output,
) -> anyhow::Result<Vec<(ChannelId, ExportChat)>> {
    let Export {
        name,
        mut chats,
        left_out,
    } = export;
    let listed = |chats: &[ExportChat]| {
        let line = |chat: &ExportChat| {
            format!(
                "\n  {}  {}",
                chat.channel,
                counted(chat.messages, "message")
            )
        };
        chats.iter().map(line).collect::<String>()
    };
    out.say(format_args!(
        "an export of {name} with {}:{}",
        counted(chats.len() as u64, "chat"),
        listed(&chats)
    ));
    if !left_out.is_empty() {
        out.say(format_args!(
            "{} of a few people left out: export one alone to import it",
            counted(left_out.len() as u64, "conversation")
        ));
    }
    let Some(named) = named else {
        let own = |chat: ExportChat| (chat.channel.clone(), chat);
        return Ok(chats.into_iter().map(own).collect());
    };
    let at = chats.iter().position(|chat| chat.channel == *named);
    let chat = match (at, chats.len()) {
        (Some(at), _) => chats.swap_remove(at),
        (None, 1) => chats.swap_remove(0),
        (None, _) => {
            return Err(BadInput(format!(
                "the export has no chat {named}: leave --channel out to import all of it, or name one of \
                 these:{}",
                listed(&chats)
            ))
            .into());
        }
    };
    Ok(vec![(named.clone(), chat)])
}

/// The options for the importer.
fn into(target: &ImportTarget, channel: ChannelId, again: bool) -> anyhow::Result<ImportOptions> {
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
        timezone: target.timezone.as_deref().map(zone).transpose()?,
        again,
    })
}

/// A zone by its name, or by how far it is from UTC.
fn zone(text: &str) -> Result<TimeZone, BadInput> {
    let offset = jiff::fmt::temporal::DateTimeParser::new().parse_time_zone(text);
    offset.or_else(|_| TimeZone::get(text)).map_err(|_| {
        BadInput(format!(
            "--timezone is {text:?}, and has to be a zone such as Europe/Berlin, or an offset such as +02:00"
        ))
    })
}

/// Appends what is planned to `chat.inbox`.
pub(super) async fn take(node: &Node, out: &Output, plan: &Plan) -> anyhow::Result<Summary> {
    let mut importing = Vec::new();
    let (mut total, mut count) = (0, 0);
    for (options, what) in &plan.parts {
        let Target { space, channel, .. } = &options.target;
        let paths: Vec<(&Path, u64)> = match what {
            What::Logs(files) => files
                .iter()
                .map(|file| (file.path.as_path(), file.size))
                .collect(),
            What::Chat(chat) => vec![(&plan.path, chat.input().size)],
        };
        for (path, size) in paths {
            importing.push(node.imports.begin(space, channel, path)?);
            (total, count) = (total + size, count + 1);
        }
    }
    let steps = out.steps("importing", total, true);
    let (mut all, mut before) = (Summary::default(), 0);
    let (log, blobs, clock) = (node.log.as_ref(), node.blobs(), &node.clock);
    for (options, what) in &plan.parts {
        let mut part = Summary::default();
        match what {
            What::Logs(files) => {
                for file in files {
                    let at = |now: Progress| steps.at(before + now.read.bytes, total);
                    let imported = match file.open() {
                        Ok(input) => import(log, blobs, clock.now(), options, input, at).await,
                        Err(error) => Err(error),
                    };
                    before += file.size;
                    merge(&mut part, &file.path, files.len(), imported)?;
                }
            }
            What::Chat(chat) => {
                let input = chat.input();
                let size = input.size;
                let at = |now: Progress| steps.at(before + now.read.bytes, total);
                part = import(log, blobs, clock.now(), options, input, at).await?;
                before += size;
            }
        }
        end_history(log, &options.target, &part).await?;
        all.merge(part);
    }
    let closing = format!(
        "{} from {}, {} lines done by an earlier run{}",
        counted(all.taken(), "event"),
        match plan.parts.as_slice() {
            [(_, What::Logs(_))] => counted(count as u64, "file"),
            _ => counted(count as u64, "chat"),
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
