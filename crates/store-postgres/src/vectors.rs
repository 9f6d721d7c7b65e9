//! Vectors of cases, for those who make points of them.

use sqlx::{PgConnection, Row as _};
use threadlore_model::{CaseId, SpaceId, vector_of_bytes};
use threadlore_ports::{Generation, Generations as _, PortError, Projection};
use uuid::Uuid;

use crate::PostgresStore;
use crate::error::failed;
use crate::fold::Keys;
use crate::rows::{of, source};

/// What a model made of one text of a case.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseVector {
    /// The tenant.
    pub space: SpaceId,
    /// The case.
    pub case: CaseId,
    /// Which text: the vector counts while the case has this one.
    pub source: [u8; 32],
    /// The vector.
    pub vector: Vec<f32>,
}

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
                space,
                case: CaseId::from_uuid(case),
                source: source(row)?,
                vector,
            });
        }
    }
    Ok(found)
}

impl PostgresStore {
    /// Vectors of one model for cases, from the live build of vectors.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    pub async fn vectors(
        &self,
        model: &str,
        cases: &[(SpaceId, CaseId)],
    ) -> Result<Vec<CaseVector>, PortError> {
        const DOING: &str = "reading vectors";
        let live = self.live(Projection::Vectors).await?;
        let mut keys = Keys::default();
        for (space, case) in cases {
            keys.push(space, case.as_uuid());
        }
        let mut connection = self.pool.acquire().await.map_err(failed(DOING))?;
        vectors_of(&mut connection, live, model, &keys)
            .await
            .map_err(failed(DOING))
    }
}
