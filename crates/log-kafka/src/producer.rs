//! Writing: every record once, in order, without a gap.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use futures::future::join_all;
use rdkafka::error::{KafkaError, RDKafkaErrorCode as Code};
use rdkafka::message::{Header, OwnedHeaders};
use rdkafka::producer::{FutureProducer, FutureRecord, Producer};
use threadlore_model::{Offset, Timestamp, TopicPartition};
use threadlore_ports::{Clock, PortError};
use tokio::sync::Mutex;

use crate::access::{Right, User};
use crate::cluster::misconfigured;
use crate::context::Watched;
use crate::error::{Attempt, silent};
use crate::options::{KafkaOptions, LARGEST};
use crate::stats::{Board, Kind};

pub(crate) const APPENDING: &str = "appending to the log";
/// Pause while the client library has no room for more.
const FULL: Duration = Duration::from_millis(10);
/// The most bytes of a record in addition to key, headers and value.
pub(crate) const FRAME: usize = 1024;

type Client = FutureProducer<Watched>;

/// A record to write.
pub(crate) struct Outgoing {
    pub(crate) key: Vec<u8>,
    pub(crate) headers: Vec<(Cow<'static, str>, Vec<u8>)>,
    pub(crate) value: Vec<u8>,
    /// When it was made, if not now; a topic with `LogAppendTime` has its own.
    pub(crate) time: Option<Timestamp>,
}

impl Outgoing {
    /// Its approximate size in bytes.
    pub(crate) fn size(&self) -> usize {
        let headers = self.headers.iter();
        let headers: usize = headers.map(|(name, value)| name.len() + value.len()).sum();
        self.key.len() + headers + self.value.len() + FRAME
    }

    pub(crate) fn fits(&self) -> bool {
        self.size() <= LARGEST
    }
}

/// Writes records; a client that can go no further is replaced.
pub(crate) struct Writer {
    options: KafkaOptions,
    user: User,
    board: Arc<Board>,
    client: RwLock<Arc<Client>>,
    /// Locks, so that the records of one call are adjacent in a partition.
    turns: BTreeMap<TopicPartition, Mutex<()>>,
    clock: Arc<dyn Clock>,
}

impl Writer {
    pub(crate) fn connect(
        (options, board): (KafkaOptions, Arc<Board>),
        partitions: impl Iterator<Item = TopicPartition>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, PortError> {
        Ok(Self {
            client: RwLock::new(Arc::new(connect(&options, &board)?)),
            user: options.user(),
            options,
            board,
            turns: partitions.map(|at| (at, Mutex::default())).collect(),
            clock,
        })
    }

    /// Writes records, and returns the least end offset of each partition.
    ///
    /// The client library retries for as long as the cluster is away. If it gives up a record
    /// nevertheless, it sends none of the records after it. The next append begins with the record
    /// that was given up, so there is never a gap.
    pub(crate) async fn write(
        &self,
        contents: BTreeMap<TopicPartition, Vec<Outgoing>>,
    ) -> Result<Vec<(TopicPartition, Offset)>, PortError> {
        let client = self.client()?;
        let mut sent = Vec::new();
        for (at, records) in contents {
            let Some(turn) = self.turns.get(&at) else {
                let reason = format!("there is no partition {at}");
                return Err(PortError::broken(APPENDING, reason));
            };
            let _turn = turn.lock().await;
            for record in &records {
                sent.push((at, self.send(&client, at, record).await?));
            }
        }
        let mut ends = Vec::new();
        let (places, deliveries): (Vec<_>, Vec<_>) = sent.into_iter().unzip();
        for (at, delivered) in places.into_iter().zip(join_all(deliveries).await) {
            match delivered {
                Ok(Ok(delivery)) => ends.push((at, Offset(delivery.offset).next())),
                Ok(Err((error, _))) => {
                    return Err(self.attempt(at).failed(error));
                }
                Err(_) => return Err(silent(APPENDING)),
            }
        }
        Ok(ends)
    }

    fn attempt(&self, at: TopicPartition) -> Attempt<'_> {
        Attempt {
            doing: APPENDING,
            right: Right::write(at.topic),
            user: &self.user,
        }
    }

    /// The client, or a new one after a fatal error.
    fn client(&self) -> Result<Arc<Client>, PortError> {
        let client = Arc::clone(&self.client.read().unwrap_or_else(PoisonError::into_inner));
        let Some((code, why)) = client.client().fatal_error() else {
            return Ok(client);
        };
        let mut place = self.client.write().unwrap_or_else(PoisonError::into_inner);
        if Arc::ptr_eq(&client, &place) {
            tracing::warn!(target: "kafka", ?code, "the producer is replaced: {why}");
            let old =
                std::mem::replace(&mut *place, Arc::new(connect(&self.options, &self.board)?));
            // Its end waits for its threads.
            tokio::task::spawn_blocking(move || drop(old));
        }
        Ok(Arc::clone(&place))
    }

    async fn send(
        &self,
        client: &Client,
        at: TopicPartition,
        record: &Outgoing,
    ) -> Result<rdkafka::producer::DeliveryFuture, PortError> {
        let headers = record.headers.iter();
        let headers = headers.fold(OwnedHeaders::new(), |headers, (key, value)| {
            let (key, value) = (key.as_ref(), Some(value.as_slice()));
            headers.insert(Header { key, value })
        });
        let mut next = FutureRecord::<[u8], [u8]>::to(at.topic.name())
            .partition(at.partition.0)
            .payload(&record.value)
            .headers(headers);
        if !record.key.is_empty() {
            next = next.key(&record.key);
        }
        next.timestamp = record.time.map(Timestamp::as_millis);
        loop {
            match client.send_result(next) {
                Ok(delivery) => return Ok(delivery),
                Err((KafkaError::MessageProduction(Code::QueueFull), back)) => {
                    next = back;
                    self.clock.sleep(FULL).await;
                }
                Err((error, _)) => {
                    return Err(self.attempt(at).failed(error));
                }
            }
        }
    }
}

fn connect(options: &KafkaOptions, board: &Arc<Board>) -> Result<Client, PortError> {
    let context = Watched(board.place(Kind::Writer));
    let client = options.producer().create_with_context(context);
    client.map_err(|e| misconfigured(&e))
}
