//! The connection, and [`Store`] but for its `commit`.

use std::collections::{BTreeMap, HashSet};
use std::str::FromStr;
use std::time::Duration;

use async_trait::async_trait;
use serde::de::DeserializeOwned;
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions, PgRow};
use sqlx::{Connection as _, Row as _};
use threadlore_model::{EventId, Group, Key, Offset, Partition, Run, Timestamp, Topic};
use threadlore_ports::{
    Changes, EffectRow, Generation, Marks, OutboxRow, Ownership, PortError, Positions, Projection,
    RESTORING, Shard, StateRow, Store, Wake,
};
use uuid::Uuid;

use crate::begin::begin;
use crate::commit::{of_shard, run};
use crate::error::{failed, natural};
use crate::outbox;
use crate::packed::of_cbor;
use crate::parts::load_states;
use crate::restores::KNOWN;
use crate::together::Together;

/// The store on PostgreSQL. Clones share their connections.
#[derive(Debug, Clone)]
pub struct PostgresStore {
    pub(crate) pool: PgPool,
}

/// An owner that was frozen within a transaction holds the shard's row; the
/// server ends it after this long.
const IDLE_IN_TRANSACTION: &str = "60s";

/// How long a connection may be idle and be used without a question before. It costs a round trip;
/// what breaks in so short a time is answered as a database that is away. A private server that is
/// started again stays away for longer (`pg-local`).
const UNTESTED: Duration = Duration::from_secs(1);

impl PostgresStore {
    /// Connects with at most `connections` at a time. A URL over TCP
    /// (`postgresql://user@host/db`) or over a unix socket
    /// (`postgresql:///db?host=/path&user=x`).
    ///
    /// # Errors
    /// `Broken` for a URL that is none or a database that is not there;
    /// `Unavailable` when the server does not answer within ten seconds.
    pub async fn connect(url: &str, connections: u32) -> Result<Self, PortError> {
        const DOING: &str = "connecting to PostgreSQL";
        let options = PgConnectOptions::from_str(url)
            .map_err(failed(DOING))?
            .application_name("threadlore")
            .options([
                ("idle_in_transaction_session_timeout", IDLE_IN_TRANSACTION),
                // A plan made while a table was empty would scan it for ever.
                ("plan_cache_mode", "force_custom_plan"),
                // What a machine held that is gone without a word is free after a minute.
                ("tcp_keepalives_idle", "30"),
                ("tcp_keepalives_interval", "10"),
                ("tcp_keepalives_count", "3"),
            ]);
        let pool = PgPoolOptions::new()
            .max_connections(connections)
            .acquire_timeout(Duration::from_secs(10))
            // A connection that was used a moment ago is not asked first whether it works.
            .test_before_acquire(false)
            .before_acquire(|connection, about| {
                Box::pin(async move {
                    let untested = about.idle_for <= UNTESTED;
                    Ok(untested || connection.ping().await.is_ok())
                })
            })
            .connect_with(options)
            .await
            .map_err(failed(DOING))?;
        Ok(Self { pool })
    }

    /// Whether the database answers.
    ///
    /// # Errors
    /// `Unavailable` when it does not.
    pub async fn ping(&self) -> Result<(), PortError> {
        const DOING: &str = "asking PostgreSQL for a sign of life";
        let mut connection = self.pool.acquire().await.map_err(failed(DOING))?;
        connection.ping().await.map_err(failed(DOING))
    }

    /// Whether positions in some log are kept here.
    ///
    /// # Errors
    /// `Unavailable` when the database does not answer.
    pub async fn has_positions(&self) -> Result<bool, PortError> {
        const DOING: &str = "looking for positions in PostgreSQL";
        let there = "SELECT to_regclass('lore_state.shards') IS NOT NULL";
        let there: bool = sqlx::query_scalar(there)
            .fetch_one(&self.pool)
            .await
            .map_err(failed(DOING))?;
        if !there {
            return Ok(false);
        }
        let any = sqlx::query_scalar("SELECT EXISTS (SELECT FROM lore_state.shards)");
        any.fetch_one(&self.pool).await.map_err(failed(DOING))
    }

    /// Closes all connections, after what they are doing.
    pub async fn close(&self) {
        self.pool.close().await;
    }

    async fn marks(&self, shard: &Shard) -> Result<Marks, sqlx::Error> {
        sqlx::query(
            "SELECT topic, producer, producer_partition, sequence FROM lore_state.marks \
             WHERE consumer_group = $1 AND partition = $2",
        )
        .bind(shard.group.as_str())
        .bind(shard.partition.0)
        .fetch_all(&self.pool)
        .await?
        .iter()
        .map(|row| {
            let producer = Group::from_name(row.try_get::<String, _>("producer")?);
            let partition = Partition(row.try_get("producer_partition")?);
            let sequence: i64 = row.try_get("sequence")?;
            let sequence = sequence.try_into().unwrap_or(0);
            Ok(((topic(row)?, producer, partition), sequence))
        })
        .collect()
    }
}

