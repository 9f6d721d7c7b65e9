//! Vectors in the tables and in the log, against the texts of cases.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use threadlore_fold::{Row, fold_case};
use threadlore_model::text_of_case;
use threadlore_model::{Body, Case, CaseId, SpaceId, Topic, parse_source, vector_source};
use threadlore_ports::{Generation, Projection};
use threadlore_stream::Vault;

use super::{Taken, Violation};
use crate::sim::world::World;

/// Every case has the vector of its text, unless the model refused it; and none was
/// computed more often than its text came.
pub(super) async fn vectors(
    world: &World,
    taken: &Taken,
    cases: &[&Case],
    found: &mut Vec<Violation>,
) {
    const RULE: &str = "every case has the vector of its text, computed once";
    let rows = world.store.rows(Generation {
        projection: Projection::Vectors,
        number: 1,
    });
    let have: HashSet<_> = rows
        .iter()
        .filter_map(|row| match row {
            Row::Vector(row) => Some((row.space.clone(), row.case, row.source)),
            _ => None,
        })
        .collect();
    let refused: Vec<&str> = taken
        .of(Topic::KnowledgeCasesDlq)
        .iter()
        .filter_map(|event| match &event.body {
            Body::DeadLetter(letter) if letter.role == "embedder" => Some(letter.reason.as_str()),
            _ => None,
        })
        .collect();
    for case in cases.iter().filter(|case| case.erased_at.is_none()) {
        let Some(text) = text_of_case(case) else {
            continue;
        };
        let id = case.case.to_string();
        if !have.contains(&(case.space.clone(), case.case, vector_source(&text)))
            && !refused.iter().any(|reason| reason.contains(&id))
        {
            found.push(Violation::new(RULE, format!("case {id} has none")));
        }
    }
    let vault = Vault::new(Arc::clone(&world.keys) as Arc<_>);
    let mut counts: HashMap<(SpaceId, CaseId, [u8; 32]), i64> = HashMap::new();
    for topic in [Topic::KnowledgeCases, Topic::Vectors] {
        let opened = vault
            .open(taken.of(topic).to_vec())
            .await
            .unwrap_or_default();
        for event in opened.into_iter().flatten() {
            let space = event.envelope.space.clone();
            if let Body::VectorComputed(computed) = &event.body {
                // Of an erased case neither texts nor vectors can be read any more.
                if let Some(source) = computed.source.text().and_then(parse_source) {
                    *counts.entry((space, computed.case, source)).or_default() -= 1;
                }
            } else {
                let mut case = None;
                // Whatever it was decided on: the text that it brings counts.
                let _outcome = fold_case(&mut case, &event);
                if let Some(case) = case
                    && let Some(text) = text_of_case(&case)
                {
                    *counts
                        .entry((space, case.case, vector_source(&text)))
                        .or_default() += 1;
                }
            }
        }
    }
    if let Some(((_, case, _), n)) = counts.iter().find(|(_, n)| **n < 0) {
        let what = format!("case {case} has {} too many of one text", -n);
        found.push(Violation::new(RULE, what));
    }
}
