//! A connection, events to append, and what is read back.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use threadlore_log_kafka::{KafkaLog, KafkaOptions, Plan};
use threadlore_model::{
    ArchiveReason, Body, CaseArchived, CaseId, ChannelId, Envelope, Event, EventId, Group, Key,
    Offset, Partition, Producer, Role, SpaceId, Timestamp, Topic, TopicPartition, partition_for,
};
use threadlore_ports::{Class, Clock, EventLog, NewRecord, Record};
use threadlore_schema::Topics;

use crate::cluster::options;

/// The machine's clock.
pub(crate) struct Wall;

#[async_trait]
impl Clock for Wall {
    #[expect(
        clippy::disallowed_methods,
        reason = "the broker has the wall clock too"
    )]
    fn now(&self) -> Timestamp {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        Timestamp::from_millis(now.expect("after 1970").as_millis() as i64)
    }

    #[expect(clippy::disallowed_methods, reason = "the port itself")]
    async fn sleep(&self, by: Duration) {
        tokio::time::sleep(by).await;
    }
}

pub(crate) async fn connect(bootstrap: &str) -> KafkaLog {
    connect_with(options(bootstrap)).await
}

/// The same for a member by this protocol of groups.
pub(crate) async fn connect_by(bootstrap: &str, protocol: &str) -> KafkaLog {
    let mut options = options(bootstrap);
    let property = ("group.protocol".to_owned(), protocol.to_owned());
    options.client.extend([property]);
    connect_with(options).await
}

pub(crate) async fn connect_with(options: KafkaOptions) -> KafkaLog {
    let topics = Topics::embedded();
    let plan = Plan::look(&options, topics).await.expect("looks");
    plan.create_missing(&options, 1).await.expect("made");
    KafkaLog::connect(options, topics.clone(), None, Arc::new(Wall))
        .await
        .expect("connects")
}

/// Events of one channel, numbered.
pub(crate) fn records(numbers: std::ops::Range<i64>) -> Vec<NewRecord> {
    numbers.map(record).collect()
}

fn record(number: i64) -> NewRecord {
    let space = SpaceId::parse("protocol").expect("a space");
    let channel = ChannelId::parse("irc:a").expect("a channel");
    let envelope = Envelope {
        id: EventId::of_content("protocol", &[&number.to_string()]),
        key: Key::of_channel(&space, &channel),
        space,
        time: Timestamp::from_millis(number),
        producer: Some(Producer {
            group: Group::of_role(Role::Extractor),
            partition: Partition(0),
            sequence: number.unsigned_abs() + 1,
        }),
        cause: None,
        actor: None,
        traceparent: None,
    };
    let body = Body::from(CaseArchived {
        case: CaseId::first_carried_by(envelope.id),
        channel,
        reason: ArchiveReason::Expired,
        now: envelope.time,
    });
    NewRecord {
        topic: Topic::KnowledgeCases,
        event: Event { envelope, body },
    }
}

/// Where these events stand.
pub(crate) fn place() -> TopicPartition {
    let key = record(0).event.envelope.key;
    TopicPartition {
        topic: Topic::KnowledgeCases,
        partition: partition_for(key.as_str().as_bytes(), 4),
    }
}

/// All records of a partition.
pub(crate) async fn read_all(log: &dyn EventLog, at: TopicPartition) -> Vec<Record> {
    let mut all: Vec<Record> = Vec::new();
    loop {
        let from = all.last().map_or(Offset(0), |record| record.offset.next());
        let some = match log.read(at, from, 100).await {
            // As a worker does: a leader that moved is found by asking again.
            Err(error) if error.class() == Class::Retry => {
                println!("{error:?}");
                continue;
            }
            read => read.expect("reads"),
        };
        if some.is_empty() {
            return all;
        }
        all.extend(some);
    }
}

/// The number an event was made with.
pub(crate) fn number(record: &Record) -> i64 {
    let event = record.body.as_ref().expect("an event");
    event.envelope.time.as_millis()
}
