//! The ports of a simulated process: the twins in memory, with a point before
//! and after every call.

use std::collections::{HashMap, HashSet};
use std::future::Future;
use std::ops::Range;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;

use async_trait::async_trait;
use futures::poll;
use threadlore_model::{
    Event, EventId, Key, Offset, Run, Subject, SubjectKey, Timestamp, Topic, TopicPartition,
};
use threadlore_ports::{
    Changes, Clock, EffectRow, EncodedRecord, EventLog, Generation, Keystore, OutboxRow, Ownership,
    PortError, Positions, Record, Shard, StateRow, Store, Wake,
};

use crate::sim::bugs::Bug;
use crate::sim::faults::Boundary;
use crate::sim::sched::{BareClock, Ctx, Go};
use crate::sim::workload::is_unfit;
use crate::{MemoryKeystore, MemoryLog, MemoryStore};

pub(crate) struct SimClock(pub(crate) Ctx);

#[async_trait]
impl Clock for SimClock {
    fn now(&self) -> Timestamp {
        BareClock(Arc::clone(&self.0.shared)).now()
    }

    async fn sleep(&self, by: Duration) {
        let bare = BareClock(Arc::clone(&self.0.shared));
        let slept = async {
            bare.sleep(by).await;
            Ok(())
        };
        // No fault at this boundary makes the sleep itself fail.
        drop(self.0.around(Boundary::Sleep, slept).await);
    }
}

pub(crate) struct SimLog {
    ctx: Ctx,
    inner: Arc<MemoryLog>,
    bug: Option<Bug>,
    /// What waits for the append after it, by a planted bug.
    overtaken: Mutex<Vec<EncodedRecord>>,
    read_ahead: ReadAhead,
}

/// How far a process read, whatever it did with it.
pub(crate) type ReadAhead = Arc<Mutex<Positions>>;

impl SimLog {
    pub(crate) fn new(
        ctx: Ctx,
        inner: Arc<MemoryLog>,
        bug: Option<Bug>,
        read_ahead: ReadAhead,
    ) -> Self {
        Self {
            ctx,
            inner,
            bug,
            overtaken: Mutex::default(),
            read_ahead,
        }
    }

    /// Appends, but for what a planted bug does to a shard's appends.
    async fn write(&self, records: Vec<EncodedRecord>) -> Result<(), PortError> {
        if self.bug == Some(Bug::RefusedLate) && records.iter().any(is_unfit_record) {
            return Err(unfit());
        }
        if self.bug != Some(Bug::AppendsOvertake) || self.ctx.who.shard.is_none() {
            return self.inner.append(records).await;
        }
        let overtaken = {
            let mut waiting = self
                .overtaken
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            if waiting.is_empty() && self.ctx.shared.lock().rng.chance(1, 4) {
                *waiting = records;
                return Ok(());
            }
            std::mem::take(&mut *waiting)
        };
        self.inner.append(records).await?;
        self.inner.append(overtaken).await
    }
}

fn unfit() -> PortError {
    PortError::Refused {
        doing: "encoding a record",
        reason: "the simulated log does not take it".to_owned(),
    }
}

fn is_unfit_record(record: &EncodedRecord) -> bool {
    let event = ciborium::from_reader::<Event, _>(record.value.as_slice());
    event.is_ok_and(|event| is_unfit(&event))
}

#[async_trait]
impl EventLog for SimLog {
    fn partitions(&self, topic: Topic) -> u32 {
        self.inner.partitions(topic)
    }

    fn encode(&self, topic: Topic, event: &Event) -> Result<EncodedRecord, PortError> {
        if is_unfit(event) && self.bug != Some(Bug::RefusedLate) {
            return Err(unfit());
        }
        self.inner.encode(topic, event)
    }

    async fn append(&self, records: Vec<EncodedRecord>) -> Result<(), PortError> {
        if self.ctx.before(Boundary::LogAppend).await? == Go::Twice {
            self.write(records.clone()).await?;
        }
        self.ctx.shared.lock().note_append(&self.ctx.who, &records);
        self.write(records).await?;
        self.ctx.changed();
        self.ctx.after(Boundary::LogAppend).await
    }

    async fn read(
        &self,
        at: TopicPartition,
        from: Offset,
        max: usize,
    ) -> Result<Vec<Record>, PortError> {
        let read = self.inner.read(at, from, max);
        let records = self.ctx.around(Boundary::LogRead, read).await?;
        if let Some(last) = records.last() {
            let mut read = self
                .read_ahead
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            read.insert(at.topic, last.offset.next());
        }
        Ok(records)
    }

