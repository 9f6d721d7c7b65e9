//! Replays that are under way, so that they go on after a pause or a kill, and builds that were
//! folded up to a time.

use std::collections::BTreeMap;

use sqlx::Row as _;
use sqlx::postgres::PgRow;
use threadlore_model::{Offset, Partition, Run, Timestamp};
use threadlore_ports::{Generation, PortError, Projection};

use crate::PostgresStore;
use crate::error::failed;
use crate::generations::{error_of, layout};
use crate::rows::of;
use crate::types::Moment;

/// A replay that is under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replay {
    /// What it fills.
    pub build: Generation,
    /// Of one that goes up to a time: the offsets before which it ends.
    pub ends: Option<BTreeMap<Partition, Offset>>,
    /// Whether it was asked to pause.
    pub is_paused: bool,
}

/// A build, as a list shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Listed {
    /// The build.
    pub build: Generation,
    /// Whether it is fed.
    pub is_fed: bool,
    /// Up to when it was folded, of one that never goes live.
    pub until: Option<Timestamp>,
    /// The decision run that it shows, of a build of cases.
    pub run: Run,
    /// Whether this version made it, or one with the same tables and folds: it reads and feeds no others.
    pub is_own: bool,
}

impl PostgresStore {
    /// Notes that a build is being filled, up to these offsets if it goes up to a time.
    ///
    /// # Errors
    /// `Broken` where a replay of the projection is under way already.
    pub async fn begin_replay(
        &self,
        build: Generation,
        until: Option<(Timestamp, &BTreeMap<Partition, Offset>)>,
    ) -> Result<(), PortError> {
        const DOING: &str = "noting a replay";
        let mut tx = crate::begin::begin(&self.pool)
            .await
            .map_err(failed(DOING))?;
        let ends = until.map(|(_, ends)| {
            let ends: BTreeMap<String, i64> =
                ends.iter().map(|(p, o)| (p.0.to_string(), o.0)).collect();
            serde_json::to_string(&ends)
        });
        let ends = ends
            .transpose()
            .map_err(|e| PortError::broken(DOING, e.to_string()))?;
        sqlx::query(
            "INSERT INTO lore_state.replays (projection, number, ends) \
             VALUES ($1, $2::bigint, $3::text::jsonb)",
        )
        .bind(build.projection.name())
        .bind(i64::from(build.number))
        .bind(ends)
        .execute(&mut *tx)
        .await
        .map_err(failed(DOING))?;
        sqlx::query(
            "UPDATE lore.generations SET until = $3 WHERE projection = $1 AND number = $2::bigint",
        )
        .bind(build.projection.name())
        .bind(i64::from(build.number))
        .bind(until.map(|(time, _)| Moment(time)))
        .execute(&mut *tx)
        .await
        .map_err(failed(DOING))?;
        tx.commit().await.map_err(failed(DOING))
    }

