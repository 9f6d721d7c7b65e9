//! The log that the settings choose.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use threadlore_log_kafka::{KafkaLog, KafkaOptions};
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
        let connected = KafkaLog::connect(kafka(settings)?, topics, Arc::clone(clock)).await;
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
        instance: chosen.instance_id.clone(),
        client,
    })
}
