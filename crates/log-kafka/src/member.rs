//! Membership in consumer groups: the assignment of partitions, and the progress of groups.
//!
//! A member subscribes to the first input of its role. The other inputs have as many partitions,
//! and a partition number is one shard of all of them. The member reads nothing; its partitions are
//! paused. Cursors read the records, from the offsets in the database. So a member answers the
//! group in time, however long a batch takes.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use async_trait::async_trait;
use futures::StreamExt;
use futures::channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer, ConsumerContext, Rebalance};
use rdkafka::error::{KafkaError, RDKafkaErrorCode as Code};
use rdkafka::{ClientContext, Offset as At, Statistics, TopicPartitionList};
use threadlore_model::{Group, Offset, Partition, Topic};
use threadlore_ports::{Change, Class, Membership, PortError, Positions, Released};

use crate::access::{Right, User};
use crate::cluster::misconfigured;
use crate::context::{log, tell};
use crate::error::{Attempt, silent};
use crate::options::KafkaOptions;
use crate::stats::{Board, Kind, Place};

const JOINING: &str = "sharing out partitions";
/// The longest wait for the current batch when a partition is revoked. Afterwards the partition
/// goes to its next owner, whose epoch refuses the late batch.
const HAND_OVER: Duration = Duration::from_secs(20);
/// Time between two polls of the group, and between two reports to it.
const ROUND: Duration = Duration::from_millis(100);
/// Rounds between two reports of how far a group got.
const REPORT: u32 = 10;
/// The longest wait for the client to have left its group before it is closed.
const LEFT: Duration = Duration::from_secs(5);
/// What its statistics call a client that neither belongs to a group nor is about to join one.
const OUTSIDE: &str = "init";

/// How far each group of this process got, by topic and partition.
#[derive(Clone, Default)]
pub(crate) struct Members(Arc<Mutex<HashMap<Group, Reached>>>);

type Reached = BTreeMap<(Topic, Partition), Offset>;

impl Members {
    fn lock(&self) -> MutexGuard<'_, HashMap<Group, Reached>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn reached(&self, group: &Group, partition: Partition, positions: &Positions) {
        if let Some(reached) = self.lock().get_mut(group) {
            let new = positions.iter();
            reached.extend(new.map(|(topic, offset)| ((*topic, partition), *offset)));
        }
    }

    /// The progress of a group since the last call.
    fn news(&self, group: &Group) -> Reached {
        self.lock()
            .get_mut(group)
            .map(std::mem::take)
            .unwrap_or_default()
    }
}

/// Longest wait for members to leave their groups when a log is closed.
const LEAVING: Duration = Duration::from_secs(10);

/// The threads of a log's members. When this is dropped, the members leave their groups, and the
/// drop waits for the ends of their threads. Otherwise no process would own the partitions of an
/// ended process until its session ends, and a thread could use memory that the TLS library has
/// already freed at the end of the process.
pub(crate) struct Threads {
    closing: Arc<AtomicBool>,
    /// Each thread has a copy until its client has left the group.
    alive: Option<mpsc::Sender<()>>,
    left: Mutex<mpsc::Receiver<()>>,
    handles: Mutex<Vec<JoinHandle<()>>>,
}

impl Default for Threads {
    fn default() -> Self {
        let (alive, left) = mpsc::channel();
        Self {
            closing: Arc::default(),
            alive: Some(alive),
            left: Mutex::new(left),
            handles: Mutex::default(),
        }
    }
}

impl Threads {
    /// Keeps a thread to wait for, and forgets those that have ended.
    fn add(&self, handle: JoinHandle<()>) {
        let mut handles = self.handles.lock().unwrap_or_else(PoisonError::into_inner);
        handles.retain(|handle| !handle.is_finished());
        handles.push(handle);
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.closing.store(true, Ordering::Relaxed);
        self.alive = None;
        let left = self.left.get_mut().unwrap_or_else(PoisonError::into_inner);
        if left.recv_timeout(LEAVING) == Err(RecvTimeoutError::Timeout) {
            tracing::warn!(target: "kafka", "a member did not leave its group in time; others \
                            take its partitions when its session is over");
            return;
        }
        let handles = self
            .handles
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        for handle in handles.drain(..) {
            if handle.join().is_err() {
                tracing::warn!(target: "kafka", "the thread of a member ended badly");
            }
        }
    }
}

