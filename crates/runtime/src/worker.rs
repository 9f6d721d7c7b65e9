//! One owner of one shard: acquires it, works through its inputs batch by batch,
//! and stops when it is asked to or when another owner takes over.

mod deciding;
mod owner;

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use threadlore_model::{EventId, Key, Partition, Timestamp};
use threadlore_ports::{Class, PortError, Positions, Shard};
use threadlore_roles::Processor;
use threadlore_stream::{Consumer, FoldPorts, keep_working};
use tokio_util::sync::CancellationToken;

use crate::backpressure::Backpressure;
use crate::batch::{Counters, Note};
use crate::calls::{CallResult, Caller, PendingCall, Pool};
use crate::committer::{Committer, Decided, Then};
use crate::pipeline::Pipeline;
use crate::reader::{Read, Reader};
use crate::recovery::Recovery;
use crate::state_cache::StateCache;
use crate::timers::Timers;
use owner::{acquire, unpublished};

/// States kept in memory per shard, those used last.
const CACHED_STATES: usize = 4096;
/// Of those, as many keep what is derived from them, which may be larger than they are.
const WITH_DERIVED: usize = 256;
/// Timers that fire in one round at most.
const TIMERS_PER_ROUND: usize = 256;
/// How often an idle shard makes sure that its state is there.
const CHECK_STATE: Duration = Duration::from_secs(10);
/// Rows that are published leave the outbox after this long, where no batch takes them along.
const FORGET_PUBLISHED: Duration = Duration::from_millis(500);
/// Nothing is decided while as many batches' worth of events wait to be published.
const UNPUBLISHED_BATCHES: usize = 10;

/// Bounds of the loop.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Records per batch. Default 500.
    pub batch: usize,
    /// Slow calls of one shard at the same time. Default 8.
    pub calls: usize,
    /// Attempts per slow call; calls for vectors have no bound. Default 3.
    pub attempts: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            batch: 500,
            calls: 8,
            attempts: 3,
        }
    }
}

/// One owner of one shard of a role.
pub struct Worker<P: Processor> {
    processor: Arc<P>,
    ports: FoldPorts,
    limits: Limits,
    shard: Shard,
    pipeline: Pipeline,
    /// A batch that waits until the one before it is committed.
    decided: Option<Decided>,
    /// The number of the batch that was decided last.
    batch: u64,
    /// Positions after that batch.
    positions: Positions,
    /// Ids that it accepted: the store may not have them yet.
    accepted: Vec<EventId>,
    states: StateCache<P::State>,
    backpressure: Backpressure,
    timers: Timers,
    pool: Pool<P>,
    ended: Vec<CallResult<P>>,
    recovery: Option<Recovery>,
    counters: Counters,
    /// Whether the store has something of the shard.
    has_state: bool,
    /// When it was last known that the state is there.
    state_seen: Timestamp,
}

impl<P: Processor> Drop for Worker<P> {
    fn drop(&mut self) {
        let held = self.backpressure.held();
        if held > 0 {
            self.ports.observer.released(&self.shard.group, held);
        }
    }
}

/// Inputs of one round.
struct Inputs<P: Processor> {
    ended: Vec<CallResult<P>>,
    due: Vec<Key>,
    read: Option<Read>,
    /// Whether a recovery is through.
    recovered: bool,
}

