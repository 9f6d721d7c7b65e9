//! Reads dialogs of LiveChat rooms: parts between lines of dashes, a message
//! `[date time] <nick> text`, with or without a number before it; other lines
//! belong to the message above.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use threadlore_model::{ChannelId, Line, MessageId, PersonHasher, SpaceId, Timestamp};

/// Dashes of a line that ends a dialog, at least.
const DASHES: usize = 10;
const DAY_SECONDS: i64 = 24 * 60 * 60;

/// The messages of one dialog of a room.
///
/// # Errors
/// When the room's file cannot be read or has no such dialog.
pub(crate) fn read(folder: &Path, room: &str, dialog: usize) -> anyhow::Result<Vec<Line>> {
    let (path, text) = room_text(folder, room)?;
    let part = parts(&text).nth(dialog);
    let part = part.with_context(|| format!("{} has no dialog {dialog}", path.display()))?;
    messages(&part, room)
}

/// The messages of all dialogs of a room, in their order in time.
///
/// # Errors
/// When the room's file cannot be read.
pub(crate) fn all(folder: &Path, room: &str) -> anyhow::Result<Vec<Line>> {
    let (_, text) = room_text(folder, room)?;
    let mut lines = Vec::new();
    for part in parts(&text) {
        lines.extend(messages(&part, room)?);
    }
    lines.sort_by_key(|line| line.at);
    Ok(lines)
}

/// A room's file and what is in it.
fn room_text(folder: &Path, room: &str) -> anyhow::Result<(PathBuf, String)> {
    let path = folder.join(format!("{room}.txt"));
    let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok((path, text))
}

/// The lines of each dialog.
fn parts(text: &str) -> impl Iterator<Item = Vec<&str>> {
    let ends = |line: &str| {
        let line = line.trim_end();
        line.len() >= DASHES && line.bytes().all(|b| b == b'-')
    };
    let mut lines = text.lines().peekable();
    std::iter::from_fn(move || {
        lines.peek()?;
        Some(lines.by_ref().take_while(|line| !ends(line)).collect())
    })
}

fn messages(part: &[&str], room: &str) -> anyhow::Result<Vec<Line>> {
    let space = SpaceId::parse("bench")?;
    let channel = ChannelId::new("livechat", room)?;
    let hasher = PersonHasher::new(&[0; 32]);
    let mut lines: Vec<Line> = Vec::new();
    for raw in part {
        match (parse(raw), lines.last_mut()) {
            (Some((at, nick, text)), _) => lines.push(Line {
                message: MessageId::of_native(&space, &channel, &lines.len().to_string()),
                person: hasher.person(&space, "livechat", nick),
                name: Some(nick.to_owned()),
                text: text.trim().to_owned(),
                at,
                reply_to: None,
                thread: None,
                mentions: Vec::new(),
                bot: false,
                positive: 0,
            }),
            (None, Some(above)) if !raw.trim().is_empty() => {
                above.text.push('\n');
                above.text.push_str(raw.trim_end());
            }
            (None, _) => {}
        }
    }
    Ok(lines)
}

/// Time, name and text of the first line of a message.
fn parse(raw: &str) -> Option<(Timestamp, &str, &str)> {
    let (number, rest) = raw.split_once('[')?;
    if !number.trim().bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let (time, rest) = rest.split_once("] <")?;
    let (nick, text) = rest.split_once('>')?;
    Some((timestamp(time)?, nick, text))
}

/// The time of `2016-11-21 02:02:26`, also with a `T` between.
fn timestamp(text: &str) -> Option<Timestamp> {
    let mut numbers = text.split(['-', ' ', 'T', ':']).map(str::parse::<i64>);
    let mut next = || numbers.next()?.ok();
    let day = days(next()?, next()?, next()?);
    let seconds = (next()? * 60 + next()?) * 60 + next()?;
    Some(Timestamp::from_millis(1000 * (day * DAY_SECONDS + seconds)))
}

/// Days since 1970-01-01, by the Gregorian calendar; years count from March, so
/// that the leap day is the last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 719_469
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: &str = "1 [2016-02-29 23:59:59] <ann> hi\n\
                        \tat line 3\n\
                        [2016-03-01T00:00:00] <bob> [not a time] <b> ok\n\
                        --------------------\n\
                        \n\
                        [2017-01-01 00:00:00] <cid> alone\n";

    #[test]
    fn other_lines_belong_to_the_message_above() {
        let lines = messages(&parts(ROOM).next().expect("a dialog"), "x").expect("messages");
        let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(texts, ["hi\n\tat line 3", "[not a time] <b> ok"]);
        assert_ne!(lines[0].person, lines[1].person);
    }

    #[test]
    fn dialogs_are_counted_from_0() {
        let lines = messages(&parts(ROOM).nth(1).expect("a dialog"), "x").expect("messages");
        assert_eq!(lines.len(), 1);
        assert_eq!(parts(ROOM).count(), 2);
    }

    #[test]
    fn times_are_of_the_calendar() {
        let of = |text| timestamp(text).map(Timestamp::as_millis);
        assert_eq!(of("1970-01-01 00:00:01"), Some(1000));
        assert_eq!(of("2016-12-29T13:13:53"), Some(1_483_017_233_000));
        let before = timestamp("2016-02-29 23:59:59").expect("a time");
        let after = timestamp("2016-03-01 00:00:00").expect("a time");
        assert_eq!(after.since(before).as_secs(), 1);
    }
}
