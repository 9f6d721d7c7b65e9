//! What must hold of memories.

use std::collections::{BTreeMap, BTreeSet};

use threadlore_fold::{MemoryRow, Row};
use threadlore_model::{
    AnswerOutcome, Body, MemoryHome, MemoryId, MemoryTier, PersonId, SpaceId, Topic,
};
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
    exchanges(&rows, taken, found);
    for row in rows
        .into_iter()
        .filter(|row| row.tier == MemoryTier::MemoryBank)
    {
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

/// An exchange has the outcomes of its answers, each once, and is in one tier: what the rules make of
/// these is tested with them.
fn exchanges(rows: &[&MemoryRow], taken: &Taken, found: &mut Vec<Violation>) {
    const RULE: &str = "an exchange has the outcomes of its answers";
    let mut last = BTreeMap::new();
    for event in taken.of(Topic::Outcomes) {
        if let Body::OutcomeRecorded(recorded) = &event.body {
            let of = (event.envelope.space.clone(), recorded.memory);
            last.insert((of, recorded.answer), recorded.outcome);
        }
    }
    let mut counts: BTreeMap<(SpaceId, MemoryId), [i64; 3]> = BTreeMap::new();
    for ((of, _), outcome) in last {
        let [worked, failed, partial] = counts.entry(of).or_default();
        match outcome {
            AnswerOutcome::Worked => *worked += 1,
            AnswerOutcome::Failed => *failed += 1,
            AnswerOutcome::Partial => *partial += 1,
            AnswerOutcome::Unknown => {}
        }
    }
    let exchanges = rows.iter().filter(|row| row.tier != MemoryTier::MemoryBank);
    let kept: BTreeMap<(SpaceId, MemoryId), [i64; 3]> = exchanges
        .map(|row| {
            let counts = [row.worked, row.failed, row.partial];
            ((row.space.clone(), row.memory), counts)
        })
        .collect();
    if kept != counts {
        let what = format!("{kept:?} are kept, and the outcomes are {counts:?}");
        found.push(Violation::new(RULE, what));
    }
}

fn home(row: &MemoryRow) -> (&SpaceId, Option<PersonId>) {
    match row.home {
        Some(MemoryHome::Person) => (&row.space, row.person),
        Some(MemoryHome::Bank) | None => (&row.space, None),
    }
}
