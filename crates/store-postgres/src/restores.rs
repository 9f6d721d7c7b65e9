//! Positions of every shard, for an export; and keeping all shards without an owner, for
//! a restore.

use sqlx::Row as _;
use threadlore_model::{Group, Partition, Role};
use threadlore_ports::{PortError, Positions, Shard};

use crate::PostgresStore;
use crate::begin::begin;
use crate::error::{failed, natural};
use crate::store::positions_from;

/// Positions of a shard.
#[derive(Debug, Clone)]
pub struct Stand {
    /// Which one.
    pub shard: Shard,
    /// The last sequence it gave to an event; the events up to it were decided, and
    /// are in the log or in the outbox.
    pub sequence: u64,
    /// Whether its state holds all that the log says was decided.
    pub recovered: bool,
    /// What it reads next.
    pub positions: Positions,
}

/// A restore that is under way, or was cut off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restoring {
    /// The space.
    pub space: String,
    /// Digest of what is restored.
    pub digest: String,
    /// Whether records may have been appended already.
    pub begun: bool,
}

/// Tables of `lore_state` with what a shard knows.
pub(crate) const KNOWN: [&str; 6] = [
    "states",
    "part_changes",
    "accepted",
    "outbox",
    "effects",
    "marks",
];

impl PostgresStore {
    /// Positions of all shards, at one moment.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    pub async fn stands(&self) -> Result<Vec<Stand>, PortError> {
        const DOING: &str = "reading where the shards stand";
        let rows = sqlx::query(
            "SELECT consumer_group, partition, sequence, recovered, \
                    positions::text AS positions \
             FROM lore_state.shards",
        )
        .fetch_all(&self.pool)
        .await
        .map_err(failed(DOING))?;
        let read = |row: &sqlx::postgres::PgRow| -> Result<_, sqlx::Error> {
            let shard = Shard {
                group: Group::from_name(row.try_get::<String, _>("consumer_group")?),
                partition: Partition(row.try_get("partition")?),
            };
            let positions = positions_from(row.try_get("positions")?)?;
            let sequence: i64 = row.try_get("sequence")?;
            Ok((shard, sequence, row.try_get("recovered")?, positions))
        };
        let stand = |row| {
            let (shard, sequence, recovered, positions) = read(row).map_err(failed(DOING))?;
            Ok(Stand {
                shard,
                sequence: natural(DOING, sequence)?,
                recovered,
                positions,
            })
        };
        rows.iter().map(stand).collect()
    }

    /// The restore that is under way, or was cut off.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    pub async fn restoring(&self) -> Result<Option<Restoring>, PortError> {
        let row = sqlx::query_as("SELECT space, digest, begun FROM lore_state.restores")
            .fetch_optional(&self.pool)
            .await
            .map_err(failed("looking for a restore"))?;
        Ok(row.map(|(space, digest, begun)| Restoring {
            space,
            digest,
            begun,
        }))
    }

    /// Shuts out the owners of all shards, and lets none be acquired until
    /// [`PostgresStore::release`]. What an owner had committed before stays.
    ///
    /// # Errors
    /// `Refused` when a restore is under way already.
    pub async fn halt(&self, space: &str, digest: &str) -> Result<(), PortError> {
        const DOING: &str = "keeping the roles from working";
        let halted = async {
            let mut tx = begin(&self.pool).await?;
            // Whoever is about to acquire comes before the epochs below, or sees the row.
            sqlx::query("LOCK TABLE lore_state.shards IN EXCLUSIVE MODE")
                .execute(&mut *tx)
                .await?;
            let made = sqlx::query(
                "INSERT INTO lore_state.restores (space, digest) VALUES ($1, $2) \
                 ON CONFLICT DO NOTHING",
            )
            .bind(space)
            .bind(digest)
            .execute(&mut *tx)
            .await?;
            sqlx::query("UPDATE lore_state.shards SET epoch = epoch + 1")
                .execute(&mut *tx)
                .await?;
            tx.commit().await?;
            Ok(made.rows_affected() == 1)
        };
        match halted.await.map_err(failed(DOING))? {
            true => Ok(()),
            false => Err(PortError::Refused {
                doing: DOING,
                reason: "another restore is under way".to_owned(),
            }),
        }
    }

    /// Forgets what shards of these roles and partitions know, but for how far they had
    /// decided: their next owners take it from the log. Only while [`PostgresStore::halt`] holds;
    /// from now on records may be appended.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    pub async fn forget_partitions(
        &self,
        roles: &[Role],
        partitions: &[Partition],
    ) -> Result<(), PortError> {
        let roles: Vec<&str> = roles.iter().map(|role| role.name()).collect();
        let partitions: Vec<i32> = partitions.iter().map(|partition| partition.0).collect();
        const THESE: &str = "split_part(consumer_group, '.', 1) = ANY($1) AND partition = ANY($2)";
        let forgot = async {
            let mut tx = begin(&self.pool).await?;
            for table in KNOWN {
                sqlx::query(&format!("DELETE FROM lore_state.{table} WHERE {THESE}"))
                    .bind(&roles)
                    .bind(&partitions)
                    .execute(&mut *tx)
                    .await?;
            }
            sqlx::query(&format!(
                "UPDATE lore_state.shards \
                 SET decided = CASE WHEN recovered THEN positions ELSE decided END, \
                     positions = '{{}}', recovered = false \
                 WHERE {THESE}"
            ))
            .bind(&roles)
            .bind(&partitions)
            .execute(&mut *tx)
            .await?;
            sqlx::query("UPDATE lore_state.restores SET begun = true")
                .execute(&mut *tx)
                .await?;
            tx.commit().await
        };
        forgot.await.map_err(failed("forgetting what shards know"))
    }

    /// Lets shards be acquired again.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    pub async fn release(&self) -> Result<(), PortError> {
        sqlx::query("DELETE FROM lore_state.restores")
            .execute(&self.pool)
            .await
            .map_err(failed("letting the roles work again"))?;
        Ok(())
    }
}
