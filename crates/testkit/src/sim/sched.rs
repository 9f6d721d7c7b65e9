//! One thread, many processes, and time that passes when no process has work.
//!
//! Every call of a port passes a [`Ctx::point`] before and after it. A point may
//! let others run, and is where faults happen.

use std::collections::{BTreeMap, BTreeSet};
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use async_trait::async_trait;
use threadlore_model::{Event, Timestamp};
use threadlore_ports::{Clock, EncodedRecord, PortError};

use crate::sim::faults::{Boundary, Coverage, Fault, Kind, Whom};
use crate::sim::rng::Rng;

/// When a run begins, by its own clock.
pub(crate) const BEGIN: Timestamp = Timestamp::from_millis(1_760_000_000_000);

/// What the scheduler is to do to a process after it was polled.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Order {
    Crash(u64),
    SecondOwner(u64),
}

/// What all processes of a run share.
pub(crate) struct Shared {
    inner: Mutex<Inner>,
}

pub(crate) struct Inner {
    /// Milliseconds since the beginning.
    pub(crate) now: i64,
    pub(crate) rng: Rng,
    pub(crate) faults: Vec<Fault>,
    pub(crate) orders: Vec<Order>,
    pub(crate) coverage: Coverage,
    /// Inputs sent so far.
    pub(crate) sent: usize,
    /// Newest process of each shard.
    pub(crate) owners: BTreeMap<usize, u64>,
    /// Processes that stand still.
    pub(crate) stalled: usize,
    /// Until when a process does nothing at all: a zombie stands still with everything that
    /// it has under way.
    frozen: BTreeMap<u64, i64>,
    /// Processes that are about to end: nothing that they have under way goes on.
    dead: BTreeSet<u64>,
    /// Last time at which anything was written.
    pub(crate) changed: i64,
    pub(crate) points: u64,
    /// Out of 8 points this many let others run.
    pub(crate) yields: usize,
    /// Whether notes are taken.
    pub(crate) trace: bool,
    /// What happened, for a person to read.
    pub(crate) notes: Vec<String>,
    timers: BTreeMap<(i64, u64), Waker>,
    next_timer: u64,
}

impl Shared {
    pub(crate) fn new(rng: Rng, faults: Vec<Fault>, yields: usize) -> Arc<Self> {
        let inner = Inner {
            now: 0,
            rng,
            faults,
            orders: Vec::new(),
            coverage: Coverage::default(),
            sent: 0,
            owners: BTreeMap::new(),
            stalled: 0,
            frozen: BTreeMap::new(),
            dead: BTreeSet::new(),
            changed: 0,
            points: 0,
            yields,
            trace: false,
            notes: Vec::new(),
            timers: BTreeMap::new(),
            next_timer: 0,
        };
        Arc::new(Self {
            inner: Mutex::new(inner),
        })
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn sleep(self: &Arc<Self>, ms: i64) -> Sleep {
        let until = self.lock().now + ms.max(0);
        Sleep {
            shared: Arc::clone(self),
            until,
            timer: None,
        }
    }
}

impl Inner {
    /// The time of the next timer.
    pub(crate) fn next_timer(&self) -> Option<i64> {
        self.timers.first_key_value().map(|((at, _), _)| *at)
    }

    /// Moves time on; returns the processes to wake.
    pub(crate) fn advance(&mut self, to: i64) -> Vec<Waker> {
        self.now = self.now.max(to);
        let later = self.timers.split_off(&(self.now + 1, 0));
        std::mem::replace(&mut self.timers, later)
            .into_values()
            .collect()
    }

    pub(crate) fn note(&mut self, note: impl FnOnce() -> String) {
        if self.trace {
            let line = format!("{:>7} ms  {}", self.now, note());
            self.notes.push(line);
        }
    }

    pub(crate) fn note_append(&mut self, who: &Who, records: &[EncodedRecord]) {
        self.note(|| {
            let events = records.iter().filter_map(|record| {
                let event = ciborium::from_reader::<Event, _>(record.value.as_slice());
                event.ok()
            });
            let said: Vec<String> = events
                .map(|Event { envelope, body }| {
                    let sequence = envelope.producer.as_ref().map_or(0, |p| p.sequence);
                    let cause = envelope.cause.as_ref();
                    let cause =
                        cause.map_or_else(String::new, |c| format!("{}@{}", c.at, c.offset));
                    format!("{sequence} {} {} {cause}", body.type_name(), envelope.id)
                })
                .collect();
            format!("{who} appends {}", said.join(", "))
        });
    }

