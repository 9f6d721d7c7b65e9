//! `LAYOUT`: the data format and the partition counts of a log's directory.
//!
//! One line `threadlore-log 2`, then one line `<topic> <partitions>` per topic.

use std::collections::BTreeMap;
use std::path::Path;

use threadlore_model::Topic;
use threadlore_ports::PortError;
use threadlore_schema::Topics;

use crate::error::io;
use crate::files;

pub(crate) const DOING: &str = "opening the log";
const FORMAT: &str = "threadlore-log 2";
/// Writes the layout of a new directory, or checks that the directory's fits.
///
/// # Errors
/// `Broken` when the data has another format or a topic another partition count.
pub(crate) fn prepare(dir: &Path, topics: &Topics) -> Result<(), PortError> {
    let path = dir.join("LAYOUT");
    let wanted = wanted(topics);
    let found = files::read(&path).map_err(|e| io(DOING, &path, e))?;
    let known = match found {
        Some(text) => parse(&path, &text)?,
        None if dir.join("db").exists() => {
            return Err(PortError::broken(
                DOING,
                format!(
                    "{} has a database but no LAYOUT file: restore the directory from a backup",
                    dir.display()
                ),
            ));
        }
        None => BTreeMap::new(),
    };
    for (topic, count) in &known {
        let now = wanted.get(topic).copied().unwrap_or_default();
        if now != *count {
            return Err(PortError::broken(
                DOING,
                format!(
                    "{topic} has {count} partitions in {}, and {now} are wanted: a count never \
                     changes, because keys would move; set `log.partitions` to {count}, or bring \
                     every space into a new log (docs/partitions.md)",
                    dir.display()
                ),
            ));
        }
    }
    match known == wanted {
        true => Ok(()),
        false => write(dir, topics),
    }
}

fn wanted(topics: &Topics) -> BTreeMap<Topic, u32> {
    topics.iter().map(|t| (t.topic, t.partitions)).collect()
}

/// Writes the layout of this version.
fn write(dir: &Path, topics: &Topics) -> Result<(), PortError> {
    let path = dir.join("LAYOUT");
    let mut text = format!("{FORMAT}\n");
    for (topic, count) in wanted(topics) {
        text += &format!("{topic} {count}\n");
    }
    files::put(&path, dir, text.as_bytes()).map_err(|e| io(DOING, &path, e))
}

fn parse(path: &Path, text: &[u8]) -> Result<BTreeMap<Topic, u32>, PortError> {
    let text = String::from_utf8_lossy(text);
    let mut lines = text.lines();
    let format = lines.next().unwrap_or_default();
    if format != FORMAT {
        return Err(PortError::broken(
            DOING,
            format!(
                "{} says {format:?}, and this version reads {FORMAT:?} only: use the version of \
                 threadlore that wrote it",
                path.display()
            ),
        ));
    }
    let counts: Option<BTreeMap<_, _>> = lines
        .map(|line| {
            let (topic, count) = line.split_once(' ')?;
            Some((topic.parse().ok()?, count.parse().ok()?))
        })
        .collect();
    counts.ok_or_else(|| {
        PortError::broken(
            DOING,
            format!(
                "{} names a topic that this version does not know, or is damaged: use the \
                     version of threadlore that wrote it",
                path.display()
            ),
        )
    })
}
