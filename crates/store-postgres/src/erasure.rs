//! Vectors of erased cases: none stays, in whatever build, and none comes afterwards.
//!
//! Cases and their vectors are written by two projectors. The one that writes a case as
//! erased locks all tables of vectors first, and deletes. The one that writes vectors holds
//! a lock that conflicts with it, looks whether their cases are erased, and inserts.
//! Whichever is first, the other sees what it did.

use std::collections::HashSet;

use sqlx::{PgConnection, Row as _};
use threadlore_fold::{Change, RowKey};
use threadlore_model::{CaseId, SpaceId};
use threadlore_ports::{Generation, Projection};
use uuid::Uuid;

use crate::arrays::CaseKeys;
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

/// Deletes the vectors of these cases in a build of vectors.
pub(crate) async fn delete_vectors(
    tx: &mut PgConnection,
    build: Generation,
    cases: &CaseKeys,
) -> Result<(), sqlx::Error> {
    let statement = "DELETE FROM {schema}.vectors t \
         USING unnest($1::text[], $2::uuid[]) AS k (k_space, k_id) \
         WHERE t.space = k.k_space AND t.case_id = k.k_id";
    sqlx::query(&of(statement, build))
        .bind(&cases.spaces)
        .bind(&cases.ids)
        .execute(tx)
        .await?;
    Ok(())
}

/// The changed vectors whose case is erased in no build of cases.
pub(crate) async fn without_erased(
    tx: &mut PgConnection,
    build: Generation,
    mut changes: Vec<Change>,
) -> Result<Vec<Change>, sqlx::Error> {
    let statement = "LOCK TABLE {schema}.vectors IN ROW EXCLUSIVE MODE";
    sqlx::query(&of(statement, build)).execute(&mut *tx).await?;
    let keys = CaseKeys::of(changes.iter().filter_map(case_of));
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
    changes.retain(|change| {
        let case = case_of(change);
        case.is_none_or(|(space, case)| !erased.contains(&(space.to_string(), case.as_uuid())))
    });
    Ok(changes)
}

fn case_of(vector: &Change) -> Option<(&SpaceId, CaseId)> {
    match &vector.key {
        RowKey::Vector((space, case, ..)) => Some((space, *case)),
        _ => None,
    }
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
