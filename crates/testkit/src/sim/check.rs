//! What must hold once all work is done.

mod cases;
mod deliveries;
mod erasure;
mod memories;
mod messages;
mod replay;
mod requests;
mod turns;
mod vectors;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;

use futures::FutureExt;
use futures::executor::block_on;
use threadlore_fold::Row;
use threadlore_model::{Body, Case, CaseId, Event, EventId, Offset, Producer, Topic};
use threadlore_ports::{Digests, Generation, Generations, Projection, Record};

use crate::sim::platform::PlatformState;
use crate::sim::world::World;

/// A promise that was broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Which promise.
    pub rule: &'static str,
    /// What was found.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.rule, self.what)
    }
}

impl Violation {
    pub(crate) fn new(rule: &'static str, what: impl Into<String>) -> Self {
        Self {
            rule,
            what: what.into(),
        }
    }
}

/// The rule that the fence keeps out every owner but the newest.
pub(crate) const FENCE: &str = "an owner that was taken over changes nothing";

/// The log as its readers take it: repeats dropped.
pub(crate) struct Taken {
    /// Kept events by topic, in the order of each partition.
    events: BTreeMap<Topic, Vec<Event>>,
}

impl Taken {
    fn of(&self, topic: Topic) -> &[Event] {
        self.events.get(&topic).map_or(&[], Vec::as_slice)
    }
}

/// All rules at once, on a world at rest.
pub(crate) fn all(world: &World) -> Vec<Violation> {
    let mut found = Vec::new();
    let dump = world.log.dump();
    let taken = sequences(&dump, &mut found);
    messages::platform_events(world, &taken, &mut found);
    decided_once(&taken, &mut found);
    failed_calls(&dump, &taken, &mut found);
    unfit(world, &taken, &mut found);
    requests::answered(&taken, &mut found);
    turns::turns(&taken, &mut found);
    deliveries::deliveries(world, &taken, &mut found);
    let rows = |projection| {
        world.store.rows(Generation {
            projection,
            number: 1,
        })
    };
    let (messages, cases) = (rows(Projection::Messages), rows(Projection::Cases));
    messages::message_rows(world, &messages, &mut found);
    let cases: Vec<&Case> = cases
        .iter()
        .filter_map(|row| match row {
            Row::Case(case) => Some(case.as_ref()),
            _ => None,
        })
        .collect();
    cases::evidence(world, &cases, &mut found);
    cases::versions(&taken, &cases, &mut found);
    block_on(vectors::vectors(world, &taken, &cases, &mut found));
    block_on(erasure::erased(world, &taken, &mut found));
    block_on(memories::memories(world, &taken, &mut found));
    replay::rebuilt(world, &mut found);
    if let Some(why) = world.unrest() {
        found.push(Violation::new("comes to rest", why));
    }
    let breaches = world.take_breaches();
    found.extend(
        breaches
            .into_iter()
            .take(3)
            .map(|what| Violation::new(FENCE, what)),
    );
    found
}

/// Each producer counts without gaps, and what comes again is the same.
fn sequences(dump: &[Record], found: &mut Vec<Violation>) -> Taken {
    const RULE: &str = "a producer's events stand in order, without gaps";
    let mut events: BTreeMap<Topic, Vec<Event>> = BTreeMap::new();
    let mut marks = HashMap::new();
    let mut ids: BTreeMap<(String, i32), BTreeMap<u64, EventId>> = BTreeMap::new();
    for record in dump {
        let Ok(event) = &record.body else { continue };
        let mut fresh = true;
        if let Some(Producer {
            group,
            partition,
            sequence,
        }) = &event.envelope.producer
        {
            let mark = marks
                .entry((record.at, group.clone(), *partition))
                .or_insert(0);
            fresh = sequence > mark;
            *mark = (*mark).max(*sequence);
            let known = ids.entry((group.to_string(), partition.0)).or_default();
            let place = format!("{group}/{partition} sequence {sequence}");
            match known.get(sequence) {
                None if !fresh => found.push(Violation::new(
                    RULE,
                    format!("{place} comes after a higher one and is lost"),
                )),
                Some(id) if *id != event.envelope.id => found.push(Violation::new(
                    RULE,
                    format!("{place} is {id} and also {}", event.envelope.id),
                )),
                _ => {}
            }
            known.insert(*sequence, event.envelope.id);
        }
        if fresh {
            events
                .entry(record.at.topic)
                .or_default()
                .push(event.as_ref().clone());
        }
    }
    for ((group, partition), known) in ids {
        let last = known.keys().last().copied().unwrap_or(0);
        if last != known.len() as u64 {
            let what = format!(
                "{group}/{partition} has {} of {last} sequences",
                known.len()
            );
            found.push(Violation::new(RULE, what));
        }
    }
    Taken { events }
}