/// One member; its thread ends when this is dropped.
pub(crate) struct Member {
    changes: UnboundedReceiver<Result<Change, PortError>>,
    _ends_with: mpsc::Sender<()>,
}

#[async_trait]
impl Membership for Member {
    async fn change(&mut self) -> Result<Change, PortError> {
        match self.changes.next().await {
            Some(change) => change,
            None => Err(silent(JOINING)),
        }
    }
}

/// Joins a group; a thread of its own answers the group from now on.
pub(crate) fn join(
    options: &KafkaOptions,
    (members, board): (&Members, &Arc<Board>),
    threads: &Threads,
    group: &Group,
    topic: Topic,
) -> Result<Member, PortError> {
    let (tell, changes) = unbounded();
    let asks = Asks {
        group: group.clone(),
        topic,
        user: options.user(),
    };
    let context = Context {
        tell: tell.clone(),
        group: group.clone(),
        place: board.place(Kind::Member),
        outside: AtomicBool::default(),
    };
    let client: Result<BaseConsumer<Context>, _> =
        options.member(group.as_str()).create_with_context(context);
    let client = client.map_err(|e| misconfigured(&e))?;
    client
        .subscribe(&[topic.name()])
        .map_err(|e| asks.failed(e))?;
    members.lock().entry(group.clone()).or_default();
    let (ends_with, ended) = mpsc::channel();
    let members = members.clone();
    let (closing, alive) = (Arc::clone(&threads.closing), threads.alive.clone());
    let ends = move || {
        closing.load(Ordering::Relaxed)
            || !matches!(ended.try_recv(), Err(mpsc::TryRecvError::Empty))
    };
    let thread = thread::Builder::new()
        .name(format!("kafka {group}"))
        .spawn(move || {
            serve(&client, &members, &asks, &tell, ends);
            leave(&client);
            drop(client);
            drop(alive);
        })
        .map_err(|source| PortError::Broken {
            doing: JOINING,
            reason: "no thread can be started".to_owned(),
            source: Some(Box::new(source)),
        })?;
    threads.add(thread);
    Ok(Member {
        changes,
        _ends_with: ends_with,
    })
}

/// The request of a member, for its error messages.
struct Asks {
    group: Group,
    topic: Topic,
    user: User,
}

impl Asks {
    fn failed(&self, error: KafkaError) -> PortError {
        let right = match error.rdkafka_error_code() {
            Some(Code::TopicAuthorizationFailed) => Right::describe(vec![self.topic]),
            _ => Right::join(&self.group),
        };
        let attempt = Attempt {
            doing: JOINING,
            right,
            user: &self.user,
        };
        attempt.failed(error)
    }
}

/// Answers the group until the member is dropped or the log is closed.
fn serve(
    client: &BaseConsumer<Context>,
    members: &Members,
    asks: &Asks,
    tell: &UnboundedSender<Result<Change, PortError>>,
    ends: impl Fn() -> bool,
) {
    let group = &asks.group;
    let mut round = 0;
    while !ends() {
        if let Some(Err(error)) = client.poll(ROUND) {
            let fatal = client.client().fatal_error();
            let error = match fatal {
                Some((code, _)) => KafkaError::Global(code),
                None => error,
            };
            let failed = asks.failed(error);
            if failed.class() == Class::Fatal {
                tell.unbounded_send(Err(failed)).ok();
                break;
            }
            tracing::debug!(target: "kafka", %group, error = %failed, "a member's connection");
        }
        round += 1;
        if round % REPORT == 0 {
            report(client, members, group, CommitMode::Async);
        }
    }
    report(client, members, group, CommitMode::Sync);
}

