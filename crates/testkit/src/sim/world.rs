//! One run: processes that start, fall and are replaced until all work is done.

mod job;

use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use futures::FutureExt;
use threadlore_model::Run;
use threadlore_ports::{Generations, PortError, Projection};
use threadlore_roles::{
    BufferParams, EmbedderParams, ExtractorParams, GatewayParams, ResponderParams,
};
use threadlore_runtime::Limits;
use threadlore_stream::Vault;

use crate::sim::bugs::Bug;
use crate::sim::check;
use crate::sim::faults::{Coverage, Kind, plan};
use crate::sim::gateway::gateway;
use crate::sim::jobs::{MODEL, job_of, shard_name, shards};
use crate::sim::platform::{GATEWAY, Platform};
use crate::sim::ports::{Boxed, ReadAhead};
use crate::sim::rng::Rng;
use crate::sim::sched::{BareClock, Ctx, Flag, Order, Shared, Who};
use crate::sim::workload::{PARTITIONS, Workload};
use crate::{MemoryKeystore, MemoryLog, MemoryStore};

/// Time without any write after which the end state is checked.
const QUIET_MS: i64 = 600;
/// A run that lasts longer does not come to rest.
const LONGEST_MS: i64 = 300_000;
/// As above, counted in polls.
const MOST_POLLS: u64 = 2_000_000;

struct Process {
    id: u64,
    /// `None` for the gateway.
    shard: Option<usize>,
    flag: Arc<Flag>,
    waker: Waker,
    future: Boxed,
}

/// The processes of a run and what they share.
pub(crate) struct World {
    pub(crate) shared: Arc<Shared>,
    pub(crate) log: Arc<MemoryLog>,
    pub(crate) keys: Arc<MemoryKeystore>,
    pub(crate) store: Arc<MemoryStore>,
    pub(crate) workload: Arc<Workload>,
    pub(crate) platform: Arc<Platform>,
    pub(crate) breaches: Arc<Mutex<Vec<String>>>,
    bug: Option<Bug>,
    limits: Limits,
    /// Whether the engine is a quick one.
    quick: bool,
    params: Params,
    processes: Vec<Process>,
    next_process: u64,
    /// Starts that are due: time and shard, `None` for the gateway.
    pub(crate) starts: Vec<(i64, Option<usize>)>,
    /// Inputs sent after which the database is lost.
    lose_at: Option<usize>,
    /// Whether the database is lost once more when all is done.
    pub(crate) lose_at_rest: bool,
    pub(crate) lost: u64,
    polls: u64,
}

#[derive(Clone)]
struct Params {
    buffer: BufferParams,
    extractor: ExtractorParams,
    embedder: EmbedderParams,
    responder: ResponderParams,
    gateway: GatewayParams,
}

impl Params {
    fn draw(rng: &mut Rng) -> Self {
        let ms = |n: i64| Duration::from_millis(n.unsigned_abs());
        Self {
            buffer: BufferParams {
                window_count: 6,
                pause: ms(rng.between(800, 2500)),
                idle: ms(rng.between(300, 1200)),
                min_for_resolution: 3,
                debounce: Some(Duration::from_millis(300)),
                turn_gap: ms(rng.between(50, 600)),
            },
            extractor: ExtractorParams {
                run: Run::FIRST,
                window_age: Duration::from_secs(60),
                window_messages: *rng.pick(&[12, 20, 30]),
                backlog: *rng.pick(&[12, 40, 1000]),
                held_at_most: 60,
                known_cases: *rng.pick(&[12, 30]),
                merge_at: *rng.pick(&[300, 650, 1001]),
                open_case_age: ms(rng.between(1200, 5000)),
            },
            embedder: EmbedderParams {
                batch: *rng.pick(&[1, 3, 32]),
                backlog: *rng.pick(&[1, 4, 1000]),
                ..EmbedderParams::of_model(MODEL)
            },
            responder: ResponderParams {
                answer_within: ms(*rng.pick(&[3000, 100_000])),
                repeat_after: ms(*rng.pick(&[0, 2000])),
                per_minute: *rng.pick(&[2, 1000]),
                ..ResponderParams::default()
            },
            gateway: GatewayParams {
                deliver_within: ms(*rng.pick(&[500, 100_000])),
                ..GatewayParams::of(GATEWAY, &["sim".to_owned()])
            },
        }
    }
}

impl World {
    /// What is planted in this run.
    pub(crate) fn bug(&self) -> Option<Bug> {
        self.bug
    }

