//! Vectors of erased cases: none stays, in whatever build, and none comes afterwards.
//!
//! Cases and their vectors are written by two projectors. The one that writes a case as
//! erased locks all tables of vectors first, and deletes. The one that writes vectors holds
//! a lock that conflicts with it, looks whether their cases are erased, and inserts.
//! Whichever is first, the other sees what it did.

use std::collections::HashSet;

use sqlx::{PgConnection, Row as _};
use threadlore_fold::VectorRow;
use threadlore_ports::{Generation, Projection};
use uuid::Uuid;

use crate::fold::Keys;
use crate::rows::of;

/// Locks the tables of vectors against writers until the transaction ends; returns all builds
/// of them.
pub(crate) async fn lock_vectors(tx: &mut PgConnection) -> Result<Vec<Generation>, sqlx::Error> {
    let builds = builds_of(tx, Projection::Vectors).await?;
    for build in &builds {
        let statement = "LOCK TABLE {schema}.vectors IN SHARE ROW EXCLUSIVE MODE";
        sqlx::query(&of(statement, *build))
            .execute(&mut *tx)
            .await?;
    }
    Ok(builds)
}

/// The rows whose case is erased in no build of cases; each with whether it is new.
pub(crate) async fn without_erased(
    tx: &mut PgConnection,
    build: Generation,
    rows: Vec<(VectorRow, bool)>,
) -> Result<Vec<(VectorRow, bool)>, sqlx::Error> {
    let statement = "LOCK TABLE {schema}.vectors IN ROW EXCLUSIVE MODE";
    sqlx::query(&of(statement, build)).execute(&mut *tx).await?;
    let mut keys = Keys::default();
    for (row, _) in &rows {
        keys.push(&row.space, row.case.as_uuid());
    }
    let mut erased: HashSet<(String, Uuid)> = HashSet::new();
    for cases in builds_of(tx, Projection::Cases).await? {
        let statement = "SELECT DISTINCT t.space, t.case_id FROM {schema}.cases t \
             JOIN unnest($1::text[], $2::uuid[]) AS k (k_space, k_id) \
             ON t.space = k.k_space AND t.case_id = k.k_id WHERE t.erased_at IS NOT NULL";
        let found = sqlx::query(&of(statement, cases))
            .bind(&keys.spaces)
            .bind(&keys.ids)
            .fetch_all(&mut *tx)
            .await?;
        for row in &found {
            erased.insert((row.try_get("space")?, row.try_get("case_id")?));
        }
    }
    let stays = |(row, _): &(VectorRow, bool)| {
        !erased.contains(&(row.space.to_string(), row.case.as_uuid()))
    };
    Ok(rows.into_iter().filter(stays).collect())
}

/// All builds of a projection; none is dropped before the transaction ends.
async fn builds_of(
    tx: &mut PgConnection,
    projection: Projection,
) -> Result<Vec<Generation>, sqlx::Error> {
    let statement = "SELECT number FROM lore.generations WHERE projection = $1 \
         ORDER BY number FOR SHARE";
    let numbers: Vec<i32> = sqlx::query_scalar(statement)
        .bind(projection.name())
        .fetch_all(tx)
        .await?;
    let build = |number: i32| Generation {
        projection,
        number: number.unsigned_abs(),
    };
    Ok(numbers.into_iter().map(build).collect())
}
