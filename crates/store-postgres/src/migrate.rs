//! Bringing a database to the layout of this version.

use std::collections::{HashMap, HashSet};

use sqlx::migrate::{MigrateError, Migrator};
use threadlore_fold::tables;
use threadlore_ports::{Generation, PortError, Projection};

use crate::PostgresStore;
use crate::begin::begin;
use crate::error::failed;
use crate::{remains, rollups};

static MIGRATIONS: Migrator = sqlx::migrate!("../../migrations");

impl PostgresStore {
    /// Brings the database to the layout of this version, as `migrations/README.md`
    /// says. Of a layout that lost one of its schemas nothing is kept: the log has
    /// it all. Safe to call from several processes at once.
    ///
    /// # Errors
    /// `Broken` when the database or the tables of a live build are of another version, a right is
    /// missing, or one of our schemas is lost and the others hold what is not ours.
    pub async fn migrate(&self) -> Result<(), PortError> {
        const DOING: &str = "migrating the database";
        remains::clear(&self.pool, &MIGRATIONS).await?;
        // A session of its own: after an error the library leaves its lock to the session, and in
        // the pool that session would live on and hold up the next attempt for ever.
        let session = self.pool.acquire().await.map_err(failed(DOING))?;
        let mut session = session.detach();
        MIGRATIONS.run(&mut session).await.map_err(|e| match e {
            MigrateError::Execute(e) | MigrateError::ExecuteMigration(e, _) => failed(DOING)(e),
            MigrateError::VersionMissing(_) | MigrateError::VersionMismatch(_) => PortError::broken(
                DOING,
                "the database was made by another version of Threadlore: use that version, or an \
                 empty database, which is rebuilt from the log",
            ),
            other => PortError::Broken {
                doing: DOING,
                reason: "the migrations cannot be run".to_owned(),
                source: Some(Box::new(other)),
            },
        })?;
        // A projection of this version that the database does not know yet.
        sqlx::query(
            "INSERT INTO lore.live (projection) SELECT * FROM unnest($1::text[]) \
             ON CONFLICT (projection) DO NOTHING",
        )
        .bind(Projection::ALL.map(Projection::name).to_vec())
        .execute(&self.pool)
        .await
        .map_err(failed(DOING))?;
        self.check_columns().await?;
        self.make_rollups().await.map_err(failed(DOING))
    }

    /// A database of an earlier version may have none yet.
    async fn make_rollups(&self) -> Result<(), sqlx::Error> {
        let there = "SELECT to_regclass('lore.daily') IS NOT NULL";
        if sqlx::query_scalar(there).fetch_one(&self.pool).await? {
            return Ok(());
        }
        let mut tx = begin(&self.pool).await?;
        rollups::drop_all(&mut tx).await?;
        rollups::make_all(&mut tx).await?;
        tx.commit().await
    }

    /// The tables of the live builds have the columns of this version. One that somebody dropped is
    /// not looked at.
    async fn check_columns(&self) -> Result<(), PortError> {
        const DOING: &str = "looking at the tables of the live builds";
        let (mut tx, live) = self.looking_up().await.map_err(failed(DOING))?;
        let builds = Projection::ALL.into_iter();
        let builds: Vec<Generation> = builds.filter_map(|one| live.of(one)).collect();
        let schemas: Vec<String> = builds.iter().map(|build| build.schema()).collect();
        let there: Vec<(String, String, String)> = sqlx::query_as(
            "SELECT table_schema::text, table_name::text, column_name::text \
             FROM information_schema.columns WHERE table_schema = ANY ($1)",
        )
        .bind(schemas)
        .fetch_all(&mut *tx)
        .await
        .map_err(failed(DOING))?;
        let mut columns = HashMap::<(&str, &str), HashSet<&str>>::new();
        for (schema, table, column) in &there {
            columns.entry((schema, table)).or_default().insert(column);
        }
        for build in builds {
            let schema = build.schema();
            for table in tables(build.projection) {
                let Some(has) = columns.get(&(schema.as_str(), table.name)) else {
                    continue;
                };
                let mut wanted = table.columns.iter();
                if let Some(column) = wanted.find(|column| !has.contains(column.name)) {
                    return Err(PortError::broken(
                        DOING,
                        format!(
                            "{schema}.{} was made by another version of Threadlore (it has no column \
                             {}): use that version, or an empty database, which is rebuilt from the \
                             log. The database of a data directory is its directory postgres: stop \
                             what runs, delete that, and start again",
                            table.name, column.name
                        ),
                    ));
                }
            }
        }
        Ok(())
    }
}
