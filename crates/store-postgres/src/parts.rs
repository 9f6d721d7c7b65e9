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

use crate::begin::begin;
use crate::commit::{DOING, of_shard, run};
use crate::error::failed;
use crate::packed::{pack, unpack};
use crate::store::{fenced, key, undecodable};
use crate::together::{IS_OURS, Together};
use crate::write::column;

/// Bytes of changes that are never merged for their size: a small state changes wholly all the
/// time.
const FEW_BYTES: i64 = 64 * 1024;
/// Rows of changes at most, for states that are much larger than what changes of them.
const MOST_CHANGES: i32 = 1000;

/// Bodies by name; `None` for a part that is gone.
type Parts = BTreeMap<String, Option<ByteBuf>>;

/// Selects the keys whose changes are to become a new row 0. A row without a key says that nothing
/// is to be done, and no row that nothing was written.
pub(crate) const TO_MERGE: &str = "SELECT w.key FROM owned LEFT JOIN written w ON w.is_to_merge";

/// Writes states that changed with the parts that did.
pub(crate) fn write_states(all: &mut Together, states: Vec<StateRow>) -> Result<(), PortError> {
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
    let mut packed = Vec::new();
    for (key, parts) in &changed {
        packed.push((key, pack(DOING, parts)?));
    }
    if rows.is_empty() {
        all.part("written", "SELECT NULL::text AS key, false AS is_to_merge");
        return Ok(());
    }
    let sizes: BTreeMap<&Key, i64> = packed
        .iter()
        .map(|(key, body)| (*key, body.len() as i64))
        .collect();
    let rows: Vec<_> = rows.into_iter().collect();
    all.part(
        "written",
        &format!(
            "INSERT INTO lore_state.states AS s \
             (consumer_group, partition, key, body, wake, changes, changed_bytes) \
             SELECT $1, $2, * FROM unnest($3::text[], $4::bytea[], $5::bigint[], $6::int[], \
             $7::bigint[]) WHERE {IS_OURS} \
             ON CONFLICT (consumer_group, partition, key) \
             DO UPDATE SET body = excluded.body, wake = excluded.wake, \
                 changes = s.changes + excluded.changes, \
                 changed_bytes = s.changed_bytes + excluded.changed_bytes \
             RETURNING key, changes, changed_bytes > greatest(whole_bytes, $8) OR changes > $9 \
                 AS is_to_merge"
        ),
    )
    .bind(column(&rows, |(key, _)| key.as_str()))
    .bind(column(&rows, |(_, (body, _))| body.as_slice()))
    .bind(column(&rows, |(_, (_, wake))| *wake))
    .bind(column(&rows, |(key, _)| i32::from(sizes.contains_key(key))))
    .bind(column(&rows, |(key, _)| {
        sizes.get(key).copied().unwrap_or(0)
    }))
    .bind(FEW_BYTES)
    .bind(MOST_CHANGES);
    if packed.is_empty() {
        return Ok(());
    }
    all.part(
        "changed",
        "INSERT INTO lore_state.part_changes \
         SELECT $1, $2, w.key, w.changes, p.body \
         FROM unnest($3::text[], $4::bytea[]) AS p (key, body) JOIN written w ON w.key = p.key",
    )
    .bind(column(&packed, |(key, _)| key.as_str()))
    .bind(column(&packed, |(_, body)| body.as_slice()));
    Ok(())
}

/// The keys of [`TO_MERGE`].
pub(crate) fn to_merge(rows: &[PgRow]) -> Result<Vec<Key>, sqlx::Error> {
    let mut keys = Vec::new();
    for row in rows {
        if row.try_get::<Option<&str>, _>("key")?.is_some() {
            keys.push(key(row)?);
        }
    }
    Ok(keys)
}

/// Makes all rows of these keys one row 0 each. It changes nothing that a reader sees: where it is
/// cut off, the next commit finds the keys again.
pub(crate) async fn merge(
    pool: &PgPool,
    shard: &Shard,
    epoch: i64,
    keys: &[Key],
) -> Result<(), PortError> {
    let mut tx = begin(pool).await.map_err(failed(DOING))?;
    if !is_ours(&mut tx, shard, epoch).await? {
        return Err(fenced(shard, epoch));
    }
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
        parts.retain(|_, body| body.is_some());
        whole.push((key, pack(DOING, &parts)?));
    }
    let statement = of_shard(
        "WITH w AS (SELECT * FROM unnest($3::text[], $4::bytea[]) AS w (key, body)), \
         new AS (INSERT INTO lore_state.part_changes SELECT $1, $2, key, 0, body FROM w) \
         UPDATE lore_state.states s \
         SET changes = 0, changed_bytes = 0, whole_bytes = octet_length(w.body) FROM w \
         WHERE s.consumer_group = $1 AND s.partition = $2 AND s.key = w.key",
        shard,
    );
    let statement = statement
        .bind(column(&whole, |(key, _)| key.as_str()))
        .bind(column(&whole, |(_, body)| body.as_slice()));
    run(statement, &mut tx).await?;
    tx.commit().await.map_err(failed(DOING))
}

/// Whether the epoch is ours, which it is then until the end of the transaction.
async fn is_ours(tx: &mut PgConnection, shard: &Shard, epoch: i64) -> Result<bool, PortError> {
    let statement = of_shard(
        "SELECT FROM lore_state.shards \
         WHERE consumer_group = $1 AND partition = $2 AND epoch = $3 FOR NO KEY UPDATE",
        shard,
    );
    let row = statement.bind(epoch).fetch_optional(tx).await;
    Ok(row.map_err(failed(DOING))?.is_some())
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
