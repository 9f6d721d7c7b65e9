//! Tokens of programs. Another database has none of them: they are no part of the log.

use sqlx::FromRow;
use threadlore_model::{Actor, SpaceId, Timestamp};
use threadlore_ports::{PortError, Right};

use crate::PostgresStore;
use crate::error::failed;
use crate::types::Moment;

/// What a program was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenRecord {
    /// What it is revoked by.
    pub id: String,
    /// The space that it is for.
    pub space: SpaceId,
    /// What it is called.
    pub name: String,
    /// Its rights there.
    pub rights: Vec<Right>,
    /// From this time on it counts no more.
    pub until: Timestamp,
    /// When it was made.
    pub made_at: Timestamp,
    /// Who made it.
    pub made_by: Actor,
    /// When it was used last, to some seconds.
    pub used_at: Option<Timestamp>,
    /// When and by whom it was revoked.
    pub revoked: Option<(Timestamp, Actor)>,
}

#[derive(FromRow)]
struct Row {
    id: String,
    space: String,
    name: String,
    rights: Vec<String>,
    until: Moment,
    made_at: Moment,
    made_by: String,
    used_at: Option<Moment>,
    revoked_at: Option<Moment>,
    revoked_by: Option<String>,
}

const LISTING: &str = "listing tokens";

impl TryFrom<Row> for TokenRecord {
    type Error = PortError;

    fn try_from(row: Row) -> Result<Self, PortError> {
        let actor = |text: String| text.parse::<Actor>();
        let broken = |error: String| PortError::broken(LISTING, error);
        let rights = row.rights.iter().map(|right| right.parse());
        let revoked_by = row.revoked_by.map(actor).transpose().map_err(broken)?;
        Ok(Self {
            space: SpaceId::parse(&row.space).map_err(|e| broken(e.to_string()))?,
            rights: rights.collect::<Result<_, _>>().map_err(broken)?,
            made_by: actor(row.made_by).map_err(broken)?,
            id: row.id,
            name: row.name,
            until: row.until.0,
            made_at: row.made_at.0,
            used_at: row.used_at.map(|at| at.0),
            revoked: row.revoked_at.map(|at| at.0).zip(revoked_by),
        })
    }
}

impl PostgresStore {
    /// Keeps what a program is given.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    pub async fn add_token(&self, token: &TokenRecord) -> Result<(), PortError> {
        let statement = "INSERT INTO lore_state.tokens (id, space, name, rights, until, made_at, made_by) \
             VALUES ($1, $2, $3, $4, $5, $6, $7)";
        let rights: Vec<&str> = token.rights.iter().map(|right| right.name()).collect();
        let added = sqlx::query(statement)
            .bind(&token.id)
            .bind(token.space.as_str())
            .bind(&token.name)
            .bind(rights)
            .bind(Moment(token.until))
            .bind(Moment(token.made_at))
            .bind(token.made_by.to_string())
            .execute(&self.pool)
            .await;
        added.map(|_| ()).map_err(failed("keeping a token"))
    }

    /// The tokens of a space, the latest first, with those that count no more.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    pub async fn tokens(&self, space: &SpaceId) -> Result<Vec<TokenRecord>, PortError> {
        let statement = "SELECT id, space, name, rights, until, made_at, made_by, used_at, revoked_at, revoked_by \
             FROM lore_state.tokens WHERE space = $1 ORDER BY made_at DESC, id";
        let rows: Result<Vec<Row>, _> = sqlx::query_as(statement)
            .bind(space.as_str())
            .fetch_all(&self.pool)
            .await;
        let rows = rows.map_err(failed(LISTING))?;
        rows.into_iter().map(TokenRecord::try_from).collect()
    }

    /// Revokes a token of a space, unless it was before; whether there is such a one.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    pub async fn revoke_token(
        &self,
        space: &SpaceId,
        id: &str,
        (at, by): (Timestamp, &Actor),
    ) -> Result<bool, PortError> {
        let statement = "UPDATE lore_state.tokens SET revoked_at = coalesce(revoked_at, $3), \
             revoked_by = coalesce(revoked_by, $4) WHERE space = $1 AND id = $2";
        let revoked = sqlx::query(statement)
            .bind(space.as_str())
            .bind(id)
            .bind(Moment(at))
            .bind(by.to_string())
            .execute(&self.pool)
            .await;
        let revoked = revoked.map_err(failed("revoking a token"))?;
        Ok(revoked.rows_affected() > 0)
    }

    /// Notes that a token is used; whether it is one of these and was not revoked.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    pub async fn use_token(&self, id: &str, at: Timestamp) -> Result<bool, PortError> {
        let statement =
            "UPDATE lore_state.tokens SET used_at = $2 WHERE id = $1 AND revoked_at IS NULL";
        let used = sqlx::query(statement)
            .bind(id)
            .bind(Moment(at))
            .execute(&self.pool)
            .await;
        let used = used.map_err(failed("looking up a token"))?;
        Ok(used.rows_affected() > 0)
    }
}
