//! Decision runs: which builds of cases show which run.

use std::collections::BTreeSet;

use threadlore_model::{CaseId, Run, SpaceId, Timestamp};
use threadlore_ports::{Generation, PortError, Projection};

use crate::PostgresStore;
use crate::arrays::CaseKeys;
use crate::begin::begin;
use crate::erasure::{delete_vectors, lock_vectors};
use crate::error::failed;
use crate::generations::{create, index, missing};
use crate::restores::KNOWN;
use crate::types::Moment;

impl PostgresStore {
    /// The runs that have a build of cases: those that are decided.
    ///
    /// # Errors
    /// `Unavailable` when the database does not answer.
    pub async fn runs(&self) -> Result<BTreeSet<Run>, PortError> {
        let statement =
            "SELECT DISTINCT run FROM lore.generations WHERE projection = $1 AND until IS NULL";
        let runs: Vec<i32> = sqlx::query_scalar(statement)
            .bind(Projection::Cases.name())
            .fetch_all(&self.pool)
            .await
            .map_err(failed("listing decision runs"))?;
        let run = |number: i32| Run::new(number.unsigned_abs());
        Ok(runs.into_iter().map(run).collect())
    }

    /// Makes a build of cases that shows a run, and has it fed.
    ///
    /// # Errors
    /// `Unavailable` when the database does not answer.
    pub async fn create_of_run(&self, run: Run) -> Result<Generation, PortError> {
        const DOING: &str = "making a build of a decision run";
        let made = async {
            let mut tx = begin(&self.pool).await?;
            let made = create(&mut tx, Projection::Cases, true, Some(run)).await?;
            index(&mut tx, made).await?;
            tx.commit().await?;
            Ok(made)
        };
        made.await.map_err(failed(DOING))
    }

    /// The run that a build shows.
    pub(crate) async fn run_shown(&self, build: Generation) -> Result<Run, PortError> {
        let statement = "SELECT run FROM lore.generations WHERE projection = $1 AND number = $2";
        let run: Option<i32> = sqlx::query_scalar(statement)
            .bind(build.projection.name())
            .bind(i64::from(build.number))
            .fetch_optional(&self.pool)
            .await
            .map_err(failed("looking up the decision run of a build"))?;
        let run = run.ok_or_else(|| missing(build))?;
        Ok(Run::new(run.unsigned_abs()))
    }

    /// Ends a run: its builds are of this time from now on, those who decide it are shut out, and
    /// what they knew is forgotten.
    ///
    /// # Errors
    /// `Unavailable` when the database does not answer.
    pub async fn end_run(&self, run: Run, now: Timestamp) -> Result<(), PortError> {
        let ended = async {
            let mut tx = begin(&self.pool).await?;
            let statement = "UPDATE lore.generations SET fed = false, until = $3 \
                 WHERE projection = $1 AND run = $2";
            sqlx::query(statement)
                .bind(Projection::Cases.name())
                .bind(i64::from(run.number()))
                .bind(Moment(now))
                .execute(&mut *tx)
                .await?;
            for table in KNOWN.iter().chain(&["shards"]) {
                let statement = format!("DELETE FROM lore_state.{table} WHERE consumer_group = $1");
                sqlx::query(&statement)
                    .bind(run.group().as_str())
                    .execute(&mut *tx)
                    .await?;
            }
            tx.commit().await
        };
        ended.await.map_err(failed("ending a decision run"))
    }

    /// Deletes the vectors of cases, in every build.
    ///
    /// # Errors
    /// `Unavailable` when the database does not answer.
    pub async fn delete_vectors(&self, cases: &[(SpaceId, CaseId)]) -> Result<(), PortError> {
        let keys = CaseKeys::of(cases.iter().map(|(space, case)| (space, *case)));
        let deleted = async {
            let mut tx = begin(&self.pool).await?;
            for build in lock_vectors(&mut tx).await? {
                delete_vectors(&mut tx, build, &keys).await?;
            }
            tx.commit().await
        };
        deleted.await.map_err(failed("deleting vectors of cases"))
    }
}
