//! The tasks that feed one build: a projector per partition and, of a build of cases,
//! what makes its points; and those that decide one run of cases.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use threadlore_callers::ExtractCaller;
use threadlore_model::{Group, Partition, Role, Run};
use threadlore_ports::{Generation, Generations, IndexPorts, PortError, Projection};
use threadlore_replay::{keep_folding, keep_indexing};
use threadlore_roles::{Extractor, ExtractorParams, Processor};
use threadlore_runtime::{Limits, keep_running};
use threadlore_store_postgres::PostgresStore;
use threadlore_stream::FoldPorts;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::node::Node;
use crate::roles::{extractor, limits};
use crate::share::Shared;

/// Time between two looks whether a build is fed again.
const HELD_BACK: Duration = Duration::from_millis(500);

/// What it takes to feed builds.
#[derive(Clone)]
pub(crate) struct Feeder {
    store: Arc<PostgresStore>,
    fold: FoldPorts,
    points: IndexPorts,
    /// Most records folded in one transaction.
    batch: usize,
    /// Whether tables are folded in this process.
    projects: bool,
    /// Whether points are made in this process.
    indexes: bool,
    /// What decides cases in this process, if anything does.
    decides: Option<Deciding>,
    failed: UnboundedSender<anyhow::Error>,
}

/// What it takes to decide runs of cases.
#[derive(Clone)]
struct Deciding {
    params: ExtractorParams,
    caller: Arc<ExtractCaller>,
    limits: Limits,
}

/// The tasks of one build, or of one decision run.
pub(crate) struct Fed {
    stop: CancellationToken,
    tasks: JoinSet<()>,
}

impl Feeder {
    pub(crate) fn of(node: &Node, roles: &[Role], failed: UnboundedSender<anyhow::Error>) -> Self {
        Self {
            store: Arc::clone(&node.store),
            fold: node.fold_ports(),
            points: node.index_ports(),
            batch: node.settings.batch.max_records,
            projects: roles.contains(&Role::Projector),
            indexes: roles.contains(&Role::Indexer),
            decides: roles.contains(&Role::Extractor).then(|| Deciding {
                params: extractor(&node.settings),
                caller: Arc::new(ExtractCaller(Arc::clone(&node.engine))),
                limits: limits(&node.settings),
            }),
            failed,
        }
    }

    pub(crate) fn store(&self) -> &PostgresStore {
        &self.store
    }

    /// Whether this process feeds any build, or decides any run.
    pub(crate) fn feeds(&self) -> bool {
        self.projects || self.indexes || self.decides()
    }

    /// Whether this process decides runs.
    pub(crate) fn decides(&self) -> bool {
        self.decides.is_some()
    }

    /// Drops a build that is not live, and its points.
    pub(crate) async fn drop_build(&self, build: Generation) -> anyhow::Result<()> {
        self.store.drop_generation(build).await?;
        Ok(self.points.index.drop_build(build).await?)
    }

    /// Starts the tasks of a build.
    pub(crate) fn start(&self, build: Generation) -> Fed {
        let stop = CancellationToken::new();
        let works = self.works(build, &stop);
        let feeder = self.clone();
        let wanted = move || {
            let feeder = feeder.clone();
            async move { feeder.is_fed(build).await }.boxed()
        };
        self.spawn(works, stop, wanted)
    }

    /// Starts the tasks that decide a run; there are none where cases are decided elsewhere.
    pub(crate) fn start_run(&self, run: Run) -> Fed {
        let stop = CancellationToken::new();
        let works = self.decides.clone().map(|deciding| {
            let Deciding {
                params,
                caller,
                limits,
            } = deciding;
            let ports = self.fold.clone();
            let processor = Arc::new(Extractor(ExtractorParams { run, ..params }));
            let shared = Shared {
                log: Arc::clone(&self.fold.log),
                clock: Arc::clone(&self.fold.clock),
                group: run.group(),
                topic: Extractor::INPUTS[0],
            };
            let decide = move |partition, stop| {
                keep_running(
                    Arc::clone(&processor),
                    caller.clone(),
                    partition,
                    ports.clone(),
                    limits,
                    stop,
                )
            };
            shared.run(stop.clone(), decide).boxed()
        });
        let store = Arc::clone(&self.store);
        let wanted = move || {
            let store = Arc::clone(&store);
            async move { store.runs().await.map_or(true, |runs| runs.contains(&run)) }.boxed()
        };
        self.spawn(works.into_iter().collect(), stop, wanted)
    }

