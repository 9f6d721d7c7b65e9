//! Dead letters: their addresses, what is known of each, and another try.
//!
//! | file | holds |
//! |---|---|
//! | `redrive` | another try, where that is possible |

mod redrive;

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use anyhow::Context;
use threadlore_model::{
    Body, Cause, DeadLetter, Envelope, EventId, Offset, Partition, SpaceId, Topic, TopicPartition,
};
use threadlore_ports::{EventLog, PortError, Record, all_partitions};
use threadlore_roles::redrive::source;
use threadlore_schema::Fingerprint;

pub use redrive::{Redrive, RedriveRefusal, WhichDeadLetters};

use crate::error::BadInput;
use crate::node::Node;

/// Records read at a time.
const READ: usize = 200;

/// The address of a dead letter, such as `chat.inbox.dlq/3/17`, or of another record: topic, partition, offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeadLetterPlace {
    /// Its topic and partition.
    pub at: TopicPartition,
    /// Its offset there.
    pub offset: Offset,
}

impl fmt::Display for DeadLetterPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.at, self.offset)
    }
}

impl FromStr for DeadLetterPlace {
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
///
/// # Errors
/// One sentence: there is no such topic, or it has no dead letters.
pub fn dead_letter_topic(name: &str) -> Result<Topic, String> {
    let topic: Topic = name.parse()?;
    let letters = topic.dead_letters().or(topic.letters_of().map(|_| topic));
    letters.ok_or_else(|| format!("{topic} has no dead letters"))
}

/// One dead letter.
#[derive(Debug, Clone)]
pub struct Letter {
    /// Its address.
    pub place: DeadLetterPlace,
    /// Its event, without what it says.
    pub envelope: Envelope,
    /// What it says.
    pub dead: DeadLetter,
}

impl Letter {
    /// The dead letter in a record; `None` if the record holds none.
    fn of(record: Record) -> Option<Self> {
        let place = DeadLetterPlace {
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
    fn cause(&self) -> Cause {
        Cause {
            event: self.envelope.id,
            at: self.place.at,
            offset: self.place.offset,
        }
    }

    /// The address of the source record.
    #[must_use]
    pub fn source(&self) -> DeadLetterPlace {
        DeadLetterPlace {
            at: source(&self.dead),
            offset: self.dead.offset,
        }
    }

    /// The kind of the record's value, recognised by its first bytes, without any of its content.
    #[must_use]
    pub fn value_kind(&self) -> String {
        value_kind(&self.dead.value)
    }
}

fn value_kind(value: &[u8]) -> String {
    match (Fingerprint::split(value), value) {
        (Ok((schema, datum)), _) => {
            let datum = datum.len();
            format!("an Avro single object of schema {schema} with {datum} bytes of data")
        }
        (Err(_), []) => "the dead letter holds none; the record is in its topic".to_owned(),
        (Err(_), [0, a, b, c, d, ..]) => {
            let id = u32::from_be_bytes([*a, *b, *c, *d]);
            format!("framed for a schema registry, schema {id}")
        }
        (Err(_), _) => "no Avro".to_owned(),
    }
}

/// What has become of the record that a dead letter is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeadLetterSource {
    /// It is in the log no more.
    Gone,
    /// It can be read by now: the kind of its event.
    Readable(&'static str),
    /// It cannot be read, and why.
    NotReadable(String),
}

impl fmt::Display for DeadLetterSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gone => f.write_str("gone from the log: the dead letter has a copy of its value"),
            Self::Readable(kind) => write!(f, "{kind}, which can be read"),
            Self::NotReadable(reason) => write!(f, "not readable: {reason}"),
        }
    }
}

/// Which dead letters of a list.
#[derive(Debug, Clone, Default)]
pub struct DeadLetterFilter<'a> {
    /// Those of this topic of dead letters; of all if `None`.
    pub topic: Option<Topic>,
    /// Those of this space; of all if `None`.
    pub space: Option<&'a SpaceId>,
    /// Those behind this one.
    pub after: Option<DeadLetterPlace>,
    /// How many.
    pub limit: usize,
}

