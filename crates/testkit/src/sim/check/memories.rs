//! What must hold of memories.

use std::collections::{BTreeMap, BTreeSet};

use threadlore_fold::{MemoryRow, Row};
use threadlore_model::{Body, MemoryHome, MemoryId, PersonId, SpaceId, Topic};
use threadlore_ports::{Generation, Keystore as _, Projection};

use super::{Taken, Violation};
use crate::sim::world::World;

/// Each memory is stored once, whatever is asked again; nothing is told twice in a home; what was to be
/// erased is, with its key.
pub(super) async fn memories(world: &World, taken: &Taken, found: &mut Vec<Violation>) {
    const ONCE: &str = "a memory is stored once, and told once";
    const ERASED: &str = "a memory that is to be forgotten leaves no key and no text";
    let mut stored: BTreeMap<MemoryId, usize> = BTreeMap::new();
    let mut subjects = Vec::new();
    for event in taken.of(Topic::KnowledgeMemories) {
        match &event.body {
            Body::MemoryStored(of) => *stored.entry(of.memory).or_default() += 1,
            Body::MemoryErased(_) => subjects.extend(event.erased_subject()),
            _ => {}
        }
    }
    let twice = stored.iter().filter(|(_, count)| **count > 1);
    found
        .extend(twice.map(|(memory, _)| Violation::new(ONCE, format!("{memory} is stored twice"))));
    match world.keys.keys(&subjects).await {
        Ok(keys) => {
            let left = keys.keys().map(|subject| format!("{subject} has a key"));
            found.extend(left.map(|what| Violation::new(ERASED, what)));
        }
        Err(e) => found.push(Violation::new(ERASED, e.to_string())),
    }
    let unwanted: BTreeSet<MemoryId> = taken
        .of(Topic::KnowledgeRequests)
        .iter()
        .filter_map(|event| match &event.body {
            Body::MemoryErasureRequested(asked) => asked.memory,
            _ => None,
        })
        .collect();
    let rows = world.store.rows(Generation {
        projection: Projection::Memories,
        number: 1,
    });
    let rows: Vec<&MemoryRow> = rows
        .iter()
        .filter_map(|row| match row {
            Row::Memory(row) => Some(row),
            _ => None,
        })
        .collect();
    if rows.is_empty() {
        found.push(Violation::new(ONCE, "nothing is remembered"));
    }
    let mut told = BTreeSet::new();
    for row in rows {
        let is_kept = row.text.is_some() || row.erased_at.is_none();
        if unwanted.contains(&row.memory) && is_kept {
            let what = format!("{} is kept", row.memory);
            found.push(Violation::new(ERASED, what));
        }
        let is_told = row.archived_at.is_none() && row.erased_at.is_none();
        if is_told && !told.insert((home(row), &row.text)) {
            let what = format!("{} says what another one says", row.memory);
            found.push(Violation::new(ONCE, what));
        }
    }
}

fn home(row: &MemoryRow) -> (&SpaceId, Option<PersonId>) {
    match row.home {
        MemoryHome::Bank => (&row.space, None),
        MemoryHome::Person => (&row.space, Some(row.person)),
    }
}
