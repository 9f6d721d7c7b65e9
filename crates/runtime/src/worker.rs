//! One owner of one shard: acquires it, works through its inputs batch by batch,
//! and stops when it is told to or when another owner takes over.

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::future::{Either, select};
use hashlink::LinkedHashMap;
use threadlore_model::{Event, EventId, Key, Partition, Role, Timestamp, Topic};
use threadlore_ports::{
    Class, Consumer, EmbedEngine, ExtractEngine, FoldPorts, OutboxRow, Polled, PortError, Shard,
    keep_working,
};
use threadlore_roles::{Flow, Input, KeyState, Processor};
use tokio_util::sync::CancellationToken;

use crate::batch::{Batch, Counters, Finished, Note, Outcome, Rejected, Taken};
use crate::effects::{Answered, Engines, Pool};
use crate::kept::{Kept, Wakes};
use crate::recovery::Recovery;

/// States kept in memory per shard, those used last.
const CACHED_STATES: usize = 4096;
/// Of those, as many keep what follows from them, which may be larger than they are.
const WITH_DERIVED: usize = 256;
/// Keys woken in one round at most.
const WAKES_PER_ROUND: usize = 256;
/// How often an idle shard makes sure that its state is there.
const CHECK_STATE: Duration = Duration::from_secs(10);

/// Everything outside that a worker uses.
#[derive(Clone)]
pub struct Ports {
    /// What folds use too.
    pub shared: FoldPorts,
    /// Finds cases in windows.
    pub engine: Arc<dyn ExtractEngine>,
    /// Makes vectors of texts; only `embedder` needs one.
    pub embedder: Option<Arc<dyn EmbedEngine>>,
}

/// Bounds of the loop.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Records per batch. Default 500.
    pub batch: usize,
    /// Slow calls of one shard at the same time. Default 8.
    pub effects: usize,
    /// Attempts per slow call; calls for vectors have no bound. Default 3.
    pub attempts: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            batch: 500,
            effects: 8,
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
    epoch: i64,
    consumer: Consumer,
    /// Those used last come last.
    states: LinkedHashMap<Key, Kept<P::State>>,
    wakes: Wakes,
    pool: Pool,
    unpublished: VecDeque<OutboxRow>,
    /// The last sequence that is in the log and still in the outbox; 0 where there is none.
    appended: u64,
    recovery: Option<Recovery>,
    counters: Counters,
    repeats: u64,
    /// Whether the store has something of the shard.
    committed: bool,
    /// When it was last known that the state is there.
    state_seen: Timestamp,
}

impl<P: Processor> Worker<P> {
    /// Becomes the owner of the shard and takes up what the last one left.
    ///
    /// # Errors
    /// What the ports say; `Broken` when log and store do not fit together.
    pub async fn start(
        processor: Arc<P>,
        partition: Partition,
        ports: Ports,
        limits: Limits,
    ) -> Result<Self, PortError> {
        let shard = Shard {
            group: processor.group(),
            partition,
        };
        let Ports {
            shared: ports,
            engine: extract,
            embedder: embed,
        } = ports;
        let owned = ports.store.acquire(&shard).await?;
        let (epoch, sequence, recovered) = (owned.epoch, owned.sequence, owned.recovered);
        tracing::debug!(%shard, epoch, recovered, "acquired");
        let log = Arc::clone(&ports.log);
        let consumer = Consumer::start(log, ports.vault.clone(), &shard, P::INPUTS, &owned).await?;
        let mut pool = Pool::new(
            Engines { extract, embed },
            Arc::clone(&ports.clock),
            limits.effects,
            limits.attempts,
        );
        let rows = ports.store.effects(&shard).await?;
        let next_effect = rows.last().map_or(0, |row| row.id);
        rows.into_iter().for_each(|row| pool.push(row));
        let mut wakes = Wakes::default();
        for wake in ports.store.wakes(&shard).await? {
            wakes.set(&wake.key, Some(wake.at));
        }
        let mut worker = Self {
            processor,
            limits,
            epoch,
            consumer,
            states: LinkedHashMap::new(),
            wakes,
            pool,
            unpublished: VecDeque::new(),
            appended: 0,
            recovery: None,
            counters: Counters {
                sequence,
                next_effect,
            },
            repeats: 0,
            committed: !owned.positions.is_empty(),
            state_seen: ports.clock.now(),
            shard,
            ports,
        };
        worker.load_outbox().await?;
        if !recovered {
            let place = (&worker.shard, worker.epoch, &mut worker.counters);
            let consumer = &mut worker.consumer;
            let begun = Recovery::begin(
                &worker.ports,
                worker.processor.as_ref(),
                place,
                owned.decided,
                consumer,
            )
            .await?;
            worker.recovery = Some(begun);
        }
        Ok(worker)
    }

