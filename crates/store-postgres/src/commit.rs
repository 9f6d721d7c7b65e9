//! A batch as one transaction. It begins with the shard's row, where the epoch
//! is ours; everything else is one statement per table.

use std::collections::BTreeMap;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use sqlx::postgres::PgArguments;
use sqlx::query::Query;
use sqlx::{PgConnection, Postgres};
use threadlore_model::{EventId, Topic};
use threadlore_ports::{Changes, EffectRow, Marks, PortError, Positions, Shard};

use crate::PostgresStore;
use crate::begin::begin;
use crate::error::{failed, int};
use crate::outbox;
use crate::packed::cbor;
use crate::parts::write_states;
use crate::store::fenced;
use crate::write::column;

pub(crate) const DOING: &str = "committing a batch";

impl PostgresStore {
    /// It goes on in a task of its own, so that what waits for it can read and decide while a batch
    /// is packed and encoded. It goes on, too, when what waits for it is dropped.
    pub(crate) async fn commit_batch(
        &self,
        shard: &Shard,
        epoch: i64,
        changes: Changes,
    ) -> Result<(), PortError> {
        let (store, shard) = (self.clone(), shard.clone());
        let commit = async move { store.commit_here(&shard, epoch, changes).await };
        let ended = tokio::spawn(commit).await;
        ended.unwrap_or_else(|_| Err(failed(DOING)(sqlx::Error::WorkerCrashed)))
    }

    fn commit_here<'a>(
        &'a self,
        shard: &'a Shard,
        epoch: i64,
        changes: Changes,
    ) -> BoxFuture<'a, Result<(), PortError>> {
        async move {
            let mut tx = begin(&self.pool).await.map_err(failed(DOING))?;
            let owned = of_shard(
                "UPDATE lore_state.shards \
             SET positions = positions || $4::text::jsonb, sequence = $5, recovered = $6 \
             WHERE consumer_group = $1 AND partition = $2 AND epoch = $3",
                shard,
            )
            .bind(epoch)
            .bind(positions_text(&changes.positions)?)
            .bind(int(DOING, changes.sequence)?)
            .bind(changes.recovered)
            .execute(&mut *tx)
            .await
            .map_err(failed(DOING))?;
            if owned.rows_affected() == 0 {
                // Dropping the transaction rolls it back.
                return Err(fenced(shard, epoch));
            }
            write_marks(&mut tx, shard, &changes.marks).await?;
            write_states(&mut tx, shard, changes.states).await?;
            write_accepted(&mut tx, shard, &changes.accepted).await?;
            if changes.published > 0 {
                outbox::forget(&mut tx, shard, changes.published).await?;
            }
            outbox::write(&mut tx, shard, &changes.outbox).await?;
            write_effects(&mut tx, shard, &changes.effects).await?;
            forget_effects(&mut tx, shard, &changes.answered).await?;
            if let Some(batch) = &changes.fold {
                crate::fold::fold(&mut tx, batch).await?;
            }
            tx.commit().await.map_err(failed(DOING))
        }
        .boxed()
    }
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

async fn write_marks(tx: &mut PgConnection, shard: &Shard, marks: &Marks) -> Result<(), PortError> {
    if marks.is_empty() {
        return Ok(());
    }
    let rows: Vec<_> = marks.iter().collect();
    let statement = of_shard(
        "INSERT INTO lore_state.marks \
         SELECT $1, $2, * FROM unnest($3::text[], $4::text[], $5::int[], $6::bigint[]) \
         ON CONFLICT (consumer_group, partition, topic, producer, producer_partition) \
         DO UPDATE SET sequence = excluded.sequence",
        shard,
    );
    let statement = statement
        .bind(column(&rows, |((topic, ..), _)| topic.name()))
        .bind(column(&rows, |((_, producer, _), _)| producer.as_str()))
        .bind(column(&rows, |((.., partition), _)| partition.0))
        .bind(checked(&rows, |(_, sequence)| int(DOING, **sequence))?);
    run(statement, tx).await
}

async fn write_accepted(
    tx: &mut PgConnection,
    shard: &Shard,
    ids: &[EventId],
) -> Result<(), PortError> {
    if ids.is_empty() {
        return Ok(());
    }
    let statement = of_shard(
        "INSERT INTO lore_state.accepted SELECT $1, $2, * FROM unnest($3::uuid[])",
        shard,
    );
    run(statement.bind(column(ids, EventId::as_uuid)), tx).await
}

async fn write_effects(
    tx: &mut PgConnection,
    shard: &Shard,
    rows: &[EffectRow],
) -> Result<(), PortError> {
    if rows.is_empty() {
        return Ok(());
    }
    let statement = of_shard(
        "INSERT INTO lore_state.effects \
         SELECT $1, $2, * FROM unnest($3::bigint[], $4::text[], $5::bytea[], $6::bytea[], \
         $7::text[])",
        shard,
    );
    let statement = statement
        .bind(checked(rows, |row| int(DOING, row.id))?)
        .bind(column(rows, |row| row.key.as_str()))
        .bind(checked(rows, |row| cbor(DOING, &row.cause))?)
        .bind(checked(rows, |row| cbor(DOING, &row.request))?)
        .bind(column(rows, |row| row.traceparent.as_deref()));
    run(statement, tx).await
}

async fn forget_effects(
    tx: &mut PgConnection,
    shard: &Shard,
    answered: &[u64],
) -> Result<(), PortError> {
    if answered.is_empty() {
        return Ok(());
    }
    let statement = of_shard(
        "DELETE FROM lore_state.effects \
         WHERE consumer_group = $1 AND partition = $2 AND id = ANY($3)",
        shard,
    );
    run(statement.bind(checked(answered, |id| int(DOING, *id))?), tx).await
}