    async fn wait(
        &self,
        any_of: &[(TopicPartition, Offset)],
        wait: Duration,
    ) -> Result<(), PortError> {
        self.ctx
            .around(Boundary::LogWait, self.inner.wait(any_of, wait))
            .await
    }

    async fn range(&self, at: TopicPartition) -> Result<Range<Offset>, PortError> {
        self.ctx
            .around(Boundary::LogRange, self.inner.range(at))
            .await
    }
}

/// The store as one owner sees it.
pub(crate) struct SimStore {
    ctx: Ctx,
    inner: Arc<MemoryStore>,
    bug: Option<Bug>,
    log: Arc<MemoryLog>,
    last: Mutex<(Positions, bool)>,
    read_ahead: ReadAhead,
    breaches: Arc<Mutex<Vec<String>>>,
}

impl SimStore {
    pub(crate) fn new(
        ctx: Ctx,
        (inner, log): (Arc<MemoryStore>, Arc<MemoryLog>),
        (bug, read_ahead): (Option<Bug>, ReadAhead),
        breaches: Arc<Mutex<Vec<String>>>,
    ) -> Self {
        Self {
            ctx,
            inner,
            bug,
            log,
            last: Mutex::default(),
            read_ahead,
            breaches,
        }
    }

    /// What led to a commit.
    fn boundary(&self, changes: &Changes) -> Boundary {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if changes.fold.is_some() {
            Boundary::CommitFold
        } else if changes.positions != last.0 || changes.recovered != last.1 {
            Boundary::CommitRecords
        } else if changes.answered.is_empty() {
            Boundary::CommitTimer
        } else {
            Boundary::CommitAnswer
        }
    }

    /// Moves the position in the requests to their end, where a planted bug says so.
    async fn lose_requests(&self, shard: &Shard, owned: &mut Ownership) -> Result<(), PortError> {
        let (topic, partition) = (Topic::KnowledgeRequests, shard.partition);
        if let Some(next) = owned.positions.get_mut(&topic)
            && self.bug == Some(Bug::RequestLost)
        {
            *next = self
                .log
                .range(TopicPartition { topic, partition })
                .await?
                .end;
        }
        Ok(())
    }

    /// Now and then the last owner was of a version with other states.
    fn change_version(&self, shard: &Shard) {
        let now = self.ctx.shared.lock().now;
        if (now + self.inner.ownership_of(shard).epoch) % 8 == 0 {
            self.inner.set_layout(shard, i32::MAX);
        }
    }

    fn keep(&self, positions: Positions, recovered: bool) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = (positions, recovered);
    }

    /// The epoch that is shown to the store: the current one where a planted bug
    /// says that nobody looks.
    fn shown(&self, shard: &Shard, epoch: i64, at: Boundary) -> i64 {
        let blind = match self.bug {
            Some(Bug::NoEpochOnInputs) => at != Boundary::CommitTimer,
            Some(Bug::NoEpochOnTimers) => at == Boundary::CommitTimer,
            _ => false,
        };
        if blind {
            self.inner.ownership_of(shard).epoch
        } else {
            epoch
        }
    }

    /// A change of an owner that is none any more.
    fn check_fence(&self, shard: &Shard, epoch: i64, at: Boundary) {
        let current = self.inner.ownership_of(shard).epoch;
        if current != epoch {
            let mut breaches = self.breaches.lock().unwrap_or_else(PoisonError::into_inner);
            breaches.push(format!(
                "{at} of {shard} was done with epoch {epoch} while {current} was current"
            ));
        }
    }
}

#[async_trait]
impl Store for SimStore {
    async fn acquire(&self, shard: &Shard) -> Result<Ownership, PortError> {
        let acquire = async {
            self.change_version(shard);
            let mut owned = self.inner.acquire(shard).await?;
            self.lose_requests(shard, &mut owned).await?;
            self.ctx.shared.lock().note(|| {
                format!(
                    "{} acquires {shard} with epoch {}",
                    self.ctx.who, owned.epoch
                )
            });
            self.keep(owned.positions.clone(), owned.recovered);
            Ok(owned)
        };
        self.ctx.around(Boundary::Acquire, acquire).await
    }

    async fn forget(&self, shard: &Shard, epoch: i64, layout: i32) -> Result<(), PortError> {
        let forget = async {
            self.inner.forget(shard, epoch, layout).await?;
            self.ctx.changed();
            Ok(())
        };
        self.ctx.around(Boundary::Acquire, forget).await
    }

    async fn load(&self, shard: &Shard, keys: &[Key]) -> Result<Vec<StateRow>, PortError> {
        self.ctx
            .around(Boundary::Load, self.inner.load(shard, keys))
            .await
    }

