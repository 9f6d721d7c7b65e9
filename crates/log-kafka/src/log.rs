//! The [`EventLog`] on Kafka.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use futures::future::{Either, select, select_all};
use threadlore_model::{
    Event, Group, Offset, Partition, Role, Topic, TopicPartition, partition_for,
};
use threadlore_ports::{
    Clock, ENCODING, EncodedRecord, EventLog, Membership, Observer, PortError, Positions, RawLog,
    RawRecord, Record, before_newer,
};
use threadlore_schema::{Codec, Topics};

use crate::cluster::Cluster;
use crate::cursor::READING;
use crate::deletion::delete_before;
use crate::error::silent;
use crate::member::{Members, Threads, join};
use crate::options::{KafkaOptions, LARGEST};
use crate::producer::{APPENDING, FRAME, Outgoing, Writer};
use crate::raw::Raw;
use crate::readers::Readers;
use crate::registry::{Readable, Registry};
use crate::stats::Board;
use crate::topics::Plan;

/// Longest wait for a record that is known to be there.
const PATIENCE: Duration = Duration::from_secs(30);
/// The same for topics that others write to. The markers of their transactions have offsets, but
/// are never delivered as records.
const OF_OTHERS: Duration = Duration::from_secs(1);

/// An [`EventLog`] on a cluster, for one of many processes.
///
/// Records of one call are adjacent and in order. A crash may keep the first of them and lose the
/// others, which the outbox publishes again. Times of appending are the broker's if the topic has
/// `LogAppendTime`, as ours do.
pub struct KafkaLog {
    options: KafkaOptions,
    topics: Topics,
    clock: Arc<dyn Clock>,
    board: Arc<Board>,
    cluster: Cluster,
    writer: Writer,
    readers: Readers,
    codec: Codec,
    /// The schema registry, if the cluster has one.
    registry: Option<Registry>,
    /// The least end offset of each partition, known from writes, reads and requests.
    ends: Mutex<HashMap<TopicPartition, Offset>>,
    members: Members,
    threads: Threads,
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
        registry: Option<Registry>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, PortError> {
        Plan::look(&options, &topics).await?.check()?;
        Self::unchecked(options, topics, registry, clock)
    }

