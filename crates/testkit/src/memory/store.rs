//! The store in memory: ordered maps behind one mutex. It gives every guarantee
//! of [`Store`] and [`Generations`], and can be made to break one of them, so
//! that a simulation can show that it would notice.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use async_trait::async_trait;
use threadlore_fold::{Row, RowKey};
use threadlore_model::{CaseId, EventId, Key, Run, SpaceId};
use threadlore_ports::{
    Changes, EffectRow, Generation, Marks, OutboxRow, Ownership, PartRow, PortError, Positions,
    Projection, Shard, StateRow, Store, Wake,
};

mod tables;

use tables::case_of;
pub(super) use tables::missing;

/// Guarantees to break on purpose. All `false`: none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Faults {
    /// `commit` does not look at the epoch.
    pub skip_epoch_on_commit: bool,
    /// `published` does not look at the epoch.
    pub skip_epoch_on_outbox: bool,
    /// `commit` saves the positions and marks first and the rest in a second
    /// step, between which the caller may be dropped.
    pub position_apart_from_fold: bool,
    /// `accepted` knows nothing, and `commit` takes an id twice.
    pub accept_duplicates: bool,
    /// `outbox` gives all rows but the last in descending order.
    pub outbox_unordered: bool,
    /// The vectors of an erased case stay.
    pub keep_vectors_of_erased: bool,
    /// Rows of the outbox that are published stay.
    pub keep_published: bool,
}

#[derive(Debug, Default)]
pub(super) struct ShardData {
    pub(super) owner: Ownership,
    states: BTreeMap<Key, StateRow>,
    accepted: HashSet<EventId>,
    outbox: BTreeMap<u64, OutboxRow>,
    effects: BTreeMap<u64, EffectRow>,
}

#[derive(Debug, Default)]
pub(super) struct Data {
    pub(super) shards: BTreeMap<Shard, ShardData>,
    pub(super) generations: BTreeMap<Generation, BTreeMap<RowKey, Row>>,
    pub(super) live: BTreeMap<Projection, Generation>,
    /// Cases whose points are not as their rows, with their marks.
    pub(super) unindexed: BTreeMap<Generation, BTreeMap<(SpaceId, CaseId), i64>>,
    marks_given: i64,
    /// Decision runs that builds show; others show the first.
    runs: BTreeMap<Generation, Run>,
    /// Numbers given out per projection, so that none is given twice.
    numbers: BTreeMap<Projection, u32>,
}

/// The store in memory.
#[derive(Debug, Default)]
pub struct MemoryStore {
    faults: Faults,
    data: Mutex<Data>,
}

impl MemoryStore {
    /// An empty store that keeps all guarantees.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty store that breaks what `faults` says.
    #[must_use]
    pub fn with_faults(faults: Faults) -> Self {
        Self {
            faults,
            data: Mutex::default(),
        }
    }

    /// Forgets everything, as a database that was dropped and made anew.
    pub fn lose(&self) {
        *self.lock() = Data::default();
    }

    /// Has a build show a decision run.
    pub fn show(&self, generation: Generation, run: Run) {
        self.lock().runs.insert(generation, run);
    }

    /// All rows of a build, ascending by key; empty when it does not exist.
    #[must_use]
    pub fn rows(&self, generation: Generation) -> Vec<Row> {
        let data = self.lock();
        let rows = data.generations.get(&generation);
        rows.into_iter().flat_map(|r| r.values().cloned()).collect()
    }

    /// All unpublished events of a shard, ascending by sequence.
    #[must_use]
    pub fn outbox_of(&self, shard: &Shard) -> Vec<OutboxRow> {
        self.of(shard, |s| s.outbox.values().cloned().collect())
    }

    /// All states of a shard, ascending by key.
    #[must_use]
    pub fn states_of(&self, shard: &Shard) -> Vec<StateRow> {
        self.of(shard, |s| s.states.values().cloned().collect())
    }

    /// What the next owner of a shard would start from, with the current epoch.
    #[must_use]
    pub fn ownership_of(&self, shard: &Shard) -> Ownership {
        self.of(shard, |s| s.owner.clone())
    }

    /// Has the states of a shard be of another layout.
    pub fn set_layout(&self, shard: &Shard, layout: i32) {
        if let Some(data) = self.lock().shards.get_mut(shard) {
            data.owner.layout = layout;
        }
    }

