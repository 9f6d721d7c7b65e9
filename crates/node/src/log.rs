//! The log that the settings choose.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use threadlore_log_kafka::{Compression, KafkaLog, KafkaOptions, Registry, RegistrySettings};
use threadlore_log_local::LocalLog;
use threadlore_ports::{Class, Clock, Observer, RawLog};
use threadlore_schema::{TopicSpec, Topics};
use threadlore_settings::{LogEngine, Settings};

use crate::engine::read_key;
use crate::error::BadInput;
use crate::guard::opened;

/// A log, and what only the one in the data directory can do.
pub(crate) struct Log {
    pub(crate) log: Arc<dyn RawLog>,
    pub(crate) local: Option<Arc<LocalLog>>,
}

/// The topics, with as many partitions as the settings say.
#[must_use]
pub fn topics(settings: &Settings) -> Topics {
    Topics::embedded().with_partitions(settings.log.partitions)
}

/// Opens the log, in the data directory or on a cluster.
pub(crate) async fn open(
    settings: &Settings,
    dir: &Path,
    clock: &Arc<dyn Clock>,
    observer: &Arc<dyn Observer>,
) -> anyhow::Result<Log> {
    let topics = topics(settings);
    if settings.log.engine == LogEngine::Kafka {
        let registry = registry(settings, clock)?;
        if let Some(registry) = &registry {
            // One that refuses a schema is found out now, and not by the first event. One
            // that is away stops only what needs it.
            let writers = topics.iter().flat_map(TopicSpec::writers).collect();
            match registry.prepare(&topics, &writers).await {
                Err(error) if error.class() == Class::Retry => tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "the schema registry is away: what needs it waits until it answers, and a \
                     command that writes ends; look whether it runs, and at `registry.url`"
                ),
                prepared => {
                    prepared.context("asking the schema registry for what is written here")?;
                }
            }
        }
        let connected = KafkaLog::connect(kafka(settings)?, topics, registry, Arc::clone(clock));
        let connected = connected.await.context("connecting to the log")?;
        connected.tell(Arc::clone(observer));
        let log: Arc<dyn RawLog> = Arc::new(connected);
        return Ok(Log { log, local: None });
    }
    let local = Arc::new(opened(&dir.join("log"), |dir| {
        LocalLog::open(dir, topics, settings.log.fsync, Arc::clone(clock))
    })?);
    Ok(Log {
        log: local.clone(),
        local: Some(local),
    })
}

/// The schema registry, where there is one. It is not asked for anything yet.
fn registry(settings: &Settings, clock: &Arc<dyn Clock>) -> anyhow::Result<Option<Registry>> {
    let chosen = &settings.registry;
    let Some(url) = &chosen.url else {
        return Ok(None);
    };
    let file = chosen.password_file.as_ref();
    let password = file.map(|path| read_key(path, "registry.password_file"));
    let settings = RegistrySettings {
        user: chosen.user.clone(),
        password: password.transpose()?,
        register: chosen.register,
        timeout: Duration::from_secs(chosen.timeout_seconds),
        ..RegistrySettings::new(url)
    };
    Ok(Some(Registry::new(&settings, Arc::clone(clock))?))
}

/// How the cluster is reached.
///
/// # Errors
/// [`BadInput`] where the settings name no brokers, or a file that cannot be used.
pub fn kafka(settings: &Settings) -> anyhow::Result<KafkaOptions> {
    let chosen = &settings.kafka;
    let client = match &chosen.properties_file {
        None => Default::default(),
        Some(path) => {
            let shown = path.display();
            let text = std::fs::read_to_string(path).map_err(|e| {
                BadInput(format!(
                    "the file {shown} that `kafka.properties_file` names cannot be read: {e}"
                ))
            })?;
            KafkaOptions::properties(&text).map_err(|e| BadInput(format!("{shown}: {e}")))?
        }
    };
    let bootstrap = chosen.bootstrap_servers.clone().ok_or_else(|| {
        BadInput("`kafka.bootstrap_servers` is not set: name the brokers there".to_owned())
    })?;
    Ok(KafkaOptions {
        bootstrap,
        compression: match chosen.compression {
            threadlore_settings::Compression::Lz4 => Compression::Lz4,
            threadlore_settings::Compression::Zstd => Compression::Zstd,
            threadlore_settings::Compression::None => Compression::None,
        },
        instance: chosen.instance_id.clone(),
        client,
    })
}
