//! A batch as one transaction. What it changes of the shard's own rows is one statement, which does
//! nothing where the epoch is not ours.

use std::collections::BTreeMap;

use sqlx::postgres::PgArguments;
use sqlx::query::Query;
use sqlx::{PgConnection, PgExecutor, Postgres};
use threadlore_model::{EventId, Key, Topic};
use threadlore_ports::{Changes, EffectRow, Marks, PortError, Positions, Shard};
use tokio::runtime::Handle;

use crate::PostgresStore;
use crate::begin::begin;
use crate::error::{failed, int};
use crate::packed::cbor;
use crate::store::fenced;
use crate::together::{IS_OURS, Together};
use crate::write::column;
use crate::{outbox, parts};

pub(crate) const DOING: &str = "committing a batch";

/// Events that are folded on a thread of their own: it takes some milliseconds.
const LARGE: usize = 1000;

impl PostgresStore {
    /// It goes on in a task of its own, so that what waits for it can read and decide while a batch
    /// is packed and encoded; a large one on a thread of its own, so that others' tasks need not
    /// wait meanwhile. It goes on, too, when what waits for it is dropped.
    pub(crate) async fn commit_batch(
        &self,
        shard: &Shard,
        epoch: i64,
        changes: Changes,
    ) -> Result<(), PortError> {
        let (store, shard) = (self.clone(), shard.clone());
        let is_large = changes
            .fold
            .as_ref()
            .is_some_and(|f| f.events.len() > LARGE);
        let commit = async move { store.commit_here(&shard, epoch, changes).await };
        let ended = if is_large {
            let runtime = Handle::current();
            tokio::task::spawn_blocking(move || runtime.block_on(commit)).await
        } else {
            tokio::spawn(commit).await
        };
        ended.unwrap_or_else(|_| Err(failed(DOING)(sqlx::Error::WorkerCrashed)))
    }

    async fn commit_here(
        &self,
        shard: &Shard,
        epoch: i64,
        mut changes: Changes,
    ) -> Result<(), PortError> {
        let fold = changes.fold.take();
        let all = together(shard, epoch, changes)?;
        let to_merge = match fold {
            None => written(all, shard, epoch, &self.pool).await?,
            Some(batch) => {
                let mut tx = begin(&self.pool).await.map_err(failed(DOING))?;
                // Dropping the transaction rolls it back.
                let to_merge = written(all, shard, epoch, &mut *tx).await?;
                crate::fold::fold(&mut tx, &batch).await?;
                tx.commit().await.map_err(failed(DOING))?;
                to_merge
            }
        };
        if to_merge.is_empty() {
            return Ok(());
        }
        parts::merge(&self.pool, shard, epoch, &to_merge).await
    }
}

/// What a commit changes of the shard's own rows.
fn together(shard: &Shard, epoch: i64, changes: Changes) -> Result<Together, PortError> {
    let mut all = Together::new(
        shard,
        epoch,
        "UPDATE lore_state.shards \
         SET positions = positions || $4::text::jsonb, sequence = $5, recovered = $6 \
         WHERE consumer_group = $1 AND partition = $2 AND epoch = $3 RETURNING true",
    );
    all.bind(positions_text(&changes.positions)?)
        .bind(int(DOING, changes.sequence)?)
        .bind(changes.recovered);
    write_marks(&mut all, &changes.marks)?;
    parts::write_states(&mut all, changes.states)?;
    write_accepted(&mut all, &changes.accepted);
    if changes.published > 0 {
        outbox::forget(&mut all, changes.published)?;
    }
    outbox::write(&mut all, &changes.outbox)?;
    write_effects(&mut all, &changes.effects)?;
    forget_effects(&mut all, &changes.answered)?;
    Ok(all)
}

/// Runs them, where the shard is ours; keys whose parts are to be merged.
async fn written(
    all: Together,
    shard: &Shard,
    epoch: i64,
    on: impl PgExecutor<'_>,
) -> Result<Vec<Key>, PortError> {
    let rows = all.select(parts::TO_MERGE, on).await;
    let rows = rows.map_err(failed(DOING))?;
    if rows.is_empty() {
        return Err(fenced(shard, epoch));
    }
    parts::to_merge(&rows).map_err(failed(DOING))
}