    /// Works until told to stop.
    ///
    /// # Errors
    /// What the ports say; the worker is not to be used any more after one.
    pub async fn run(&mut self, stop: &CancellationToken) -> Result<(), PortError> {
        while !stop.is_cancelled() {
            if !self.step().await? {
                self.idle(stop).await?;
            }
        }
        self.publish().await?;
        self.forget_published().await
    }

    /// Takes one batch: answered calls, keys whose time came, records. Returns
    /// whether there was anything to do.
    ///
    /// # Errors
    /// As [`Worker::run`].
    pub async fn step(&mut self) -> Result<bool, PortError> {
        self.publish().await?;
        let before = self.consumer.positions().clone();
        let records = self
            .consumer
            .poll(self.limits.batch, &self.paused())
            .await?;
        let recovery = self.recovery.as_ref();
        // A queued record may wait for the answer about a window before it.
        let through = recovery.is_some_and(|recovery| {
            recovery.is_through(&before) && (recovery.left() == 0 || self.pool.is_empty())
        });
        let woken = match self.recovery {
            Some(_) => Vec::new(),
            None => self.wakes.due(self.ports.clock.now(), WAKES_PER_ROUND),
        };
        let mut answered = Vec::new();
        while let Some(answer) = self.pool.try_next() {
            answered.push(answer);
        }
        // Repeats and skips are passed over, too: whoever waits for the end of a topic waits
        // for the position.
        let passed = *self.consumer.positions() != before;
        let nothing = answered.is_empty() && woken.is_empty() && records.is_empty();
        if nothing && !passed && !through {
            self.forget_published().await?;
            return Ok(false);
        }
        self.batch(answered, woken, records, through).await?;
        self.publish().await?;
        Ok(true)
    }

    /// Whether nothing waits here: no call, no event to publish, no record.
    ///
    /// # Errors
    /// What the log says.
    pub async fn is_idle(&mut self) -> Result<bool, PortError> {
        let lag = self.consumer.lag().await?;
        Ok(self.pool.is_empty()
            && self.unpublished.is_empty()
            && self.wakes.next().is_none()
            && lag.iter().all(|(_, records)| *records == 0))
    }

    async fn batch(
        &mut self,
        answered: Vec<Answered>,
        woken: Vec<Key>,
        records: Vec<Polled>,
        through: bool,
    ) -> Result<(), PortError> {
        let started = self.ports.clock.now();
        let group = self.shard.group.clone();
        let count = answered.len() + woken.len() + records.len();
        for topic in P::INPUTS {
            let read = records.iter().filter(|r| r.at.topic == *topic).count();
            self.ports.observer.read(&group, *topic, read);
        }
        self.count_repeats();
        self.load_states(&answered, &woken, &records).await?;
        let known = self.known(&records).await?;
        let mut resumed = Vec::new();
        if through {
            let recovery = self.recovery.take();
            if let Some(left) = recovery.map(|r| r.left()).filter(|left| *left > 0) {
                tracing::warn!(shard = %self.shard, left,
                    "decisions whose causes cannot be read are left out of the state");
            }
            self.consumer.read_until(None);
            resumed = self.wakes.due(Timestamp::EARLIEST, usize::MAX);
        }
        self.load_keys(&resumed).await?;
        for answer in &answered {
            self.ports
                .observer
                .effect(&group, answer.is_ok(), answer.seconds());
        }
        let inputs = answered.into_iter().map(Taken::Answer);
        let inputs = inputs.chain(woken.into_iter().map(Taken::Wake));
        let inputs = inputs.chain(records.into_iter().map(Taken::Record));
        let inputs = inputs.chain(resumed.into_iter().map(Taken::Resume));
        let finished = self.decide(&inputs.collect::<Vec<_>>(), &known).await?;
        let mut changes = finished.changes;
        changes.positions = self.consumer.positions().clone();
        changes.marks = self.consumer.take_moved();
        changes.recovered = self.recovery.is_none();
        changes.published = self.appended;
        let (outbox, effects) = (changes.outbox.clone(), changes.effects.clone());
        let committed = self
            .ports
            .store
            .commit(&self.shard, self.epoch, changes)
            .await;
        self.ports.changed(&self.shard, committed)?;
        self.appended = 0;
        self.committed = true;
        let positions = self.consumer.positions();
        let (log, partition) = (&self.ports.log, self.shard.partition);
        log.reached(&group, partition, positions);
        for note in finished.notes {
            match note {
                Note::Skipped(topic) => self.ports.observer.skipped(&group, topic),
                Note::KeptFailed(topic) => self.ports.observer.kept_failed(&group, topic),
                Note::Dropped(topic, why) => self.ports.observer.dropped(&group, topic, why),
            }
        }
        let now = self.ports.clock.now();
        finished.spans.tell(now);
        let seconds = now.since(started).as_secs_f64();
        self.ports
            .observer
            .committed(&group, count, outbox.len(), seconds);
        self.counters = Counters {
            sequence: finished.sequence,
            next_effect: finished.next_effect,
        };
        let used = finished.wakes.len();
        for (key, at) in finished.wakes {
            self.states.to_back(&key);
            self.wakes.set(&key, at);
        }
        let others = self.states.values_mut().rev().skip(WITH_DERIVED);
        others.take(used).for_each(|kept| kept.state.drop_derived());
        effects.into_iter().for_each(|row| self.pool.push(row));
        self.unpublished.extend(outbox);
        Ok(())
    }