impl<P: Processor> Worker<P> {
    /// Becomes the owner of the shard and takes up what the last one left.
    ///
    /// # Errors
    /// What the ports say; `Broken` when log and store do not fit together.
    pub async fn start(
        processor: Arc<P>,
        caller: Arc<dyn Caller<P>>,
        partition: Partition,
        ports: FoldPorts,
        limits: Limits,
    ) -> Result<Self, PortError> {
        let shard = Shard {
            group: processor.group(),
            partition,
        };
        let owned = acquire::<P>(&ports, &shard, limits.batch).await?;
        let (epoch, recovered) = (owned.epoch, owned.recovered);
        tracing::debug!(%shard, epoch, recovered, "acquired");
        let log = Arc::clone(&ports.log);
        let mut consumer =
            Consumer::start(log, ports.vault.clone(), &shard, P::INPUTS, &owned).await?;
        let clock = Arc::clone(&ports.clock);
        let mut pool = Pool::new(caller, clock, limits.calls, limits.attempts);
        let rows = ports.store.effects(&shard).await?;
        let mut counters = Counters {
            sequence: owned.sequence,
            next_call: rows.last().map_or(0, |row| row.id),
        };
        for row in rows {
            pool.announce(&row.key);
            pool.begin(PendingCall::of_row(row)?);
        }
        let mut timers = Timers::default();
        for wake in ports.store.wakes(&shard).await? {
            timers.set(&wake.key, Some(wake.at));
        }
        let publisher = unpublished(&ports, &shard, limits.batch).await?;
        let mut recovery = None;
        if !recovered {
            let place = (&shard, epoch, &mut counters);
            let (decided, consumer) = (owned.decided, &mut consumer);
            let begun =
                Recovery::begin(&ports, processor.as_ref(), place, decided, consumer).await?;
            recovery = Some(begun);
        }
        Ok(Self {
            backpressure: Backpressure::new(
                processor.queue().map_or(0, |queue| queue.held_at_most()),
            ),
            processor,
            limits,
            decided: None,
            batch: 0,
            positions: consumer.positions().clone(),
            accepted: Vec::new(),
            pipeline: Pipeline {
                reader: Reader::new(consumer),
                committer: Committer::new(&ports, &shard, epoch),
                publisher,
                committed: Vec::new(),
            },
            states: StateCache::new(CACHED_STATES, WITH_DERIVED),
            timers,
            pool,
            ended: Vec::new(),
            recovery,
            counters,
            has_state: !owned.positions.is_empty(),
            state_seen: ports.clock.now(),
            shard,
            ports,
        })
    }

    /// Works until asked to stop. While one batch is decided, the next one is read, the one
    /// before it is committed, and those before that are published.
    ///
    /// # Errors
    /// What the ports say; the worker is not to be used any more after one.
    pub async fn run(&mut self, stop: &CancellationToken) -> Result<(), PortError> {
        while !stop.is_cancelled() {
            if !self.round().await? {
                self.rest(stop).await?;
            }
        }
        self.settle().await?;
        self.forget_published().await
    }

    /// Takes one batch to its end: answered calls, keys whose timer is due, records. Returns
    /// whether there was anything to do.
    ///
    /// # Errors
    /// As [`Worker::run`].
    pub async fn step(&mut self) -> Result<bool, PortError> {
        self.settle().await?;
        self.pipeline.reader.wake();
        self.read_ahead();
        self.pipeline.until(|all| !all.reader.is_reading()).await?;
        let Some(inputs) = self.inputs() else {
            self.forget_published().await?;
            return Ok(false);
        };
        self.decided = Some(self.decide(inputs).await?);
        self.settle().await?;
        Ok(true)
    }

    /// Whether nothing waits here: no call, no event to publish, no record.
    ///
    /// # Errors
    /// What the log says.
    pub async fn is_idle(&mut self) -> Result<bool, PortError> {
        let lag = self.pipeline.reader.lag().await?;
        Ok(self.pool.is_empty()
            && self.ended.is_empty()
            && self.decided.is_none()
            && self.pipeline.committer.is_free()
            && self.pipeline.publisher.pending() == 0
            && self.timers.next().is_none()
            && lag == Some(0))
    }

    /// Does what can be done now; whether there was anything.
    async fn round(&mut self) -> Result<bool, PortError> {
        self.after_commits()?;
        self.read_ahead();
        let mut busy = self.commit();
        if self.may_decide()
            && let Some(inputs) = self.inputs()
        {
            self.ports.traffic.note(self.ports.clock.now());
            self.read_ahead();
            self.pipeline.begin().await?;
            self.decided = Some(self.decide(inputs).await?);
            busy = true;
        }
        Ok(busy)
    }

