//! The log in memory.

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
    Offset, Partition, Private, Timestamp, Topic, TopicPartition, partition_for,
};
use threadlore_ports::{Clock, EventLog, NewRecord, PortError, Record, Undecodable};

const UNKNOWN_PARTITION: &str = "looking up a partition";

/// An [`EventLog`] in memory. Needs no executor: waiting is by waker and by the
/// clock that it was given.
pub struct MemoryLog {
    partitions: u32,
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

#[async_trait]
impl EventLog for MemoryLog {
    fn partitions(&self, topic: Topic) -> u32 {
        match topic {
            Topic::LogSkips => 1,
            _ => self.partitions,
        }
    }

    async fn append(&self, mut records: Vec<NewRecord>) -> Result<(), PortError> {
        for NewRecord { topic, event } in &mut records {
            let id = event.envelope.id;
            let fields = event.body.private_fields();
            let reason = if fields.iter().any(|(_, f)| matches!(f, Private::Open(_))) {
                format!("a private field of event {id} is not sealed")
            } else if event.body.topic() != Some(*topic) {
                format!("event {id} does not belong on {topic}")
            } else {
                continue;
            };
            let doing = "appending to the log";
            return Err(PortError::Refused { doing, reason });
        }
        let now = self.clock.now();
        let waiting = {
            let mut state = self.lock();
            for NewRecord { topic, event } in records {
                let key = event.envelope.key.as_str().as_bytes();
                let partition = partition_for(key, self.partitions(topic));
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