pub(crate) fn topic(row: &PgRow) -> Result<Topic, sqlx::Error> {
    let name: &str = row.try_get("topic")?;
    name.parse().map_err(|e: String| undecodable("topic", e))
}

pub(crate) fn key(row: &PgRow) -> Result<Key, sqlx::Error> {
    let text: &str = row.try_get("key")?;
    Key::parse(text).map_err(|e| undecodable("key", e))
}

pub(crate) fn undecodable(
    column: &str,
    source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
) -> sqlx::Error {
    sqlx::Error::ColumnDecode {
        index: column.to_owned(),
        source: source.into(),
    }
}

fn cbor<T: DeserializeOwned>(row: &PgRow, column: &str) -> Result<T, sqlx::Error> {
    of_cbor(row.try_get(column)?).map_err(|reason| undecodable(column, reason))
}

/// Positions as they are in the shard's row.
pub(crate) fn positions_from(text: &str) -> Result<Positions, sqlx::Error> {
    let offsets: BTreeMap<Topic, i64> =
        serde_json::from_str(text).map_err(|e| undecodable("positions", e))?;
    Ok(offsets.into_iter().map(|(t, n)| (t, Offset(n))).collect())
}

#[async_trait]
impl Store for PostgresStore {
    async fn acquire(&self, shard: &Shard) -> Result<Ownership, PortError> {
        const DOING: &str = "becoming the owner of a shard";
        let run = Run::of_group(&shard.group);
        let row = sqlx::query(
            "INSERT INTO lore_state.shards AS s (consumer_group, partition, epoch) \
             SELECT $1, $2, 1 WHERE $3 OR EXISTS ( \
                 SELECT FROM lore.generations \
                 WHERE projection = $4 AND run = $5 AND until IS NULL FOR SHARE \
             ) \
             ON CONFLICT (consumer_group, partition) DO UPDATE SET epoch = s.epoch + 1 \
             RETURNING epoch, sequence, recovered, layout, positions::text AS positions, \
                       decided::text AS decided",
        )
        .bind(shard.group.as_str())
        .bind(shard.partition.0)
        .bind(run == Run::FIRST)
        .bind(Projection::Cases.name())
        .bind(i64::from(run.number()))
        .fetch_optional(&self.pool)
        .await
        .map_err(failed(DOING))?;
        // The lock of the build is for this: whoever ends the run comes before, and there is no row,
        // or after, and deletes it.
        let row = row.ok_or(PortError::Busy {
            doing: DOING,
            reason: "its decision run was dropped",
            source: None,
        })?;
        let read = || -> Result<_, sqlx::Error> {
            let sequence: i64 = row.try_get("sequence")?;
            let positions: &str = row.try_get("positions")?;
            Ok((
                Ownership {
                    epoch: row.try_get("epoch")?,
                    positions: positions_from(positions)?,
                    decided: positions_from(row.try_get("decided")?)?,
                    marks: Marks::new(),
                    sequence: 0,
                    recovered: row.try_get("recovered")?,
                    layout: row.try_get("layout")?,
                },
                sequence,
            ))
        };
        let (mut owner, sequence) = read().map_err(failed(DOING))?;
        owner.sequence = natural(DOING, sequence)?;
        // A restore shut out all owners before it; every later one sees this.
        if self.restoring().await?.is_some() {
            return Err(PortError::Busy {
                doing: DOING,
                reason: RESTORING,
                source: None,
            });
        }
        // Nobody but this owner changes the marks any more.
        owner.marks = self.marks(shard).await.map_err(failed(DOING))?;
        Ok(owner)
    }

    async fn forget(&self, shard: &Shard, epoch: i64, layout: i32) -> Result<(), PortError> {
        const DOING: &str = "forgetting what a shard knows";
        let mut tx = begin(&self.pool).await.map_err(failed(DOING))?;
        // The shard's row stays locked against a new owner until the end.
        let statement = of_shard(
            "UPDATE lore_state.shards \
             SET positions = '{}', recovered = false, layout = $4, \
                 decided = CASE WHEN recovered THEN '{}' ELSE decided END \
             WHERE consumer_group = $1 AND partition = $2 AND epoch = $3",
            shard,
        );
        let ours = statement.bind(epoch).bind(layout).execute(&mut *tx).await;
        if ours.map_err(failed(DOING))?.rows_affected() == 0 {
            return Err(fenced(shard, epoch));
        }
        for table in KNOWN {
            let statement = format!(
                "DELETE FROM lore_state.{table} WHERE consumer_group = $1 AND partition = $2"
            );
            run(of_shard(&statement, shard), &mut tx).await?;
        }
        tx.commit().await.map_err(failed(DOING))
    }

