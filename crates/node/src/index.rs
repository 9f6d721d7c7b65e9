//! The index of cases that the settings choose.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use threadlore_index_local::LocalIndex;
use threadlore_index_qdrant::{ClusterIndex, ClusterOptions};
use threadlore_ports::{CaseIndex, Clock, DenseModel};
use threadlore_settings::{IndexEngine, Settings};

use crate::engine::api_key;

/// Opens the index, in the data directory or on a cluster. `model` is whose vectors this
/// process searches with.
pub(crate) fn open(
    settings: &Settings,
    dir: &Path,
    model: Option<&DenseModel>,
    clock: &Arc<dyn Clock>,
) -> anyhow::Result<Arc<dyn CaseIndex>> {
    let chosen = &settings.index;
    if chosen.engine == IndexEngine::Local {
        return Ok(Arc::new(LocalIndex::open(&dir.join("index"))?));
    }
    let key = api_key(&chosen.api_key, &chosen.api_key_file, "index")?;
    let options = ClusterOptions {
        api_key: key,
        prefix: chosen.prefix.clone(),
        timeout: Duration::from_secs(chosen.timeout_seconds),
        dense: model.map(DenseModel::dense),
        replication_factor: chosen.replication_factor,
        ..ClusterOptions::new(chosen.url.clone().unwrap_or_default())
    };
    Ok(Arc::new(ClusterIndex::connect(options, Arc::clone(clock))?))
}