    /// The replay of a projection that is under way.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    pub async fn replay(&self, projection: Projection) -> Result<Option<Replay>, PortError> {
        const DOING: &str = "looking for a replay";
        let row = sqlx::query(
            "SELECT number, ends::text AS ends, paused FROM lore_state.replays \
             WHERE projection = $1",
        )
        .bind(projection.name())
        .fetch_optional(&self.pool)
        .await
        .map_err(failed(DOING))?;
        row.map(|row| read(projection, &row))
            .transpose()
            .map_err(failed(DOING))
    }

    /// Asks the replay of a projection that is under way to pause, or takes that back; whether
    /// there is one.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    pub async fn pause_replay(
        &self,
        projection: Projection,
        paused: bool,
    ) -> Result<bool, PortError> {
        let statement = "UPDATE lore_state.replays SET paused = $2 WHERE projection = $1";
        let asked = sqlx::query(statement).bind(projection.name()).bind(paused);
        let asked = asked.execute(&self.pool).await;
        let asked = asked.map_err(failed("asking a replay to pause"))?;
        Ok(asked.rows_affected() > 0)
    }

    /// Forgets the replay of a projection: it is done, or given up.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    pub async fn end_replay(&self, projection: Projection) -> Result<(), PortError> {
        let statement = "DELETE FROM lore_state.replays WHERE projection = $1";
        let ended = sqlx::query(statement).bind(projection.name());
        let ended = ended.execute(&self.pool).await;
        ended.map(|_| ()).map_err(failed("ending a replay"))
    }

    /// Notes what a comparison with the live build showed, as JSON. It goes with the build.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    pub async fn note_comparison(&self, build: Generation, result: &str) -> Result<(), PortError> {
        let statement = "INSERT INTO lore_state.comparisons (projection, number, result) \
             VALUES ($1, $2::bigint, $3::text::jsonb) \
             ON CONFLICT (projection, number) DO UPDATE SET result = excluded.result";
        let noted = sqlx::query(statement)
            .bind(build.projection.name())
            .bind(i64::from(build.number))
            .bind(result)
            .execute(&self.pool)
            .await;
        noted
            .map(|_| ())
            .map_err(failed("noting a comparison of builds"))
    }

    /// What the last comparison of each build with a live one showed, as [`PostgresStore::note_comparison`] noted it.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    pub async fn comparisons(&self) -> Result<BTreeMap<Generation, String>, PortError> {
        const DOING: &str = "reading comparisons of builds";
        let statement = "SELECT projection, number, result::text FROM lore_state.comparisons";
        let read: Result<Vec<(String, i32, String)>, _> =
            sqlx::query_as(statement).fetch_all(&self.pool).await;
        let one = |(projection, number, result): (String, i32, String)| {
            let build = Generation {
                projection: projection
                    .parse()
                    .map_err(|e| PortError::broken(DOING, e))?,
                number: number.unsigned_abs(),
            };
            Ok((build, result))
        };
        read.map_err(failed(DOING))?.into_iter().map(one).collect()
    }

    /// All builds, ascending, with what a list shows of them.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    pub async fn builds(&self) -> Result<Vec<Listed>, PortError> {
        const DOING: &str = "listing builds";
        let rows =
            sqlx::query("SELECT projection, number, fed, until, run, layout FROM lore.generations")
                .fetch_all(&self.pool)
                .await
                .map_err(failed(DOING))?;
        let mut builds = Vec::new();
        for row in &rows {
            let name: String = row.try_get("projection").map_err(failed(DOING))?;
            let number: i32 = row.try_get("number").map_err(failed(DOING))?;
            let run: i32 = row.try_get("run").map_err(failed(DOING))?;
            let until: Option<Moment> = row.try_get("until").map_err(failed(DOING))?;
            let made_by: String = row.try_get("layout").map_err(failed(DOING))?;
            let projection: Result<Projection, String> = name.parse();
            let projection = projection.map_err(|e| PortError::broken(DOING, e))?;
            builds.push(Listed {
                build: Generation {
                    projection,
                    number: number.unsigned_abs(),
                },
                is_own: made_by == layout(projection),
                is_fed: row.try_get("fed").map_err(failed(DOING))?,
                until: until.map(|Moment(at)| at),
                run: Run::new(run.unsigned_abs()),
            });
        }
        builds.sort_unstable_by_key(|listed| listed.build);
        Ok(builds)
    }

    /// Bytes of the tables of a build on disk, indexes included.
    ///
    /// # Errors
    /// `Broken` when there is no such build; `Unavailable` as the name says.
    pub async fn bytes(&self, build: Generation) -> Result<u64, PortError> {
        const DOING: &str = "measuring a build";
        let mut bytes = 0;
        for table in threadlore_fold::tables(build.projection) {
            let statement = format!("SELECT pg_total_relation_size('{{schema}}.{}')", table.name);
            let size: i64 = sqlx::query_scalar(&of(&statement, build))
                .fetch_one(&self.pool)
                .await
                .map_err(|e| error_of(build, DOING, e))?;
            bytes += size.unsigned_abs();
        }
        Ok(bytes)
    }

    /// Whether the tables of a build are there: its schema may have been dropped by hand.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    pub async fn has_tables(&self, build: Generation) -> Result<bool, PortError> {
        const DOING: &str = "looking for the tables of a build";
        for table in threadlore_fold::tables(build.projection) {
            let there: bool = sqlx::query_scalar("SELECT to_regclass($1) IS NOT NULL")
                .bind(format!("{}.{}", build.schema(), table.name))
                .fetch_one(&self.pool)
                .await
                .map_err(failed(DOING))?;
            if !there {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn read(projection: Projection, row: &PgRow) -> Result<Replay, sqlx::Error> {
    let number: i32 = row.try_get("number")?;
    let ends: Option<String> = row.try_get("ends")?;
    let ends = ends.map(|text| {
        let ends: BTreeMap<i32, i64> = serde_json::from_str(&text)
            .map_err(|e| sqlx::Error::Decode(format!("the ends of a replay: {e}").into()))?;
        let ends = ends.into_iter();
        Ok::<_, sqlx::Error>(ends.map(|(p, o)| (Partition(p), Offset(o))).collect())
    });
    Ok(Replay {
        build: Generation {
            projection,
            number: number.unsigned_abs(),
        },
        ends: ends.transpose()?,
        is_paused: row.try_get("paused")?,
    })
}