    /// A log whose topics are not checked. If they are not as `topics.yaml` says, reads and writes
    /// fail. This call sends no request.
    ///
    /// # Errors
    /// `Broken` when a property is refused.
    pub fn unchecked(
        options: KafkaOptions,
        topics: Topics,
        registry: Option<Registry>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, PortError> {
        let cluster = Cluster::connect(&options)?;
        let partitions = topics.iter().flat_map(|spec| {
            let count = i32::try_from(spec.partitions).unwrap_or(i32::MAX);
            (0..count).map(|n| TopicPartition {
                topic: spec.topic,
                partition: Partition(n),
            })
        });
        let board = Arc::<Board>::default();
        let place = (options.clone(), Arc::clone(&board));
        let writer = Writer::connect(place.clone(), partitions, Arc::clone(&clock))?;
        let readers = Readers::new(place, Arc::clone(&clock));
        Ok(Self {
            options,
            topics,
            clock,
            board,
            cluster,
            writer,
            readers,
            codec: Codec::new(),
            registry,
            ends: Mutex::default(),
            members: Members::default(),
            threads: Threads::default(),
        })
    }

    /// The broker that leads a partition now; `None` while none does.
    ///
    /// # Errors
    /// `Unavailable` when no broker answers; `Broken` when it must not be asked.
    pub async fn leader(&self, at: TopicPartition) -> Result<Option<i32>, PortError> {
        self.cluster.leader(at).await
    }

    /// Sends statistics of its clients, and changes of assigned partitions, to an observer.
    pub fn tell(&self, observer: Arc<dyn Observer>) {
        self.board.tell(observer);
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

    /// Raw records; empty when there are none yet.
    async fn take(
        &self,
        at: TopicPartition,
        from: Offset,
        max: usize,
    ) -> Result<Vec<Raw>, PortError> {
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
                return Ok(Vec::new());
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

    /// Decodes records. If the registry does not answer for a value, only the records before it are
    /// returned, and the reader asks again for the others.
    async fn decoded(
        &self,
        at: TopicPartition,
        records: Vec<Raw>,
    ) -> Result<Vec<Record>, PortError> {
        let (ours, now) = ((&self.codec, &self.topics), self.clock.now());
        let Some(registry) = &self.registry else {
            let decode = |raw: Raw| raw.decode(at, None, ours, now);
            return before_newer(records.into_iter().map(decode).collect());
        };
        let values: Vec<&[u8]> = records.iter().map(|raw| raw.value.as_slice()).collect();
        let readable = registry.from_wire(&values).await?;
        let both = records.into_iter().zip(readable);
        let decode = |(raw, readable): (Raw, _)| raw.decode(at, Some(readable), ours, now);
        before_newer(both.map(decode).collect())
    }

    fn outgoing(&self, records: Vec<EncodedRecord>) -> BTreeMap<TopicPartition, Vec<Outgoing>> {
        let mut contents: BTreeMap<_, Vec<Outgoing>> = BTreeMap::new();
        for record in records {
            let (topic, key) = (record.topic, record.key.as_str().as_bytes());
            let partition = partition_for(key, self.topics.partitions(topic));
            let at = TopicPartition { topic, partition };
            contents.entry(at).or_default().push(outgoing(record));
        }
        contents
    }
}

fn outgoing(record: EncodedRecord) -> Outgoing {
    let headers = record.headers.into_iter();
    Outgoing {
        key: record.key.as_str().as_bytes().to_vec(),
        headers: headers.map(|header| (header.name, header.value)).collect(),
        value: record.value,
        time: None,
    }
}

/// Has the registry's frame put around every value.
async fn frame(
    registry: &Registry,
    contents: &mut BTreeMap<TopicPartition, Vec<Outgoing>>,
) -> Result<(), PortError> {
    for (at, records) in contents {
        let values = records.iter_mut().map(|record| {
            let value = std::mem::take(&mut record.value);
            (at.topic, value)
        });
        let framed = registry.to_wire(values.collect()).await?;
        for (record, value) in records.iter_mut().zip(framed) {
            record.value = value;
        }
    }
    Ok(())
}

#[async_trait]
impl EventLog for KafkaLog {
    fn partitions(&self, topic: Topic) -> u32 {
        self.topics.partitions(topic)
    }

    /// The value is as a log without a schema registry has it: its frame, which is shorter
    /// than what it takes the place of, is put around it when it is appended.
    fn encode(&self, topic: Topic, event: &Event) -> Result<EncodedRecord, PortError> {
        let encoded = self.codec.encode(topic, event);
        let encoded = encoded.map_err(|e| PortError::Refused {
            doing: ENCODING,
            reason: e.to_string(),
        })?;
        let (headers, value) = (encoded.headers, encoded.value);
        let largest = self.topics.get(topic).max_message_bytes() as usize;
        let size = (FRAME, largest.min(LARGEST));
        EncodedRecord::fitting((topic, event), headers, value, size)
    }

    async fn append(&self, records: Vec<EncodedRecord>) -> Result<(), PortError> {
        if records.is_empty() {
            return Ok(());
        }
        let mut outgoing = self.outgoing(records);
        if let Some(registry) = &self.registry {
            frame(registry, &mut outgoing).await?;
        }
        for (at, end) in self.writer.write(outgoing).await? {
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
        let records = self.take(at, from, max).await?;
        self.decoded(at, records).await
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

    async fn truncate(&self, before: BTreeMap<TopicPartition, Offset>) -> Result<(), PortError> {
        // A broker refuses an offset before the start of a partition.
        let mut rest = Vec::new();
        for (at, before) in before {
            if self.range(at).await?.start < before {
                rest.push((at, before));
            }
        }
        delete_before(&self.options, &rest).await
    }

    async fn join(&self, group: &Group, topic: Topic) -> Result<Box<dyn Membership>, PortError> {
        if let Some(registry) = &self.registry {
            // Without schema ids this process could not work on its partitions, while others may
            // have the ids. So it takes no partition until it has them.
            let all = Role::ALL.into_iter().collect();
            registry.prepare(&self.topics, &all).await?;
        }
        let member = join(
            &self.options,
            (&self.members, &self.board),
            &self.threads,
            group,
            topic,
        )?;
        Ok(Box::new(member))
    }

    fn reached(&self, group: &Group, partition: Partition, positions: &Positions) {
        self.members.reached(group, partition, positions);
    }
}

#[async_trait]
impl RawLog for KafkaLog {
    async fn read_raw(
        &self,
        at: TopicPartition,
        from: Offset,
        max: usize,
    ) -> Result<Vec<RawRecord>, PortError> {
        let (records, now) = (self.take(at, from, max).await?, self.clock.now());
        let Some(registry) = &self.registry else {
            let raw = |raw: Raw| raw.untouched(now);
            return Ok(records.into_iter().map(raw).collect());
        };
        let values: Vec<&[u8]> = records.iter().map(|raw| raw.value.as_slice()).collect();
        let readable = registry.from_wire(&values).await?;
        let both = records.into_iter().zip(readable);
        let unframed = both.map(|(raw, readable)| {
            let record = raw.untouched(now);
            match readable {
                Ok(Readable { value, codec }) => RawRecord {
                    value: codec.own(value),
                    ..record
                },
                Err(_) => record,
            }
        });
        Ok(unframed.collect())
    }

    async fn append_raw(
        &self,
        at: TopicPartition,
        records: Vec<RawRecord>,
    ) -> Result<(), PortError> {
        let mut outgoing = Vec::with_capacity(records.len());
        for record in records {
            let value = match &self.registry {
                Some(registry) if registry.writes(self.topics.get(at.topic), &record.value) => {
                    let framed = registry.to_wire(vec![(at.topic, record.value)]).await?;
                    framed.into_iter().next().unwrap_or_default()
                }
                _ => record.value,
            };
            let headers = record.headers.into_iter();
            let one = Outgoing {
                key: record.key,
                headers: headers.map(|(name, value)| (name.into(), value)).collect(),
                value,
                time: Some(record.appended),
            };
            if !one.fits() {
                let (offset, size) = (record.offset, one.size());
                return Err(PortError::Refused {
                    doing: APPENDING,
                    reason: format!("record {offset} of {at} is too large: {size} bytes"),
                });
            }
            outgoing.push(one);
        }
        for (at, end) in self.writer.write(BTreeMap::from([(at, outgoing)])).await? {
            self.reaches(at, end);
        }
        Ok(())
    }
}
