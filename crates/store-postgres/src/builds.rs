//! Which builds are fed, and the advisory locks of several processes on one database: on the
//! builds of a projection, on restores, on the inbox, and on connections of gateways.

use sqlx::{Connection as _, PgConnection};
use threadlore_ports::{Generation, PortError, Projection};

use crate::PostgresStore;
use crate::error::failed;
use crate::generations::{does_not_exist, is_lock_timeout, layout, listed};

/// The right to make, switch, hold back and drop builds of a projection, to restore, to read or
/// truncate the inbox, or to be connected with a platform; it ends when this is dropped, or with its process.
#[derive(Debug)]
pub struct AdvisoryLock {
    // Its session holds the lock.
    connection: PgConnection,
}

impl AdvisoryLock {
    /// Whether the session that holds it stands. Where it broke off, another process may have it.
    pub async fn stands(&mut self) -> bool {
        let asked = sqlx::query("SELECT").execute(&mut self.connection).await;
        asked.is_ok()
    }
}

/// What is locked while the inbox is read or truncated.
const INBOX: &str = "inbox";

impl PostgresStore {
    /// The builds that this version is to feed, ascending: those of its layout.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    pub async fn fed(&self) -> Result<Vec<Generation>, PortError> {
        const DOING: &str = "listing the builds that are fed";
        let statement = "SELECT projection, number FROM lore.generations \
             JOIN unnest($1::text[], $2::text[]) AS own (projection, layout) \
             USING (projection, layout) WHERE fed";
        let rows = sqlx::query_as(statement)
            .bind(Projection::ALL.map(Projection::name).to_vec())
            .bind(Projection::ALL.map(layout).to_vec())
            .fetch_all(&self.pool)
            .await
            .map_err(failed(DOING))?;
        listed(DOING, rows)
    }

    /// Has a build fed, or held back. One that was made is held back at first.
    ///
    /// # Errors
    /// `Refused` when it does not exist.
    pub async fn feed(&self, build: Generation, fed: bool) -> Result<(), PortError> {
        const DOING: &str = "choosing whether a build is fed";
        let changed = sqlx::query(
            "UPDATE lore.generations SET fed = $3 WHERE projection = $1 AND number = $2",
        )
        .bind(build.projection.name())
        .bind(i64::from(build.number))
        .bind(fed)
        .execute(&self.pool)
        .await
        .map_err(failed(DOING))?;
        if changed.rows_affected() == 0 {
            return Err(PortError::Refused {
                doing: DOING,
                reason: does_not_exist(build),
            });
        }
        Ok(())
    }

    /// Locks the builds of a projection; `None` while they are locked, here or in another process.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    pub async fn lock_builds(
        &self,
        projection: Projection,
    ) -> Result<Option<AdvisoryLock>, PortError> {
        self.lock_briefly(&format!("builds of {}", projection.name()))
            .await
    }

    /// Whether somebody has locked the builds of a projection, here or in another process.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    pub async fn are_builds_locked(&self, projection: Projection) -> Result<bool, PortError> {
        // How the server shows the lock of one number of 64 bits.
        const STATEMENT: &str = "SELECT EXISTS (SELECT FROM pg_locks \
             CROSS JOIN (SELECT hashtext($1)::bigint AS key) AS ours \
             WHERE locktype = 'advisory' AND objsubid = 1 AND granted AND mode = 'ExclusiveLock' \
             AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) \
             AND classid::bigint = (key >> 32) & 4294967295 AND objid::bigint = key & 4294967295)";
        sqlx::query_scalar(STATEMENT)
            .bind(format!("threadlore: builds of {}", projection.name()))
            .fetch_one(&self.pool)
            .await
            .map_err(failed("looking for the lock of builds"))
    }

    /// Locks restores of spaces, as [`PostgresStore::lock_builds`].
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    pub async fn lock_restores(&self) -> Result<Option<AdvisoryLock>, PortError> {
        self.lock_briefly("restores").await
    }

    /// Locks the connection of a gateway with its platform, as [`PostgresStore::lock_builds`].
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    pub async fn lock_gateway(&self, gateway: &str) -> Result<Option<AdvisoryLock>, PortError> {
        self.lock_briefly(&format!("gateway {gateway}")).await
    }

    /// Locks the inbox to truncate it; `None` while it is read or truncated.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    pub async fn lock_inbox(&self) -> Result<Option<AdvisoryLock>, PortError> {
        self.lock(INBOX, "pg_advisory_lock", "3s").await
    }

    /// Keeps the inbox from being truncated while it is read; several may hold it.
    ///
    /// # Errors
    /// `Unavailable` as the name says, or when a truncation does not end.
    pub async fn hold_inbox(&self) -> Result<AdvisoryLock, PortError> {
        let held = self.lock(INBOX, "pg_advisory_lock_shared", "60s").await?;
        held.ok_or_else(|| PortError::Busy {
            doing: "keeping the inbox as it is",
            reason: "the inbox is being truncated: try again in a moment",
            source: None,
        })
    }

    async fn lock_briefly(&self, what: &str) -> Result<Option<AdvisoryLock>, PortError> {
        // Whoever had it may have ended a moment ago, and the server not seen it yet.
        self.lock(what, "pg_advisory_lock", "3s").await
    }

    /// Takes an advisory lock in a session of its own; `None` after the time.
    async fn lock(
        &self,
        what: &str,
        function: &str,
        timeout: &str,
    ) -> Result<Option<AdvisoryLock>, PortError> {
        const DOING: &str = "waiting for an advisory lock";
        let options = self.pool.connect_options();
        let options = (*options).clone().options([("lock_timeout", timeout)]);
        // Of its own, so that it ends with what holds it and with nothing else.
        let connection = PgConnection::connect_with(&options).await;
        let mut connection = connection.map_err(failed(DOING))?;
        let taken = sqlx::query(&format!("SELECT {function}(hashtext($1))"))
            .bind(format!("threadlore: {what}"))
            .execute(&mut connection)
            .await;
        match taken {
            Ok(_) => Ok(Some(AdvisoryLock { connection })),
            Err(error) if is_lock_timeout(&error) => Ok(None),
            Err(error) => Err(failed(DOING)(error)),
        }
    }
}