    /// Starts tasks. The error that ends one is sent to `failed`, if the task is still wanted then.
    fn spawn(
        &self,
        works: Vec<BoxFuture<'static, Result<(), PortError>>>,
        stop: CancellationToken,
        wanted: impl Fn() -> BoxFuture<'static, bool> + Clone + Send + 'static,
    ) -> Fed {
        let mut tasks = JoinSet::new();
        for work in works {
            // In a set of its own, so that a task that is cut off is noticed, and
            // one that no task waits for any more is.
            let mut alone = JoinSet::new();
            alone.spawn(work);
            let (wanted, failed) = (wanted.clone(), self.failed.clone());
            tasks.spawn(async move {
                if let Some(error) = alone.join_next().await.and_then(why)
                    && wanted().await
                {
                    failed.send(error).ok();
                }
            });
        }
        Fed { stop, tasks }
    }

    /// Whether a build is to be fed, as far as is known: another process may have
    /// dropped it or held it back a moment ago, and what a task says of it then is no fault.
    async fn is_fed(&self, build: Generation) -> bool {
        let fed = self.store.fed().await;
        fed.map_or(true, |fed| fed.contains(&build))
    }

    fn works(
        &self,
        build: Generation,
        stop: &CancellationToken,
    ) -> Vec<BoxFuture<'static, Result<(), PortError>>> {
        let mut works = Vec::new();
        let batch = self.batch;
        if self.projects {
            let feeder = self.clone();
            let fold = move |partition, stop: CancellationToken| {
                let (feeder, ports) = (feeder.clone(), feeder.fold.clone());
                async move {
                    // A replay shuts out the feeders of the builds that it compares.
                    while !stop.is_cancelled() && !feeder.is_fed(build).await {
                        ports.clock.sleep(HELD_BACK).await;
                    }
                    keep_folding(build, partition, ports, batch, stop).await
                }
            };
            let shared = self.shared(build, build.group());
            works.push(shared.run(stop.clone(), fold).boxed());
        }
        if self.indexes && build.projection == Projection::Cases {
            let ports = self.points.clone();
            // One member makes all points of a build: the owner of the first partition.
            let index = move |partition: Partition, stop| {
                let ports = ports.clone();
                async move {
                    match partition {
                        Partition(0) => keep_indexing(build, ports, batch, stop).await,
                        _ => Ok(()),
                    }
                }
            };
            let group = Group::of_points(build.projection.name(), build.number);
            let shared = self.shared(build, group);
            works.push(shared.run(stop.clone(), index).boxed());
        }
        works
    }

    fn shared(&self, build: Generation, group: Group) -> Shared {
        Shared {
            log: Arc::clone(&self.fold.log),
            clock: Arc::clone(&self.fold.clock),
            group,
            topic: build.projection.topic(),
        }
    }
}

impl Fed {
    /// Lets the tasks of all finish their batch and end.
    pub(crate) async fn stop(all: Vec<Self>) {
        for fed in &all {
            fed.stop.cancel();
        }
        for mut fed in all {
            while fed.tasks.join_next().await.is_some() {}
        }
    }
}

/// Why a task of a role ended, if not because it was asked to.
pub(crate) fn why(
    ended: Result<Result<(), PortError>, tokio::task::JoinError>,
) -> Option<anyhow::Error> {
    match ended {
        Ok(Ok(())) => None,
        Ok(Err(error)) => Some(anyhow::Error::new(error).context("a role stopped")),
        Err(error) => Some(anyhow::Error::new(error).context("a role was cut off")),
    }
}
