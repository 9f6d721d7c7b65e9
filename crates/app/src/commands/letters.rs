//! Windows of one channel whose extraction failed: dead letters on `chat.turns.dlq`.

use std::fmt;

use serde::Serialize;
use threadlore_model::{Body, Key, Offset, Topic, TopicPartition, partition_for};
use threadlore_node::{Letter, dead_letters_from};
use threadlore_ports::{EventLog, PortError};
use threadlore_roles::redrive::{is_failed_extraction, source};

/// How many dead letters are printed; the others are counted.
const NAMED: usize = 5;

/// The dead letters about some channels since some moment.
pub(super) struct Letters(Vec<OfChannel>);

struct OfChannel {
    key: Key,
    at: TopicPartition,
    from: Offset,
}

/// The windows whose extraction failed.
#[derive(Debug, Default, Serialize)]
pub(super) struct Failed {
    /// How many windows.
    count: usize,
    /// The first of them.
    first: Vec<Look>,
}

/// One window.
#[derive(Debug, Serialize)]
struct Look {
    channel: String,
    /// Messages that were new in it, and channel time at its end.
    messages: Option<u32>,
    at: Option<String>,
    reason: String,
    /// The partition of its dead letter.
    partition: i32,
    offset: i64,
}

impl Letters {
    /// Dead letters from now on.
    pub(super) async fn from_now(log: &dyn EventLog, keys: Vec<Key>) -> Result<Self, PortError> {
        let topic = Topic::ChatTurnsDlq;
        let mut all = Vec::new();
        for key in keys {
            let partition = partition_for(key.as_str().as_bytes(), log.partitions(topic));
            let at = TopicPartition { topic, partition };
            let from = log.range(at).await?.end;
            all.push(OfChannel { key, at, from });
        }
        Ok(Self(all))
    }

    /// The failures since then.
    pub(super) async fn failed(&self, log: &dyn EventLog) -> Result<Failed, PortError> {
        let mut failed = Failed::default();
        for channel in &self.0 {
            channel.add(log, &mut failed).await?;
        }
        Ok(failed)
    }
}

impl OfChannel {
    async fn add(&self, log: &dyn EventLog, failed: &mut Failed) -> Result<(), PortError> {
        let mut next = self.from;
        while let Some((letters, after)) = dead_letters_from(log, self.at, next).await? {
            next = after;
            for letter in letters {
                if letter.envelope.key != self.key || !is_failed_extraction(&letter.dead) {
                    continue;
                }
                failed.count += 1;
                if failed.first.len() < NAMED {
                    failed.first.push(self.look(log, letter).await?);
                }
            }
        }
        Ok(())
    }

    async fn look(&self, log: &dyn EventLog, letter: Letter) -> Result<Look, PortError> {
        let Letter { place, dead, .. } = letter;
        let window = log.read(source(&dead), dead.offset, 1).await?.pop();
        let ready = match window.map(|record| record.body) {
            Some(Ok(event)) => match event.body {
                Body::WindowReady(ready) => Some(ready),
                _ => None,
            },
            _ => None,
        };
        let channel = ready.as_ref().map(|ready| ready.channel.to_string());
        Ok(Look {
            channel: channel.unwrap_or_else(|| self.key.to_string()),
            messages: ready.as_ref().map(|ready| ready.messages),
            at: ready.map(|ready| ready.now.to_string()),
            reason: dead.reason,
            partition: self.at.partition.0,
            offset: place.offset.0,
        })
    }
}

impl fmt::Display for Failed {
    /// Nothing if nothing failed; else a line for each printed failure.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let windows = match self.count {
            0 => return Ok(()),
            1 => "window",
            _ => "windows",
        };
        let topic = Topic::ChatTurnsDlq;
        write!(
            f,
            "\n{} {windows} could not be looked at; `{topic}` has why:",
            self.count
        )?;
        for look in &self.first {
            let (channel, place) = (&look.channel, (look.partition, look.offset));
            write!(f, "\n  {channel}")?;
            if let (Some(messages), Some(at)) = (look.messages, &look.at) {
                write!(f, ", {messages} messages up to {at}")?;
            }
            write!(f, " ({}/{}): {}", place.0, place.1, look.reason)?;
        }
        match self.count - self.first.len() {
            0 => Ok(()),
            more => write!(f, "\n  and {more} more"),
        }
    }
}
