//! The [`EventLog`] on Kafka.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use futures::future::{Either, select, select_all};
use threadlore_model::{Group, Offset, Partition, Topic, TopicPartition, partition_for};
use threadlore_ports::{Clock, EventLog, Membership, NewRecord, PortError, Positions, Record};
use threadlore_schema::{Codec, Topics};

use crate::cluster::Cluster;
use crate::cursor::READING;
use crate::error::silent;
use crate::member::{Members, join};
use crate::options::KafkaOptions;
use crate::producer::{APPENDING, Outgoing, Writer};
use crate::readers::Readers;
use crate::topics::Plan;

/// Longest wait for a record that is known to be there.
const PATIENCE: Duration = Duration::from_secs(30);
/// The same for what others write: the marks of their transactions look like records
/// that are never given out.
const OF_OTHERS: Duration = Duration::from_secs(1);

/// An [`EventLog`] on a cluster, for one of many processes.
///
/// Records of one call stand together and in order; a crash may keep the first of them
/// and lose the others (the outbox publishes them again). Times of appending are the
/// broker's where the topic says `LogAppendTime`, as ours do.
pub struct KafkaLog {
    options: KafkaOptions,
    topics: Topics,
    clock: Arc<dyn Clock>,
    cluster: Cluster,
    writer: Writer,
    readers: Readers,
    /// Where partitions end at least, by what was written, read and asked.
    ends: Mutex<HashMap<TopicPartition, Offset>>,
    members: Members,
}

impl KafkaLog {
    /// Connects, and looks whether the topics are as they must be.
    ///
    /// # Errors
    /// `Unavailable` when no broker answers; `Broken` when a topic is missing or is not as
    /// `topics.yaml` says, or a property is refused.
    pub async fn connect(
        options: KafkaOptions,
        topics: Topics,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, PortError> {
        let cluster = Cluster::connect(&options)?;
        Plan::look(&options, &topics).await?.check()?;
        let partitions: Vec<_> = topics
            .iter()
            .flat_map(|spec| {
                let count = i32::try_from(spec.partitions).unwrap_or(i32::MAX);
                (0..count).map(|n| TopicPartition {
                    topic: spec.topic,
                    partition: Partition(n),
                })
            })
            .collect();
        let writer = Writer::connect(options.clone(), partitions.into_iter(), Arc::clone(&clock))?;
        let readers = Readers::new(options.clone(), topics.clone(), Arc::clone(&clock));
        Ok(Self {
            options,
            topics,
            clock,
            cluster,
            writer,
            readers,
            ends: Mutex::default(),
            members: Members::default(),
        })
    }

    fn ends(&self) -> MutexGuard<'_, HashMap<TopicPartition, Offset>> {
        self.ends.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn reaches(&self, at: TopicPartition, end: Offset) {
        let mut ends = self.ends();
        let known = ends.entry(at).or_default();
        *known = end.max(*known);
    }

    fn has(&self, at: TopicPartition, offset: Offset) -> bool {
        self.ends().get(&at).is_some_and(|end| offset < *end)
    }

    fn outgoing(
        &self,
        records: &[NewRecord],
    ) -> Result<BTreeMap<TopicPartition, Vec<Outgoing>>, PortError> {
        let mut contents: BTreeMap<_, Vec<Outgoing>> = BTreeMap::new();
        for NewRecord { topic, event } in records {
            let refused = |reason: String| PortError::Refused {
                doing: APPENDING,
                reason,
            };
            let key = event.envelope.key.as_str();
            let encoded = Codec::new().encode(*topic, event);
            let encoded = encoded.map_err(|e| refused(e.to_string()))?;
            let record = Outgoing {
                key: key.to_owned(),
                encoded,
            };
            if !record.fits() {
                let (id, size) = (event.envelope.id, record.size());
                return Err(refused(format!("event {id} is too large: {size} bytes")));
            }
            let partition = partition_for(key.as_bytes(), self.topics.partitions(*topic));
            let at = TopicPartition {
                topic: *topic,
                partition,
            };
            contents.entry(at).or_default().push(record);
        }
        Ok(contents)
    }
}

#[async_trait]
impl EventLog for KafkaLog {
    fn partitions(&self, topic: Topic) -> u32 {
        self.topics.partitions(topic)
    }

    async fn append(&self, records: Vec<NewRecord>) -> Result<(), PortError> {
        if records.is_empty() {
            return Ok(());
        }
        for (at, end) in self.writer.write(self.outgoing(&records)?).await? {
            self.reaches(at, end);
        }
        Ok(())
    }

    async fn read(
        &self,
        at: TopicPartition,
        from: Offset,
        max: usize,
    ) -> Result<Vec<Record>, PortError> {
        let mut cursor = match self.readers.waiting(at, from) {
            Some(cursor) => cursor,
            None => {
                let range = self.range(at).await?;
                if from == range.end {
                    return Ok(Vec::new());
                }
                self.readers.open(at, from, &range)?
            }
        };
        loop {
            let records = match cursor.take(max) {
                Ok(records) => records,
                Err(error) => return cursor.end(error),
            };
            if let Some(last) = records.last() {
                self.reaches(at, last.offset.next());
                return Ok(records);
            }
            if max == 0 || (cursor.at_end && !self.has(at, from)) {
                return Ok(records);
            }
            let of_others = cursor.at_end && at.topic == Topic::ChatInbox;
            let patience = if of_others { OF_OTHERS } else { PATIENCE };
            let came = {
                let came = std::pin::pin!(cursor.recv());
                match select(came, self.clock.sleep(patience)).await {
                    Either::Left((came, _)) => came,
                    Either::Right(_) if of_others => return Ok(Vec::new()),
                    Either::Right(_) => Err(silent(READING)),
                }
            };
            if let Err(error) = came {
                return cursor.end(error);
            }
        }
    }

    async fn wait(
        &self,
        any_of: &[(TopicPartition, Offset)],
        wait: Duration,
    ) -> Result<(), PortError> {
        let mut cursors = Vec::new();
        for (at, from) in any_of {
            if self.has(*at, *from) {
                return Ok(());
            }
            let cursor = match self.readers.waiting(*at, *from) {
                Some(cursor) => cursor,
                None => {
                    let range = self.range(*at).await?;
                    self.readers.open(*at, *from, &range)?
                }
            };
            if cursor.has_record() {
                return Ok(());
            }
            cursors.push(cursor);
        }
        let sleep = self.clock.sleep(wait);
        if cursors.is_empty() {
            sleep.await;
            return Ok(());
        }
        let (which, error) = {
            let arrivals = cursors.iter_mut().map(|cursor| Box::pin(cursor.arrival()));
            match select(select_all(arrivals), sleep).await {
                Either::Left(((Err(error), which, _), _)) => (which, error),
                _ => return Ok(()),
            }
        };
        cursors.swap_remove(which).end(error)
    }

    async fn range(&self, at: TopicPartition) -> Result<Range<Offset>, PortError> {
        let range = self.cluster.range(at).await?;
        self.reaches(at, range.end);
        Ok(range)
    }

    async fn join(&self, group: &Group, topic: Topic) -> Result<Box<dyn Membership>, PortError> {
        let member = join(&self.options, &self.members, group, topic)?;
        Ok(Box::new(member))
    }

    fn reached(&self, group: &Group, partition: Partition, positions: &Positions) {
        self.members.reached(group, partition, positions);
    }
}
