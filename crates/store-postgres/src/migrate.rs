//! Bringing a database to the layout of this version.

use threadlore_ports::PortError;

use crate::PostgresStore;
use crate::error::failed;

/// Removes what is left of a layout that lost one of its schemas, with sqlx's
/// record of it, so that everything is made anew and rebuilt from the log. What
/// is left would not fit: positions, outboxes and builds belong together.
const CLEAR_REMAINS: &str = r"
DO $$
DECLARE
    remains text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('threadlore: remains of a layout'));
    IF to_regclass('_sqlx_migrations') IS NULL THEN
        RETURN;
    END IF;
    IF (SELECT count(*) FROM _sqlx_migrations WHERE success AND version <= 2) < 2
        OR (to_regclass('lore_state.shards') IS NOT NULL AND to_regclass('lore.live') IS NOT NULL)
    THEN
        RETURN;
    END IF;
    FOR remains IN
        SELECT nspname FROM pg_namespace
        WHERE nspname IN ('lore_state', 'lore')
        OR nspname ~ '^(messages|cases|channels)_g[0-9]+$'
    LOOP
        EXECUTE format('DROP SCHEMA %I CASCADE', remains);
    END LOOP;
    DELETE FROM _sqlx_migrations;
END
$$";

impl PostgresStore {
    /// Brings the database to the layout of this version, as `migrations/README.md`
    /// says. Of a layout that lost part of itself nothing is kept: the log has it
    /// all. Safe to call from several processes at once.
    ///
    /// # Errors
    /// `Broken` when the database is of a later version or a right is missing.
    pub async fn migrate(&self) -> Result<(), PortError> {
        const DOING: &str = "migrating the database";
        sqlx::raw_sql(CLEAR_REMAINS)
            .execute(&self.pool)
            .await
            .map_err(failed(DOING))?;
        sqlx::migrate!("../../migrations")
            .run(&self.pool)
            .await
            .map_err(|e| match e {
                sqlx::migrate::MigrateError::Execute(e) => failed(DOING)(e),
                other => PortError::Broken {
                    doing: DOING,
                    reason: "the database does not fit this version of Threadlore".to_owned(),
                    source: Some(Box::new(other)),
                },
            })
    }
}
