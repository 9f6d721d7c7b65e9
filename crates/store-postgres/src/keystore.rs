//! Keys of subjects in a PostgreSQL of their own, for several processes.
//!
//! It is never the database of the projections: that one may be dropped and rebuilt from
//! the log, and without the keys the log cannot be read. A destroyed key's wrapped bytes
//! stay in the server's files until they are vacuumed and its journal is recycled, readable
//! only with the master key.

use std::collections::HashMap;
use std::str::FromStr;
use std::time::Duration;

use async_trait::async_trait;
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use sqlx::{Executor as _, Row as _};
use threadlore_model::{Subject, SubjectKey};
use threadlore_ports::{Keystore, PortError, Unwrapped, Wrapping};

use crate::begin::begin;
use crate::error::failed;

const OPENING: &str = "opening the keystore";
const READING: &str = "reading the keystore";
const MAKING: &str = "making keys";
const DESTROYING: &str = "destroying a key";

/// Of two processes that begin at the same time one waits: `IF NOT EXISTS` fails in between.
const ALONE: &str = "SELECT pg_advisory_xact_lock(hashtext('threadlore: table of keys'))";
const MAKE_TABLE: &str = "CREATE TABLE IF NOT EXISTS threadlore_keys \
    (subject text PRIMARY KEY, row bytea NOT NULL)";
const READ: &str = "SELECT subject, row FROM threadlore_keys WHERE subject = ANY($1)";
/// Of two processes that make a key at the same time the first one's is kept.
const MAKE: &str = "INSERT INTO threadlore_keys (subject, row) \
    SELECT * FROM UNNEST($1::text[], $2::bytea[]) ON CONFLICT (subject) DO NOTHING";
const WALK: &str = "SELECT subject, row FROM threadlore_keys \
    WHERE subject > $1 COLLATE \"C\" AND subject <> $2 ORDER BY subject COLLATE \"C\" LIMIT $3";
const ALL: &str = "SELECT subject, row FROM threadlore_keys \
    WHERE subject > $1 COLLATE \"C\" ORDER BY subject COLLATE \"C\" LIMIT $2";
/// A row that somebody else changed meanwhile stays as it is then: its key may be destroyed.
const REPLACE: &str = "UPDATE threadlore_keys AS kept SET row = changed.new \
    FROM UNNEST($1::text[], $2::bytea[], $3::bytea[]) AS changed (subject, old, new) \
    WHERE kept.subject = changed.subject AND kept.row = changed.old";
/// Rows that are wrapped again together.
const REWRAP_BATCH: i64 = 1000;
const PUT: &str = "INSERT INTO threadlore_keys (subject, row) \
    SELECT * FROM UNNEST($1::text[], $2::bytea[]) \
    ON CONFLICT (subject) DO UPDATE SET row = EXCLUDED.row";
const DESTROY: &str = "INSERT INTO threadlore_keys (subject, row) VALUES ($1, $2) \
    ON CONFLICT (subject) DO UPDATE SET row = EXCLUDED.row";

/// A [`Keystore`] on PostgreSQL.
pub struct PostgresKeystore {
    pool: PgPool,
    wrapping: Wrapping,
}

impl PostgresKeystore {
    /// Connects; the table is made where it is missing.
    ///
    /// # Errors
    /// `Broken` when the master key is not the one it was made with, or the database
    /// cannot be used; `Unavailable` when the server does not answer.
    pub async fn connect(url: &str, wrapping: Wrapping) -> Result<Self, PortError> {
        let options = PgConnectOptions::from_str(url)
            .map_err(failed(OPENING))?
            .application_name("threadlore keys");
        let pool = PgPoolOptions::new()
            .max_connections(4)
            .acquire_timeout(Duration::from_secs(10))
            .connect_with(options)
            .await
            .map_err(failed(OPENING))?;
        make_table(&pool).await.map_err(failed(OPENING))?;
        let store = Self { pool, wrapping };
        store.check().await?;
        Ok(store)
    }

    /// Refuses another master key than the first one.
    async fn check(&self) -> Result<(), PortError> {
        let name = Wrapping::CHECK.to_owned();
        let (row, _) = self.wrapping.make(OPENING, &name)?;
        self.make(OPENING, vec![(name.clone(), row)]).await?;
        let rows = self.rows(OPENING, &[name]).await?;
        let opens = |row: &Vec<u8>| self.wrapping.open(Wrapping::CHECK, row).is_some();
        match rows.get(Wrapping::CHECK) {
            Some(row) if opens(row) => Ok(()),
            _ => Err(PortError::broken(
                OPENING,
                "the master key is not the one that the keys in PostgreSQL were made with: \
                 restore the right one from a backup",
            )),
        }
    }

    async fn rows(
        &self,
        doing: &'static str,
        names: &[String],
    ) -> Result<HashMap<String, Vec<u8>>, PortError> {
        let rows = sqlx::query(READ).bind(names).fetch_all(&self.pool).await;
        let rows = rows.map_err(failed(doing))?;
        let read = |row: &sqlx::postgres::PgRow| Ok((row.try_get(0)?, row.try_get(1)?));
        let rows: Result<_, sqlx::Error> = rows.iter().map(read).collect();
        rows.map_err(failed(doing))
    }

    async fn make(
        &self,
        doing: &'static str,
        rows: Vec<(String, Vec<u8>)>,
    ) -> Result<(), PortError> {
        let (names, rows): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
        let made = sqlx::query(MAKE).bind(names).bind(rows).execute(&self.pool);
        made.await.map_err(failed(doing)).map(drop)
    }