    fn end(&mut self, process: u64) {
        self.dead.insert(process);
        self.orders.push(Order::Crash(process));
    }

    /// How long a process does nothing; `None` for ever.
    fn still(&self, process: u64) -> Option<i64> {
        let frozen = self.frozen.get(&process).copied().unwrap_or_default();
        (!self.dead.contains(&process)).then_some(frozen - self.now)
    }

    fn hit(&mut self, who: &Who, at: Boundary, before: bool) -> Hit {
        self.points += 1;
        let found = self
            .faults
            .iter()
            .position(|f| self.matches(f, who, at, before));
        if let Some(i) = found {
            if self.faults[i].skip > 0 {
                self.faults[i].skip -= 1;
            } else {
                let fault = self.faults.swap_remove(i);
                return self.happen(&fault, who, at);
            }
        }
        if self.rng.chance(self.yields, 8) {
            Hit::Yield
        } else {
            Hit::Go
        }
    }

    fn matches(&self, fault: &Fault, who: &Who, at: Boundary, before: bool) -> bool {
        let phase = match fault.kind {
            Kind::CrashBefore | Kind::CrashDuring | Kind::Error | Kind::Duplicate => before,
            Kind::ForGood => before,
            Kind::CrashAfter | Kind::LostAck => !before,
            Kind::Delay | Kind::Zombie => before == (fault.ms % 2 == 0),
        };
        let whom = match fault.whom {
            Whom::Anyone => fault.kind != Kind::Zombie || who.shard.is_some(),
            Whom::Owner(shard) => {
                who.shard == Some(shard) && self.owners.get(&shard) == Some(&who.process)
            }
        };
        phase
            && whom
            && self.sent >= fault.after_inputs
            && self.now >= fault.after_ms
            && fault
                .at
                .map_or_else(|| fault.kind.can_occur(at), |place| place == at)
    }

    fn happen(&mut self, fault: &Fault, who: &Who, at: Boundary) -> Hit {
        self.coverage.count(at, fault.kind);
        self.note(|| format!("{who}: {} at {at} ({} ms)", fault.kind, fault.ms));
        match fault.kind {
            Kind::CrashBefore | Kind::CrashAfter => {
                self.end(who.process);
                Hit::Die
            }
            Kind::CrashDuring => Hit::Cut,
            Kind::Error | Kind::LostAck => Hit::Fail,
            Kind::ForGood => Hit::ForGood,
            Kind::Duplicate => Hit::Twice,
            Kind::Delay => Hit::Stall(fault.ms),
            Kind::Zombie => {
                self.orders.push(Order::SecondOwner(who.process));
                self.frozen.insert(who.process, self.now + fault.ms);
                if let Some(shard) = who.shard
                    && self.rng.chance(1, 2)
                {
                    // The new owner falls soon after the old one wakes up: what
                    // the old one spoiled is then what the next one starts from.
                    self.faults.push(Fault {
                        kind: *self.rng.pick(&[Kind::CrashBefore, Kind::CrashAfter]),
                        at: None,
                        whom: Whom::Owner(shard),
                        after_inputs: 0,
                        after_ms: self.now + fault.ms,
                        skip: self.rng.below(30),
                        ms: 0,
                        must: false,
                    });
                }
                Hit::Stall(fault.ms)
            }
        }
    }
}

/// What happens at a point.
enum Hit {
    Go,
    Yield,
    Stall(i64),
    Fail,
    ForGood,
    Twice,
    Cut,
    Die,
}

/// What a port does at the point before its call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Go {
    Once,
    Twice,
    /// Begin, and end with the process where the call first waits.
    Cut,
}

/// Who calls.
#[derive(Debug, Clone)]
pub(crate) struct Who {
    pub(crate) process: u64,
    /// `None` for the gateway.
    pub(crate) shard: Option<usize>,
    pub(crate) name: Arc<str>,
}

impl std::fmt::Display for Who {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} #{}", self.name, self.process)
    }
}

/// One process's side of the scheduler.
#[derive(Clone)]
pub(crate) struct Ctx {
    pub(crate) shared: Arc<Shared>,
    pub(crate) who: Who,
}

