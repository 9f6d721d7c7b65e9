//! The builds that this process feeds, the runs that it decides, and the right to change them.
//!
//! Which builds are fed is in the database, so that every process sees the same: a
//! replay holds back what it makes and what it compares, and whoever has the turn of a
//! projection puts in order what a replay left that was cut off.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use threadlore_model::{Offset, Role, Run};
use threadlore_ports::{Clock, Generation, Generations, Projection};
use threadlore_replay::{Indexer, Projector};
use threadlore_store_postgres::{AdvisoryLock, Listed};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::sync::{Mutex, MutexGuard};

use crate::error::Busy;
use crate::feeder::{Fed, Feeder};
use crate::node::{Node, partitions};

/// Time between two looks at which builds are fed: other processes make and drop some.
const WATCH: Duration = Duration::from_secs(5);
/// Records folded per transaction while builds are levelled.
const BATCH: usize = 500;

/// The builds that are fed and the runs that are decided, each by its tasks.
pub struct Feeding {
    feeder: Feeder,
    builds: Mutex<Works>,
}

/// What works.
#[derive(Default)]
struct Works {
    builds: BTreeMap<Generation, Fed>,
    runs: BTreeMap<Run, Fed>,
}

type Builds<'a> = MutexGuard<'a, Works>;

impl Feeding {
    /// Feeds the builds there are, as far as the roles of this process do; the receiver is
    /// informed of tasks that fail.
    pub(crate) async fn start(
        node: &Node,
        roles: &[Role],
    ) -> anyhow::Result<(Arc<Self>, UnboundedReceiver<anyhow::Error>)> {
        // Others may not read what the log says of runs.
        if roles.contains(&Role::Projector) {
            node.take_up_runs().await?;
        }
        for projection in Projection::ALL {
            node.store.live(projection).await?;
        }
        let (failed, failures) = unbounded_channel();
        let feeding = Arc::new(Self {
            feeder: Feeder::of(node, roles, failed),
            builds: Mutex::default(),
        });
        feeding.reconcile(&mut feeding.builds.lock().await).await?;
        Ok((feeding, failures))
    }

    /// Feeds what other processes want fed, and nothing else, for as long as it is polled.
    pub(crate) async fn watch(self: Arc<Self>, clock: Arc<dyn Clock>) {
        let mut fails = false;
        while self.feeder.feeds() {
            clock.sleep(WATCH).await;
            // While a command of this process has the builds, it sees to them.
            let Ok(mut builds) = self.builds.try_lock() else {
                continue;
            };
            let looked = self.look(&mut builds).await;
            match &looked {
                Err(error) if !fails => {
                    tracing::warn!(%error, "cannot read which builds are fed; trying again");
                }
                Ok(()) if fails => tracing::info!("can read again which builds are fed"),
                Ok(()) | Err(_) => {}
            }
            fails = looked.is_err();
        }
    }

    async fn look(&self, builds: &mut Builds<'_>) -> anyhow::Result<()> {
        let all = self.feeder.store().builds().await?;
        for projection in Projection::ALL {
            let aside = self.aside(projection).await?;
            let of = |listed: &&Listed| listed.build.projection == projection;
            let is_left = |listed: &Listed| !listed.is_fed && !aside.contains(&listed.build);
            if all.iter().filter(of).any(is_left)
                && let Some(_lock) = self.feeder.store().lock_builds(projection).await?
            {
                self.tidy(projection).await?;
            }
        }
        self.reconcile(builds).await
    }

    /// Builds that are not to be fed: the one that a replay fills, which may have paused,
    /// those that were folded up to a time, and those of other versions.
    async fn aside(&self, projection: Projection) -> anyhow::Result<BTreeSet<Generation>> {
        let store = self.feeder.store();
        let builds = store.builds().await?.into_iter();
        let builds =
            builds.filter(|b| b.build.projection == projection && (b.until.is_some() || !b.is_own));
        let replay = store.replay(projection).await?;
        let filled = replay.map(|replay| replay.build);
        Ok(builds.map(|listed| listed.build).chain(filled).collect())
    }

    /// Puts in order what a command left that was cut off: a build that it made is dropped,
    /// and what it compared with is fed again. What a replay fills stays, so that it goes on.
    /// For the owner of the turn.
    async fn tidy(&self, projection: Projection) -> anyhow::Result<()> {
        let store = self.feeder.store();
        let (fed, live) = (store.fed().await?, store.live(projection).await?);
        let aside = self.aside(projection).await?;
        for build in store.generations().await? {
            let is_ours = build.projection == projection;
            if !is_ours || fed.contains(&build) || aside.contains(&build) {
                continue;
            }
            if build == live {
                store.feed(build, true).await?;
            } else {
                tracing::info!(%build, "dropping what a replay left that was cut off");
                self.feeder.drop_build(build).await?;
            }
        }
        Ok(())
    }

    /// Starts and stops tasks, so that what is to be fed is.
    async fn reconcile(&self, builds: &mut Builds<'_>) -> anyhow::Result<()> {
        if !self.feeder.feeds() {
            return Ok(());
        }
        let wanted = self.feeder.store().fed().await?.into_iter().collect();
        follow(&mut builds.builds, &wanted, |build| {
            self.feeder.start(build)
        })
        .await;
        if self.feeder.decides() {
            let wanted = self.feeder.store().runs().await?;
            let start = |run| self.feeder.start_run(run);
            follow(&mut builds.runs, &wanted, start).await;
        }
        Ok(())
    }

