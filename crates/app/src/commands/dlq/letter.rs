//! Dead letters in the log, and their addresses.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use anyhow::Context;
use threadlore_model::{
    Body, Cause, DeadLetter, Envelope, EventId, Offset, Partition, Topic, TopicPartition,
};
use threadlore_ports::{EventLog, PortError, Record};
use threadlore_roles::redrive::source;

use crate::exit::BadInput;

/// Records read at a time.
const READ: usize = 200;

/// The address of a dead letter, such as `chat.inbox.dlq/3/17`: topic, partition, offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) at: TopicPartition,
    pub(crate) offset: Offset,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.at, self.offset)
    }
}

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.split('/');
        let (Some(topic), Some(partition), Some(offset), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(
                "name a dead letter as topic/partition/offset: chat.inbox.dlq/3/17".to_owned(),
            );
        };
        let topic: Topic = topic.parse()?;
        if topic.letters_of().is_none() {
            return Err(format!(
                "{topic} holds no dead letters: their topics end in .dlq"
            ));
        }
        let number = |what, digits: &str| {
            let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
            let number = plain.then(|| digits.parse().ok()).flatten();
            number.ok_or_else(|| format!("the {what} {digits:?} is no number from 0 on"))
        };
        let partition = i32::try_from(number("partition", partition)?)
            .map_err(|_| format!("there is no partition {partition}"))?;
        Ok(Self {
            at: TopicPartition {
                topic,
                partition: Partition(partition),
            },
            offset: Offset(number("offset", offset)?),
        })
    }
}

/// The dead-letter topic of this name, or for this source topic.
pub(crate) fn letters(name: &str) -> Result<Topic, String> {
    let topic: Topic = name.parse()?;
    let letters = topic.dead_letters().or(topic.letters_of().map(|_| topic));
    letters.ok_or_else(|| format!("{topic} has no dead letters"))
}

/// One dead letter.
#[derive(Debug, Clone)]
pub(crate) struct Letter {
    pub(crate) place: Place,
    pub(crate) envelope: Envelope,
    pub(crate) dead: DeadLetter,
}

impl Letter {
    /// The dead letter in a record; `None` if the record holds none.
    fn of(record: Record) -> Option<Self> {
        let place = Place {
            at: record.at,
            offset: record.offset,
        };
        let event = *record.body.ok()?;
        let Body::DeadLetter(dead) = event.body else {
            return None;
        };
        Some(Self {
            place,
            envelope: event.envelope,
            dead,
        })
    }

    /// The cause of an event that redrives it.
    pub(super) fn cause(&self) -> Cause {
        Cause {
            event: self.envelope.id,
            at: self.place.at,
            offset: self.place.offset,
        }
    }

    /// The address of the source record.
    pub(super) fn source(&self) -> Place {
        Place {
            at: source(&self.dead),
            offset: self.dead.offset,
        }
    }
}

/// The next dead letters of a partition from an offset on, and the offset to go on from; `None` at
/// the end.
pub(crate) async fn page(
    log: &dyn EventLog,
    at: TopicPartition,
    from: Offset,
) -> Result<Option<(Vec<Letter>, Offset)>, PortError> {
    let records = log.read(at, from, READ).await?;
    let Some(last) = records.last() else {
        return Ok(None);
    };
    let next = last.offset.next();
    let letters = records.into_iter().filter_map(Letter::of);
    Ok(Some((letters.collect(), next)))
}

/// The last dead letters of a partition that pass `keep`, at most `most`, oldest first. It reads
/// backwards, so that the newest of many are found at once.
pub(super) async fn last(
    log: &dyn EventLog,
    at: TopicPartition,
    most: usize,
    keep: impl Fn(&Letter) -> bool,
) -> Result<Vec<Letter>, PortError> {
    let Range { start, end } = log.range(at).await?;
    let (mut found, mut to) = (Vec::new(), end);
    while found.len() < most && to > start {
        let from = Offset((to.0 - READ as i64).max(start.0));
        let (mut part, mut next) = (Vec::new(), from);
        while next < to {
            let Some((letters, after)) = page(log, at, next).await? else {
                break;
            };
            part.extend(
                letters
                    .into_iter()
                    .filter(|l| l.place.offset < to && keep(l)),
            );
            next = after;
        }
        part.append(&mut found);
        (found, to) = (part, from);
    }
    let more = found.len().saturating_sub(most);
    found.drain(..more);
    Ok(found)
}

/// The dead letter at an address.
///
/// # Errors
/// `BadInput` when there is none.
pub(super) async fn one(log: &dyn EventLog, place: Place) -> anyhow::Result<Letter> {
    let at = place.at;
    let partitions = log.partitions(at.topic);
    if u32::try_from(at.partition.0).is_ok_and(|number| number >= partitions) {
        let last = partitions.saturating_sub(1);
        return Err(BadInput(format!(
            "there is no dead letter {place}: {} has the partitions 0 to {last}",
            at.topic
        ))
        .into());
    }
    let range = log.range(at).await.context("looking for a dead letter")?;
    if !range.contains(&place.offset) {
        return Err(BadInput(format!(
            "there is no dead letter {place}: {at} holds {} to before {}",
            range.start, range.end
        ))
        .into());
    }
    let found = record(log, place).await?.and_then(Letter::of);
    found.ok_or_else(|| BadInput(format!("the record {place} is not a dead letter")).into())
}

/// The record at a place, if there is one.
pub(super) async fn record(log: &dyn EventLog, place: Place) -> Result<Option<Record>, PortError> {
    let Place { at, offset } = place;
    let known = u32::try_from(at.partition.0).is_ok_and(|n| n < log.partitions(at.topic));
    if !known || !log.range(at).await?.contains(&offset) {
        return Ok(None);
    }
    let found = log.read(at, offset, 1).await?.pop();
    Ok(found.filter(|record| record.offset == offset))
}

/// The events that redrove dead letters, by the ids of the letters. Such an event names the dead
/// letter as its cause. It is in the partition of the source record, after it, or for a window in
/// the same partition of `knowledge.requests`. Ids are used because a crash may have published a dead letter twice.
pub(super) async fn redriven(
    log: &dyn EventLog,
    letters: &[Letter],
) -> Result<HashMap<EventId, Place>, PortError> {
    let mut first: HashMap<TopicPartition, Offset> = HashMap::new();
    for letter in letters {
        let Place { at, offset } = letter.source();
        match at.topic {
            Topic::ChatInbox => {
                let from = first.entry(at).or_insert(offset.next());
                *from = offset.next().min(*from);
            }
            Topic::ChatTurns => {
                let topic = Topic::KnowledgeRequests;
                first.insert(TopicPartition { topic, ..at }, Offset(0));
            }
            // Nothing else can be redriven.
            _ => {}
        }
    }
    let wanted: HashSet<EventId> = letters.iter().map(|l| l.envelope.id).collect();
    let mut found = HashMap::new();
    for (at, from) in first {
        let range = log.range(at).await?;
        let mut next = from.max(range.start);
        while next < range.end {
            let records = log.read(at, next, READ).await?;
            let Some(last) = records.last() else { break };
            next = last.offset.next();
            for record in records {
                let Ok(event) = record.body else { continue };
                let letter = event.envelope.redrives().map(|cause| cause.event);
                if let Some(letter) = letter.filter(|letter| wanted.contains(letter)) {
                    let offset = record.offset;
                    found.entry(letter).or_insert(Place { at, offset });
                }
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests;
