//! What a process works with: the log, the database, the index and the keys, in the data
//! directory or elsewhere.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use threadlore_log_local::{FileBlobs, LocalLog};
use threadlore_model::{Group, Partition, PersonHasher, Role, SpaceId, Topic};
use threadlore_ports::{
    Authority, BlobStore, CaseIndex, CaseReader, Clock, DenseModel, EmbedEngine, EventLog,
    ExtractEngine, Gateway, Generation, Generations, IndexPorts, Keystore, Observer, PortError,
    RESTORING, RawLog, Right, Scope, Store,
};
use threadlore_replay::{FoldPorts, Resources};
use threadlore_retrieval::{Memory, Retrieval, RetrievalPorts};
use threadlore_settings::Settings;
use threadlore_store_postgres::{PostgresStore, Restoring};
use threadlore_stream::{Traffic, Vault};
use threadlore_telemetry::Metrics;

use crate::clock::SystemClock;
use crate::drain::Backlog;
use crate::engine::secret;
use crate::environment::Environment;
use crate::error::BadInput;
use crate::events::RecordIndex;
use crate::imports::Imports;
use crate::kept::{Kept, session_key};
use crate::lock::DataDir;
use crate::observer::MetricsObserver;
use crate::outside::Outside;
use crate::roles::responder;
use crate::share::Shared;
use crate::tables::Tables;
use crate::upgrade::Progress;
use crate::wordings::OwnWords;
use crate::{engine, gateways, index};

/// Time between two looks for records past their retention.
const RETENTION: std::time::Duration = std::time::Duration::from_secs(3600);

/// Everything that commands and roles work with.
pub struct Node {
    /// What was chosen.
    pub settings: Settings,
    /// Time of the machine.
    pub clock: Arc<dyn Clock>,
    /// The truth.
    pub log: Arc<dyn EventLog>,
    /// The same, for commands that move records as they are.
    pub raw: Arc<dyn RawLog>,
    /// What opens it.
    pub keys: Arc<dyn Keystore>,
    blobs: Arc<FileBlobs>,
    /// The files that this process imports at the moment.
    pub imports: Imports,
    /// The log again, where it is in the data directory.
    pub(crate) local: Option<Arc<LocalLog>>,
    /// State and projections.
    pub store: Arc<PostgresStore>,
    /// Points of cases, made from their rows.
    pub index: Arc<dyn CaseIndex>,
    /// Answers questions from cases; one for all, so that a failing stage is left alone by all.
    pub memory: Arc<Memory>,
    /// Hashes people.
    pub hasher: PersonHasher,
    pub(crate) vault: Vault,
    pub(crate) record_index: RecordIndex,
    /// Finds cases; one for all roles, so that a failing model is left alone by all.
    pub(crate) engine: Arc<dyn ExtractEngine>,
    /// Makes vectors of cases, where a model is chosen for it.
    pub(crate) embedder: Option<Arc<dyn EmbedEngine>>,
    /// The gateways that the settings choose.
    pub(crate) gateways: Vec<Arc<dyn Gateway>>,
    observer: Arc<dyn Observer>,
    traffic: Traffic,
    /// Whether a restore of this process shuts out its roles.
    restoring: Arc<AtomicBool>,
    /// Metrics of this process.
    pub metrics: Metrics,
    pub(crate) authority: Authority,
    // Dropped in this order: connections, then the server, then the directory's lock.
    tables: Tables,
    dir: Option<DataDir>,
}

impl Node {
    /// Opens the data directory and everything in it; where the settings put everything
    /// elsewhere, there is no such directory, and other processes work on the same.
    ///
    /// # Errors
    /// The directory is in use, of another format or cannot be used; a secret is
    /// missing; the database does not start.
    pub async fn open(settings: Settings, environment: &Environment) -> anyhow::Result<Self> {
        Self::open_with(settings, environment, None).await
    }

    /// Opens it and makes the builds of this version, where those that are live are another one's; returns
    /// them too.
    ///
    /// # Errors
    /// Those of [`Node::open`]; what log, store and index say.
    pub async fn migrated(
        settings: Settings,
        environment: &Environment,
        progress: Progress<'_>,
    ) -> anyhow::Result<(Self, Vec<Generation>)> {
        let node = Box::pin(Self::assemble(settings, environment, None)).await?;
        let made = Box::pin(node.make_own_builds(progress)).await?;
        Ok((node, made))
    }