    /// Folds and decides inputs. Where the log does not take what some of them led to, all of
    /// them are decided once more without those, from the states of the store.
    async fn decide(
        &mut self,
        inputs: &[Taken],
        known: &HashSet<EventId>,
    ) -> Result<Finished, PortError> {
        let quick = P::ROLE == Role::Extractor && self.pool.is_quick();
        let mut rejected = Rejected::new();
        loop {
            let mut batch = Batch::new(
                self.processor.as_ref(),
                (&self.shard, &self.ports),
                &mut self.states,
                self.recovery.as_mut(),
                known.clone(),
                self.pool.pending(),
                (self.counters, &rejected),
            );
            for input in inputs {
                batch.take(input);
                while quick && let Some(asked) = batch.take_asked() {
                    let answer = self.pool.answer(asked).await;
                    let group = &self.shard.group;
                    let observer = &self.ports.observer;
                    observer.effect(group, answer.is_ok(), answer.seconds());
                    batch.outcome(&answer);
                }
            }
            let (more, touched) = match batch.finish().await? {
                Outcome::Finished(finished) => {
                    if let Some(recovery) = &mut self.recovery {
                        recovery.finished();
                    }
                    return Ok(*finished);
                }
                Outcome::Rejected(more, touched) => (more, touched),
            };
            let known_before = rejected.len();
            rejected.extend(more);
            if rejected.len() == known_before {
                let reason = format!("{}: the log refuses the same event again", self.shard);
                return Err(PortError::broken("deciding a batch", reason));
            }
            if let Some(recovery) = &mut self.recovery {
                recovery.undo();
            }
            let touched: Vec<Key> = touched.into_iter().collect();
            for key in &touched {
                self.states.remove(key);
            }
            self.load_keys(&touched).await?;
        }
    }

    /// Publishes the outbox in order, and destroys the keys of what it erases. The rows leave
    /// the outbox with the next commit, or when nothing is to be done; an owner that ends
    /// before leaves all of it to the next one, to the same end.
    async fn publish(&mut self) -> Result<(), PortError> {
        let Some(through) = self.unpublished.back().map(|row| row.sequence) else {
            return Ok(());
        };
        let (mut records, mut erased) = (Vec::new(), Vec::new());
        for row in self.unpublished.drain(..) {
            let (record, erases) = row.into_record(self.ports.log.as_ref())?;
            records.push(record);
            erased.extend(erases);
        }
        let count = records.len();
        self.ports.log.append(records).await?;
        self.ports.vault.destroy(&erased).await?;
        self.ports.observer.published(&self.shard.group, count);
        self.appended = through;
        Ok(())
    }

    async fn forget_published(&mut self) -> Result<(), PortError> {
        if self.appended == 0 {
            return Ok(());
        }
        let store = &self.ports.store;
        let forgotten = store
            .published(&self.shard, self.epoch, self.appended)
            .await;
        self.ports.changed(&self.shard, forgotten)?;
        self.appended = 0;
        Ok(())
    }

    /// Waits until there is something to do, or for the signal to stop.
    async fn idle(&mut self, stop: &CancellationToken) -> Result<(), PortError> {
        let now = self.ports.clock.now();
        if now.since(self.state_seen) >= CHECK_STATE {
            self.check_state().await?;
            self.state_seen = now;
        }
        let until = self.wakes.next().into_iter();
        let until = until.chain([self.state_seen.plus(CHECK_STATE)]).min();
        let wait = until.map_or(CHECK_STATE, |at| at.since(now));
        let paused = self.paused();
        let answer = {
            let input = pin!(self.consumer.wait(&paused, wait));
            let answer = pin!(self.pool.next());
            let work = pin!(select(input, answer));
            match select(work, pin!(stop.cancelled())).await {
                Either::Left((Either::Left((waited, _)), _)) => return waited,
                Either::Left((Either::Right((answer, _)), _)) => answer,
                Either::Right(_) => return Ok(()),
            }
        };
        self.batch(vec![answer], Vec::new(), Vec::new(), false)
            .await
    }

