//! The log that the settings choose.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use threadlore_log_kafka::{KafkaLog, KafkaOptions, Registry, RegistrySettings};
use threadlore_log_local::LocalLog;
use threadlore_ports::{Clock, EventLog};
use threadlore_schema::Topics;
use threadlore_settings::{LogEngine, Settings};

use super::guard::opened;
use crate::exit::BadInput;

/// A log, and what only the one in the data directory can do.
pub(super) struct Log {
    pub(super) log: Arc<dyn EventLog>,
    pub(super) local: Option<Arc<LocalLog>>,
}

/// Opens the log, in the data directory or on a cluster.
pub(super) async fn open(
    settings: &Settings,
    dir: &Path,
    clock: &Arc<dyn Clock>,
) -> anyhow::Result<Log> {
    let topics = Topics::embedded().clone();
    if settings.log.engine == LogEngine::Kafka {
        let registry = registry(settings, clock)?;
        let connected = KafkaLog::connect(kafka(settings)?, topics, registry, Arc::clone(clock));
        let connected = connected.await;
        let log: Arc<dyn EventLog> = Arc::new(connected.context("connecting to the log")?);
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
    let password = chosen.password_file.as_ref().map(|path| {
        let read = std::fs::read_to_string(path);
        read.map(|text| text.trim_end().to_owned()).map_err(|e| {
            BadInput(format!(
                "the file {} that `registry.password_file` names cannot be read: {e}",
                path.display()
            ))
        })
    });
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
pub(crate) fn kafka(settings: &Settings) -> anyhow::Result<KafkaOptions> {
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
        compression: chosen.compression.name().parse().map_err(BadInput)?,
        instance: Some(chosen.instance_id.clone()),
        client,
    })
}
