//! What people sent, against what is in the log and in the tables.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use threadlore_fold::Row;
use threadlore_model::{MessageId, Topic};

use super::{Taken, Violation};
use crate::sim::workload::hasher;
use crate::sim::world::World;

/// Every accepted input is in `chat.events` once.
pub(super) fn platform_events(world: &World, taken: &Taken, found: &mut Vec<Violation>) {
    const RULE: &str = "every input is taken once";
    let expected = &world.workload.expected.accepted;
    let mut seen = HashSet::new();
    for event in taken.of(Topic::ChatEvents) {
        let id = event.envelope.id;
        if !seen.insert(id) {
            let what = format!("{} {id} stands there twice", event.body.type_name());
            found.push(Violation::new(RULE, what));
        }
        if !expected.contains(&id) {
            found.push(Violation::new(RULE, format!("{id} was never sent")));
        }
    }
    let lost = expected.iter().filter(|id| !seen.contains(id)).count();
    if lost > 0 {
        found.push(Violation::new(RULE, format!("{lost} are lost")));
    }
}

/// Messages and reactions are what people sent last.
pub(super) fn message_rows(world: &World, rows: &[Row], found: &mut Vec<Violation>) {
    const RULE: &str = "messages and reactions are as they were sent";
    let expected = &world.workload.expected;
    let mut texts = BTreeMap::new();
    let mut reactions = BTreeSet::new();
    for row in rows {
        match row {
            Row::Message(m) => {
                texts.insert(
                    m.message,
                    (m.space.clone(), m.channel.clone(), m.text.clone()),
                );
            }
            Row::Reaction(r) => {
                reactions.insert((r.message, r.person, r.emoji.clone()));
            }
            _ => {}
        }
    }
    if texts != expected.messages {
        let all: BTreeSet<&MessageId> = texts.keys().chain(expected.messages.keys()).collect();
        let differ = all
            .into_iter()
            .find(|id| texts.get(id) != expected.messages.get(id));
        let both = differ.map(|id| (id, texts.get(id), expected.messages.get(id)));
        found.push(Violation::new(
            RULE,
            format!("message (row, sent): {both:?}"),
        ));
    }
    let hasher = hasher();
    let wanted: BTreeSet<_> = expected
        .reactions
        .iter()
        .filter_map(|(message, person, emoji)| {
            let (space, channel, _) = expected.messages.get(message)?;
            Some((
                *message,
                hasher.person(space, channel.platform(), person),
                emoji.clone(),
            ))
        })
        .collect();
    if reactions != wanted {
        let n = reactions.symmetric_difference(&wanted).count();
        found.push(Violation::new(RULE, format!("{n} reactions differ")));
    }
}
