//! Tables of builds in memory: folding a batch, writing its rows, marking cases for the index.

use std::collections::{BTreeMap, BTreeSet};

use threadlore_fold::{Change, Row, RowKey, Rows, refusal, touched};
use threadlore_model::{CaseId, Event, SpaceId};
use threadlore_ports::{FoldBatch, Generation, PortError, Projection};

use super::Data;

impl Data {
    /// What a batch makes of its rows, without changing anything yet.
    pub(super) fn fold(&self, batch: &FoldBatch) -> Result<Vec<Change>, PortError> {
        let table = self.existing(batch.generation)?;
        for event in batch.events.iter() {
            check_foldable(batch.generation, event)?;
        }
        let projection = batch.generation.projection;
        let asked = batch.events.iter().enumerate();
        let asked = asked.filter(|(at, _)| !batch.is_new.get(*at).copied().unwrap_or(false));
        let keys: BTreeSet<RowKey> = asked
            .filter_map(|(_, event)| touched(projection, event))
            .collect();
        let stored = keys.iter().filter_map(|key| table.get(key).cloned());
        let mut rows = Rows::of(projection, stored);
        for event in batch.events.iter() {
            rows.fold(event);
        }
        let changes = rows.into_changed();
        match changes
            .iter()
            .find(|change| change.is_new && table.contains_key(&change.key))
        {
            None => Ok(changes),
            Some(change) => Err(PortError::broken(
                "folding a batch",
                format!("{:?} is there already, and was said to be new", change.key),
            )),
        }
    }

    /// Writes rows of a build. An erased case takes its vectors along in every build, and
    /// gets none afterwards.
    pub(super) fn write(&mut self, build: Generation, rows: Vec<Change>, erases: bool) {
        let cases = self.builds_of(Projection::Cases).into_iter();
        let tables: Vec<_> = cases.map(|cases| &self.generations[&cases]).collect();
        let is_erased = |key: &RowKey| {
            let RowKey::Vector((space, case, ..)) = key else {
                return false;
            };
            let key = RowKey::Case((space.clone(), *case));
            erases && tables.iter().any(|table| is_tombstone(table.get(&key)))
        };
        let rows: Vec<_> = rows
            .into_iter()
            .filter(|change| !is_erased(&change.key))
            .collect();
        let tombstones = rows
            .iter()
            .filter(|change| is_tombstone(change.row.as_ref()));
        let erased: BTreeSet<_> = tombstones.filter_map(|c| case_of(&c.key)).collect();
        let Some(table) = self.generations.get_mut(&build) else {
            return;
        };
        for Change { key, row, .. } in rows {
            match row {
                Some(row) => table.insert(key, row),
                None => table.remove(&key),
            };
        }
        for vectors in self.builds_of(Projection::Vectors) {
            let Some(table) = self.generations.get_mut(&vectors).filter(|_| erases) else {
                continue;
            };
            table.retain(|key, _| case_of(key).is_none_or(|case| !erased.contains(&case)));
        }
    }

    pub(in crate::memory) fn existing(
        &self,
        generation: Generation,
    ) -> Result<&BTreeMap<RowKey, Row>, PortError> {
        self.generations
            .get(&generation)
            .ok_or_else(|| PortError::broken("using a build", missing(generation)))
    }

    /// The cases of a build of cases in that build; those of the live vectors in all.
    pub(super) fn mark_where_needed(&mut self, build: Generation, cases: &[(SpaceId, CaseId)]) {
        let is_live = self.live.get(&build.projection) == Some(&build);
        let builds: Vec<Generation> = match build.projection {
            Projection::Cases => vec![build],
            Projection::Vectors if is_live => self.builds_of(Projection::Cases),
            _ => return,
        };
        for build in builds {
            self.mark(build, cases.iter().cloned());
        }
    }

    fn builds_of(&self, projection: Projection) -> Vec<Generation> {
        let all = self.generations.keys().copied();
        all.filter(|build| build.projection == projection).collect()
    }

    pub(in crate::memory) fn mark(
        &mut self,
        build: Generation,
        cases: impl Iterator<Item = (SpaceId, CaseId)>,
    ) {
        let marks = self.unindexed.entry(build).or_default();
        for case in cases {
            self.marks_given += 1;
            marks.insert(case, self.marks_given);
        }
    }

    pub(in crate::memory) fn create(&mut self, projection: Projection) -> Generation {
        let number = self.numbers.entry(projection).or_default();
        *number += 1;
        let generation = Generation {
            projection,
            number: *number,
        };
        self.generations.insert(generation, BTreeMap::new());
        generation
    }
}

fn is_tombstone(row: Option<&Row>) -> bool {
    matches!(row, Some(Row::Case(case)) if case.erased_at.is_some())
}

pub(super) fn case_of(key: &RowKey) -> Option<(SpaceId, CaseId)> {
    match key {
        RowKey::Case((space, case)) => Some((space.clone(), *case)),
        RowKey::Vector((space, case, ..)) => Some((space.clone(), *case)),
        _ => None,
    }
}

pub(in crate::memory) fn missing(generation: Generation) -> String {
    format!("{generation} does not exist; list the builds and choose one of them")
}

fn check_foldable(generation: Generation, event: &Event) -> Result<(), PortError> {
    match refusal(generation.projection, event) {
        None => Ok(()),
        Some(reason) => Err(PortError::Refused {
            doing: "folding an event",
            reason: format!("event {}: {reason}", event.envelope.id),
        }),
    }
}
