//! A batch as one transaction. It begins with the shard's row, where the epoch
//! is ours; everything else is one statement per table over arrays.

use std::collections::BTreeMap;

use serde::Serialize;
use sqlx::PgConnection;
use threadlore_model::{EventId, Topic};
use threadlore_ports::{
    Changes, EffectRow, Marks, OutboxRow, PortError, Positions, Shard, StateRow,
};
use uuid::Uuid;

use crate::PostgresStore;
use crate::error::{failed, int};
use crate::store::fenced;

pub(crate) const DOING: &str = "committing a batch";

impl PostgresStore {
    pub(crate) async fn commit_batch(
        &self,
        shard: &Shard,
        epoch: i64,
        changes: Changes,
    ) -> Result<(), PortError> {
        let mut tx = self.pool.begin().await.map_err(failed(DOING))?;
        let owned = sqlx::query(
            "UPDATE lore_state.shards \
             SET positions = positions || $4::text::jsonb, sequence = $5, recovered = $6 \
             WHERE consumer_group = $1 AND partition = $2 AND epoch = $3",
        )
        .bind(shard.group.as_str())
        .bind(shard.partition.0)
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
        write_outbox(&mut tx, shard, &changes.outbox).await?;
        write_effects(&mut tx, shard, &changes.effects).await?;
        forget_effects(&mut tx, shard, &changes.answered).await?;
        if let Some(batch) = &changes.fold {
            crate::fold::fold(&mut tx, batch).await?;
        }
        tx.commit().await.map_err(failed(DOING))
    }
}

fn positions_text(positions: &Positions) -> Result<String, PortError> {
    let offsets: BTreeMap<Topic, i64> = positions.iter().map(|(t, o)| (*t, o.0)).collect();
    serde_json::to_string(&offsets).map_err(|e| PortError::broken(DOING, e.to_string()))
}

async fn write_marks(tx: &mut PgConnection, shard: &Shard, marks: &Marks) -> Result<(), PortError> {
    if marks.is_empty() {
        return Ok(());
    }
    let (mut topics, mut producers, mut partitions, mut sequences) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for ((topic, producer, partition), sequence) in marks {
        topics.push(topic.name());
        producers.push(producer.as_str());
        partitions.push(partition.0);
        sequences.push(int(DOING, *sequence)?);
    }
    sqlx::query(
        "INSERT INTO lore_state.marks \
         SELECT $1, $2, * FROM unnest($3::text[], $4::text[], $5::int[], $6::bigint[]) \
         ON CONFLICT (consumer_group, partition, topic, producer, producer_partition) \
         DO UPDATE SET sequence = excluded.sequence",
    )
    .bind(shard.group.as_str())
    .bind(shard.partition.0)
    .bind(topics)
    .bind(producers)
    .bind(partitions)
    .bind(sequences)
    .execute(tx)
    .await
    .map_err(failed(DOING))?;
    Ok(())
}

async fn write_states(
    tx: &mut PgConnection,
    shard: &Shard,
    states: Vec<StateRow>,
) -> Result<(), PortError> {
    if states.is_empty() {
        return Ok(());
    }
    // One statement may touch a row once: the last state of a key stands.
    let states: BTreeMap<_, _> = states
        .into_iter()
        .map(|s| (s.key, (s.body, s.wake)))
        .collect();
    let (mut keys, mut bodies, mut wakes) = (Vec::new(), Vec::new(), Vec::new());
    for (key, (body, wake)) in states {
        keys.push(key.as_str().to_owned());
        bodies.push(body);
        wakes.push(wake.map(threadlore_model::Timestamp::as_millis));
    }
    sqlx::query(
        "INSERT INTO lore_state.states \
         SELECT $1, $2, * FROM unnest($3::text[], $4::bytea[], $5::bigint[]) \
         ON CONFLICT (consumer_group, partition, key) \
         DO UPDATE SET body = excluded.body, wake = excluded.wake",
    )
    .bind(shard.group.as_str())
    .bind(shard.partition.0)
    .bind(keys)
    .bind(bodies)
    .bind(wakes)
    .execute(tx)
    .await
    .map_err(failed(DOING))?;
    Ok(())
}

async fn write_accepted(
    tx: &mut PgConnection,
    shard: &Shard,
    ids: &[EventId],
) -> Result<(), PortError> {
    if ids.is_empty() {
        return Ok(());
    }
    let ids: Vec<Uuid> = ids.iter().map(EventId::as_uuid).collect();
    sqlx::query("INSERT INTO lore_state.accepted SELECT $1, $2, * FROM unnest($3::uuid[])")
        .bind(shard.group.as_str())
        .bind(shard.partition.0)
        .bind(ids)
        .execute(tx)
        .await
        .map_err(failed(DOING))?;
    Ok(())
}

async fn write_outbox(
    tx: &mut PgConnection,
    shard: &Shard,
    rows: &[OutboxRow],
) -> Result<(), PortError> {
    if rows.is_empty() {
        return Ok(());
    }
    let (mut sequences, mut topics, mut ends, mut events) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for row in rows {
        sequences.push(int(DOING, row.sequence)?);
        topics.push(row.topic.name());
        ends.push(row.ends_decision);
        events.push(cbor(&row.event)?);
    }
    sqlx::query(
        "INSERT INTO lore_state.outbox \
         SELECT $1, $2, * FROM unnest($3::bigint[], $4::text[], $5::boolean[], $6::bytea[])",
    )
    .bind(shard.group.as_str())
    .bind(shard.partition.0)
    .bind(sequences)
    .bind(topics)
    .bind(ends)
    .bind(events)
    .execute(tx)
    .await
    .map_err(failed(DOING))?;
    Ok(())
}

async fn write_effects(
    tx: &mut PgConnection,
    shard: &Shard,
    rows: &[EffectRow],
) -> Result<(), PortError> {
    if rows.is_empty() {
        return Ok(());
    }
    let (mut ids, mut keys, mut causes, mut requests) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for row in rows {
        ids.push(int(DOING, row.id)?);
        keys.push(row.key.as_str());
        causes.push(cbor(&row.cause)?);
        requests.push(cbor(&row.request)?);
    }
    sqlx::query(
        "INSERT INTO lore_state.effects \
         SELECT $1, $2, * FROM unnest($3::bigint[], $4::text[], $5::bytea[], $6::bytea[])",
    )
    .bind(shard.group.as_str())
    .bind(shard.partition.0)
    .bind(ids)
    .bind(keys)
    .bind(causes)
    .bind(requests)
    .execute(tx)
    .await
    .map_err(failed(DOING))?;
    Ok(())
}

async fn forget_effects(
    tx: &mut PgConnection,
    shard: &Shard,
    answered: &[u64],
) -> Result<(), PortError> {
    if answered.is_empty() {
        return Ok(());
    }
    let ids = answered
        .iter()
        .map(|id| int(DOING, *id))
        .collect::<Result<Vec<i64>, _>>()?;
    sqlx::query(
        "DELETE FROM lore_state.effects \
         WHERE consumer_group = $1 AND partition = $2 AND id = ANY($3)",
    )
    .bind(shard.group.as_str())
    .bind(shard.partition.0)
    .bind(ids)
    .execute(tx)
    .await
    .map_err(failed(DOING))?;
    Ok(())
}

/// Fails for an event whose private fields are still open.
fn cbor<T: Serialize>(value: &T) -> Result<Vec<u8>, PortError> {
    let mut bytes = Vec::new();
    ciborium::into_writer(value, &mut bytes)
        .map_err(|e| PortError::broken(DOING, format!("encoding a row: {e}")))?;
    Ok(bytes)
}
