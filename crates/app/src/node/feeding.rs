//! Projectors as tasks: one per build and partition, and one indexer per build of
//! cases. Those of a projection can be paused, so that two of its builds can be
//! compared where they stand.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use threadlore_model::{Group, Offset, Partition};
use threadlore_ports::{Generation, Generations, PortError, Positions, Projection, Stop};
use threadlore_replay::{Indexer, Projector, keep_folding, keep_indexing};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{Mutex, MutexGuard};
use tokio::task::JoinSet;

use super::{Node, partitions};

/// The builds that are fed, each by its projectors.
pub(crate) struct Feeding {
    /// `None` for a build that is paused.
    builds: Mutex<BTreeMap<Generation, Option<Fed>>>,
    failed: UnboundedSender<anyhow::Error>,
}

/// The projectors of one build.
struct Fed {
    stop: Stop,
    tasks: JoinSet<()>,
}

impl Feeding {
    /// Feeds every build there is; the receiver is told of projectors that fail.
    pub(super) async fn start(
        node: &Node,
    ) -> anyhow::Result<(Arc<Self>, UnboundedReceiver<anyhow::Error>)> {
        for projection in Projection::ALL {
            node.store.live(projection).await?;
        }
        let (failed, failures) = unbounded_channel();
        let feeding = Arc::new(Self {
            builds: Mutex::default(),
            failed,
        });
        feeding.lock(node).await.feed().await?;
        Ok((feeding, failures))
    }

    async fn lock<'a>(&'a self, node: &'a Node) -> Held<'a> {
        Held {
            node,
            builds: self.builds.lock().await,
            failed: &self.failed,
        }
    }

    /// The builds, for one command at a time. What a command left that was cut
    /// off is put in order first: its unfinished build is dropped, and what it
    /// paused is fed again.
    pub(crate) async fn hold<'a>(&'a self, node: &'a Node) -> anyhow::Result<Held<'a>> {
        let mut held = self.lock(node).await;
        for build in node.store.generations().await? {
            if !held.builds.contains_key(&build)
                && node.store.live(build.projection).await? != build
            {
                node.drop_build(build).await?;
            }
        }
        held.feed().await?;
        Ok(held)
    }

    /// Lets every projector finish its batch and end.
    pub(super) async fn stop(&self) {
        let mut builds = self.builds.lock().await;
        for fed in builds.values().flatten() {
            fed.stop.set();
        }
        for mut fed in std::mem::take(&mut *builds).into_values().flatten() {
            while fed.tasks.join_next().await.is_some() {}
        }
    }
}

/// The builds while nobody else makes, switches, drops or pauses any.
pub(crate) struct Held<'a> {
    node: &'a Node,
    builds: MutexGuard<'a, BTreeMap<Generation, Option<Fed>>>,
    failed: &'a UnboundedSender<anyhow::Error>,
}

impl Held<'_> {
    /// Feeds every build there is from now on.
    pub(crate) async fn feed(&mut self) -> anyhow::Result<()> {
        let all = self.node.store.generations().await?;
        self.builds.retain(|build, _| all.contains(build));
        for build in all {
            let fed = self.builds.entry(build).or_default();
            if fed.is_none() {
                *fed = Some(Fed::start(self.node, build, self.failed));
            }
        }
        Ok(())
    }

    /// Stops feeding the builds of a projection and brings two of them to one
    /// position, their points too: what one has folded, the other folds too.
    pub(crate) async fn pause_level(&mut self, a: Generation, b: Generation) -> anyhow::Result<()> {
        for (build, fed) in self.builds.iter_mut() {
            if build.projection == a.projection
                && let Some(mut fed) = fed.take()
            {
                fed.stop.set();
                while fed.tasks.join_next().await.is_some() {}
            }
        }
        let topic = a.projection.topic();
        let count = self.node.log.partitions(topic);
        let next = |at: &Positions| at.get(&topic).copied().unwrap_or_default();
        let ours = self.node.store.positions(a, count).await?;
        let theirs = self.node.store.positions(b, count).await?;
        let places = ours.iter().zip(&theirs).map(|(x, y)| (next(x), next(y)));
        for (partition, (x, y)) in partitions(self.node, topic).zip(places) {
            if x < y {
                self.fold(a, partition, y).await?;
            } else if y < x {
                self.fold(b, partition, x).await?;
            }
        }
        if a.projection == Projection::Cases {
            for build in [a, b] {
                let mut indexer = Indexer::start(build, self.node.index_ports()).await?;
                indexer.catch_up(BATCH).await?;
            }
        }
        Ok(())
    }

    async fn fold(
        &self,
        build: Generation,
        partition: Partition,
        to: Offset,
    ) -> anyhow::Result<()> {
        let mut projector = Projector::start(build, partition, self.node.fold_ports()).await?;
        while projector.position() < to {
            let left = usize::try_from(to.0 - projector.position().0).unwrap_or(1);
            let read = projector.step(left.min(BATCH)).await?;
            anyhow::ensure!(
                read > 0,
                "{build} cannot be brought to offset {to} of {partition}"
            );
        }
        Ok(())
    }
}

/// Records folded per transaction while builds are levelled.
const BATCH: usize = 500;

impl Fed {
    fn start(node: &Node, build: Generation, failed: &UnboundedSender<anyhow::Error>) -> Self {
        let (stop, mut tasks) = (Stop::default(), JoinSet::new());
        let batch = node.settings.batch.max_records;
        let mut works: Vec<BoxFuture<'static, Result<(), PortError>>> = Vec::new();
        let topic = build.projection.topic();
        let (shared, ports) = (node.shared(build.group(), topic), node.fold_ports());
        let fold =
            move |partition, stop| keep_folding(build, partition, ports.clone(), batch, stop);
        works.push(shared.run(stop.clone(), fold).boxed());
        if build.projection == Projection::Cases {
            let group = Group::of_points(build.projection.name(), build.number);
            let (shared, ports) = (node.shared(group, topic), node.index_ports());
            // One member makes all points of a build: whoever has the first partition.
            let index = move |partition: Partition, stop| {
                let ports = ports.clone();
                async move {
                    match partition {
                        Partition(0) => keep_indexing(build, ports, batch, stop).await,
                        _ => Ok(()),
                    }
                }
            };
            works.push(shared.run(stop.clone(), index).boxed());
        }
        for work in works {
            // In a set of its own, so that a task that is cut off is noticed, and
            // one that nobody waits for any more is.
            let mut alone = JoinSet::new();
            alone.spawn(work);
            let failed = failed.clone();
            tasks.spawn(async move {
                if let Some(error) = alone.join_next().await.and_then(why) {
                    failed.send(error).ok();
                }
            });
        }
        Self { stop, tasks }
    }
}

/// Why a task of a role ended, if not because it was told to.
pub(super) fn why(
    ended: Result<Result<(), PortError>, tokio::task::JoinError>,
) -> Option<anyhow::Error> {
    match ended {
        Ok(Ok(())) => None,
        Ok(Err(error)) => Some(anyhow::Error::new(error).context("a role stopped")),
        Err(error) => Some(anyhow::Error::new(error).context("a role was cut off")),
    }
}
