//! Bringing a database to the layout of this version.

use sqlx::migrate::{MigrateError, Migrator};
use threadlore_ports::{PortError, Projection};

use crate::PostgresStore;
use crate::begin::begin;
use crate::error::failed;
use crate::{remains, rollups};

/// Those of a newer version are left alone: it only adds (`migrations/README.md`).
static MIGRATIONS: Migrator = Migrator {
    ignore_missing: true,
    ..sqlx::migrate!("../../migrations")
};

impl PostgresStore {
    /// Brings the database to the layout of this version, as `migrations/README.md`
    /// says. Of a layout that lost one of its schemas nothing is kept: the log has
    /// it all. Safe to call from several processes at once.
    ///
    /// # Errors
    /// `Broken` when a migration is not the one that the database had, a right is missing, or one of our
    /// schemas is lost and the others hold what is not ours.
    pub async fn migrate(&self) -> Result<(), PortError> {
        const DOING: &str = "migrating the database";
        remains::clear(&self.pool, &MIGRATIONS).await?;
        // A session of its own: after an error the library leaves its lock to the session, and in
        // the pool that session would live on and hold up the next attempt for ever.
        let session = self.pool.acquire().await.map_err(failed(DOING))?;
        let mut session = session.detach();
        MIGRATIONS.run(&mut session).await.map_err(|e| match e {
            MigrateError::Execute(e) | MigrateError::ExecuteMigration(e, _) => failed(DOING)(e),
            MigrateError::VersionMismatch(_) => PortError::broken(
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
}
