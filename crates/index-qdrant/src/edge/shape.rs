//! The shape of a shard: its vectors and its payload indexes; making and loading shards.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use qdrant_edge::{
    CreateIndex, Distance, EdgeConfig, EdgeShard, EdgeSparseVectorParams, EdgeVectorParams,
    FieldIndexOperations, Modifier, OperationError, OperationResult, PayloadFieldSchema,
    UpdateOperation, WalOptions,
};
use serde_json::json;
use threadlore_model::Leg;
use threadlore_ports::{Dense, PortError};

use super::engine::attempt;
use crate::error::unavailable;

/// Counts up whenever vectors, payload or indexes of a shard change.
const VERSION: u32 = 1;
const SHAPE: &str = "SHAPE";
const DOING: &str = "opening the index of cases";

/// Makes a shard in a directory that is not there.
pub(crate) fn make(dir: &Path, dense: Option<Dense>) -> Result<EdgeShard, PortError> {
    fs::create_dir_all(dir).map_err(|e| unavailable(DOING, e))?;
    let shard = attempt(DOING, || {
        let shard = EdgeShard::new(dir, config(dense))?;
        add_indexes(&shard)?;
        shard.flush();
        Ok(shard)
    })?;
    write_shape(dir, dense).map_err(|e| unavailable(DOING, e))?;
    Ok(shard)
}

/// Loads the shard of a directory.
///
/// # Errors
/// When it has another shape, or the engine cannot load it.
pub(crate) fn load(dir: &Path, dense: Option<Dense>) -> Result<EdgeShard, PortError> {
    let found = fs::read_to_string(dir.join(SHAPE)).unwrap_or_default();
    let wanted = shape(dense);
    if found != wanted {
        let (found, wanted) = (found.trim_end(), wanted.trim_end());
        return Err(unavailable(
            DOING,
            format!("it has the shape {found:?}, and {wanted:?} is wanted"),
        ));
    }
    // The engine would continue without either: with no points, or with change numbers from 0, so
    // that it would ignore changes of existing points as old ones.
    for part in ["segments", "wal"] {
        let mut entries = fs::read_dir(dir.join(part)).map_err(|e| unavailable(DOING, e))?;
        if entries.next().is_none() {
            return Err(unavailable(DOING, format!("nothing is in {part}/")));
        }
    }
    shorten_log(dir).map_err(|e| unavailable(DOING, e))?;
    attempt(DOING, || {
        let shard = EdgeShard::load(dir, Some(config(dense)))?;
        add_indexes(&shard)?;
        Ok(shard)
    })
}

/// Segments of the engine's log that it will never read. Each is a few megabytes.
pub(crate) fn closed_logs(dir: &Path) -> io::Result<Vec<(u64, fs::DirEntry)>> {
    let mut closed = Vec::new();
    for entry in fs::read_dir(dir.join("wal"))? {
        let entry = entry?;
        let name = entry.file_name();
        let start = name.to_str().and_then(|name| name.strip_prefix("closed-"));
        if let Some(start) = start.and_then(|start| start.parse().ok()) {
            closed.push((start, entry));
        }
    }
    closed.sort_by_key(|(start, _)| *start);
    Ok(closed)
}

/// Removes all but the last one, which has the number of the next change.
fn shorten_log(dir: &Path) -> io::Result<()> {
    let mut closed = closed_logs(dir)?;
    closed.pop();
    // Ascending, so that the files left after a crash have no gap.
    for (_, entry) in closed {
        fs::remove_file(entry.path())?;
    }
    Ok(())
}

fn shape(dense: Option<Dense>) -> String {
    match dense {
        Some(Dense { model, dimensions }) => {
            format!("version {VERSION}, dense {dimensions} of {model:016x}\n")
        }
        None => format!("version {VERSION}, no dense\n"),
    }
}

/// Written last, so that a directory with this file is complete.
fn write_shape(dir: &Path, dense: Option<Dense>) -> io::Result<()> {
    let temporary = dir.join("SHAPE.new");
    let mut file = File::create(&temporary)?;
    file.write_all(shape(dense).as_bytes())?;
    file.sync_all()?;
    fs::rename(temporary, dir.join(SHAPE))?;
    File::open(dir)?.sync_all()
}

fn config(dense: Option<Dense>) -> EdgeConfig {
    let sparse = || {
        EdgeSparseVectorParams::builder()
            .modifier(Modifier::Idf)
            .build()
    };
    let builder = EdgeConfig::builder().wal_options(WalOptions {
        segment_capacity: 4 << 20,
        ..WalOptions::default()
    });
    let builder = Leg::SPARSE.iter().fold(builder, |builder, leg| {
        builder.sparse_vector(leg.name(), sparse())
    });
    match dense {
        None => builder.build(),
        Some(Dense { dimensions, .. }) => {
            let params = EdgeVectorParams::builder(dimensions as usize, Distance::Cosine).build();
            builder.vector(Leg::Dense.name(), params).build()
        }
    }
}

/// Adds missing payload indexes. Graph links for each value are built for the space only: every
/// search filters by it, and links for more fields multiply the time of the build.
pub(crate) fn add_indexes(shard: &EdgeShard) -> OperationResult<()> {
    for (field, schema) in [
        ("space", json!({"type": "keyword"})),
        ("channel", json!({"type": "keyword", "enable_hnsw": false})),
        ("solved", json!({"type": "bool", "enable_hnsw": false})),
    ] {
        let path: Result<_, ()> = field.parse();
        let index = CreateIndex {
            field_name: path.map_err(|()| OperationError::service_error("no path"))?,
            field_schema: Some(PayloadFieldSchema::FieldParams(serde_json::from_value(
                schema,
            )?)),
        };
        shard.update(UpdateOperation::FieldIndexOperation(
            FieldIndexOperations::CreateIndex(index),
        ))?;
    }
    Ok(())
}
