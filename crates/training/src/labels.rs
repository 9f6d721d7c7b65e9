//! Reads Ubuntu channel logs with reply-link labels (irc-disentanglement):
//! `NAME.ascii.txt` and `NAME.annotation.txt`.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, bail};
use threadlore_model::{Line, MessageId, PersonHasher, SpaceId, Timestamp};

/// Names of the bots of that channel.
const BOTS: &[&str] = &["ubotu", "ubottu", "ubot5", "ubot3", "ubot2", "ubotwo"];
const MINUTE_MS: i64 = 60_000;
const DAY_MINUTES: i64 = 24 * 60;

/// One labelled log.
#[derive(Debug)]
pub struct Labelled {
    /// Messages, without the lines of the system.
    pub lines: Vec<Line>,
    /// For each message its line number in the file, from 0.
    pub number: Vec<usize>,
    /// Labelled links as (later, earlier) line numbers; equal where a line starts a conversation.
    pub links: Vec<(usize, usize)>,
}

/// All labelled logs of a folder, in order of their names.
///
/// # Errors
/// When the folder has none, or a file cannot be read or has another form.
pub fn read_all(folder: &Path) -> anyhow::Result<Vec<Labelled>> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut names = Vec::new();
    for entry in entries {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if let Some(stem) = name.strip_suffix(".annotation.txt") {
            names.push(stem.to_owned());
        }
    }
    names.sort();
    if names.is_empty() {
        bail!(
            "{} has no *.annotation.txt; give the folder that holds irc/dev",
            folder.display()
        );
    }
    names.iter().map(|name| read(folder, name)).collect()
}

/// One labelled log of a folder: its name, without `.ascii.txt`.
///
/// # Errors
/// When a file cannot be read or has another form.
pub fn read(folder: &Path, name: &str) -> anyhow::Result<Labelled> {
    let path = folder.join(format!("{name}.ascii.txt"));
    let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let (lines, number) = messages(&String::from_utf8_lossy(&bytes), name)?;
    let path = folder.join(format!("{name}.annotation.txt"));
    let text =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut links = Vec::new();
    for line in text.lines() {
        let mut ends = line.split_whitespace().filter_map(|end| end.parse().ok());
        let (Some(a), Some(b)) = (ends.next(), ends.next()) else {
            bail!("{}: {line:?} is not \"earlier later -\"", path.display());
        };
        let (a, b): (usize, usize) = (a, b);
        links.push((a.max(b), a.min(b)));
    }
    links.sort_unstable();
    links.dedup();
    Ok(Labelled {
        lines,
        number,
        links,
    })
}

/// The messages of a log and their line numbers.
fn messages(text: &str, name: &str) -> anyhow::Result<(Vec<Line>, Vec<usize>)> {
    let space = SpaceId::parse("bench")?;
    let hasher = PersonHasher::new(&[0; 32]);
    let channel = threadlore_model::ChannelId::new("irc", name)?;
    let mut people = HashMap::new();
    let (mut lines, mut numbers) = (Vec::new(), Vec::new());
    let (mut days, mut last) = (0, 0);
    for (number, raw) in text.lines().enumerate() {
        let Some((minute, nick, text)) = parse(raw) else {
            continue;
        };
        if minute + DAY_MINUTES / 2 < last {
            days += 1;
        }
        last = minute;
        let person = *people
            .entry(nick.to_owned())
            .or_insert_with(|| hasher.person(&space, "irc", nick));
        lines.push(Line {
            message: MessageId::of_native(&space, &channel, &number.to_string()),
            person,
            name: Some(nick.to_owned()),
            text: text.to_owned(),
            at: Timestamp::from_millis((days * DAY_MINUTES + minute) * MINUTE_MS),
            reply_to: None,
            thread: None,
            mentions: Vec::new(),
            bot: BOTS.contains(&nick.to_ascii_lowercase().as_str()),
            positive: 0,
        });
        numbers.push(number);
    }
    Ok((lines, numbers))
}

/// Minute of the day, name and text of a message or an action.
fn parse(raw: &str) -> Option<(i64, &str, &str)> {
    let (clock, rest) = raw.strip_prefix('[')?.split_once(']')?;
    let (hours, minutes) = clock.split_once(':')?;
    let minute = hours.parse::<i64>().ok()? * 60 + minutes.parse::<i64>().ok()?;
    let rest = rest.trim_start();
    let (nick, text) = if let Some(said) = rest.strip_prefix('<') {
        said.split_once('>')?
    } else {
        let did = rest.strip_prefix("* ")?;
        did.split_once(' ').unwrap_or((did, ""))
    };
    Some((minute, nick, text.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_actions_and_system_lines_are_told_apart() {
        let log =
            "[23:59] <ann> hi\n=== bob has joined #x\n[00:00]  * bob waves\n[00:00] <ubotu> ok\n";
        let (lines, numbers) = messages(log, "x").expect("a log");
        assert_eq!(numbers, [0, 2, 3]);
        assert_eq!(lines[1].text, "waves");
        assert_eq!(lines[1].at.since(lines[0].at).as_secs(), 60);
        assert!(lines[2].bot && !lines[1].bot);
    }
}