    /// An idle shard commits nothing, so nothing would tell it that its state is
    /// lost. A database that is away for a while is left to those who need it.
    async fn check_state(&mut self) -> Result<(), PortError> {
        match self.ports.store.positions(&self.shard).await {
            Ok(positions) if positions.is_empty() && self.committed => {
                Err(PortError::Unavailable {
                    doing: "looking after an idle shard",
                    what: "its state, which is gone,",
                    source: None,
                })
            }
            Err(error) if error.class() != Class::Retry => Err(error),
            _ => Ok(()),
        }
    }

    /// Topics that are not to be read now: those of which a key has enough, but none
    /// that another key cannot go on without. So whatever is paused, the key that
    /// is full of it makes room, sooner or later.
    fn paused(&self) -> BTreeSet<Topic> {
        // Such a recovery is bounded by what was decided, and asks for nothing that would make room.
        if self.recovery.is_some() && !P::QUEUES {
            return BTreeSet::new();
        }
        let states = self.states.values();
        let flows: Vec<Flow> = states
            .map(|kept| self.processor.flow(&kept.state))
            .collect();
        let mut paused: BTreeSet<Topic> = flows.iter().flat_map(|f| &f.full).copied().collect();
        for needed in flows.iter().filter_map(|flow| flow.needs) {
            paused.remove(&needed);
        }
        paused
    }

    fn count_repeats(&mut self) {
        let repeats = self.consumer.repeats();
        for _ in self.repeats..repeats {
            self.ports
                .observer
                .dropped(&self.shard.group, P::INPUTS[0], "redelivered");
        }
        self.repeats = repeats;
    }

    async fn load_outbox(&mut self) -> Result<(), PortError> {
        let mut after = 0;
        loop {
            let rows = self
                .ports
                .store
                .outbox(&self.shard, after, self.limits.batch)
                .await?;
            let Some(last) = rows.last() else {
                return Ok(());
            };
            after = last.sequence;
            self.unpublished.extend(rows);
        }
    }

    async fn load_states(
        &mut self,
        answered: &[Answered],
        woken: &[Key],
        records: &[Polled],
    ) -> Result<(), PortError> {
        let keys = answered.iter().map(|answer| &answer.row.key);
        let keys = keys.chain(woken);
        let keys = keys.chain(records.iter().filter_map(|record| key_of(record)));
        let keys: Vec<Key> = keys.cloned().collect();
        self.load_keys(&keys).await
    }

    async fn load_keys(&mut self, keys: &[Key]) -> Result<(), PortError> {
        while self.states.len() > CACHED_STATES {
            self.states.pop_front();
        }
        let wanted: HashSet<&Key> = keys
            .iter()
            .filter(|key| !self.states.contains_key(*key))
            .collect();
        if wanted.is_empty() {
            return Ok(());
        }
        let mut wanted: Vec<Key> = wanted.into_iter().cloned().collect();
        wanted.sort();
        for row in self.ports.store.load(&self.shard, &wanted).await? {
            let kept = Kept::of_row(&row)?;
            self.states.insert(row.key, kept);
        }
        Ok(())
    }

    /// Which of the batch's platform events were accepted before.
    async fn known(&mut self, records: &[Polled]) -> Result<HashSet<EventId>, PortError> {
        let mut ids = Vec::new();
        for record in records {
            let Ok(event) = &record.event else { continue };
            let input = Input::Record {
                at: record.at,
                offset: record.offset,
                arrived: record.appended,
                event,
            };
            ids.extend(self.processor.identity(&input));
        }
        if ids.is_empty() {
            return Ok(HashSet::new());
        }
        self.ports.store.accepted(&self.shard, &ids).await
    }
}

fn key_of(record: &Polled) -> Option<&Key> {
    record
        .event
        .as_ref()
        .ok()
        .map(|event: &Event| &event.envelope.key)
}

/// Runs a worker, and a new one after each passing fault, until told to stop.
///
/// # Errors
/// What is no passing fault: another owner took over, or a promise is broken.
pub async fn keep_running<P: Processor>(
    processor: Arc<P>,
    partition: Partition,
    ports: Ports,
    limits: Limits,
    stop: CancellationToken,
) -> Result<(), PortError> {
    let name = format!("{}/{partition}", P::ROLE);
    let FoldPorts {
        clock, observer, ..
    } = ports.shared.clone();
    let stop = &stop;
    let start = || async {
        let processor = Arc::clone(&processor);
        let mut worker = Worker::start(processor, partition, ports.clone(), limits).await?;
        Ok(async move { worker.run(stop).await })
    };
    keep_working(&name, clock.as_ref(), observer.as_ref(), stop, start).await
}
