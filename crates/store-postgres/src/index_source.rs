//! Rows from which the points of the index are made, and the marks that say which
//! have to be made again.

use std::collections::HashMap;

use async_trait::async_trait;
use sqlx::Row as _;
use sqlx::postgres::PgRow;
use threadlore_model::{Case, CaseId, SpaceId};
use threadlore_ports::{
    CaseVector, Generation, Generations as _, IndexSource, PortError, Projection, Unindexed,
};
use uuid::Uuid;

use crate::PostgresStore;
use crate::arrays::CaseKeys;
use crate::fold::load_cases;
use crate::generations::error_of;
use crate::rows::{cell, of};
use crate::vectors::vectors_of;
use crate::write::{column, mark};

fn keys_of(cases: &[(SpaceId, CaseId)]) -> CaseKeys {
    CaseKeys::of(cases.iter().map(|(space, case)| (space, *case)))
}

/// The key of a row that belongs to a case.
fn key(row: &PgRow) -> Result<(SpaceId, CaseId), sqlx::Error> {
    Ok((cell(row, "space")?, cell(row, "case_id")?))
}

#[async_trait]
impl IndexSource for PostgresStore {
    async fn unindexed(&self, build: Generation, max: usize) -> Result<Vec<Unindexed>, PortError> {
        let read = async {
            let mut tx = self.pool.acquire().await?;
            let statement = "SELECT space, case_id, mark FROM {schema}.unindexed \
                 ORDER BY space, case_id LIMIT $1";
            let rows = sqlx::query(&of(statement, build))
                .bind(i64::try_from(max).unwrap_or(i64::MAX))
                .fetch_all(&mut *tx)
                .await?;
            let mut marked: Vec<((SpaceId, CaseId), i64)> = Vec::with_capacity(rows.len());
            for row in &rows {
                marked.push((key(row)?, row.try_get("mark")?));
            }
            let keys = marked.iter().map(|(key, _)| key.clone());
            let cases = load_cases(&mut tx, build, keys).await?.into_iter();
            let mut cases: HashMap<_, _> = cases
                .map(|case| ((case.space.clone(), case.case), case))
                .collect();
            let with_row = |(key, mark)| Unindexed {
                case: cases.remove(&key),
                key,
                mark,
            };
            Ok(marked.into_iter().map(with_row).collect())
        };
        read.await
            .map_err(|e| error_of(build, "reading what the index lacks", e))
    }

    async fn indexed(&self, build: Generation, cases: &[Unindexed]) -> Result<(), PortError> {
        let statement = "DELETE FROM {schema}.unindexed t \
             USING unnest($1::text[], $2::uuid[], $3::bigint[]) AS k (k_space, k_id, k_mark) \
             WHERE t.space = k.k_space AND t.case_id = k.k_id AND t.mark = k.k_mark";
        sqlx::query(&of(statement, build))
            .bind(column(cases, |one| one.key.0.as_str()))
            .bind(column(cases, |one| one.key.1.as_uuid()))
            .bind(column(cases, |one| one.mark))
            .execute(&self.pool)
            .await
            .map_err(|e| error_of(build, "noting what the index has", e))?;
        Ok(())
    }

    async fn mark(&self, build: Generation, cases: &[(SpaceId, CaseId)]) -> Result<(), PortError> {
        let write = async {
            let mut connection = self.pool.acquire().await?;
            mark(&mut connection, build, &keys_of(cases)).await
        };
        write
            .await
            .map_err(|e| error_of(build, "marking cases for the index", e))
    }

    async fn vectors(
        &self,
        model: &str,
        cases: &[(SpaceId, CaseId)],
    ) -> Result<Vec<CaseVector>, PortError> {
        let live = self.live(Projection::Vectors).await?;
        let read = async {
            let mut connection = self.pool.acquire().await?;
            vectors_of(&mut connection, live, model, &keys_of(cases)).await
        };
        read.await.map_err(|e| error_of(live, "reading vectors", e))
    }

    async fn waiting(&self, build: Generation) -> Result<u64, PortError> {
        let count: i64 = sqlx::query_scalar(&of("SELECT count(*) FROM {schema}.unindexed", build))
            .fetch_one(&self.pool)
            .await
            .map_err(|e| error_of(build, "counting what the index lacks", e))?;
        Ok(count.unsigned_abs())
    }

    async fn cases_after(
        &self,
        build: Generation,
        after: Option<&(SpaceId, CaseId)>,
        max: usize,
    ) -> Result<Vec<Case>, PortError> {
        let read = async {
            let mut tx = self.pool.acquire().await?;
            let statement = "SELECT space, case_id FROM {schema}.cases \
                 WHERE $1::text IS NULL OR (space, case_id) > ($1::text COLLATE \"C\", $2::uuid) \
                 ORDER BY space, case_id LIMIT $3";
            let rows = sqlx::query(&of(statement, build))
                .bind(after.map(|(space, _)| space.as_str()))
                .bind(after.map_or(Uuid::nil(), |(_, case)| case.as_uuid()))
                .bind(i64::try_from(max).unwrap_or(i64::MAX))
                .fetch_all(&mut *tx)
                .await?;
            let keys: Vec<_> = rows.iter().map(key).collect::<Result<_, _>>()?;
            load_cases(&mut tx, build, keys).await
        };
        read.await
            .map_err(|e| error_of(build, "reading cases in order", e))
    }

    async fn cases_of(
        &self,
        build: Generation,
        cases: &[(SpaceId, CaseId)],
    ) -> Result<Vec<Case>, PortError> {
        let read = async {
            let mut tx = self.pool.acquire().await?;
            load_cases(&mut tx, build, cases.iter().cloned()).await
        };
        read.await.map_err(|e| error_of(build, "reading cases", e))
    }
}