    /// The builds of a projection, for one command at a time over all processes. What a
    /// command left that was cut off is put in order first.
    ///
    /// # Errors
    /// `Busy` while another process has them.
    pub async fn hold<'a>(
        &'a self,
        node: &'a Node,
        projection: Projection,
    ) -> anyhow::Result<Held<'a>> {
        let mut builds = self.builds.lock().await;
        let Some(lock) = node.store.lock_builds(projection).await? else {
            return Err(Busy(projection).into());
        };
        self.tidy(projection).await?;
        self.reconcile(&mut builds).await?;
        Ok(Held {
            node,
            feeding: self,
            projection,
            builds,
            _lock: lock,
        })
    }

    /// Lets every task finish its batch and end.
    pub(crate) async fn stop(&self) {
        let mut builds = self.builds.lock().await;
        let Works { builds, runs } = std::mem::take(&mut *builds);
        Fed::stop(runs.into_values().chain(builds.into_values()).collect()).await;
    }
}

/// The builds of a projection while no other process makes, switches, drops or holds back any.
pub struct Held<'a> {
    node: &'a Node,
    feeding: &'a Feeding,
    projection: Projection,
    builds: Builds<'a>,
    _lock: AdvisoryLock,
}

impl Held<'_> {
    /// Starts and stops tasks of this process, after builds were made or dropped.
    ///
    /// # Errors
    /// What the store says.
    pub async fn refresh(&mut self) -> anyhow::Result<()> {
        self.feeding.reconcile(&mut self.builds).await
    }

    /// Drops a run that is not live: it is decided no more, here or elsewhere, and nothing of it can
    /// be read. Returns how many cases it had.
    ///
    /// # Errors
    /// What log, store, keystore and index say.
    pub async fn drop_run(
        &mut self,
        run: Run,
        progress: &(dyn Fn(u64, u64) + Sync),
    ) -> anyhow::Result<u64> {
        self.node.store.end_run(run, self.node.clock.now()).await?;
        self.feeding.reconcile(&mut self.builds).await?;
        self.node.forget_run(run, progress).await
    }

    /// Has every build of the projection fed from now on, but what a replay fills, what
    /// was folded up to a time, and what another version made.
    ///
    /// # Errors
    /// What the store says.
    pub async fn feed(&mut self) -> anyhow::Result<()> {
        let store = &self.node.store;
        let aside = self.feeding.aside(self.projection).await?;
        for build in store.generations().await? {
            if build.projection == self.projection && !aside.contains(&build) {
                store.feed(build, true).await?;
            }
        }
        self.feeding.reconcile(&mut self.builds).await
    }

    /// Drops a build that is not live, and its points.
    ///
    /// # Errors
    /// What store and index say.
    pub async fn drop_build(&mut self, build: Generation) -> anyhow::Result<()> {
        self.node.store.feed(build, false).await?;
        self.feeding.reconcile(&mut self.builds).await?;
        self.feeding.feeder.drop_build(build).await
    }

    /// Holds back two builds and brings them to one position, their points too: what one
    /// has folded, the other folds too.
    ///
    /// # Errors
    /// What log, store and index say.
    pub async fn pause_level(&mut self, a: Generation, b: Generation) -> anyhow::Result<()> {
        for build in [a, b] {
            self.node.store.feed(build, false).await?;
        }
        self.feeding.reconcile(&mut self.builds).await?;
        let ports = self.node.fold_ports();
        for partition in partitions(self.node, self.projection.topic()) {
            // Owners in other processes are shut out by this, wherever they are; they look
            // whether the build is fed before they come back.
            let mut ours = Projector::start(a, partition, ports.clone()).await?;
            let mut theirs = Projector::start(b, partition, ports.clone()).await?;
            let to = ours.position().max(theirs.position());
            fold(&mut ours, to).await?;
            fold(&mut theirs, to).await?;
        }
        if self.projection == Projection::Cases {
            for build in [a, b] {
                let mut indexer = Indexer::start(build, self.node.index_ports()).await?;
                indexer.catch_up(BATCH).await?;
            }
        }
        Ok(())
    }
}

/// Stops what is not wanted any more, and starts what is and does not work yet.
async fn follow<K: Ord + Copy>(
    works: &mut BTreeMap<K, Fed>,
    wanted: &BTreeSet<K>,
    start: impl Fn(K) -> Fed,
) {
    let (stay, gone): (BTreeMap<_, _>, BTreeMap<_, _>) = std::mem::take(works)
        .into_iter()
        .partition(|(which, _)| wanted.contains(which));
    *works = stay;
    Fed::stop(gone.into_values().collect()).await;
    for which in wanted {
        works.entry(*which).or_insert_with(|| start(*which));
    }
}

/// Folds up to an offset.
async fn fold(projector: &mut Projector, to: Offset) -> anyhow::Result<()> {
    while projector.position() < to {
        let left = usize::try_from(to.0 - projector.position().0).unwrap_or(1);
        let read = projector.step(left.min(BATCH)).await?;
        anyhow::ensure!(read > 0, "a build cannot be brought to offset {to}");
    }
    Ok(())
}
