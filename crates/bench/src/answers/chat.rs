//! The chat that questions are about, imported as `threadlore import` does it.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, ensure};
use serde_json::{Value, json};
use threadlore_gateways::{Bots, Input, Target, end_history};
use threadlore_model::{ChannelId, SpaceId, Timestamp};
use threadlore_node::Node;

use super::material::{Dialog, Said};
use crate::ingest::{BOTS, import_all, take};
use crate::{livechat, logs};

/// Between the end of a dialog and the next one in the channel of its language.
const BETWEEN: Duration = Duration::from_secs(3 * 24 * 60 * 60);

/// The channel of a language's dialogs.
pub(crate) fn of_language(language: &str) -> anyhow::Result<ChannelId> {
    Ok(ChannelId::new("help", language)?)
}

/// The platform's id of a line of a dialog.
pub(crate) fn native(dialog: &Dialog, line: usize) -> String {
    format!("{}/{line}", dialog.id)
}

/// Imports the logs of IRC into one channel, as one long history.
pub(crate) async fn import_irc(node: &Node, data: &Path, target: &Target) -> anyhow::Result<()> {
    import_all(node, target.clone(), logs::find(data)?.iter()).await
}

/// Imports a room of LiveChat, dialog after dialog.
pub(crate) async fn import_room(
    node: &Node,
    data: &Path,
    room: &str,
    target: &Target,
) -> anyhow::Result<()> {
    let said = livechat::all(&data.join("livechat"), room)?;
    let lines = said.iter().enumerate().map(|(at, line)| {
        json!({
            "type": "message",
            "id": at.to_string(),
            "author": line.name,
            "name": line.name,
            "text": line.text,
            "at": line.at.to_string(),
        })
    });
    import_lines(node, target, room, lines).await
}

/// Imports dialogs of one language, one after the other.
pub(crate) async fn import_dialogs(
    node: &Node,
    language: &str,
    dialogs: &[&Dialog],
    target: &Target,
) -> anyhow::Result<()> {
    let (mut records, mut free) = (Vec::new(), None);
    for dialog in dialogs {
        let first = time(&dialog.lines.first().context("an empty dialog")?.at)?;
        let begins = free.unwrap_or(first);
        let moved = |at: &str| anyhow::Ok(begins.plus(time(at)?.since(first)));
        let mut of_dialog = BTreeMap::<(Timestamp, usize), Value>::new();
        for (at, line) in dialog.lines.iter().enumerate() {
            let sent = moved(&line.at)?;
            of_dialog.insert((sent, of_dialog.len()), message(dialog, (at, line), sent));
            for reaction in &line.reactions {
                let when = moved(&reaction.at)?;
                let record = json!({
                    "type": "reaction_added",
                    "id": native(dialog, at),
                    "author": reaction.by,
                    "emoji": reaction.emoji,
                    "at": when.to_string(),
                });
                of_dialog.insert((when, of_dialog.len()), record);
            }
        }
        free = of_dialog.keys().last().map(|(at, _)| at.plus(BETWEEN));
        records.extend(of_dialog.into_values());
    }
    import_lines(node, target, language, records.into_iter()).await
}

fn message(dialog: &Dialog, (at, line): (usize, &Said), sent: Timestamp) -> Value {
    let mut record = json!({
        "type": "message",
        "id": native(dialog, at),
        "author": line.by,
        "name": line.by,
        "text": line.text,
        "at": sent.to_string(),
    });
    if let Some(to) = line.reply_to {
        record["reply_to"] = json!(native(dialog, to));
    }
    record
}

fn time(text: &str) -> anyhow::Result<Timestamp> {
    let parsed = text.parse::<Timestamp>().ok();
    parsed.with_context(|| format!("{text} is no time"))
}

async fn import_lines(
    node: &Node,
    target: &Target,
    name: &str,
    records: impl Iterator<Item = Value>,
) -> anyhow::Result<()> {
    let text: String = records.map(|record| format!("{record}\n")).collect();
    let input = Input {
        name: format!("{name}.jsonl"),
        size: text.len() as u64,
        reader: Cursor::new(text.into_bytes()),
    };
    let summary = take(node, target, input).await?;
    ensure!(summary.taken() > 0, "{name}: nothing was taken");
    Ok(end_history(node.log.as_ref(), target, &summary).await?)
}

/// Where chat is imported to.
pub(crate) fn target(space: &SpaceId, channel: ChannelId) -> anyhow::Result<Target> {
    Ok(Target {
        space: space.clone(),
        channel,
        bots: Bots::parse(BOTS)?,
    })
}
