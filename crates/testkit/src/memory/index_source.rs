//! Rows from which points are made, and their marks, in memory.

use async_trait::async_trait;
use threadlore_fold::{Row, RowKey};
use threadlore_model::{Case, CaseId, SpaceId};
use threadlore_ports::{Generation, IndexSource, PortError, Unindexed};

use super::MemoryStore;
use super::store::Data;

impl Data {
    fn case(
        &self,
        build: Generation,
        (space, case): &(SpaceId, CaseId),
    ) -> Result<Option<Case>, PortError> {
        let row = self.existing(build)?;
        Ok(match row.get(&RowKey::Case(space.clone(), *case)) {
            Some(Row::Case(case)) => Some((**case).clone()),
            _ => None,
        })
    }
}

#[async_trait]
impl IndexSource for MemoryStore {
    async fn unindexed(&self, build: Generation, max: usize) -> Result<Vec<Unindexed>, PortError> {
        let data = self.lock();
        let mut found = Vec::new();
        data.existing(build)?;
        for (key, mark) in data.unindexed.get(&build).into_iter().flatten().take(max) {
            let mark = *mark;
            let case = data.case(build, key)?;
            found.extend(case.map(|case| Unindexed { case, mark }));
        }
        Ok(found)
    }

    async fn indexed(&self, build: Generation, cases: &[Unindexed]) -> Result<(), PortError> {
        let mut data = self.lock();
        data.existing(build)?;
        if let Some(marks) = data.unindexed.get_mut(&build) {
            for one in cases {
                let key = (one.case.space.clone(), one.case.case);
                if marks.get(&key) == Some(&one.mark) {
                    marks.remove(&key);
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