fn decided_once(taken: &Taken, found: &mut Vec<Violation>) {
    const RULE: &str = "nothing is decided twice";
    for topic in [
        Topic::ChatTurns,
        Topic::KnowledgeCases,
        Topic::KnowledgeMemories,
        Topic::Answers,
        Topic::Deliveries,
        Topic::Outcomes,
        Topic::Vectors,
    ] {
        let mut seen = HashSet::new();
        for event in taken.of(topic) {
            if !seen.insert(event.envelope.id) {
                let what = format!("{} {}", event.body.type_name(), event.envelope.id);
                found.push(Violation::new(RULE, what));
            }
        }
    }
}

/// What failed for good is among the dead letters, with what had asked for it.
fn failed_calls(dump: &[Record], taken: &Taken, found: &mut Vec<Violation>) {
    let windows: HashSet<(EventId, Offset)> = dump
        .iter()
        .filter(|record| record.at.topic == Topic::ChatTurns)
        .filter_map(|record| Some((record.body.as_ref().ok()?.envelope.id, record.offset)))
        .collect();
    for event in taken.of(Topic::ChatTurnsDlq) {
        let Body::DeadLetter(letter) = &event.body else {
            continue;
        };
        let cause = event.envelope.cause.as_ref();
        let asked = cause.is_some_and(|cause| windows.contains(&(cause.event, letter.offset)));
        if !asked || letter.reason.is_empty() {
            let what = format!("{}: no window asked for it", event.envelope.id);
            found.push(Violation::new("what failed is kept with its cause", what));
        }
    }
}

/// What the log does not take is a dead letter of what it was decided on.
fn unfit(world: &World, taken: &Taken, found: &mut Vec<Violation>) {
    const RULE: &str = "what cannot be encoded is a dead letter of its cause";
    let letters = taken.of(Topic::ChatInboxDlq).iter();
    let causes: HashSet<EventId> = letters
        .filter_map(|event| Some(event.envelope.cause.as_ref()?.event))
        .collect();
    for id in world.workload.expected.unfit.difference(&causes) {
        found.push(Violation::new(RULE, format!("{id} has none")));
    }
}

/// What a lost database must not change.
pub(crate) struct Kept {
    digests: Vec<Option<Digests>>,
    solved: Vec<Case>,
    taken: Vec<usize>,
    /// What the platform was sent.
    shown: PlatformState,
}

/// Topics whose events are the same after the database was lost.
const COUNTED: [Topic; 6] = [
    Topic::ChatEvents,
    Topic::ChatTurns,
    Topic::KnowledgeMemories,
    Topic::Answers,
    Topic::Deliveries,
    Topic::Outcomes,
];

impl Kept {
    pub(crate) fn of(world: &World) -> Self {
        let digest = |projection| {
            let generation = Generation {
                projection,
                number: 1,
            };
            world
                .store
                .digest(generation)
                .now_or_never()
                .and_then(Result::ok)
        };
        let cases = world.store.rows(Generation {
            projection: Projection::Cases,
            number: 1,
        });
        let solved = cases.into_iter().filter_map(|row| match row {
            Row::Case(case) if case.signal.is_some() => Some(*case),
            _ => None,
        });
        let taken = sequences(&world.log.dump(), &mut Vec::new());
        Self {
            digests: vec![digest(Projection::Messages), digest(Projection::Channels)],
            solved: solved.collect(),
            shown: world.platform.shown(),
            taken: COUNTED.iter().map(|t| taken.of(*t).len()).collect(),
        }
    }

    /// An engine may find more when it looks again at windows in which it found
    /// nothing, and records that were taken while it had not answered about an earlier
    /// window are decided on again where they led to nothing: a solved case may be solved
    /// by more than before. What solved it stays, and the rest too.
    pub(crate) fn compare(&self, world: &World, found: &mut Vec<Violation>) {
        const RULE: &str = "a lost database comes back as it was";
        let after = Self::of(world);
        if self.digests != after.digests {
            found.push(Violation::new(RULE, "messages or channels differ"));
        }
        if self.taken != after.taken {
            let what = format!(
                "messages, windows, answers and deliveries: {:?}, then {:?}",
                self.taken, after.taken
            );
            found.push(Violation::new(RULE, what));
        }
        if self.shown != after.shown {
            let (before, now) = (self.shown.calls, after.shown.calls);
            let what = format!("the platform was sent more: {before} calls, then {now}");
            found.push(Violation::new(RULE, what));
        }
        let now: HashMap<CaseId, &Case> = after.solved.iter().map(|c| (c.case, c)).collect();
        let same = |case: &&Case| {
            now.get(&case.case).is_some_and(|c| {
                let mut evidence = case.evidence.iter();
                c.signal.is_some()
                    && c.solution == case.solution
                    && evidence.all(|of| c.evidence.contains(of))
            })
        };
        if let Some(case) = self.solved.iter().find(|case| !same(case)) {
            let what = format!("case {} is solved by other messages", case.case);
            found.push(Violation::new(RULE, what));
        }
    }
}
