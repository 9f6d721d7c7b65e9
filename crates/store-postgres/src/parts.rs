//! Parts of states. A row of `lore_state.part_changes` holds what one commit changed of the parts
//! of one key, so that a batch that changes hundreds of them writes one row.
//!
//! Row 0 holds all parts of some moment. When the rows behind it take more bytes than it does, or
//! are too many, all of them become a new row 0. So a part is written about twice, and reading a
//! state takes about twice its size.

use std::collections::BTreeMap;

use serde_bytes::ByteBuf;
use sqlx::PgConnection;
use sqlx::Row as _;
use sqlx::postgres::{PgPool, PgRow};
use threadlore_model::{Key, Timestamp};
use threadlore_ports::{PartRow, PortError, Shard, StateRow};

use crate::commit::{DOING, of_shard, run};
use crate::error::failed;
use crate::packed::{pack, unpack};
use crate::store::{key, undecodable};
use crate::write::column;

/// Bytes of changes that are never merged for their size: a small state changes wholly all the
/// time.
const FEW_BYTES: i64 = 64 * 1024;
/// Rows of changes at most, for states that are much larger than what changes of them.
const MOST_CHANGES: i32 = 1000;

/// Bodies by name; `None` for a part that is gone.
type Parts = BTreeMap<String, Option<ByteBuf>>;

/// What a statement wrote of a key's state.
struct Written {
    key: Key,
    /// Rows of changes, with the one that is about to be written.
    changes: i32,
    changed_bytes: i64,
    whole_bytes: i64,
}

impl Written {
    fn is_to_merge(&self) -> bool {
        self.changed_bytes > self.whole_bytes.max(FEW_BYTES) || self.changes > MOST_CHANGES
    }
}

/// Writes states that changed with the parts that did.
pub(crate) async fn write_states(
    tx: &mut PgConnection,
    shard: &Shard,
    states: Vec<StateRow>,
) -> Result<(), PortError> {
    if states.is_empty() {
        return Ok(());
    }
    // One statement may touch a row once: the last state of a key counts, but the parts of all.
    let (mut rows, mut changed) = (BTreeMap::new(), BTreeMap::<Key, Parts>::new());
    for StateRow {
        key,
        body,
        wake,
        parts,
    } in states
    {
        if !parts.is_empty() {
            let parts = parts.into_iter();
            let parts = parts.map(|part| (part.name, part.body.map(ByteBuf::from)));
            changed.entry(key.clone()).or_default().extend(parts);
        }
        rows.insert(key, (body, wake.map(Timestamp::as_millis)));
    }
    let mut packed = BTreeMap::new();
    for (key, parts) in &changed {
        packed.insert(key.clone(), pack(DOING, parts)?);
    }
    let rows: Vec<_> = rows.into_iter().collect();
    let statement = of_shard(
        "INSERT INTO lore_state.states AS s \
         (consumer_group, partition, key, body, wake, changes, changed_bytes) \
         SELECT $1, $2, * FROM unnest($3::text[], $4::bytea[], $5::bigint[], $6::int[], $7::bigint[]) \
         ON CONFLICT (consumer_group, partition, key) \
         DO UPDATE SET body = excluded.body, wake = excluded.wake, \
             changes = s.changes + excluded.changes, \
             changed_bytes = s.changed_bytes + excluded.changed_bytes \
         RETURNING key, changes, changed_bytes, whole_bytes",
        shard,
    );
    let bytes = |key: &Key| packed.get(key).map_or(0, |body| body.len() as i64);
    let written = statement
        .bind(column(&rows, |(key, _)| key.as_str()))
        .bind(column(&rows, |(_, (body, _))| body.as_slice()))
        .bind(column(&rows, |(_, (_, wake))| *wake))
        .bind(column(&rows, |(key, _)| {
            i32::from(changed.contains_key(key))
        }))
        .bind(column(&rows, |(key, _)| bytes(key)))
        .fetch_all(&mut *tx)
        .await;
    let written = written.and_then(|rows| rows.iter().map(written_row).collect());
    let written: Vec<Written> = written.map_err(failed(DOING))?;
    let (mut new, mut to_merge) = (Vec::new(), Vec::new());
    for row in &written {
        if row.is_to_merge() {
            to_merge.push(row.key.clone());
        } else if let Some(body) = packed.remove(&row.key) {
            new.push((row.key.clone(), row.changes, body));
        }
    }
    if !to_merge.is_empty() {
        new.extend(merge(tx, shard, &to_merge, changed).await?);
    }
    insert(tx, shard, &new).await
}

fn written_row(row: &PgRow) -> Result<Written, sqlx::Error> {
    Ok(Written {
        key: key(row)?,
        changes: row.try_get("changes")?,
        changed_bytes: row.try_get("changed_bytes")?,
        whole_bytes: row.try_get("whole_bytes")?,
    })
}

