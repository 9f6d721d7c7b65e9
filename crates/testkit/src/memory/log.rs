//! The log in memory.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::future::poll_fn;
use std::ops::Range;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};
use std::time::Duration;

use async_trait::async_trait;
use futures::future::select;
use threadlore_model::{
    Event, Offset, Partition, Private, Timestamp, Topic, TopicPartition, partition_for,
};
use threadlore_ports::{Clock, EncodedRecord, EventLog, PortError, Record, Undecodable};

const UNKNOWN_PARTITION: &str = "looking up a partition";

/// An [`EventLog`] in memory. Needs no executor: waiting is by waker and by the
/// clock that it was given.
pub struct MemoryLog {
    partitions: u32,
    /// Bytes of the largest event.
    largest: usize,
    clock: Arc<dyn Clock>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    parts: BTreeMap<TopicPartition, Part>,
    waiting: Vec<Waker>,
}

#[derive(Default)]
struct Part {
    start: i64,
    latest: Timestamp,
    records: Vec<Record>,
}

impl Part {
    fn end(&self) -> i64 {
        self.start + self.records.len() as i64
    }

    fn push(&mut self, at: TopicPartition, now: Timestamp, body: threadlore_ports::Body) {
        self.latest = self.latest.max(now);
        let appended = self.latest;
        let offset = Offset(self.end());
        self.records.push(Record {
            at,
            offset,
            appended,
            body,
        });
    }
}

impl MemoryLog {
    /// An empty log with this many partitions of each topic; `log.skips` has one,
    /// as in `topics.yaml`.
    #[must_use]
    pub fn new(partitions: u32, clock: Arc<dyn Clock>) -> Self {
        let log = Self {
            partitions,
            largest: usize::MAX,
            clock,
            state: Mutex::default(),
        };
        for topic in Topic::ALL {
            for n in 0..log.partitions(topic) {
                let partition = Partition(n as i32);
                log.lock()
                    .parts
                    .insert(TopicPartition { topic, partition }, Part::default());
            }
        }
        log
    }

    /// The same log that takes no event over this many bytes but on `chat.inbox`.
    #[must_use]
    pub fn with_largest(self, largest: usize) -> Self {
        Self { largest, ..self }
    }

    /// Puts a record that no reader can decode at the end of a partition.
    ///
    /// # Errors
    /// `Broken` when there is no such partition.
    pub fn push_raw(&self, at: TopicPartition, bad: Undecodable) -> Result<Offset, PortError> {
        let now = self.clock.now();
        let (offset, waiting) = {
            let mut state = self.lock();
            let part = state.part(at)?;
            let offset = Offset(part.end());
            part.push(at, now, Err(bad));
            (offset, std::mem::take(&mut state.waiting))
        };
        waiting.into_iter().for_each(Waker::wake);
        Ok(offset)
    }

    /// Drops all records of a partition before `to`, as retention does.
    ///
    /// # Errors
    /// `Broken` when there is no such partition.
    pub fn truncate_start(&self, at: TopicPartition, to: Offset) -> Result<(), PortError> {
        let mut state = self.lock();
        let part = state.part(at)?;
        let gone = to.0.clamp(part.start, part.end()) - part.start;
        part.records.drain(..gone as usize);
        part.start += gone;
        Ok(())
    }