impl Ctx {
    /// The point before a call.
    pub(crate) async fn before(&self, at: Boundary) -> Result<Go, PortError> {
        self.stand_still().await;
        let hit = self.shared.lock().hit(&self.who, at, true);
        match hit {
            Hit::Twice => Ok(Go::Twice),
            Hit::Cut => Ok(Go::Cut),
            hit => self.follow(hit, at).await.map(|()| Go::Once),
        }
    }

    /// The point after a call.
    pub(crate) async fn after(&self, at: Boundary) -> Result<(), PortError> {
        self.stand_still().await;
        let hit = self.shared.lock().hit(&self.who, at, false);
        self.follow(hit, at).await
    }

    /// What a process has under way stands still with it, and ends with it.
    async fn stand_still(&self) {
        loop {
            let still = self.shared.lock().still(self.who.process);
            match still {
                None => std::future::pending().await,
                Some(ms) if ms > 0 => self.shared.sleep(ms).await,
                Some(_) => return,
            }
        }
    }

    /// Both points around a call that is done once.
    pub(crate) async fn around<T>(
        &self,
        at: Boundary,
        call: impl Future<Output = Result<T, PortError>>,
    ) -> Result<T, PortError> {
        self.before(at).await?;
        let done = call.await?;
        self.after(at).await?;
        Ok(done)
    }

    async fn follow(&self, hit: Hit, at: Boundary) -> Result<(), PortError> {
        match hit {
            Hit::Go | Hit::Twice | Hit::Cut => Ok(()),
            Hit::Yield => {
                yield_once().await;
                Ok(())
            }
            Hit::Stall(ms) => {
                let _stalled = Stalled::new(&self.shared);
                self.shared.sleep(ms).await;
                Ok(())
            }
            Hit::Die => std::future::pending().await,
            Hit::Fail => Err(PortError::Unavailable {
                doing: at.name(),
                what: "the simulated dependency",
                source: None,
            }),
            Hit::ForGood => Err(PortError::Refused {
                doing: at.name(),
                reason: "the simulated engine cannot".to_owned(),
            }),
        }
    }

    /// Ends this process here.
    pub(crate) async fn die(&self) -> ! {
        self.shared.lock().end(self.who.process);
        std::future::pending().await
    }

    /// Says that something was written.
    pub(crate) fn changed(&self) {
        let mut inner = self.shared.lock();
        inner.changed = inner.now;
    }
}

struct Stalled(Arc<Shared>);

impl Stalled {
    fn new(shared: &Arc<Shared>) -> Self {
        shared.lock().stalled += 1;
        Self(Arc::clone(shared))
    }
}

impl Drop for Stalled {
    fn drop(&mut self) {
        self.0.lock().stalled -= 1;
    }
}

async fn yield_once() {
    let mut yielded = false;
    poll_fn(|context| {
        if std::mem::replace(&mut yielded, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Sleeps in virtual time.
pub(crate) struct Sleep {
    shared: Arc<Shared>,
    until: i64,
    timer: Option<(i64, u64)>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let shared = Arc::clone(&self.shared);
        let mut inner = shared.lock();
        if let Some(timer) = self.timer.take() {
            inner.timers.remove(&timer);
        }
        if inner.now >= self.until {
            return Poll::Ready(());
        }
        inner.next_timer += 1;
        let timer = (self.until, inner.next_timer);
        inner.timers.insert(timer, context.waker().clone());
        drop(inner);
        self.timer = Some(timer);
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if let Some(timer) = self.timer {
            self.shared.lock().timers.remove(&timer);
        }
    }
}

/// Virtual time without points: what the log itself waits by.
pub(crate) struct BareClock(pub(crate) Arc<Shared>);

#[async_trait]
impl Clock for BareClock {
    fn now(&self) -> Timestamp {
        BEGIN.plus(Duration::from_millis(self.0.lock().now.unsigned_abs()))
    }

    async fn sleep(&self, by: Duration) {
        self.0
            .sleep(i64::try_from(by.as_millis()).unwrap_or(i64::MAX / 4))
            .await;
    }
}

/// Whether a process wants to be polled.
pub(crate) struct Flag(AtomicBool);

impl Flag {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self(AtomicBool::new(true)))
    }

    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) fn clear(&self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}
