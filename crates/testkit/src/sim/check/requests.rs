//! What must hold of requests.

use std::collections::{BTreeSet, HashMap};

use threadlore_model::{Body, Event, EventId, Topic};

use super::{Taken, Violation};

/// Each request for an extraction leads to one announcement, however often it was published.
pub(super) fn answered(taken: &Taken, found: &mut Vec<Violation>) {
    const RULE: &str = "a request is answered once";
    let id = |event: &Event| event.envelope.id;
    let requests = taken.of(Topic::KnowledgeRequests).iter();
    let requests = requests.filter(|event| matches!(event.body, Body::ExtractionRequested(_)));
    let requests: BTreeSet<EventId> = requests.map(id).collect();
    let mut answers: HashMap<EventId, usize> = HashMap::new();
    for event in taken.of(Topic::ChatTurns) {
        if let Some(cause) = &event.envelope.cause {
            *answers.entry(cause.event).or_default() += 1;
        }
    }
    for request in requests {
        let count = answers.get(&request).copied().unwrap_or(0);
        if count != 1 {
            let what = format!("{request} led to {count} announcements");
            found.push(Violation::new(RULE, what));
        }
    }
}