    /// Every record that is kept, by topic, partition and offset.
    #[must_use]
    pub fn dump(&self) -> Vec<Record> {
        let state = self.lock();
        let parts = state.parts.values();
        parts.flat_map(|part| part.records.clone()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn part(&mut self, at: TopicPartition) -> Result<&mut Part, PortError> {
        self.parts
            .get_mut(&at)
            .ok_or_else(|| PortError::broken(UNKNOWN_PARTITION, format!("there is no {at}")))
    }

    fn arrived(&mut self, any_of: &[(TopicPartition, Offset)]) -> Result<bool, PortError> {
        for (at, from) in any_of {
            if self.part(*at)?.end() > from.0 {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn is_open((_, field): &(Cow<'static, str>, &mut Private)) -> bool {
    matches!(field, Private::Open(_))
}

#[async_trait]
impl EventLog for MemoryLog {
    fn partitions(&self, topic: Topic) -> u32 {
        match topic {
            Topic::LogSkips => 1,
            _ => self.partitions,
        }
    }

    fn encode(&self, topic: Topic, event: &Event) -> Result<EncodedRecord, PortError> {
        const DOING: &str = "encoding a record";
        let refused = |reason| PortError::Refused {
            doing: DOING,
            reason,
        };
        let id = event.envelope.id;
        if event.clone().body.private_fields().iter().any(is_open) {
            return Err(refused(format!(
                "a private field of event {id} is not sealed"
            )));
        }
        if event.body.topic() != Some(topic) {
            return Err(refused(format!("event {id} does not belong on {topic}")));
        }
        let mut value = Vec::new();
        ciborium::into_writer(event, &mut value)
            .map_err(|e| PortError::broken(DOING, e.to_string()))?;
        let size = value.len();
        if topic != Topic::ChatInbox && size > self.largest {
            return Err(refused(format!("event {id} is too large: {size} bytes")));
        }
        Ok(EncodedRecord {
            topic,
            key: event.envelope.key.clone(),
            headers: Vec::new(),
            value,
        })
    }

    async fn append(&self, records: Vec<EncodedRecord>) -> Result<(), PortError> {
        let mut events = Vec::with_capacity(records.len());
        for record in &records {
            let event: Event = ciborium::from_reader(record.value.as_slice())
                .map_err(|e| PortError::broken("appending to the log", e.to_string()))?;
            events.push(event);
        }
        let now = self.clock.now();
        let waiting = {
            let mut state = self.lock();
            for (EncodedRecord { topic, key, .. }, event) in records.into_iter().zip(events) {
                let partition = partition_for(key.as_str().as_bytes(), self.partitions(topic));
                let at = TopicPartition { topic, partition };
                state.part(at)?.push(at, now, Ok(Box::new(event)));
            }
            std::mem::take(&mut state.waiting)
        };
        waiting.into_iter().for_each(Waker::wake);
        Ok(())
    }

    async fn read(
        &self,
        at: TopicPartition,
        from: Offset,
        max: usize,
    ) -> Result<Vec<Record>, PortError> {
        let mut state = self.lock();
        let part = state.part(at)?;
        if from.0 < part.start || from.0 > part.end() {
            return Err(PortError::broken(
                "reading the log",
                format!(
                    "offset {from} of {at} is outside the log, which holds {} to {}",
                    part.start,
                    part.end()
                ),
            ));
        }
        let from = (from.0 - part.start) as usize;
        Ok(part.records[from..].iter().take(max).cloned().collect())
    }

    async fn wait(
        &self,
        any_of: &[(TopicPartition, Offset)],
        wait: Duration,
    ) -> Result<(), PortError> {
        let arrival = poll_fn(|context| {
            let mut state = self.lock();
            match state.arrived(any_of) {
                Ok(false) => {
                    let waker = context.waker();
                    if !state.waiting.iter().any(|w| w.will_wake(waker)) {
                        state.waiting.push(waker.clone());
                    }
                    Poll::Pending
                }
                Ok(true) => Poll::Ready(Ok(())),
                Err(e) => Poll::Ready(Err(e)),
            }
        });
        let sleep = async {
            self.clock.sleep(wait).await;
            Ok(())
        };
        select(pin!(arrival), pin!(sleep)).await.factor_first().0
    }

    async fn range(&self, at: TopicPartition) -> Result<Range<Offset>, PortError> {
        let mut state = self.lock();
        let part = state.part(at)?;
        Ok(Offset(part.start)..Offset(part.end()))
    }

    async fn truncate(&self, before: BTreeMap<TopicPartition, Offset>) -> Result<(), PortError> {
        before
            .into_iter()
            .try_for_each(|(at, before)| self.truncate_start(at, before))
    }
}
