//! Fills a log with what the roles would have written.

use std::collections::BTreeMap;

use threadlore_model::{
    Body, Cause, Envelope, Event, EventId, Group, Key, Offset, Partition, Producer, Role, SpaceId,
    Timestamp, Topic, TopicPartition, partition_for,
};
use threadlore_ports::NewRecord;
use threadlore_stream::FoldPorts;

/// Events that are yet to be appended to an empty log, and where its partitions end with them.
pub(crate) struct LogWriter {
    ports: FoldPorts,
    space: SpaceId,
    events: Vec<(Topic, Event)>,
    ends: BTreeMap<(Topic, Partition), i64>,
}

impl LogWriter {
    pub(crate) fn new(ports: FoldPorts, space: SpaceId) -> Self {
        Self {
            ports,
            space,
            events: Vec::new(),
            ends: BTreeMap::new(),
        }
    }

    /// Adds an event to the end of its partition, by a role, or by somebody outside; as a cause of others.
    pub(crate) fn push(
        &mut self,
        (topic, role): (Topic, Option<Role>),
        (key, time): (Key, Timestamp),
        cause: Option<Cause>,
        body: Body,
    ) -> Cause {
        let partitions = self.ports.log.partitions(topic);
        let partition = partition_for(key.as_str().as_bytes(), partitions);
        let end = self.ends.entry((topic, partition)).or_default();
        let offset = *end;
        *end += 1;
        let place = [topic.to_string(), partition.to_string(), offset.to_string()];
        let event = EventId::of_content("bench", &place.each_ref().map(String::as_str));
        let producer = role.map(|role| Producer {
            group: Group::of_role(role),
            partition,
            sequence: offset.cast_unsigned() + 1,
        });
        let envelope = Envelope {
            id: event,
            space: self.space.clone(),
            key,
            time,
            producer,
            cause,
            actor: None,
            traceparent: None,
        };
        self.events.push((topic, Event { envelope, body }));
        Cause {
            event,
            at: TopicPartition { topic, partition },
            offset: Offset(offset),
        }
    }

    /// Seals and appends what was added since.
    pub(crate) async fn publish(&mut self) -> anyhow::Result<()> {
        let events = std::mem::take(&mut self.events).into_iter();
        let (topics, mut events): (Vec<Topic>, Vec<Event>) = events.unzip();
        self.ports.vault.seal(&mut events).await?;
        let records = topics.into_iter().zip(events);
        let records = records.map(|(topic, event)| NewRecord { topic, event });
        Ok(self.ports.log.publish(records.collect()).await?)
    }
}