    /// Shards that were ever owned, ascending.
    #[must_use]
    pub fn shards(&self) -> Vec<Shard> {
        self.lock().shards.keys().cloned().collect()
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Data> {
        self.data.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn of<T: Default>(&self, shard: &Shard, read: impl FnOnce(&ShardData) -> T) -> T {
        self.lock().shards.get(shard).map(read).unwrap_or_default()
    }
}

impl Data {
    /// The shard, if `epoch` is current.
    fn owned(&mut self, shard: &Shard, epoch: i64) -> Result<&mut ShardData, PortError> {
        match self.shards.get_mut(shard) {
            Some(data) if data.owner.epoch == epoch => Ok(data),
            _ => Err(PortError::Fenced {
                shard: shard.to_string(),
                epoch,
            }),
        }
    }
}

/// Lets others run once.
async fn pause() {
    let mut paused = false;
    futures::future::poll_fn(|context| {
        if std::mem::replace(&mut paused, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

#[async_trait]
impl Store for MemoryStore {
    async fn acquire(&self, shard: &Shard) -> Result<Ownership, PortError> {
        let mut data = self.lock();
        let owner = &mut data.shards.entry(shard.clone()).or_default().owner;
        owner.epoch += 1;
        Ok(owner.clone())
    }

    async fn forget(&self, shard: &Shard, epoch: i64, layout: i32) -> Result<(), PortError> {
        let mut data = self.lock();
        let owned = data.owned(shard, epoch)?;
        let owner = Ownership {
            epoch,
            sequence: owned.owner.sequence,
            layout,
            ..Ownership::default()
        };
        *owned = ShardData {
            owner,
            ..ShardData::default()
        };
        Ok(())
    }

    async fn load(&self, shard: &Shard, keys: &[Key]) -> Result<Vec<StateRow>, PortError> {
        Ok(self.of(shard, |s| {
            keys.iter()
                .filter_map(|key| s.states.get(key).cloned())
                .collect()
        }))
    }

    async fn wakes(&self, shard: &Shard) -> Result<Vec<Wake>, PortError> {
        Ok(self.of(shard, |s| {
            let wake = |row: &StateRow| {
                row.wake.map(|at| Wake {
                    key: row.key.clone(),
                    at,
                })
            };
            s.states.values().filter_map(wake).collect()
        }))
    }

    async fn accepted(
        &self,
        shard: &Shard,
        ids: &[EventId],
    ) -> Result<HashSet<EventId>, PortError> {
        if self.faults.accept_duplicates {
            return Ok(HashSet::new());
        }
        Ok(self.of(shard, |s| {
            let known = |id: &&EventId| s.accepted.contains(id);
            ids.iter().filter(known).copied().collect()
        }))
    }

    async fn commit(
        &self,
        shard: &Shard,
        epoch: i64,
        mut changes: Changes,
    ) -> Result<(), PortError> {
        if self.faults.position_apart_from_fold {
            {
                let mut data = self.lock();
                let owned = data.owned(shard, epoch)?;
                move_on(
                    &mut owned.owner,
                    std::mem::take(&mut changes.positions),
                    std::mem::take(&mut changes.marks),
                );
            }
            pause().await;
        }
        let mut data = self.lock();
        let epoch = match data.shards.get(shard) {
            Some(owned) if self.faults.skip_epoch_on_commit => owned.owner.epoch,
            _ => epoch,
        };
        data.owned(shard, epoch)?;
        let folded = match &changes.fold {
            Some(batch) => data.fold(batch)?,
            None => Vec::new(),
        };
        let owned = data.owned(shard, epoch)?;
        if !self.faults.accept_duplicates {
            check_accepted(shard, &owned.accepted, &changes.accepted)?;
        }
        check_new(
            shard,
            "outbox",
            changes.outbox.iter().map(|r| r.sequence),
            |n| owned.outbox.contains_key(&n),
        )?;
        check_new(
            shard,
            "effects",
            changes.effects.iter().map(|r| r.id),
            |n| owned.effects.contains_key(&n),
        )?;
        // Nothing below fails: all of the batch happens, or nothing did.
        let generation = changes.fold.as_ref().map(|batch| batch.generation);
        if self.faults.keep_published {
            changes.published = 0;
        }
        apply(owned, changes);
        if let Some(build) = generation {
            let cases: Vec<_> = folded.iter().filter_map(|c| case_of(&c.key)).collect();
            data.mark_where_needed(build, &cases);
        }
        if let Some(build) = generation {
            data.write(build, folded, !self.faults.keep_vectors_of_erased);
        }
        Ok(())
    }

    async fn outbox(
        &self,
        shard: &Shard,
        after: u64,
        max: usize,
    ) -> Result<Vec<OutboxRow>, PortError> {
        let mut page = self.of(shard, |s| {
            let mut page: Vec<OutboxRow> = Vec::new();
            for row in s
                .outbox
                .range(after.saturating_add(1)..)
                .map(|(_, row)| row)
            {
                if page.len() >= max && page.last().is_none_or(|last| last.ends_decision) {
                    break;
                }
                page.push(row.clone());
            }
            page
        });
        if self.faults.outbox_unordered
            && let Some((_, before)) = page.split_last_mut()
        {
            before.reverse();
        }
        Ok(page)
    }

    async fn published(&self, shard: &Shard, epoch: i64, through: u64) -> Result<(), PortError> {
        let mut data = self.lock();
        let epoch = match data.shards.get(shard) {
            Some(owned) if self.faults.skip_epoch_on_outbox => owned.owner.epoch,
            _ => epoch,
        };
        let owned = data.owned(shard, epoch)?;
        if !self.faults.keep_published {
            owned.outbox.retain(|sequence, _| *sequence > through);
        }
        Ok(())
    }

    async fn positions(&self, shard: &Shard) -> Result<Positions, PortError> {
        Ok(self.of(shard, |s| s.owner.positions.clone()))
    }

    async fn run_of(&self, build: Generation) -> Result<Run, PortError> {
        let runs = &self.lock().runs;
        Ok(runs.get(&build).copied().unwrap_or(Run::FIRST))
    }

    async fn effects(&self, shard: &Shard) -> Result<Vec<EffectRow>, PortError> {
        Ok(self.of(shard, |s| s.effects.values().cloned().collect()))
    }
}

fn move_on(owner: &mut Ownership, positions: Positions, marks: Marks) {
    owner.positions.extend(positions);
    owner.marks.extend(marks);
}

fn apply(owned: &mut ShardData, changes: Changes) {
    move_on(&mut owned.owner, changes.positions, changes.marks);
    owned.owner.sequence = changes.sequence;
    owned.owner.recovered = changes.recovered;
    for row in changes.states {
        put_state(&mut owned.states, row);
    }
    owned.accepted.extend(changes.accepted);
    let published = changes.published;
    owned.outbox.retain(|sequence, _| *sequence > published);
    owned
        .outbox
        .extend(changes.outbox.into_iter().map(|row| (row.sequence, row)));
    owned
        .effects
        .extend(changes.effects.into_iter().map(|row| (row.id, row)));
    for id in changes.answered {
        owned.effects.remove(&id);
    }
}

/// The state as it is now; parts that it does not name stay.
fn put_state(states: &mut BTreeMap<Key, StateRow>, mut row: StateRow) {
    let old = states.remove(&row.key).map(|old| old.parts);
    let mut parts: BTreeMap<String, PartRow> = BTreeMap::new();
    for part in old.into_iter().flatten().chain(row.parts) {
        if part.body.is_some() {
            parts.insert(part.name.clone(), part);
        } else {
            parts.remove(&part.name);
        }
    }
    row.parts = parts.into_values().collect();
    states.insert(row.key.clone(), row);
}

fn check_accepted(
    shard: &Shard,
    known: &HashSet<EventId>,
    new: &[EventId],
) -> Result<(), PortError> {
    let mut batch = HashSet::new();
    match new
        .iter()
        .find(|id| known.contains(id) || !batch.insert(**id))
    {
        None => Ok(()),
        Some(id) => Err(PortError::broken(
            "committing a batch",
            format!("{shard} accepted event {id} before"),
        )),
    }
}

fn check_new(
    shard: &Shard,
    table: &str,
    new: impl Iterator<Item = u64>,
    known: impl Fn(u64) -> bool,
) -> Result<(), PortError> {
    let mut batch = BTreeSet::new();
    for number in new {
        if known(number) || !batch.insert(number) {
            return Err(PortError::broken(
                "committing a batch",
                format!("{table} of {shard} has number {number} already"),
            ));
        }
    }
    Ok(())
}