    /// Whether the next batch is to be decided. While another one is committed, only a full
    /// one is: any other could not be committed sooner, and becomes larger.
    fn may_decide(&self) -> bool {
        let most = self.limits.batch.saturating_mul(UNPUBLISHED_BATCHES);
        let Pipeline {
            reader, committer, ..
        } = &self.pipeline;
        self.decided.is_none()
            && self.pipeline.publisher.pending() <= most
            && (committer.is_free() || reader.ready() >= self.limits.batch)
    }

    fn read_ahead(&mut self) {
        // Such a recovery ends at what was decided, and asks for nothing that would make room.
        let bounded = self.recovery.is_some() && self.processor.queue().is_none();
        let paused = match bounded {
            true => Default::default(),
            false => self.backpressure.paused(|key| self.pool.has_calls(key)),
        };
        self.pipeline.reader.start(self.limits.batch, paused);
    }

    /// Begins to commit what was decided, once the batch before it is committed.
    fn commit(&mut self) -> bool {
        if !self.pipeline.committer.is_free() {
            return false;
        }
        if let Some(mut decided) = self.decided.take() {
            let appended = self.pipeline.publisher.take_appended();
            decided.changes.published = appended.map_or(0, |appended| appended.through);
            self.pipeline.committer.commit(decided);
            return true;
        }
        let since = self.pipeline.publisher.appended().map(|all| all.since);
        if since.is_some_and(|since| since.plus(FORGET_PUBLISHED) <= self.ports.clock.now())
            && let Some(appended) = self.pipeline.publisher.take_appended()
        {
            self.pipeline.committer.forget_published(appended.through);
            return true;
        }
        false
    }

    /// Brings everything to its end that was decided.
    async fn settle(&mut self) -> Result<(), PortError> {
        loop {
            let is_done = |all: &Pipeline| all.committer.is_free() && all.publisher.pending() == 0;
            self.pipeline.until(is_done).await?;
            self.after_commits()?;
            if self.decided.is_none() {
                return Ok(());
            }
            self.commit();
        }
    }

    async fn forget_published(&mut self) -> Result<(), PortError> {
        if let Some(appended) = self.pipeline.publisher.take_appended() {
            self.pipeline.committer.forget_published(appended.through);
            self.settle().await?;
        }
        Ok(())
    }

    fn after_commits(&mut self) -> Result<(), PortError> {
        for then in std::mem::take(&mut self.pipeline.committed) {
            self.after_commit(then)?;
        }
        Ok(())
    }

    /// What waited until a batch was committed: it is reported, and its calls are begun.
    fn after_commit(&mut self, then: Then) -> Result<(), PortError> {
        self.has_state = true;
        self.states.committed(then.batch);
        let (group, observer) = (&self.shard.group, &self.ports.observer);
        let (log, partition) = (&self.ports.log, self.shard.partition);
        log.reached(group, partition, &then.positions);
        for note in then.notes {
            match note {
                Note::Skipped(topic) => observer.skipped(group, topic),
                Note::KeptFailed(topic) => observer.kept_failed(group, topic),
                Note::Dropped(topic, why) => observer.dropped(group, topic, why),
                Note::Outcome(event, outcome) => observer.outcome(group, event, outcome),
            }
        }
        let now = self.ports.clock.now();
        then.spans.tell(now);
        let seconds = now.since(then.started).as_secs_f64();
        observer.committed(group, then.inputs, then.decided, seconds);
        for row in then.effects {
            self.pool.begin(PendingCall::of_row(row)?);
        }
        Ok(())
    }

    /// What there is to decide on, if anything.
    fn inputs(&mut self) -> Option<Inputs<P>> {
        let recovery = self.recovery.as_ref();
        // A queued record may wait for the answer about a window before it.
        let recovered = recovery.is_some_and(|recovery| {
            let answered = self.pool.is_empty() && self.ended.is_empty();
            recovery.is_through(&self.positions) && (recovery.left() == 0 || answered)
        });
        let due = match recovery {
            Some(_) => Vec::new(),
            None => self.timers.due(self.ports.clock.now(), TIMERS_PER_ROUND),
        };
        let mut ended = std::mem::take(&mut self.ended);
        while let Some(call) = self.pool.try_next() {
            ended.push(call);
        }
        let read = self.pipeline.reader.take();
        let nothing = ended.is_empty() && due.is_empty() && read.is_none() && !recovered;
        (!nothing).then_some(Inputs {
            ended,
            due,
            read,
            recovered,
        })
    }