    pub(crate) fn new(seed: u64, bug: Option<Bug>, trace: bool) -> Self {
        let mut rng = Rng::new(seed);
        let workload = Workload::draw(&mut rng.fork());
        let params = Params::draw(&mut rng.fork());
        let faults = plan(&mut rng.fork(), workload.items.len());
        let limits = Limits {
            batch: *rng.pick(&[2, 5, 12, 50]),
            calls: 2,
            attempts: 2,
        };
        let yields = *rng.pick(&[1, 3, 8]);
        let lose_at = rng.chance(1, 5).then(|| rng.below(workload.items.len()));
        let lose_at_rest = rng.chance(1, 2);
        let quick = rng.chance(1, 3);
        let shared = Shared::new(rng.fork(), faults, yields);
        shared.lock().trace = trace;
        let log = MemoryLog::new(PARTITIONS, Arc::new(BareClock(Arc::clone(&shared))));
        Self {
            shared,
            log: Arc::new(log),
            keys: Arc::default(),
            store: Arc::new(MemoryStore::with_faults(Bug::faults(bug))),
            workload: Arc::new(workload),
            platform: Arc::default(),
            breaches: Arc::default(),
            bug,
            limits,
            quick,
            params,
            processes: Vec::new(),
            next_process: 0,
            starts: Vec::new(),
            lose_at,
            lose_at_rest,
            lost: 0,
            polls: 0,
        }
    }

    pub(crate) fn coverage(&self) -> Coverage {
        self.shared.lock().coverage.clone()
    }

    /// The live builds exist before any projector feeds them.
    fn make_generations(&self) {
        for projection in Projection::ALL {
            drop(self.store.live(projection).now_or_never());
        }
    }

    /// Everything once, under faults, until nothing waits.
    pub(crate) fn live(&mut self) -> Result<(), check::Violation> {
        self.make_generations();
        self.starts = (0..shards()).map(|shard| (0, Some(shard))).collect();
        self.starts.push((0, None));
        self.until_rest()?;
        // What can happen only now: the crashes and rebalances that are left.
        if self.shared.lock().faults.iter().any(|f| f.must) {
            self.relax(|f| f.must);
            self.until(|world| world.shared.lock().faults.iter().all(|f| !f.must))?;
            self.until_rest()?;
        }
        self.shared.lock().faults.clear();
        self.until_rest()
    }

    /// All processes start over on an empty store and the same log, without faults.
    pub(crate) fn lose_database(&mut self) -> Result<(), check::Violation> {
        self.drop_store();
        self.until_rest()
    }

    fn drop_store(&mut self) {
        self.shared
            .lock()
            .note(|| "the database is lost".to_owned());
        self.processes.clear();
        self.lost += 1;
        self.store = Arc::new(MemoryStore::with_faults(Bug::faults(self.bug)));
        self.make_generations();
        let now = self.shared.lock().now;
        self.starts = (0..shards()).map(|shard| (now, Some(shard))).collect();
        if self.shared.lock().sent < self.workload.items.len() {
            self.starts.push((now, None));
        }
    }

    fn relax(&self, which: impl Fn(&crate::sim::faults::Fault) -> bool) {
        let mut inner = self.shared.lock();
        inner.faults.retain(|fault| which(fault));
        for fault in &mut inner.faults {
            // A crash in the middle of a commit needs a commit.
            if fault.kind == Kind::CrashDuring {
                fault.kind = Kind::CrashAfter;
            }
            (fault.at, fault.skip, fault.after_inputs) = (None, fault.skip.min(3), 0);
        }
    }

    fn until_rest(&mut self) -> Result<(), check::Violation> {
        let mut asked = -QUIET_MS;
        self.until(|world| {
            let (now, changed) = {
                let inner = world.shared.lock();
                (inner.now, inner.changed)
            };
            // Looking is dear, so it is done seldom.
            if now - changed < QUIET_MS || now - asked < QUIET_MS {
                return false;
            }
            asked = now;
            world.unrest().is_none()
        })
    }

