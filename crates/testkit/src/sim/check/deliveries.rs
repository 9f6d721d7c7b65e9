//! What became of answers at their platform.

use std::collections::{HashMap, HashSet};

use threadlore_model::{AnswerId, Body, DeliveryAction, Topic};

use super::{Taken, Violation};
use crate::sim::world::World;

/// What is asked of the gateway has one result, and the platform has what the log says it has.
pub(super) fn deliveries(world: &World, taken: &Taken, found: &mut Vec<Violation>) {
    const RULE: &str = "what is to be sent has one result, and the platform has it";
    let mut asked: HashSet<(AnswerId, DeliveryAction)> = HashSet::new();
    for event in taken.of(Topic::Answers) {
        match &event.body {
            Body::AnswerComposed(composed) => {
                asked.insert((composed.answer, DeliveryAction::Post));
            }
            Body::AnswerWithdrawn(withdrawn) => {
                asked.insert((withdrawn.answer, DeliveryAction::Withdraw));
            }
            _ => {}
        }
    }
    let shown = world.platform.shown();
    let mut results: HashMap<(AnswerId, DeliveryAction), usize> = HashMap::new();
    let mut attempted = HashSet::new();
    for event in taken.of(Topic::Deliveries) {
        match &event.body {
            Body::DeliveryAttempted(attempt) => {
                attempted.insert((attempt.answer, attempt.what));
            }
            Body::AnswerDelivered(delivered) => {
                let of = (delivered.answer, delivered.what);
                *results.entry(of).or_default() += 1;
                let posted = delivered.native_ids.iter();
                let missing = posted
                    .filter(|id| !shown.posts.values().any(|has| has == *id))
                    .count();
                if missing > 0 || !attempted.contains(&of) {
                    let what = format!("{of:?} is delivered, and the platform does not have it");
                    found.push(Violation::new(RULE, what));
                }
            }
            Body::DeliveryFailed(failed) => {
                *results.entry((failed.answer, failed.what)).or_default() += 1;
            }
            _ => {}
        }
    }
    for of in &asked {
        let count = results.remove(of).unwrap_or_default();
        if count != 1 {
            found.push(Violation::new(RULE, format!("{of:?} has {count} results")));
        }
    }
    if let Some((of, count)) = results.into_iter().next() {
        let what = format!("{of:?} has {count} results, and was not asked for");
        found.push(Violation::new(RULE, what));
    }
}
