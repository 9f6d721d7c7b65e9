//! Sign-ins for analysts: users of the database who read one space and change nothing. Which space that is
//! stands in the comment of the role, as `migrations/0003_analysts.sql` says.

use postgres_protocol::password::scram_sha_256;
use sqlx::Executor as _;
use threadlore_model::SpaceId;
use threadlore_ports::PortError;

use crate::PostgresStore;
use crate::begin::begin;
use crate::error::failed;

/// How the comment of such a role begins.
const COMMENT: &str = "threadlore reads the space ";
/// The longest name of a role that PostgreSQL does not cut.
const NAME: usize = 63;

/// An analyst's sign-in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Analyst {
    /// The name of the role.
    pub name: String,
    /// The space that it reads.
    pub space: String,
}

/// What became of a sign-in that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnalystChange {
    /// It is there, with this password and this space.
    Made,
    /// It is gone.
    Removed,
    /// There is none of this name.
    Absent,
    /// The database has a role of this name that is somebody else's.
    Foreign,
    /// No role is named so: lower-case letters, digits and `_`, a letter first, 63 at most, and neither
    /// `pg_` nor `lore_` at its beginning.
    BadName,
}

impl PostgresStore {
    /// Makes a sign-in, or gives one that is there another password and space.
    ///
    /// # Errors
    /// The database cannot be reached, or this user may make no roles.
    pub async fn make_analyst(
        &self,
        name: &str,
        space: &SpaceId,
        password: &str,
    ) -> Result<AnalystChange, PortError> {
        const DOING: &str = "making a sign-in of an analyst";
        if !is_name(name) {
            return Ok(AnalystChange::BadName);
        }
        // What the server keeps, so that no log of statements has the password.
        let verifier = scram_sha_256(password.as_bytes());
        let made = async {
            let mut tx = begin(&self.pool).await?;
            let verb = match analyst(&mut tx, name).await? {
                None => "CREATE",
                Some(Some(_)) => "ALTER",
                Some(None) => return Ok(AnalystChange::Foreign),
            };
            let space = space.as_str().replace('\'', "''");
            // A transaction that somebody forgets holds up every switch of builds.
            let statements = format!(
                "{verb} ROLE {name} LOGIN PASSWORD '{verifier}'; \
                 GRANT lore_reader TO {name}; \
                 COMMENT ON ROLE {name} IS '{COMMENT}{space}'; \
                 ALTER ROLE {name} SET lore.space = '{space}'; \
                 ALTER ROLE {name} SET search_path = lore; \
                 ALTER ROLE {name} SET default_transaction_read_only = on; \
                 ALTER ROLE {name} SET idle_in_transaction_session_timeout = '5min'"
            );
            tx.execute(statements.as_str()).await?;
            tx.commit().await?;
            Ok(AnalystChange::Made)
        };
        made.await.map_err(not_allowed(DOING))
    }

    /// All sign-ins, by name.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn analysts(&self) -> Result<Vec<Analyst>, PortError> {
        let rows: Vec<(String, String)> = sqlx::query_as(
            "SELECT rolname::text, substr(shobj_description(oid, 'pg_authid'), length($1) + 1) \
             FROM pg_roles WHERE starts_with(shobj_description(oid, 'pg_authid'), $1) ORDER BY 1",
        )
        .bind(COMMENT)
        .fetch_all(&self.pool)
        .await
        .map_err(failed("listing sign-ins of analysts"))?;
        let analyst = |(name, space)| Analyst { name, space };
        Ok(rows.into_iter().map(analyst).collect())
    }

    /// Removes one. Who is signed in by it stays so until they end.
    ///
    /// # Errors
    /// As [`PostgresStore::make_analyst`].
    pub async fn remove_analyst(&self, name: &str) -> Result<AnalystChange, PortError> {
        const DOING: &str = "removing a sign-in of an analyst";
        if !is_name(name) {
            return Ok(AnalystChange::BadName);
        }
        let removed = async {
            let mut tx = begin(&self.pool).await?;
            match analyst(&mut tx, name).await? {
                None => return Ok(AnalystChange::Absent),
                Some(None) => return Ok(AnalystChange::Foreign),
                Some(Some(_)) => {}
            }
            tx.execute(format!("DROP ROLE {name}").as_str()).await?;
            tx.commit().await?;
            Ok(AnalystChange::Removed)
        };
        removed.await.map_err(not_allowed(DOING))
    }
}

/// Whether there is a role of this name, and if it is an analyst's sign-in, its comment.
async fn analyst(
    tx: &mut sqlx::PgConnection,
    name: &str,
) -> Result<Option<Option<String>>, sqlx::Error> {
    let comment: Option<Option<String>> = sqlx::query_scalar(
        "SELECT shobj_description(oid, 'pg_authid') FROM pg_roles WHERE rolname = $1",
    )
    .bind(name)
    .fetch_optional(tx)
    .await?;
    let ours = |comment: &String| comment.starts_with(COMMENT);
    Ok(comment.map(|comment| comment.filter(ours)))
}

/// Safe as text in a statement.
fn is_name(name: &str) -> bool {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
    name.len() <= NAME
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(plain)
        && !name.starts_with("pg_")
        && !name.starts_with("lore_")
        && !["public", "none", "user", "all"].contains(&name)
}

fn not_allowed(doing: &'static str) -> impl Fn(sqlx::Error) -> PortError {
    move |error| match error.as_database_error().and_then(|e| e.code()) {
        Some(code) if code == "42501" => PortError::broken(
            doing,
            "the user of `postgres.url` may make no roles: as an administrator of the database, \
             ALTER ROLE that user CREATEROLE",
        ),
        _ => failed(doing)(error),
    }
}
