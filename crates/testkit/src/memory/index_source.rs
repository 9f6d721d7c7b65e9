//! Rows from which points are made, and their marks, in memory.

use async_trait::async_trait;
use threadlore_fold::{Row, RowKey};
use threadlore_model::{Case, CaseId, SpaceId, vector_of_bytes};
use threadlore_ports::{
    CaseVector, Generation, Generations as _, IndexSource, PortError, Projection, Unindexed,
};

use super::MemoryStore;
use super::store::Data;

impl Data {
    fn case(
        &self,
        build: Generation,
        (space, case): &(SpaceId, CaseId),
    ) -> Result<Option<Case>, PortError> {
        let row = self.existing(build)?;
        Ok(match row.get(&RowKey::Case((space.clone(), *case))) {
            Some(Row::Case(case)) => Some((**case).clone()),
            _ => None,
        })
    }
}

#[async_trait]
impl IndexSource for MemoryStore {
    async fn unindexed(&self, build: Generation, max: usize) -> Result<Vec<Unindexed>, PortError> {
        let data = self.lock();
        data.existing(build)?;
        let marks = data.unindexed.get(&build).into_iter().flatten().take(max);
        let with_row = |(key, mark): (&(SpaceId, CaseId), &i64)| {
            Ok(Unindexed {
                case: data.case(build, key)?,
                key: key.clone(),
                mark: *mark,
            })
        };
        marks.map(with_row).collect()
    }

    async fn indexed(&self, build: Generation, cases: &[Unindexed]) -> Result<(), PortError> {
        let mut data = self.lock();
        data.existing(build)?;
        if let Some(marks) = data.unindexed.get_mut(&build) {
            for one in cases {
                if marks.get(&one.key) == Some(&one.mark) {
                    marks.remove(&one.key);
                }
            }
        }
        Ok(())
    }

    async fn mark(&self, build: Generation, cases: &[(SpaceId, CaseId)]) -> Result<(), PortError> {
        let mut data = self.lock();
        data.existing(build)?;
        data.mark(build, cases.iter().cloned());
        Ok(())
    }

    async fn vectors(
        &self,
        model: &str,
        cases: &[(SpaceId, CaseId)],
    ) -> Result<Vec<CaseVector>, PortError> {
        let live = self.live(Projection::Vectors).await?;
        let vector = |row| match row {
            Row::Vector(row) if row.model == model => {
                let key = (row.space, row.case);
                let vector = vector_of_bytes(&row.vector)?;
                cases.contains(&key).then_some(CaseVector {
                    key,
                    source: row.source,
                    vector,
                })
            }
            _ => None,
        };
        Ok(self.rows(live).into_iter().filter_map(vector).collect())
    }

    async fn waiting(&self, build: Generation) -> Result<u64, PortError> {
        let data = self.lock();
        data.existing(build)?;
        Ok(data.unindexed.get(&build).map_or(0, |marks| marks.len()) as u64)
    }

    async fn cases_after(
        &self,
        build: Generation,
        after: Option<&(SpaceId, CaseId)>,
        max: usize,
    ) -> Result<Vec<Case>, PortError> {
        let data = self.lock();
        let later = data.existing(build)?.values().filter_map(|row| match row {
            Row::Case(case)
                if after.is_none_or(|after| (&case.space, case.case) > (&after.0, after.1)) =>
            {
                Some((**case).clone())
            }
            _ => None,
        });
        Ok(later.take(max).collect())
    }

    async fn cases_of(
        &self,
        build: Generation,
        cases: &[(SpaceId, CaseId)],
    ) -> Result<Vec<Case>, PortError> {
        let data = self.lock();
        let found = cases.iter().map(|key| data.case(build, key));
        Ok(found
            .collect::<Result<Vec<_>, _>>()?
            .into_iter()
            .flatten()
            .collect())
    }
}