impl Node {
    /// Dead letters, the newest first, each with the address of the event that redrove it; and whether there
    /// are older ones.
    ///
    /// # Errors
    /// `BadInput` where there is no letter `after`; what the log says.
    pub async fn letters(
        &self,
        filter: &DeadLetterFilter<'_>,
    ) -> anyhow::Result<(Vec<(Letter, Option<DeadLetterPlace>)>, bool)> {
        // A dead letter may name a record of the inbox, which must not be truncated while it is read.
        let _inbox = self.store.hold_inbox().await?;
        let log = self.log.as_ref();
        let topics = match filter.topic {
            Some(topic) => vec![topic],
            None => Topic::ALL.iter().filter_map(|t| t.dead_letters()).collect(),
        };
        let order = |letter: &Letter| (letter.dead.now, letter.place);
        let before = match filter.after {
            Some(place) => Some(order(&one(log, place).await?)),
            None => None,
        };
        let keep = |letter: &Letter| {
            filter
                .space
                .is_none_or(|space| letter.envelope.space == *space)
                && before.is_none_or(|before| order(letter) < before)
        };
        let mut found: Vec<Letter> = Vec::new();
        for at in topics
            .into_iter()
            .flat_map(|topic| all_partitions(log, topic))
        {
            // One more than is shown says that there are more.
            found.extend(last(log, at, filter.limit + 1, keep).await?);
            found.sort_by_key(|letter| std::cmp::Reverse(order(letter)));
            found.truncate(filter.limit + 1);
        }
        let more = found.len() > filter.limit;
        found.truncate(filter.limit);
        let redriven = redriven(log, &found).await?;
        let again = |letter: &Letter| redriven.get(&letter.envelope.id).copied();
        let letters = found.into_iter().map(|letter| (again(&letter), letter));
        Ok((
            letters.map(|(again, letter)| (letter, again)).collect(),
            more,
        ))
    }

    /// The dead letter at an address, what has become of its source record, and the address of the event that
    /// redrove it.
    ///
    /// # Errors
    /// `BadInput` where there is none; what the log says.
    pub async fn letter(
        &self,
        place: DeadLetterPlace,
    ) -> anyhow::Result<(Letter, DeadLetterSource, Option<DeadLetterPlace>)> {
        let _inbox = self.store.hold_inbox().await?;
        let log = self.log.as_ref();
        let letter = one(log, place).await?;
        let source = match record(log, letter.source()).await?.map(|found| found.body) {
            None => DeadLetterSource::Gone,
            Some(Ok(event)) => DeadLetterSource::Readable(event.body.type_name()),
            Some(Err(bad)) => DeadLetterSource::NotReadable(bad.reason),
        };
        let redriven = redriven(log, std::slice::from_ref(&letter)).await?;
        let again = redriven.get(&letter.envelope.id).copied();
        Ok((letter, source, again))
    }
}

/// The next dead letters of a partition from an offset on, and the offset to go on from; `None` at
/// the end.
///
/// # Errors
/// What the log says.
pub async fn dead_letters_from(
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
async fn last(
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
            let Some((letters, after)) = dead_letters_from(log, at, next).await? else {
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
async fn one(log: &dyn EventLog, place: DeadLetterPlace) -> anyhow::Result<Letter> {
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
async fn record(log: &dyn EventLog, place: DeadLetterPlace) -> Result<Option<Record>, PortError> {
    let DeadLetterPlace { at, offset } = place;
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
async fn redriven(
    log: &dyn EventLog,
    letters: &[Letter],
) -> Result<HashMap<EventId, DeadLetterPlace>, PortError> {
    let mut first: HashMap<TopicPartition, Offset> = HashMap::new();
    for letter in letters {
        let DeadLetterPlace { at, offset } = letter.source();
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
                    found
                        .entry(letter)
                        .or_insert(DeadLetterPlace { at, offset });
                }
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests;
