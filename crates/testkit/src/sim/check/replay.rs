//! A second build from offset 0 has the rows of the live one, although its replay is killed after
//! each batch.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use futures::FutureExt;
use futures::executor::block_on;
use futures::future::ready;
use threadlore_model::{EventId, Key, Run};
use threadlore_ports::{
    Changes, EffectRow, EventLog, Generation, Generations, OutboxRow, Ownership, PortError,
    Positions, Projection, Shard, Silent, StateRow, Store, Wake,
};
use threadlore_replay::{FoldPorts, Resources, Verdict, compare, ends, fill};
use threadlore_stream::{Traffic, Vault};

use super::Violation;
use crate::MemoryStore;
use crate::sim::bugs::Bug;
use crate::sim::sched::BareClock;
use crate::sim::workload::PARTITIONS;
use crate::sim::world::World;

/// What a replay may take: so little that it takes many batches.
const RESOURCES: Resources = Resources {
    memory: 16 * 1024,
    partitions: 2,
};

pub(super) fn rebuilt(world: &World, found: &mut Vec<Violation>) {
    const RULE: &str = "digest(live) == digest(rebuilt from offset 0)";
    for projection in Projection::ALL {
        let what = match block_on(rebuild(world, projection)) {
            Ok(Verdict::Equal) => continue,
            Ok(verdict) => format!("{}: {verdict:?}", projection.name()),
            Err(error) => format!("{}: {error}", projection.name()),
        };
        found.push(Violation::new(RULE, what));
    }
}

async fn rebuild(world: &World, projection: Projection) -> Result<Verdict, PortError> {
    let log: Arc<dyn EventLog> = Arc::clone(&world.log) as Arc<_>;
    let generations = world.store.as_ref();
    let live = generations.live(projection).await?;
    let ends = ends(log.as_ref(), projection, None).await?;
    let rebuilt = generations.create(projection).await?;
    loop {
        let store = Arc::new(KilledStore {
            store: Arc::clone(&world.store),
            is_ahead: world.bug() == Some(Bug::CheckpointAhead),
            has_committed: AtomicBool::new(false),
            is_killed: AtomicBool::new(false),
        });
        let ports = FoldPorts {
            log: Arc::clone(&log),
            store: Arc::clone(&store) as Arc<_>,
            vault: Vault::new(Arc::clone(&world.keys) as Arc<_>),
            clock: Arc::new(BareClock(Arc::clone(&world.shared))),
            observer: Arc::new(Silent),
            traffic: Traffic::default(),
        };
        let never = || ready(Ok(false)).boxed();
        let plan = (rebuilt, &ends);
        let filled = fill(&ports, generations, plan, RESOURCES, &never, &|_, _| {}).await;
        if !store.is_killed.load(Ordering::Relaxed) {
            filled?;
            break;
        }
    }
    let compared = compare(generations, None, (live, rebuilt), PARTITIONS, 5).await?;
    generations.drop_generation(rebuilt).await?;
    Ok(compared.verdict)
}

/// The store of a replay that is killed at its second commit. Nothing of that is saved or, with
/// the planted bug, its positions alone.
struct KilledStore {
    store: Arc<MemoryStore>,
    is_ahead: bool,
    has_committed: AtomicBool,
    is_killed: AtomicBool,
}

#[async_trait]
impl Store for KilledStore {
    async fn commit(&self, shard: &Shard, epoch: i64, changes: Changes) -> Result<(), PortError> {
        if !self.has_committed.swap(true, Ordering::Relaxed) {
            return self.store.commit(shard, epoch, changes).await;
        }
        if self.is_ahead {
            let positions = Changes {
                positions: changes.positions,
                ..Changes::default()
            };
            self.store.commit(shard, epoch, positions).await?;
        }
        self.is_killed.store(true, Ordering::Relaxed);
        Err(PortError::broken("committing", "the replay is killed"))
    }

    async fn acquire(&self, shard: &Shard) -> Result<Ownership, PortError> {
        self.store.acquire(shard).await
    }
    async fn forget(&self, shard: &Shard, epoch: i64, layout: i32) -> Result<(), PortError> {
        self.store.forget(shard, epoch, layout).await
    }
    async fn positions(&self, shard: &Shard) -> Result<Positions, PortError> {
        Store::positions(self.store.as_ref(), shard).await
    }
    async fn load(&self, shard: &Shard, keys: &[Key]) -> Result<Vec<StateRow>, PortError> {
        self.store.load(shard, keys).await
    }
    async fn wakes(&self, shard: &Shard) -> Result<Vec<Wake>, PortError> {
        self.store.wakes(shard).await
    }
    async fn accepted(
        &self,
        shard: &Shard,
        ids: &[EventId],
    ) -> Result<HashSet<EventId>, PortError> {
        self.store.accepted(shard, ids).await
    }
    async fn outbox(
        &self,
        shard: &Shard,
        after: u64,
        max: usize,
    ) -> Result<Vec<OutboxRow>, PortError> {
        self.store.outbox(shard, after, max).await
    }
    async fn published(&self, shard: &Shard, epoch: i64, through: u64) -> Result<(), PortError> {
        self.store.published(shard, epoch, through).await
    }
    async fn effects(&self, shard: &Shard) -> Result<Vec<EffectRow>, PortError> {
        self.store.effects(shard).await
    }

    async fn run_of(&self, build: Generation) -> Result<Run, PortError> {
        self.store.run_of(build).await
    }
}