    /// What the rows of subjects say; those without one are left out.
    async fn unwrapped<'a>(
        &self,
        doing: &'static str,
        subjects: &'a [Subject],
    ) -> Result<HashMap<&'a Subject, Unwrapped>, PortError> {
        let names: Vec<String> = subjects.iter().map(Subject::to_string).collect();
        let rows = self.rows(doing, &names).await?;
        let mut found = HashMap::new();
        for (subject, name) in subjects.iter().zip(&names) {
            let Some(row) = rows.get(name) else { continue };
            found.insert(subject, self.open(doing, name, row)?);
        }
        Ok(found)
    }

    fn open(&self, doing: &'static str, name: &str, row: &[u8]) -> Result<Unwrapped, PortError> {
        self.wrapping.open(name, row).ok_or_else(|| {
            let reason = format!(
                "the key of {name} in PostgreSQL does not open with the master key: restore the \
                 keystore from a backup"
            );
            PortError::broken(doing, reason)
        })
    }
}

async fn make_table(pool: &PgPool) -> Result<(), sqlx::Error> {
    let mut tx = begin(pool).await?;
    tx.execute(ALONE).await?;
    tx.execute(MAKE_TABLE).await?;
    tx.commit().await
}

fn keys(found: HashMap<&Subject, Unwrapped>) -> HashMap<Subject, SubjectKey> {
    let keys = found.into_iter();
    let keys = keys.filter_map(|(subject, unwrapped)| match unwrapped {
        Unwrapped::Key(key) => Some((subject.clone(), key)),
        Unwrapped::Destroyed => None,
    });
    keys.collect()
}

#[async_trait]
impl Keystore for PostgresKeystore {
    async fn ensure(
        &self,
        subjects: &[Subject],
    ) -> Result<HashMap<Subject, SubjectKey>, PortError> {
        let found = self.unwrapped(MAKING, subjects).await?;
        let missing: std::collections::BTreeSet<String> = subjects
            .iter()
            .filter(|subject| !found.contains_key(subject))
            .map(Subject::to_string)
            .collect();
        if missing.is_empty() {
            return Ok(keys(found));
        }
        let mut made = Vec::new();
        for name in missing {
            let (row, _) = self.wrapping.make(MAKING, &name)?;
            made.push((name, row));
        }
        self.make(MAKING, made).await?;
        // Somebody else may have made one first.
        Ok(keys(self.unwrapped(MAKING, subjects).await?))
    }

    async fn keys(&self, subjects: &[Subject]) -> Result<HashMap<Subject, SubjectKey>, PortError> {
        Ok(keys(self.unwrapped(READING, subjects).await?))
    }

    async fn destroy(&self, subject: &Subject) -> Result<(), PortError> {
        let destroyed = sqlx::query(DESTROY)
            .bind(subject.to_string())
            .bind(Wrapping::DESTROYED.to_vec())
            .execute(&self.pool);
        destroyed.await.map_err(failed(DESTROYING)).map(drop)
    }

    async fn walk(
        &self,
        after: Option<&Subject>,
        max: usize,
    ) -> Result<Vec<(Subject, Option<SubjectKey>)>, PortError> {
        let after = after.map(Subject::to_string).unwrap_or_default();
        let rows = sqlx::query(WALK)
            .bind(after)
            .bind(Wrapping::CHECK)
            .bind(i64::try_from(max).unwrap_or(i64::MAX))
            .fetch_all(&self.pool)
            .await
            .map_err(failed(READING))?;
        let mut keys = Vec::with_capacity(rows.len());
        for row in rows {
            let name: String = row.try_get(0).map_err(failed(READING))?;
            let bytes: Vec<u8> = row.try_get(1).map_err(failed(READING))?;
            let subject: Subject = name
                .parse()
                .map_err(|why: String| PortError::broken(READING, why))?;
            keys.push(match self.open(READING, &name, &bytes)? {
                Unwrapped::Key(key) => (subject, Some(key)),
                Unwrapped::Destroyed => (subject, None),
            });
        }
        Ok(keys)
    }

    async fn rewrap(&self) -> Result<u64, PortError> {
        let (mut after, mut count) = (String::new(), 0);
        loop {
            let found = sqlx::query(ALL).bind(&after).bind(REWRAP_BATCH);
            let found = found.fetch_all(&self.pool).await.map_err(failed(READING))?;
            let (mut names, mut old, mut new) = (Vec::new(), Vec::new(), Vec::new());
            for row in &found {
                let name: String = row.try_get(0).map_err(failed(READING))?;
                let row: Vec<u8> = row.try_get(1).map_err(failed(READING))?;
                after.clone_from(&name);
                if let Some(rewrapped) = self.wrapping.rewrap(MAKING, &name, &row)? {
                    names.push(name);
                    old.push(row);
                    new.push(rewrapped);
                }
            }
            if found.is_empty() {
                return Ok(count);
            }
            let changed = sqlx::query(REPLACE).bind(names).bind(old).bind(new);
            let changed = changed.execute(&self.pool).await.map_err(failed(MAKING))?;
            count += changed.rows_affected();
        }
    }

    async fn put(&self, keys: Vec<(Subject, Option<SubjectKey>)>) -> Result<(), PortError> {
        let (mut names, mut rows) = (Vec::new(), Vec::new());
        for (subject, key) in keys {
            let name = subject.to_string();
            rows.push(match key {
                Some(key) => self.wrapping.wrap(MAKING, &name, &key)?,
                None => Wrapping::DESTROYED.to_vec(),
            });
            names.push(name);
        }
        let put = sqlx::query(PUT).bind(names).bind(rows).execute(&self.pool);
        put.await.map_err(failed(MAKING)).map(drop)
    }
}
