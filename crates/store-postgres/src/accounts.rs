//! Accounts of people who sign in to the pages. Another database has none of them: they are no part of the log.

use std::collections::BTreeMap;

use sqlx::FromRow;
use threadlore_model::{Actor, SpaceId, Timestamp};
use threadlore_ports::{PortError, Right};

use crate::PostgresStore;
use crate::error::failed;
use crate::types::Moment;

/// Somebody who may sign in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountRecord {
    /// The name.
    pub name: String,
    /// The password, as Argon2id makes it; none where nobody has chosen one.
    pub password: Option<String>,
    /// Another one with each password.
    pub mark: String,
    /// When they signed in last.
    pub signed_in_at: Option<Timestamp>,
    /// The rights in each space that was asked for.
    pub may: BTreeMap<SpaceId, GivenRights>,
}

/// What somebody may in a space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenRights {
    /// The rights.
    pub rights: Vec<Right>,
    /// When they were given.
    pub given_at: Timestamp,
    /// Who gave them.
    pub given_by: Actor,
}

/// Which accounts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountsOf<'a> {
    /// The one of this name.
    Name(&'a str),
    /// Those that may something in a space, with what they may there.
    Space(&'a SpaceId),
    /// All of them.
    Everybody,
}

#[derive(FromRow)]
struct Row {
    name: String,
    password: Option<String>,
    mark: String,
    signed_in_at: Option<Moment>,
    space: String,
    rights: Vec<String>,
    given_at: Moment,
    given_by: String,
}

const LISTING: &str = "listing accounts";

impl Row {
    fn given(&self) -> Result<(SpaceId, GivenRights), PortError> {
        let broken = |error: String| PortError::broken(LISTING, error);
        let rights = self.rights.iter().map(|right| right.parse());
        let given = GivenRights {
            rights: rights.collect::<Result<_, _>>().map_err(broken)?,
            given_at: self.given_at.0,
            given_by: self.given_by.parse().map_err(broken)?,
        };
        let space = SpaceId::parse(&self.space).map_err(|e| broken(e.to_string()))?;
        Ok((space, given))
    }
}

impl PostgresStore {
    /// Accounts, by their names.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    pub async fn accounts(&self, of: AccountsOf<'_>) -> Result<Vec<AccountRecord>, PortError> {
        let (name, space) = match of {
            AccountsOf::Name(name) => (Some(name), None),
            AccountsOf::Space(space) => (None, Some(space.as_str())),
            AccountsOf::Everybody => (None, None),
        };
        let statement = "SELECT a.name, a.password, a.mark, a.signed_in_at, \
                 r.space, r.rights, r.given_at, r.given_by \
             FROM lore_state.accounts a JOIN lore_state.account_rights r ON r.name = a.name \
             WHERE ($1::text IS NULL OR a.name = $1) AND ($2::text IS NULL OR r.space = $2) \
             ORDER BY a.name, r.space";
        let rows: Result<Vec<Row>, _> = sqlx::query_as(statement)
            .bind(name)
            .bind(space)
            .fetch_all(&self.pool)
            .await;
        let mut accounts: Vec<AccountRecord> = Vec::new();
        for row in rows.map_err(failed(LISTING))? {
            let (space, given) = row.given()?;
            match accounts.last_mut().filter(|last| last.name == row.name) {
                Some(last) => {
                    last.may.insert(space, given);
                }
                None => accounts.push(AccountRecord {
                    name: row.name,
                    password: row.password,
                    mark: row.mark,
                    signed_in_at: row.signed_in_at.map(|at| at.0),
                    may: BTreeMap::from([(space, given)]),
                }),
            }
        }
        Ok(accounts)
    }

    /// Whether anybody has a password.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    pub async fn has_passwords(&self) -> Result<bool, PortError> {
        let statement =
            "SELECT EXISTS (SELECT FROM lore_state.accounts WHERE password IS NOT NULL)";
        let found = sqlx::query_scalar(statement).fetch_one(&self.pool).await;
        found.map_err(failed("looking for accounts"))
    }

    /// Gives somebody rights in spaces, in place of those that they have there. A new account has this mark.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    pub async fn give_rights(
        &self,
        (name, mark): (&str, &str),
        spaces: &[SpaceId],
        rights: &[Right],
        (at, by): (Timestamp, &Actor),
    ) -> Result<(), PortError> {
        let statement = "WITH account AS (INSERT INTO lore_state.accounts (name, mark) VALUES ($1, $2) \
                 ON CONFLICT DO NOTHING) \
             INSERT INTO lore_state.account_rights (name, space, rights, given_at, given_by) \
             SELECT $1, space, $4, $5, $6 FROM unnest($3::text[]) AS space \
             ON CONFLICT (name, space) DO UPDATE \
             SET rights = excluded.rights, given_at = excluded.given_at, given_by = excluded.given_by";
        let spaces: Vec<&str> = spaces.iter().map(SpaceId::as_str).collect();
        let rights: Vec<&str> = rights.iter().map(|right| right.name()).collect();
        let given = sqlx::query(statement)
            .bind(name)
            .bind(mark)
            .bind(spaces)
            .bind(rights)
            .bind(Moment(at))
            .bind(by.to_string())
            .execute(&self.pool)
            .await;
        given.map(|_| ()).map_err(failed("giving rights"))
    }

    /// Takes away what somebody may in a space, or everywhere; an account that may nothing more is gone. Whether there
    /// was something to take.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    pub async fn take_rights(
        &self,
        name: &str,
        space: Option<&SpaceId>,
    ) -> Result<bool, PortError> {
        // Both parts see the rows as they were before.
        let statement = "WITH taken AS (DELETE FROM lore_state.account_rights \
                 WHERE name = $1 AND ($2::text IS NULL OR space = $2) RETURNING space), \
             gone AS (DELETE FROM lore_state.accounts WHERE name = $1 AND NOT EXISTS ( \
                 SELECT FROM lore_state.account_rights r WHERE r.name = $1 AND r.space <> $2)) \
             SELECT EXISTS (SELECT FROM taken)";
        let taken = sqlx::query_scalar(statement)
            .bind(name)
            .bind(space.map(SpaceId::as_str))
            .fetch_one(&self.pool)
            .await;
        taken.map_err(failed("taking rights away"))
    }

    /// Gives an account another password, unless somebody did since it had this mark; whether it has it.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    pub async fn set_password(
        &self,
        (name, before): (&str, &str),
        (password, mark): (&str, &str),
    ) -> Result<bool, PortError> {
        let statement =
            "UPDATE lore_state.accounts SET password = $3, mark = $4 WHERE name = $1 AND mark = $2";
        let set = sqlx::query(statement)
            .bind(name)
            .bind(before)
            .bind(password)
            .bind(mark)
            .execute(&self.pool)
            .await;
        let set = set.map_err(failed("keeping a password"))?;
        Ok(set.rows_affected() > 0)
    }

    /// Notes that somebody signs in.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    pub async fn note_sign_in(&self, name: &str, at: Timestamp) -> Result<(), PortError> {
        let statement = "UPDATE lore_state.accounts SET signed_in_at = $2 WHERE name = $1";
        let noted = sqlx::query(statement)
            .bind(name)
            .bind(Moment(at))
            .execute(&self.pool)
            .await;
        noted.map(|_| ()).map_err(failed("noting a sign-in"))
    }
}