    /// Lets processes run until `done`, which is asked whenever all of them wait.
    fn until(&mut self, mut done: impl FnMut(&Self) -> bool) -> Result<(), check::Violation> {
        let begun = self.shared.lock().now;
        self.polls = 0;
        loop {
            self.begin_due();
            if self.lose_at.is_some_and(|at| self.shared.lock().sent >= at) {
                self.lose_at = None;
                self.drop_store();
                continue;
            }
            let ready: Vec<usize> = (0..self.processes.len())
                .filter(|i| self.processes[*i].flag.is_set())
                .collect();
            if ready.is_empty() {
                if done(self) {
                    return Ok(());
                }
                self.pass_time()?;
            } else {
                let (i, slow) = {
                    let rng = &mut self.shared.lock().rng;
                    (
                        *rng.pick(&ready),
                        rng.chance(1, 24).then(|| rng.between(1, 40)),
                    )
                };
                if let Some(ms) = slow {
                    // Work takes time too.
                    let woken = {
                        let mut inner = self.shared.lock();
                        let to = inner.now + ms;
                        inner.advance(to)
                    };
                    woken.into_iter().for_each(Waker::wake);
                }
                self.poll(i)?;
            }
            let now = self.shared.lock().now;
            if now - begun > LONGEST_MS || self.polls > MOST_POLLS {
                let why = self
                    .unrest()
                    .unwrap_or_else(|| "somebody is busy".to_owned());
                return Err(check::Violation::new("comes to rest", why));
            }
        }
    }

    fn pass_time(&mut self) -> Result<(), check::Violation> {
        let start = self.starts.iter().map(|(at, _)| *at).min();
        let mut inner = self.shared.lock();
        let Some(to) = inner.next_timer().into_iter().chain(start).min() else {
            return Err(check::Violation::new(
                "comes to rest",
                "nobody waits for anything",
            ));
        };
        let woken = inner.advance(to);
        drop(inner);
        woken.into_iter().for_each(Waker::wake);
        Ok(())
    }

    fn begin_due(&mut self) {
        let now = self.shared.lock().now;
        let (due, later) = self.starts.iter().partition(|(at, _)| *at <= now);
        self.starts = later;
        let due: Vec<(i64, Option<usize>)> = due;
        for (_, shard) in due {
            self.spawn(shard);
        }
    }

    fn poll(&mut self, i: usize) -> Result<(), check::Violation> {
        self.polls += 1;
        let process = &mut self.processes[i];
        process.flag.clear();
        let waker = process.waker.clone();
        let polled = process
            .future
            .as_mut()
            .poll(&mut Context::from_waker(&waker));
        let (id, shard) = (process.id, process.shard);
        if let Poll::Ready(ended) = polled {
            self.shared.lock().note(|| format!("#{id} ends: {ended:?}"));
            self.end(id);
            match ended {
                Err(PortError::Fenced { .. }) | Ok(()) => {}
                Err(error) => {
                    let what = format!("a process of {} ended: {error}", shard_name(shard));
                    return Err(check::Violation::new("no process fails for good", what));
                }
            }
        }
        let orders = std::mem::take(&mut self.shared.lock().orders);
        for order in orders {
            match order {
                Order::Crash(id) => self.end(id),
                Order::SecondOwner(id) => {
                    let shard = self
                        .processes
                        .iter()
                        .find(|p| p.id == id)
                        .and_then(|p| p.shard);
                    if shard.is_some() {
                        self.spawn(shard);
                    }
                }
            }
        }
        Ok(())
    }

    /// Ends a process; another one is started when its shard has none left.
    fn end(&mut self, id: u64) {
        let Some(i) = self.processes.iter().position(|p| p.id == id) else {
            return;
        };
        let shard = self.processes.swap_remove(i).shard;
        let done = shard.is_none() && self.shared.lock().sent >= self.workload.items.len();
        let left = self.processes.iter().any(|p| p.shard == shard);
        if !done && !left && self.starts.iter().all(|(_, s)| *s != shard) {
            let at = {
                let mut inner = self.shared.lock();
                inner.now + inner.rng.between(0, 900)
            };
            self.starts.push((at, shard));
        }
    }

    fn spawn(&mut self, shard: Option<usize>) {
        self.next_process += 1;
        let id = self.next_process;
        if let Some(shard) = shard {
            self.shared.lock().owners.insert(shard, id);
        }
        let who = Who {
            process: id,
            shard,
            name: shard_name(shard).into(),
        };
        let ctx = Ctx {
            shared: Arc::clone(&self.shared),
            who,
        };
        let future: Boxed = match shard.map(job_of) {
            None => Box::pin(gateway(
                ctx.clone(),
                self.sim_log(&ctx, ReadAhead::default()),
                (
                    Arc::clone(&self.log),
                    Vault::new(Arc::<MemoryKeystore>::clone(&self.keys)),
                ),
                Arc::clone(&self.workload),
            )),
            Some((job, partition)) => self.job(&ctx, job, partition),
        };
        let flag = Flag::new();
        let waker = Waker::from(Arc::clone(&flag));
        self.processes.push(Process {
            id,
            shard,
            flag,
            waker,
            future,
        });
    }

    pub(crate) fn take_breaches(&self) -> Vec<String> {
        std::mem::take(&mut *self.breaches.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