    async fn positions(&self, shard: &Shard) -> Result<Positions, PortError> {
        const DOING: &str = "reading the positions of a shard";
        let text: Option<String> = sqlx::query_scalar(
            "SELECT positions::text FROM lore_state.shards \
             WHERE consumer_group = $1 AND partition = $2",
        )
        .bind(shard.group.as_str())
        .bind(shard.partition.0)
        .fetch_optional(&self.pool)
        .await
        .map_err(failed(DOING))?;
        let positions = text.map(|text| positions_from(&text)).transpose();
        Ok(positions.map_err(failed(DOING))?.unwrap_or_default())
    }

    async fn load(&self, shard: &Shard, keys: &[Key]) -> Result<Vec<StateRow>, PortError> {
        let states = load_states(&self.pool, shard, keys).await;
        states.map_err(failed("loading states"))
    }

    async fn wakes(&self, shard: &Shard) -> Result<Vec<Wake>, PortError> {
        const DOING: &str = "loading what wants to be woken";
        let rows = sqlx::query(
            "SELECT key, wake FROM lore_state.states \
             WHERE consumer_group = $1 AND partition = $2 AND wake IS NOT NULL \
             ORDER BY key COLLATE \"C\"",
        )
        .bind(shard.group.as_str())
        .bind(shard.partition.0)
        .fetch_all(&self.pool)
        .await
        .map_err(failed(DOING))?;
        let read = |row: &PgRow| -> Result<Wake, sqlx::Error> {
            Ok(Wake {
                key: key(row)?,
                at: Timestamp::from_millis(row.try_get("wake")?),
            })
        };
        rows.iter()
            .map(read)
            .collect::<Result<_, _>>()
            .map_err(failed(DOING))
    }

    async fn accepted(
        &self,
        shard: &Shard,
        ids: &[EventId],
    ) -> Result<HashSet<EventId>, PortError> {
        let ids: Vec<Uuid> = ids.iter().map(EventId::as_uuid).collect();
        let known: Vec<Uuid> = sqlx::query_scalar(
            // Each id is found by the index: with a list, the planner may read the whole table.
            "SELECT a.event FROM unnest($3::uuid[]) AS k (id) CROSS JOIN LATERAL ( \
                 SELECT event FROM lore_state.accepted \
                 WHERE consumer_group = $1 AND partition = $2 AND event = k.id OFFSET 0 \
             ) a",
        )
        .bind(shard.group.as_str())
        .bind(shard.partition.0)
        .bind(ids)
        .fetch_all(&self.pool)
        .await
        .map_err(failed("looking for repeats"))?;
        Ok(known.into_iter().map(EventId::from_uuid).collect())
    }

    async fn commit(&self, shard: &Shard, epoch: i64, changes: Changes) -> Result<(), PortError> {
        self.commit_batch(shard, epoch, changes).await
    }

    async fn outbox(
        &self,
        shard: &Shard,
        after: u64,
        max: usize,
    ) -> Result<Vec<OutboxRow>, PortError> {
        outbox::read(&self.pool, shard, after, max).await
    }

    async fn published(&self, shard: &Shard, epoch: i64, through: u64) -> Result<(), PortError> {
        const DOING: &str = "forgetting published events";
        // Locks the shard's row against a new owner until the end. It need not be on
        // disk at once: what a crash brings back is published again and dropped as
        // a repeat.
        let mut all = Together::new(
            shard,
            epoch,
            "SELECT set_config('synchronous_commit', 'off', true) FROM lore_state.shards \
             WHERE consumer_group = $1 AND partition = $2 AND epoch = $3 FOR NO KEY UPDATE",
        );
        outbox::forget(&mut all, through)?;
        let owned = all.select("SELECT FROM owned", &self.pool).await;
        match owned.map_err(failed(DOING))?.is_empty() {
            true => Err(fenced(shard, epoch)),
            false => Ok(()),
        }
    }

    async fn run_of(&self, build: Generation) -> Result<Run, PortError> {
        self.run_shown(build).await
    }

    async fn effects(&self, shard: &Shard) -> Result<Vec<EffectRow>, PortError> {
        const DOING: &str = "loading effects";
        let rows = sqlx::query(
            "SELECT id, key, cause, call, traceparent FROM lore_state.effects \
             WHERE consumer_group = $1 AND partition = $2 ORDER BY id",
        )
        .bind(shard.group.as_str())
        .bind(shard.partition.0)
        .fetch_all(&self.pool)
        .await
        .map_err(failed(DOING))?;
        rows.iter()
            .map(|row| {
                let id: i64 = row.try_get("id").map_err(failed(DOING))?;
                let id = natural(DOING, id)?;
                let read = || -> Result<_, sqlx::Error> {
                    Ok(EffectRow {
                        id,
                        key: key(row)?,
                        cause: cbor(row, "cause")?,
                        call: row.try_get("call")?,
                        traceparent: row.try_get("traceparent")?,
                    })
                };
                read().map_err(failed(DOING))
            })
            .collect()
    }
}

pub(crate) fn fenced(shard: &Shard, epoch: i64) -> PortError {
    PortError::Fenced {
        shard: shard.to_string(),
        epoch,
    }
}