/// Leaves the group, and waits until nothing of it is on its way. Closing the client meanwhile can
/// kill the process: librdkafka 2.12 answers a late assignment with the address of a coordinator
/// that it has freed (its issue 5347).
fn leave(client: &BaseConsumer<Context>) {
    client.unsubscribe();
    let outside = &client.context().outside;
    outside.store(false, Ordering::Relaxed);
    let mut rounds = LEFT.as_millis() / ROUND.as_millis();
    while !outside.load(Ordering::Relaxed) && rounds > 0 {
        // Errors of a group that is left do not matter.
        drop(client.poll(ROUND));
        rounds -= 1;
    }
}

/// Commits the group's offsets, for tools that show lag.
fn report(client: &BaseConsumer<Context>, members: &Members, group: &Group, mode: CommitMode) {
    let news = members.news(group);
    if news.is_empty() {
        return;
    }
    let mut list = TopicPartitionList::new();
    for ((topic, partition), offset) in news {
        let added = list.add_partition_offset(topic.name(), partition.0, At::Offset(offset.0));
        if let Err(error) = added {
            tracing::debug!(target: "kafka", %group, %error, "an offset cannot be stored");
        }
    }
    if let Err(error) = client.commit(&list, mode) {
        tracing::debug!(target: "kafka", %group, %error, "the offsets of the group were not committed");
    }
}

/// Reports changes of the assignment. Runs on the thread that answers the group.
struct Context {
    tell: UnboundedSender<Result<Change, PortError>>,
    group: Group,
    place: Place,
    /// Whether the latest statistics say that the client is [`OUTSIDE`] of its group.
    outside: AtomicBool,
}

impl Context {
    fn moved(&self, assigned: usize, revoked: usize) {
        if let Some(observer) = self.place.board().observer() {
            observer.moved(&self.group, assigned, revoked);
        }
    }
}

impl ClientContext for Context {
    fn log(&self, level: RDKafkaLogLevel, facility: &str, message: &str) {
        log(level, facility, message);
    }
    fn error(&self, error: KafkaError, reason: &str) {
        tell(&error, reason);
    }
    fn stats(&self, statistics: Statistics) {
        self.place.take(&statistics);
        let group = statistics.cgrp.as_ref();
        let outside = group.is_none_or(|group| group.join_state == OUTSIDE);
        self.outside.store(outside, Ordering::Relaxed);
    }
}

impl ConsumerContext for Context {
    fn pre_rebalance(&self, _client: &BaseConsumer<Self>, rebalance: &Rebalance<'_>) {
        let Rebalance::Revoke(list) = rebalance else {
            return;
        };
        self.moved(0, list.count());
        let (released, heard) = Released::pair();
        let change = Change::Revoked(partitions(list), released);
        if list.count() == 0 || self.tell.unbounded_send(Ok(change)).is_err() {
            return;
        }
        let (done, wait) = mpsc::channel::<()>();
        // The thread ends when the receiver drops the guard.
        let waiting = thread::spawn(move || {
            futures::executor::block_on(heard).ok();
            drop(done);
        });
        if wait.recv_timeout(HAND_OVER) == Err(RecvTimeoutError::Timeout) {
            tracing::warn!(
                target: "kafka",
                "a batch was not done in time; its partition goes to another owner"
            );
        } else if waiting.join().is_err() {
            tracing::warn!(target: "kafka", "a thread ended badly");
        }
    }

    fn post_rebalance(&self, client: &BaseConsumer<Self>, rebalance: &Rebalance<'_>) {
        match rebalance {
            Rebalance::Assign(list) if list.count() > 0 => {
                if let Err(error) = client.pause(list) {
                    tracing::debug!(target: "kafka", %error, "partitions were not paused");
                }
                self.moved(list.count(), 0);
                let change = Change::Assigned(partitions(list));
                self.tell.unbounded_send(Ok(change)).ok();
            }
            Rebalance::Error(error) => {
                tracing::warn!(target: "kafka", %error, "partitions could not be shared out");
            }
            _ => {}
        }
    }
}

fn partitions(list: &TopicPartitionList) -> Vec<Partition> {
    let elements = list.elements();
    elements.iter().map(|e| Partition(e.partition())).collect()
}