/// Removes the rows of these keys and returns a new row 0 for each, with the newest changes.
async fn merge(
    tx: &mut PgConnection,
    shard: &Shard,
    keys: &[Key],
    mut changed: BTreeMap<Key, Parts>,
) -> Result<Vec<(Key, i32, Vec<u8>)>, PortError> {
    let names: Vec<&str> = keys.iter().map(Key::as_str).collect();
    let statement = of_shard(
        "DELETE FROM lore_state.part_changes \
         WHERE consumer_group = $1 AND partition = $2 AND key = ANY($3) \
         RETURNING key, number, body",
        shard,
    );
    let rows = statement.bind(&names).fetch_all(&mut *tx).await;
    let stored = rows.and_then(|rows| stored(&rows)).map_err(failed(DOING))?;
    let mut whole = Vec::new();
    for (key, mut parts) in stored {
        parts.extend(changed.remove(&key).unwrap_or_default());
        parts.retain(|_, body| body.is_some());
        whole.push((key, 0, pack(DOING, &parts)?));
    }
    // A key that had no rows has its changes alone.
    for key in keys {
        if let Some(mut parts) = changed.remove(key) {
            parts.retain(|_, body| body.is_some());
            whole.push((key.clone(), 0, pack(DOING, &parts)?));
        }
    }
    let statement = of_shard(
        "UPDATE lore_state.states s \
         SET changes = 0, changed_bytes = 0, whole_bytes = w.bytes \
         FROM unnest($3::text[], $4::bigint[]) AS w (key, bytes) \
         WHERE consumer_group = $1 AND partition = $2 AND s.key = w.key",
        shard,
    );
    let statement = statement
        .bind(column(&whole, |(key, ..)| key.as_str()))
        .bind(column(&whole, |(.., body)| body.len() as i64));
    run(statement, tx).await?;
    Ok(whole)
}

async fn insert(
    tx: &mut PgConnection,
    shard: &Shard,
    rows: &[(Key, i32, Vec<u8>)],
) -> Result<(), PortError> {
    if rows.is_empty() {
        return Ok(());
    }
    let statement = of_shard(
        "INSERT INTO lore_state.part_changes \
         SELECT $1, $2, * FROM unnest($3::text[], $4::int[], $5::bytea[])",
        shard,
    );
    let statement = statement
        .bind(column(rows, |(key, ..)| key.as_str()))
        .bind(column(rows, |(_, number, _)| *number))
        .bind(column(rows, |(.., body)| body.as_slice()));
    run(statement, tx).await
}

/// The parts of rows with their changes, by key.
fn stored(rows: &[PgRow]) -> Result<BTreeMap<Key, Parts>, sqlx::Error> {
    let mut ordered: BTreeMap<(Key, i32), &PgRow> = BTreeMap::new();
    for row in rows {
        ordered.insert((key(row)?, row.try_get("number")?), row);
    }
    let mut all = BTreeMap::<Key, Parts>::new();
    for ((key, _), row) in ordered {
        let changes: Parts =
            unpack(row.try_get("body")?).map_err(|reason| undecodable("body", reason))?;
        all.entry(key).or_default().extend(changes);
    }
    Ok(all)
}

/// States and then their parts: only the owner that asks changes either.
pub(crate) async fn load_states(
    pool: &PgPool,
    shard: &Shard,
    keys: &[Key],
) -> Result<Vec<StateRow>, sqlx::Error> {
    let keys: Vec<&str> = keys.iter().map(Key::as_str).collect();
    let statement = of_shard(
        // Each key is found by the index: with a list, the planner may read the whole table.
        "SELECT s.* FROM unnest($3::text[]) AS k (name) CROSS JOIN LATERAL ( \
             SELECT key, body, wake FROM lore_state.states \
             WHERE consumer_group = $1 AND partition = $2 AND key = k.name OFFSET 0 \
         ) s",
        shard,
    );
    let rows = statement.bind(&keys).fetch_all(pool).await?;
    let statement = of_shard(
        "SELECT p.* FROM unnest($3::text[]) AS k (name) CROSS JOIN LATERAL ( \
             SELECT key, number, body FROM lore_state.part_changes \
             WHERE consumer_group = $1 AND partition = $2 AND key = k.name OFFSET 0 \
         ) p",
        shard,
    );
    let mut parts = stored(&statement.bind(&keys).fetch_all(pool).await?)?;
    let state = |row: &PgRow| {
        let wake: Option<i64> = row.try_get("wake")?;
        let key = key(row)?;
        let parts = parts.remove(&key).unwrap_or_default().into_iter();
        let parts = parts.filter_map(|(name, body)| {
            let body = Some(body?.into_vec());
            Some(PartRow { name, body })
        });
        Ok(StateRow {
            parts: parts.collect(),
            key,
            body: row.try_get("body")?,
            wake: wake.map(Timestamp::from_millis),
        })
    };
    rows.iter().map(state).collect()
}
