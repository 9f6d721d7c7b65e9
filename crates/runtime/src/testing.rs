//! What tests of the loop's parts share.

use std::future::poll_fn;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use async_trait::async_trait;
use threadlore_model::{
    ArchiveReason, Body, CaseArchived, CaseId, ChannelId, Envelope, Event, EventId, Group, Key,
    Offset, Partition, Producer, Role, SpaceId, Topic, TopicPartition,
};
use threadlore_ports::{Clock, EncodedRecord, EventLog, OutboxRow, PortError, Record, Shard};
use threadlore_stream::FoldPorts;
use threadlore_testkit::{MemoryLog, MemoryStore, StoppedClock, fold_ports};

/// The topic of all events here.
pub(crate) const TOPIC: Topic = Topic::KnowledgeCases;

/// Where the records are.
pub(crate) const AT: TopicPartition = TopicPartition {
    topic: TOPIC,
    partition: Partition(0),
};

/// Polled by hand, nothing is woken.
pub(crate) fn context() -> Context<'static> {
    Context::from_waker(Waker::noop())
}

pub(crate) fn shard() -> Shard {
    Shard {
        group: Group::of_role(Role::Extractor),
        partition: Partition(0),
    }
}

/// The event with this sequence.
pub(crate) fn event(sequence: u64) -> Event {
    let space = SpaceId::parse("a").expect("a space");
    let channel = ChannelId::parse("test:help").expect("a channel");
    let id = EventId::of_content("test", &[&sequence.to_string()]);
    Event {
        envelope: Envelope {
            id,
            key: Key::of_channel(&space, &channel),
            space,
            time: StoppedClock.now(),
            producer: Some(Producer {
                group: shard().group,
                partition: shard().partition,
                sequence,
            }),
            cause: None,
            actor: None,
            traceparent: None,
        },
        body: Body::from(CaseArchived {
            case: CaseId::first_carried_by(id),
            channel,
            reason: ArchiveReason::Expired,
            now: StoppedClock.now(),
        }),
    }
}

/// Rows of the outbox with these sequences.
pub(crate) fn rows(log: &dyn EventLog, sequences: Range<u64>) -> Vec<OutboxRow> {
    let row = |n| OutboxRow::encode(log, (TOPIC, &event(n)), true).expect("encodes");
    sequences.map(row).collect()
}

/// A log whose appends wait until it is opened, and fail when it is broken.
pub(crate) struct GatedLog {
    pub(crate) inner: Arc<MemoryLog>,
    pub(crate) open: AtomicBool,
    pub(crate) broken: AtomicBool,
}

impl GatedLog {
    /// Sequences of the records that are there, in order.
    pub(crate) fn sequences(&self) -> Vec<u64> {
        let records = self.inner.dump().into_iter();
        let events = records.filter_map(|record| record.body.ok());
        let producers = events.filter_map(|event| event.envelope.producer);
        producers.map(|producer| producer.sequence).collect()
    }
}

#[async_trait]
impl EventLog for GatedLog {
    fn partitions(&self, topic: Topic) -> u32 {
        self.inner.partitions(topic)
    }
    fn encode(&self, topic: Topic, event: &Event) -> Result<EncodedRecord, PortError> {
        self.inner.encode(topic, event)
    }
    async fn append(&self, records: Vec<EncodedRecord>) -> Result<(), PortError> {
        poll_fn(|_| match self.open.load(Ordering::Relaxed) {
            true => Poll::Ready(()),
            false => Poll::Pending,
        })
        .await;
        if self.broken.load(Ordering::Relaxed) {
            return Err(PortError::Unavailable {
                doing: "testing",
                what: "the log",
                source: None,
            });
        }
        self.inner.append(records).await
    }
    async fn read(
        &self,
        at: TopicPartition,
        from: Offset,
        max: usize,
    ) -> Result<Vec<Record>, PortError> {
        self.inner.read(at, from, max).await
    }
    async fn wait(
        &self,
        any_of: &[(TopicPartition, Offset)],
        wait: Duration,
    ) -> Result<(), PortError> {
        self.inner.wait(any_of, wait).await
    }
    async fn range(&self, at: TopicPartition) -> Result<Range<Offset>, PortError> {
        self.inner.range(at).await
    }
}

/// A closed log, a store, and the ports over both.
pub(crate) fn gated() -> (Arc<GatedLog>, Arc<MemoryStore>, FoldPorts) {
    let inner = Arc::new(MemoryLog::new(1, Arc::new(StoppedClock)));
    let store = Arc::new(MemoryStore::new());
    let ports = fold_ports(&inner, &store, Arc::new(StoppedClock));
    let log = Arc::new(GatedLog {
        inner,
        open: AtomicBool::new(false),
        broken: AtomicBool::new(false),
    });
    let ports = FoldPorts {
        log: Arc::clone(&log) as Arc<_>,
        ..ports
    };
    (log, store, ports)
}
