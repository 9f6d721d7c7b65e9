//! One reader of one partition, at one place.

use std::collections::{HashSet, VecDeque};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};

use futures::{FutureExt, StreamExt};
use rdkafka::consumer::stream_consumer::StreamPartitionQueue;
use rdkafka::consumer::{Consumer, StreamConsumer};
use rdkafka::error::KafkaError;
use rdkafka::{Offset as At, TopicPartitionList};
use threadlore_model::{Offset, Timestamp, TopicPartition};
use threadlore_ports::PortError;
use threadlore_schema::render::READERS;
use tokio::task::AbortHandle;

use crate::access::{Right, User};
use crate::cluster::misconfigured;
use crate::context::Watched;
use crate::error::{Attempt, is_denied};
use crate::options::KafkaOptions;
use crate::raw::Raw;
use crate::stats::{Board, Kind};

pub(crate) const READING: &str = "reading the log";

/// Whether this process has logged that it may not describe the group of readers.
static SAID: AtomicBool = AtomicBool::new(false);

/// A client of the library, in which each partition is read at one place at most.
pub(crate) struct Slot {
    consumer: Arc<StreamConsumer<Watched>>,
    user: User,
    holds: Mutex<HashSet<TopicPartition>>,
    serving: AbortHandle,
}

impl Slot {
    pub(crate) fn connect(options: &KafkaOptions, board: &Arc<Board>) -> Result<Self, PortError> {
        let consumer: Result<StreamConsumer<Watched>, _> = options
            .reader()
            .create_with_context(Watched(board.place(Kind::Reader)));
        let consumer = Arc::new(consumer.map_err(|e| misconfigured(&e))?);
        let (served, user) = (Arc::clone(&consumer), options.user());
        let asks = user.clone();
        let serving = tokio::spawn(async move {
            // Records arrive in the queues of their partitions. Events here concern the whole
            // client, which recovers by itself.
            loop {
                let Err(error) = served.recv().await else {
                    continue;
                };
                // Nothing is committed in this group, so all is read without it.
                if error.rdkafka_error_code().is_some_and(is_denied) && !SAID.swap(true, Relaxed) {
                    let denied = asks.lacks(&Right::describe_group(READERS));
                    tracing::warn!(target: "kafka", "{denied}. Records are read nevertheless");
                }
                tracing::debug!(target: "kafka", %error, "a reader's connection");
            }
        });
        Ok(Self {
            consumer,
            user,
            holds: Mutex::default(),
            serving: serving.abort_handle(),
        })
    }

    fn holds(&self) -> std::sync::MutexGuard<'_, HashSet<TopicPartition>> {
        self.holds.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether nothing is read in it.
    pub(crate) fn is_free(&self) -> bool {
        self.holds().is_empty()
    }

    /// Reserves this client for reading a partition, if no other cursor reads it here.
    pub(crate) fn reserve(&self, at: TopicPartition) -> bool {
        self.holds().insert(at)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// Reads one partition from some place on.
pub(crate) struct Cursor {
    pub(crate) at: TopicPartition,
    /// After the last record that was given out.
    pub(crate) next: Offset,
    /// When it was last used.
    pub(crate) used: Timestamp,
    /// Whether there was nothing more when the cluster was last asked.
    pub(crate) at_end: bool,
    ahead: VecDeque<Raw>,
    slot: Arc<Slot>,
    queue: Option<StreamPartitionQueue<Watched>>,
}

impl Cursor {
    /// Begins to read in a slot in which the partition's place is reserved.
    pub(crate) fn open(
        slot: Arc<Slot>,
        (at, from): (TopicPartition, Offset),
        (at_end, used): (bool, Timestamp),
    ) -> Result<Self, PortError> {
        let mut cursor = Self {
            at,
            next: from,
            used,
            at_end,
            ahead: VecDeque::new(),
            slot,
            queue: None,
        };
        let begin = || -> Result<_, KafkaError> {
            let mut list = TopicPartitionList::new();
            list.add_partition_offset(at.topic.name(), at.partition.0, At::Offset(from.0))?;
            let queue = cursor
                .slot
                .consumer
                .split_partition_queue(at.topic.name(), at.partition.0);
            cursor.slot.consumer.incremental_assign(&list)?;
            Ok(queue)
        };
        cursor.queue = begin().map_err(|e| cursor.attempt().failed(e))?;
        Ok(cursor)
    }

    fn attempt(&self) -> Attempt<'_> {
        Attempt {
            doing: READING,
            right: Right::read(self.at.topic),
            user: &self.slot.user,
        }
    }

    /// Records that are here already, at most `max`.
    pub(crate) fn take(&mut self, max: usize) -> Result<Vec<Raw>, PortError> {
        self.fill(max)?;
        let count = max.min(self.ahead.len());
        let records: Vec<Raw> = self.ahead.drain(..count).collect();
        if let Some(last) = records.last() {
            self.next = last.offset.next();
        }
        Ok(records)
    }

    pub(crate) fn has_record(&self) -> bool {
        !self.ahead.is_empty()
    }

    /// The offset after the last record that arrived.
    fn end(&self) -> Offset {
        self.ahead
            .back()
            .map_or(self.next, |record| record.offset.next())
    }

    /// Takes the records that have arrived, without waiting.
    fn fill(&mut self, max: usize) -> Result<(), PortError> {
        while self.ahead.len() < max {
            match self.recv().now_or_never() {
                Some(came) => came?,
                None => break,
            }
        }
        Ok(())
    }

    /// Waits for the next record, or for word that there is none.
    pub(crate) async fn recv(&mut self) -> Result<(), PortError> {
        let Some(queue) = &self.queue else {
            return Err(PortError::broken(
                READING,
                format!("{} cannot be read by itself", self.at),
            ));
        };
        let came = queue.stream().next().await;
        let record = match came {
            Some(Ok(message)) => Raw::of(&message),
            Some(Err(KafkaError::PartitionEOF(_))) => {
                self.at_end = true;
                return Ok(());
            }
            Some(Err(error)) => {
                return Err(self.attempt().failed(error));
            }
            None => return Ok(()),
        };
        self.at_end = false;
        // Records below this offset were fetched for an earlier position.
        if record.offset >= self.end() {
            self.ahead.push_back(record);
        }
        Ok(())
    }

    /// Waits for the next record.
    pub(crate) async fn arrival(&mut self) -> Result<(), PortError> {
        while self.ahead.is_empty() {
            self.recv().await?;
        }
        Ok(())
    }
}

impl Drop for Cursor {
    fn drop(&mut self) {
        // First the queue: its end would take the next one's bell away.
        drop(self.queue.take());
        let mut list = TopicPartitionList::new();
        list.add_partition(self.at.topic.name(), self.at.partition.0);
        if let Err(error) = self.slot.consumer.incremental_unassign(&list) {
            tracing::debug!(target: "kafka", at = %self.at, %error, "a reader was not ended");
        }
        self.slot.holds().remove(&self.at);
    }
}
