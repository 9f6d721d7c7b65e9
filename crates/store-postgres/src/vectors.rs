//! Vectors of cases, for those who make points of them.

use sqlx::{PgConnection, Row as _};
use threadlore_model::vector_of_bytes;
use threadlore_ports::{CaseVector, Generation};

use crate::arrays::CaseKeys;
use crate::rows::{cell, of};

/// Vectors of one model for the cases that `keys` names, in a build of vectors; in no
/// particular order. One that cannot be read, which no fold writes, is left out.
pub(crate) async fn vectors_of(
    tx: &mut PgConnection,
    generation: Generation,
    model: &str,
    keys: &CaseKeys,
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
        if let Some(vector) = vector_of_bytes(row.try_get("vector")?) {
            found.push(CaseVector {
                key: (cell(row, "space")?, cell(row, "case_id")?),
                source: cell(row, "source")?,
                vector,
            });
        }
    }
    Ok(found)
}