    /// The same; a data directory that is made now takes `people` for its key for people. Nobody else works
    /// on a data directory, so its builds become those of this version at once.
    pub(crate) async fn open_with(
        settings: Settings,
        environment: &Environment,
        people: Option<[u8; 32]>,
    ) -> anyhow::Result<Self> {
        let node = Box::pin(Self::assemble(settings, environment, people)).await?;
        if node.is_shared() {
            node.check_builds().await?;
            return Ok(node);
        }
        for listed in node.foreign().await? {
            tracing::warn!(
                build = %listed.build,
                "another version made these tables: they are made anew from the log"
            );
        }
        let made = Box::pin(node.make_own_builds(&|_, _, _| ())).await?;
        for build in made {
            tracing::info!(%build, "the tables of this version are live");
        }
        Ok(node)
    }

    async fn assemble(
        settings: Settings,
        environment: &Environment,
        people: Option<[u8; 32]>,
    ) -> anyhow::Result<Self> {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let metrics = Metrics::new().context("setting up metrics")?;
        let restoring = Arc::new(AtomicBool::new(false));
        let observer =
            MetricsObserver::new(metrics.clone(), &settings.telemetry, Arc::clone(&restoring))?;
        let observer: Arc<dyn Observer> = Arc::new(observer);
        let engine = engine::chosen(&settings, Arc::clone(&clock), &metrics)?;
        let embedder = engine::embedder(&settings, Arc::clone(&clock))?;
        let gateways = gateways::chosen(&settings, &clock)?;
        let synonyms = Arc::new(engine::synonyms(&settings)?);
        let mut own = OwnWords::read(&settings)?;
        let wordings = Arc::new(std::mem::take(&mut own.wordings));
        let kept = Kept::open(&settings, &clock, &observer, people.as_ref()).await?;
        let path = kept.path();
        let model = embedder.as_deref().map(dense_model);
        let index = index::open(&settings, path, model.as_ref(), &clock)?;
        let tables = Tables::start(&settings, environment, path).await?;
        let store =
            Arc::new(PostgresStore::connect(&tables.url, settings.postgres.connections).await?);
        store.migrate().await?;
        let retrieval = Arc::new(Retrieval::new(RetrievalPorts {
            index: Arc::clone(&index),
            cases: store.clone(),
            builds: store.clone(),
            embedder: embedder.clone(),
            wrong_at_most: settings.answer.wrong_at_most,
            reranker: engine::reranker(&settings, Arc::clone(&clock))?,
            reader: engine::reader(&settings, own, Arc::clone(&clock), &metrics)?,
            clock: Arc::clone(&clock),
            synonyms,
        }));
        let memory = Arc::new(Memory {
            retrieval,
            cases: store.clone(),
            link_base: settings.link_base(),
            wordings,
            clock: Arc::clone(&clock),
        });
        Ok(Self {
            clock,
            log: kept.log.clone(),
            raw: kept.log,
            keys: Arc::clone(&kept.keys),
            blobs: kept.blobs,
            imports: Imports::default(),
            local: kept.local,
            store,
            index,
            memory,
            hasher: PersonHasher::new(&kept.people),
            vault: Vault::new(kept.keys),
            record_index: RecordIndex::default(),
            engine,
            embedder,
            gateways,
            observer,
            traffic: Traffic::default(),
            restoring,
            metrics,
            // Whoever holds the directory's lock, or the secrets, owns what they guard.
            authority: Authority::of_operator(),
            settings,
            tables,
            dir: kept.dir,
        })
    }

