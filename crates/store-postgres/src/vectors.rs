//! Vectors of cases, for those who make points of them.

use sqlx::{PgConnection, Row as _};
use threadlore_model::{CaseId, SpaceId, vector_of_bytes};
use threadlore_ports::{CaseVector, Generation};
use uuid::Uuid;

use crate::fold::Keys;
use crate::rows::{of, source};

/// Vectors of one model for the cases that `keys` names, in a build of vectors; in no
/// particular order. One that cannot be read, which no fold writes, is left out.
pub(crate) async fn vectors_of(
    tx: &mut PgConnection,
    generation: Generation,
    model: &str,
    keys: &Keys,
) -> Result<Vec<CaseVector>, sqlx::Error> {
    let statement = "SELECT space, case_id, source, vector FROM {schema}.vectors t \
         JOIN unnest($1::text[], $2::uuid[]) AS k (k_space, k_id) \
         ON t.space = k.k_space AND t.case_id = k.k_id WHERE t.model = $3";
    let rows = sqlx::query(&of(statement, generation))
        .bind(&keys.spaces)
        .bind(&keys.ids)
        .bind(model)
        .fetch_all(tx)
        .await?;
    let mut found = Vec::with_capacity(rows.len());
    for row in &rows {
        let (space, case): (&str, Uuid) = (row.try_get("space")?, row.try_get("case_id")?);
        let vector = vector_of_bytes(row.try_get("vector")?);
        if let (Ok(space), Some(vector)) = (SpaceId::parse(space), vector) {
            found.push(CaseVector {
                key: (space, CaseId::from_uuid(case)),
                source: source(row)?,
                vector,
            });
        }
    }
    Ok(found)
}