    /// Waits until there is something to do, or for the signal to stop.
    async fn rest(&mut self, stop: &CancellationToken) -> Result<(), PortError> {
        let now = self.ports.clock.now();
        if now.since(self.state_seen) >= CHECK_STATE {
            self.check_state().await?;
            self.state_seen = now;
            // Something may have come meanwhile.
            return Ok(());
        }
        let wait = self.deadline().since(now);
        let awaited = self.pipeline.reader.awaited();
        let log = Arc::clone(&self.ports.log);
        let mut input = pin!(async {
            match &awaited {
                Some(any_of) => log.wait(any_of, wait).await,
                None => std::future::pending().await,
            }
        });
        let mut stopped = pin!(stop.cancelled());
        let (pipeline, pool, ended) = (&mut self.pipeline, &mut self.pool, &mut self.ended);
        poll_fn(|context| {
            match pipeline.poll(context) {
                Ok(false) => {}
                progress => return Poll::Ready(progress.map(drop)),
            }
            if let Poll::Ready(call) = pool.poll_next(context) {
                ended.push(call);
                return Poll::Ready(Ok(()));
            }
            if let Poll::Ready(arrived) = input.as_mut().poll(context) {
                pipeline.reader.wake();
                return Poll::Ready(arrived);
            }
            stopped.as_mut().poll(context).map(Ok)
        })
        .await
    }

    /// When there is something to do at the latest although nothing comes.
    fn deadline(&self) -> Timestamp {
        let can_fire = self.may_decide() && self.recovery.is_none();
        let timer = self.timers.next().filter(|_| can_fire);
        let published = self.pipeline.publisher.appended();
        let published = published.filter(|_| self.pipeline.committer.is_free());
        let published = published.map(|appended| appended.since.plus(FORGET_PUBLISHED));
        let all = [Some(self.state_seen.plus(CHECK_STATE)), timer, published];
        all.into_iter()
            .flatten()
            .min()
            .unwrap_or(Timestamp::EARLIEST)
    }

    /// An idle shard commits nothing, so nothing would tell it that its state is
    /// lost. A database that is away for a while is left to those who need it.
    async fn check_state(&mut self) -> Result<(), PortError> {
        let positions = self.ports.store.positions(&self.shard);
        let checked = async { Ok(positions.await) };
        match self.pipeline.alongside(checked).await? {
            Ok(positions) if positions.is_empty() && self.has_state => Err(PortError::Busy {
                doing: "checking the state of an idle shard",
                reason: "its state was deleted while the shard was idle: it is rebuilt from the log",
                source: None,
            }),
            Err(error) if error.class() != Class::Retry => Err(error),
            _ => Ok(()),
        }
    }
}

/// Runs a worker, and a new one after each passing fault, until asked to stop.
///
/// # Errors
/// What is no passing fault: another owner took over, or a promise is broken.
pub async fn keep_running<P: Processor>(
    processor: Arc<P>,
    caller: Arc<dyn Caller<P>>,
    partition: Partition,
    ports: FoldPorts,
    limits: Limits,
    stop: CancellationToken,
) -> Result<(), PortError> {
    let name = format!("{}/{partition}", P::ROLE);
    let FoldPorts {
        clock, observer, ..
    } = ports.clone();
    let stop = &stop;
    let start = || async {
        let (processor, caller) = (Arc::clone(&processor), Arc::clone(&caller));
        let mut worker = Worker::start(processor, caller, partition, ports.clone(), limits).await?;
        Ok(async move { worker.run(stop).await })
    };
    let work = keep_working(&name, clock.as_ref(), observer.as_ref(), stop, start);
    Box::pin(work).await
}