    /// Whether other processes may work on the same log and tables.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.dir.is_none()
    }

    /// Where imports note how far they came.
    #[must_use]
    pub fn blobs(&self) -> &dyn BlobStore {
        self.blobs.as_ref()
    }

    /// The scope of the operator in a space.
    ///
    /// # Errors
    /// When the right is not granted.
    pub fn scope(&self, space: &SpaceId, right: Right) -> anyhow::Result<Scope> {
        Ok(self.authority.authorise(space, right)?)
    }

    /// Refuses a space in which there is nothing at all: its name may be mistyped.
    ///
    /// # Errors
    /// [`BadInput`] for such a space; what the store says.
    pub async fn check_space(&self, scope: &Scope) -> anyhow::Result<()> {
        if self.store.has_space(scope).await? {
            return Ok(());
        }
        let names = self.store.spaces().await?;
        let names: Vec<&str> = names.iter().map(SpaceId::as_str).collect();
        let there = match names.as_slice() {
            [] => "no space has anything yet".to_owned(),
            names => format!("there are: {}", names.join(", ")),
        };
        Err(BadInput(format!(
            "the space {} has no message, case or channel here: check --space; {there}",
            scope.space()
        ))
        .into())
    }

    /// The space that a command reads which names none: `default`, or the only one that has
    /// anything.
    ///
    /// # Errors
    /// [`BadInput`] with their names where there are several others; what the store says.
    pub async fn default_space(&self, default: &SpaceId) -> anyhow::Result<SpaceId> {
        let spaces = self.store.spaces().await?;
        match spaces.as_slice() {
            _ if spaces.contains(default) => Ok(default.clone()),
            [] => Ok(default.clone()),
            [only] => Ok(only.clone()),
            several => {
                let names: Vec<&str> = several.iter().map(SpaceId::as_str).collect();
                Err(BadInput(format!(
                    "there are several spaces: name one with --space; there are: {}",
                    names.join(", ")
                ))
                .into())
            }
        }
    }

    /// Where the database is, for tools beside the store.
    #[must_use]
    pub fn database_url(&self) -> &str {
        &self.tables.url
    }

    /// Drops records of the local log that are older than their topic's retention, every
    /// hour, for as long as it is polled; a cluster does so by itself. What the roles still
    /// have to take is hours old at most.
    pub async fn keep_retention(&self) -> anyhow::Error {
        loop {
            self.clock.sleep(RETENTION).await;
            let Some(local) = &self.local else { continue };
            match local.enforce_retention(self.clock.now()).await {
                Ok(0) => {}
                Ok(dropped) => tracing::info!(dropped, "old records were dropped"),
                Err(error) => return anyhow::Error::new(error),
            }
        }
    }

    /// Refuses to write to the log while a space is restored: what names a record names its
    /// place, which must not move. The inbox takes everything all the time.
    ///
    /// # Errors
    /// `Unavailable` while a space is restored; what the store says.
    pub async fn check_not_restoring(&self) -> Result<(), PortError> {
        check_not_restoring(&self.store).await
    }

    /// That the roles are shut out by a restore of this process from now on is no fault, until
    /// what this returns is dropped.
    #[must_use]
    pub fn expect_restore(&self) -> impl Drop + use<> {
        struct Expected(Arc<AtomicBool>);
        impl Drop for Expected {
            fn drop(&mut self) {
                self.0.store(false, Ordering::Relaxed);
            }
        }
        self.restoring.store(true, Ordering::Relaxed);
        Expected(Arc::clone(&self.restoring))
    }

    /// Lets the roles in again where a restore was cut off before it wrote anything.
    ///
    /// # Errors
    /// What the store says.
    pub async fn forgive_restore(&self) -> Result<(), PortError> {
        let cut_off = |other: Option<Restoring>| other.is_some_and(|other| !other.begun);
        if cut_off(self.store.restoring().await?)
            && let Some(_lock) = self.store.lock_restores().await?
            && cut_off(self.store.restoring().await?)
        {
            tracing::info!("a restore was cut off before it wrote anything; the roles work again");
            self.store.release().await?;
        }
        Ok(())
    }

    /// Builds of projections.
    #[must_use]
    pub fn generations(&self) -> &dyn Generations {
        self.store.as_ref()
    }

    /// Readers of cases.
    #[must_use]
    pub fn reader(&self) -> &dyn CaseReader {
        self.store.as_ref()
    }

    /// The engine that finds cases, with its version.
    #[must_use]
    pub fn engine_version(&self) -> &str {
        self.engine.version()
    }

    /// What watches the work.
    pub(crate) fn observer(&self) -> Arc<dyn Observer> {
        Arc::clone(&self.observer)
    }

    /// What answers the responder.
    pub(crate) fn outside(&self) -> Outside {
        Outside {
            memory: Arc::clone(&self.memory),
            authority: self.authority.clone(),
            metrics: self.metrics.clone(),
            store: Arc::clone(&self.store),
            log: Arc::clone(&self.log),
            vault: self.vault.clone(),
            clock: Arc::clone(&self.clock),
            names: responder(self).names,
        }
    }

    /// A group in which the partitions of a topic are shared out.
    pub(crate) fn shared(&self, group: Group, topic: Topic) -> Shared {
        Shared {
            log: Arc::clone(&self.log),
            clock: Arc::clone(&self.clock),
            group,
            topic,
        }
    }

    /// What folds use.
    #[must_use]
    pub fn fold_ports(&self) -> FoldPorts {
        let store: Arc<dyn Store> = self.store.clone();
        FoldPorts {
            log: Arc::clone(&self.log),
            store,
            vault: self.vault.clone(),
            clock: Arc::clone(&self.clock),
            observer: Arc::clone(&self.observer),
            traffic: self.traffic.clone(),
        }
    }

    /// What a replay may take: its memory by the settings, and as many partitions at once as there
    /// are processors.
    #[must_use]
    pub fn replay_resources(&self) -> Resources {
        let processors = std::thread::available_parallelism();
        Resources {
            memory: self.settings.replay.memory_mb * 1024 * 1024,
            partitions: processors.map_or(1, NonZero::get),
        }
    }

    /// What the making of points uses.
    #[must_use]
    pub fn index_ports(&self) -> IndexPorts {
        IndexPorts {
            index: Arc::clone(&self.index),
            source: self.store.clone(),
            clock: Arc::clone(&self.clock),
            observer: Arc::clone(&self.observer),
            model: self.embedder.as_deref().map(dense_model),
        }
    }

    /// What is left to do, for metrics and commands.
    #[must_use]
    pub fn backlog(&self) -> Backlog {
        let embedders = self.embedder.iter();
        let embedders = embedders.map(|engine| Group::of_embedder(engine.model()));
        let gateways = self.gateways.iter();
        let gateways = gateways.map(|gateway| Group::of_gateway(gateway.name()));
        Backlog {
            log: Arc::clone(&self.log),
            store: Arc::clone(&self.store),
            clock: Arc::clone(&self.clock),
            groups: BTreeMap::from([
                (Role::Embedder, embedders.collect()),
                (Role::Gateway, gateways.collect()),
            ]),
        }
    }

    /// The key that signs links to the pages, and sessions.
    ///
    /// # Errors
    /// [`BadInput`] where it cannot be read or made.
    pub fn session_key(&self) -> anyhow::Result<[u8; 32]> {
        session_key(&self.settings)
    }

    /// The secret that a provider of OpenID Connect gave to this installation, if one did.
    ///
    /// # Errors
    /// [`BadInput`] where its file cannot be read.
    pub fn oidc_secret(&self) -> anyhow::Result<Option<String>> {
        let oidc = &self.settings.oidc;
        let (written, file) = (&oidc.client_secret, &oidc.client_secret_file);
        secret(written, file, "oidc.client_secret_file")
    }

    /// The link of a case.
    #[must_use]
    pub fn link(&self, case: threadlore_model::CaseId) -> String {
        self.memory.link(case)
    }
}

/// Refuses to write to the log while a space is restored.
pub(crate) async fn check_not_restoring(store: &PostgresStore) -> Result<(), PortError> {
    match store.restoring().await? {
        None => Ok(()),
        Some(_) => Err(PortError::Busy {
            doing: "writing to the log",
            reason: RESTORING,
            source: None,
        }),
    }
}

fn dense_model(embedder: &dyn EmbedEngine) -> DenseModel {
    DenseModel {
        name: embedder.model().to_owned(),
        dimensions: embedder.dimensions(),
    }
}

/// The partitions of a topic.
pub(crate) fn partitions(node: &Node, topic: Topic) -> impl Iterator<Item = Partition> + use<> {
    let count = i32::try_from(node.log.partitions(topic)).unwrap_or(i32::MAX);
    (0..count).map(Partition)
}
