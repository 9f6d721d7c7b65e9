//! What is left of erased cases: no key, and no vectors.

use std::collections::HashSet;

use threadlore_fold::Row;
use threadlore_model::{Body, Topic};
use threadlore_ports::{Generation, Keystore as _, Projection};

use super::{Taken, Violation};
use crate::sim::world::World;

/// Of every case that the log says is erased, the key is gone, and the table of vectors
/// has no row.
pub(super) async fn erased(world: &World, taken: &Taken, found: &mut Vec<Violation>) {
    const RULE: &str = "an erased case leaves no key and no vectors";
    let (mut subjects, mut cases) = (Vec::new(), HashSet::new());
    for event in taken.of(Topic::KnowledgeCases) {
        if let Body::CaseErased(erased) = &event.body {
            subjects.extend(event.erased_subject());
            cases.insert((event.envelope.space.clone(), erased.case));
        }
    }
    match world.keys.keys(&subjects).await {
        Ok(keys) => {
            let left = keys.keys().map(|subject| format!("{subject} has a key"));
            found.extend(left.map(|what| Violation::new(RULE, what)));
        }
        Err(e) => found.push(Violation::new(RULE, e.to_string())),
    }
    let rows = world.store.rows(Generation {
        projection: Projection::Vectors,
        number: 1,
    });
    let of_erased = rows.iter().filter_map(|row| match row {
        Row::Vector(row) if cases.contains(&(row.space.clone(), row.case)) => Some(row.case),
        _ => None,
    });
    found.extend(of_erased.map(|case| Violation::new(RULE, format!("case {case} has a vector"))));
}