fn positions_text(positions: &Positions) -> Result<String, PortError> {
    let offsets: BTreeMap<Topic, i64> = positions.iter().map(|(t, o)| (*t, o.0)).collect();
    serde_json::to_string(&offsets).map_err(|e| PortError::broken(DOING, e.to_string()))
}

pub(crate) type Statement<'q> = Query<'q, Postgres, PgArguments>;

/// A statement on rows of the shard, which is `$1` and `$2`; columns follow.
pub(crate) fn of_shard<'q>(statement: &'q str, shard: &'q Shard) -> Statement<'q> {
    let statement = sqlx::query(statement);
    statement.bind(shard.group.as_str()).bind(shard.partition.0)
}

pub(crate) async fn run(statement: Statement<'_>, tx: &mut PgConnection) -> Result<(), PortError> {
    let done = statement.execute(tx).await;
    done.map(|_| ()).map_err(failed(DOING))
}

/// As [`column`], where a value may not fit.
pub(crate) fn checked<R, T>(
    rows: &[R],
    of: impl Fn(&R) -> Result<T, PortError>,
) -> Result<Vec<T>, PortError> {
    rows.iter().map(of).collect()
}

fn write_marks(all: &mut Together, marks: &Marks) -> Result<(), PortError> {
    if marks.is_empty() {
        return Ok(());
    }
    let rows: Vec<_> = marks.iter().collect();
    all.part(
        "marked",
        &format!(
            "INSERT INTO lore_state.marks \
             SELECT $1, $2, * FROM unnest($3::text[], $4::text[], $5::int[], $6::bigint[]) \
             WHERE {IS_OURS} \
             ON CONFLICT (consumer_group, partition, topic, producer, producer_partition) \
             DO UPDATE SET sequence = excluded.sequence"
        ),
    )
    .bind(column(&rows, |((topic, ..), _)| topic.name()))
    .bind(column(&rows, |((_, producer, _), _)| producer.as_str()))
    .bind(column(&rows, |((.., partition), _)| partition.0))
    .bind(checked(&rows, |(_, sequence)| int(DOING, **sequence))?);
    Ok(())
}

fn write_accepted(all: &mut Together, ids: &[EventId]) {
    if ids.is_empty() {
        return;
    }
    all.part(
        "accepted",
        &format!(
            "INSERT INTO lore_state.accepted \
             SELECT $1, $2, * FROM unnest($3::uuid[]) WHERE {IS_OURS}"
        ),
    )
    .bind(column(ids, EventId::as_uuid));
}

fn write_effects(all: &mut Together, rows: &[EffectRow]) -> Result<(), PortError> {
    if rows.is_empty() {
        return Ok(());
    }
    all.part(
        "asked",
        &format!(
            "INSERT INTO lore_state.effects \
             SELECT $1, $2, * FROM unnest($3::bigint[], $4::text[], $5::bytea[], $6::bytea[], \
             $7::text[]) WHERE {IS_OURS}"
        ),
    )
    .bind(checked(rows, |row| int(DOING, row.id))?)
    .bind(column(rows, |row| row.key.as_str()))
    .bind(checked(rows, |row| cbor(DOING, &row.cause))?)
    .bind(column(rows, |row| row.call.as_slice()))
    .bind(column(rows, |row| row.traceparent.as_deref()));
    Ok(())
}

fn forget_effects(all: &mut Together, answered: &[u64]) -> Result<(), PortError> {
    if answered.is_empty() {
        return Ok(());
    }
    all.part(
        "answered",
        &format!(
            "DELETE FROM lore_state.effects \
             WHERE consumer_group = $1 AND partition = $2 AND id = ANY($3) AND {IS_OURS}"
        ),
    )
    .bind(checked(answered, |id| int(DOING, *id))?);
    Ok(())
}