    async fn wakes(&self, shard: &Shard) -> Result<Vec<Wake>, PortError> {
        self.ctx
            .around(Boundary::Wakes, self.inner.wakes(shard))
            .await
    }

    async fn accepted(
        &self,
        shard: &Shard,
        ids: &[EventId],
    ) -> Result<HashSet<EventId>, PortError> {
        self.ctx
            .around(Boundary::Accepted, self.inner.accepted(shard, ids))
            .await
    }

    async fn commit(
        &self,
        shard: &Shard,
        epoch: i64,
        mut changes: Changes,
    ) -> Result<(), PortError> {
        if self.bug == Some(Bug::ReadAheadCommitted) {
            let read = self
                .read_ahead
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            for (topic, next) in &mut changes.positions {
                *next = read
                    .get(topic)
                    .copied()
                    .max(Some(*next))
                    .unwrap_or_default();
            }
        }
        let at = self.boundary(&changes);
        let (positions, recovered) = (changes.positions.clone(), changes.recovered);
        let cut = self.ctx.before(at).await? == Go::Cut;
        let shown = self.shown(shard, epoch, at);
        let outcome = {
            let mut commit = pin!(self.inner.commit(shard, shown, changes));
            match poll!(commit.as_mut()) {
                Poll::Pending if !cut => commit.await,
                Poll::Pending => Ok(()),
                Poll::Ready(outcome) => outcome,
            }
        };
        self.ctx.shared.lock().note(|| {
            format!(
                "{} epoch {epoch}: {at} up to {positions:?}: {outcome:?}",
                self.ctx.who
            )
        });
        if outcome.is_ok() {
            self.check_fence(shard, epoch, at);
            self.ctx.changed();
        }
        if cut {
            self.ctx.die().await;
        }
        outcome?;
        self.keep(positions, recovered);
        self.ctx.after(at).await
    }

    async fn outbox(
        &self,
        shard: &Shard,
        after: u64,
        max: usize,
    ) -> Result<Vec<OutboxRow>, PortError> {
        self.ctx
            .around(Boundary::Outbox, self.inner.outbox(shard, after, max))
            .await
    }

    async fn published(&self, shard: &Shard, epoch: i64, through: u64) -> Result<(), PortError> {
        let mark = async {
            self.inner.published(shard, epoch, through).await?;
            self.check_fence(shard, epoch, Boundary::Published);
            self.ctx.changed();
            Ok(())
        };
        self.ctx.around(Boundary::Published, mark).await
    }

    async fn positions(&self, shard: &Shard) -> Result<Positions, PortError> {
        self.inner.positions(shard).await
    }

    async fn effects(&self, shard: &Shard) -> Result<Vec<EffectRow>, PortError> {
        self.ctx
            .around(Boundary::Effects, self.inner.effects(shard))
            .await
    }

    async fn run_of(&self, build: Generation) -> Result<Run, PortError> {
        self.inner.run_of(build).await
    }
}

pub(crate) struct SimKeystore {
    pub(crate) ctx: Ctx,
    pub(crate) inner: Arc<MemoryKeystore>,
    pub(crate) bug: Option<Bug>,
}

#[async_trait]
impl Keystore for SimKeystore {
    async fn ensure(
        &self,
        subjects: &[Subject],
    ) -> Result<HashMap<Subject, SubjectKey>, PortError> {
        self.ctx
            .around(Boundary::KeysEnsure, self.inner.ensure(subjects))
            .await
    }

    async fn keys(&self, subjects: &[Subject]) -> Result<HashMap<Subject, SubjectKey>, PortError> {
        self.ctx
            .around(Boundary::KeysGet, self.inner.keys(subjects))
            .await
    }

    async fn destroy(&self, subject: &Subject) -> Result<(), PortError> {
        if self.bug == Some(Bug::KeyKept) {
            return Ok(());
        }
        self.ctx
            .around(Boundary::KeysDestroy, self.inner.destroy(subject))
            .await
    }

    async fn walk(
        &self,
        after: Option<&Subject>,
        max: usize,
    ) -> Result<Vec<(Subject, Option<SubjectKey>)>, PortError> {
        self.inner.walk(after, max).await
    }

    async fn put(&self, keys: Vec<(Subject, Option<SubjectKey>)>) -> Result<(), PortError> {
        self.inner.put(keys).await
    }
}

/// A future that the compiler need not know.
pub(crate) type Boxed = Pin<Box<dyn Future<Output = Result<(), PortError>>>>;
