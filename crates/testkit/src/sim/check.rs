//! What must hold once all work is done.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use futures::FutureExt;
use futures::executor::block_on;
use threadlore_fold::{Row, fold_case, text_of_case};
use threadlore_model::{
    Body, Case, CaseId, ChannelId, Confirmation, Event, EventId, MessageId, Offset, Part, Producer,
    SpaceId, Status, Timestamp, Topic, parse_source, vector_source,
};
use threadlore_ports::{
    Digests, EventLog, Generation, Generations, PortError, Projection, Record, Silent, Vault,
};
use threadlore_replay::{FoldPorts, Verdict, compare, rebuild};

use crate::sim::sched::BareClock;
use crate::sim::workload::{PARTITIONS, hasher};
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
    platform_events(world, &taken, &mut found);
    decided_once(&taken, &mut found);
    failed_calls(&dump, &taken, &mut found);
    let rows = |projection| {
        world.store.rows(Generation {
            projection,
            number: 1,
        })
    };
    let (messages, cases) = (rows(Projection::Messages), rows(Projection::Cases));
    message_rows(world, &messages, &mut found);
    let cases: Vec<&Case> = cases
        .iter()
        .filter_map(|row| match row {
            Row::Case(case) => Some(case.as_ref()),
            _ => None,
        })
        .collect();
    evidence(world, &cases, &mut found);
    versions(&taken, &cases, &mut found);
    block_on(vectors(world, &taken, &cases, &mut found));
    rebuilt(world, &mut found);
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

/// Every accepted input stands in `chat.events` once.
fn platform_events(world: &World, taken: &Taken, found: &mut Vec<Violation>) {
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

fn decided_once(taken: &Taken, found: &mut Vec<Violation>) {
    const RULE: &str = "nothing is decided twice";
    // Not vectors: those are values of a text. After a failed call and a lost database one
    // may be asked for again and decided under the same id, which folds to the same row
    // (seeds 3210 and 4124); that none is computed more often than its text came is a
    // rule of its own.
    for topic in [Topic::ChatTurns, Topic::KnowledgeCases] {
        let mut seen = HashSet::new();
        for event in taken.of(topic) {
            if !seen.insert(event.envelope.id) {
                let what = format!("{} {}", event.body.type_name(), event.envelope.id);
                found.push(Violation::new(RULE, what));
            }
        }
    }
}

/// What failed for good stands among the dead letters, with what had asked for it.
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

/// Messages and reactions are what people sent last.
fn message_rows(world: &World, rows: &[Row], found: &mut Vec<Violation>) {
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

/// Cases keep to their space and channel, no message solves two, and none quotes
/// what was redacted.
fn evidence(world: &World, cases: &[&Case], found: &mut Vec<Violation>) {
    let messages = &world.workload.expected.messages;
    let mut solved: BTreeMap<MessageId, CaseId> = BTreeMap::new();
    for case in cases {
        for evidence in &case.evidence {
            let place = messages.get(&evidence.message).map(|(s, c, _)| (s, c));
            if place != Some((&case.space, &case.channel)) {
                let what = format!("case {} of {} has {place:?}", case.case, case.space);
                found.push(Violation::new("spaces and channels never mix", what));
            }
            let text = messages.get(&evidence.message).map(|(_, _, text)| text);
            if evidence.part != Part::Context && text == Some(&None) {
                let what = format!("case {} quotes {}", case.case, evidence.message);
                found.push(Violation::new("no case quotes a redacted message", what));
            }
            if is_solved(case)
                && let Some(other) = solved.insert(evidence.message, case.case)
            {
                let what = format!(
                    "message {} is evidence of solved cases {other} and {}",
                    evidence.message, case.case
                );
                found.push(Violation::new("nothing is decided twice", what));
            }
        }
    }
}

fn is_solved(case: &Case) -> bool {
    case.status() == Status::Solved
}

/// Every case has the vector of its text, unless the model refused it; and none was
/// computed more often than its text came.
async fn vectors(world: &World, taken: &Taken, cases: &[&Case], found: &mut Vec<Violation>) {
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
                let source = computed.source.text().and_then(parse_source);
                let key = (space, computed.case, source.unwrap_or_default());
                *counts.entry(key).or_default() -= 1;
            } else {
                let mut case = None;
                let mut fresh = event.clone();
                // Whatever it was decided on: the text that it brings counts.
                if let Body::CaseSolved(solved) = &mut fresh.body {
                    solved.expected_version = None;
                }
                let _outcome = fold_case(&mut case, &fresh);
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

/// What the checker itself knows of a case; it does not use the fold.
#[derive(Default)]
struct Model {
    version: i64,
    solved: bool,
    archived: Option<Timestamp>,
    erased: bool,
    merged: Option<CaseId>,
    confirmations: BTreeSet<Confirmation>,
}

/// A decision on an old version changed nothing.
fn versions(taken: &Taken, cases: &[&Case], found: &mut Vec<Violation>) {
    let mut models: BTreeMap<(SpaceId, ChannelId, CaseId), Model> = BTreeMap::new();
    for event in taken.of(Topic::KnowledgeCases) {
        let (case, Some(channel)) = (event.body.case(), event.body.channel()) else {
            continue;
        };
        let Some(case) = case else { continue };
        let key = (event.envelope.space.clone(), channel.clone(), case);
        models.entry(key).or_default().apply(&event.body);
    }
    models.retain(|_, model| model.version > 0);
    let rows: BTreeMap<_, _> = cases
        .iter()
        .map(|case| ((case.space.clone(), case.channel.clone(), case.case), *case))
        .collect();
    for (key, model) in &models {
        let row = rows.get(key).map(|case| (case.version, case.status()));
        let status = match model {
            Model { erased: true, .. } => Status::Erased,
            Model {
                merged: Some(_), ..
            } => Status::Merged,
            Model {
                archived: Some(_), ..
            } => Status::Archived,
            Model {
                solved,
                confirmations,
                ..
            } if *solved || !confirmations.is_empty() => Status::Solved,
            _ => Status::Open,
        };
        if row != Some((model.version, status)) {
            let what = format!(
                "case {}: the row says {row:?}, the log version {} and {status:?}",
                key.2, model.version
            );
            found.push(Violation::new("a stale decision changes nothing", what));
        }
    }
    if models.len() != rows.len() {
        let what = format!("{} rows for {} cases", rows.len(), models.len());
        found.push(Violation::new("a stale decision changes nothing", what));
    }
}

impl Model {
    fn apply(&mut self, body: &Body) {
        let changed = match body {
            _ if self.erased => false,
            Body::CaseErased(_) if self.version > 0 => {
                self.erased = true;
                true
            }
            Body::CaseOpened(_) => self.version == 0,
            Body::CaseSolved(e) if e.expected_version.unwrap_or(0) == self.version => {
                (self.solved, self.archived, self.merged) = (true, None, None);
                true
            }
            Body::CaseConfirmed(e) if self.version > 0 => {
                let new = self.confirmations.insert(Confirmation {
                    message: e.message,
                    person: e.person,
                    emoji: e.emoji.clone(),
                });
                // What was confirmed by then had not expired.
                self.archived = self.archived.filter(|at| !new || *at <= e.now);
                new
            }
            Body::ConfirmationWithdrawn(e) => self.confirmations.remove(&Confirmation {
                message: e.message,
                person: e.person,
                emoji: e.emoji.clone(),
            }),
            Body::CaseArchived(e) if self.version > 0 && e.expected_version == self.version => {
                self.archived = Some(e.now);
                true
            }
            Body::CaseMerged(e) if self.version > 0 && self.archived.is_none() => {
                let other = e.into != e.case && self.merged != Some(e.into);
                self.merged = if other { Some(e.into) } else { self.merged };
                other
            }
            Body::CaseSplit(_) => self.merged.take().is_some(),
            _ => false,
        };
        self.version += i64::from(changed);
    }
}

/// A second build from offset 0 has the rows of the live one.
fn rebuilt(world: &World, found: &mut Vec<Violation>) {
    const RULE: &str = "digest(live) == digest(rebuilt from offset 0)";
    for projection in Projection::ALL {
        let what = match block_on(rebuild_one(world, projection)) {
            Ok(Verdict::Equal) => continue,
            Ok(verdict) => format!("{}: {verdict:?}", projection.name()),
            Err(error) => format!("{}: {error}", projection.name()),
        };
        found.push(Violation::new(RULE, what));
    }
}

async fn rebuild_one(world: &World, projection: Projection) -> Result<Verdict, PortError> {
    let log: Arc<dyn EventLog> = world.readers_log();
    let ports = FoldPorts {
        log,
        store: Arc::clone(&world.store) as Arc<_>,
        vault: Vault::new(Arc::clone(&world.keys) as Arc<_>),
        clock: Arc::new(BareClock(Arc::clone(&world.shared))),
        observer: Arc::new(Silent),
    };
    let generations = world.store.as_ref();
    let live = generations.live(projection).await?;
    let rebuilt = rebuild(&ports, None, generations, projection, &|_, _| {}).await?;
    let compared = compare(generations, None, (live, rebuilt.generation), PARTITIONS, 5).await?;
    generations.drop_generation(rebuilt.generation).await?;
    Ok(compared.verdict)
}

/// What a lost database must not change.
pub(crate) struct Kept {
    digests: Vec<Option<Digests>>,
    solved: Vec<Case>,
    taken: Vec<usize>,
}

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
            taken: [Topic::ChatEvents, Topic::ChatTurns]
                .iter()
                .map(|t| taken.of(*t).len())
                .collect(),
        }
    }

    /// An engine may find more when it looks again at windows in which it found
    /// nothing; what it had solved stays as it was, and the rest too.
    pub(crate) fn compare(&self, world: &World, found: &mut Vec<Violation>) {
        const RULE: &str = "a lost database comes back as it was";
        let after = Self::of(world);
        if self.digests != after.digests {
            found.push(Violation::new(RULE, "messages or channels differ"));
        }
        if self.taken != after.taken {
            let what = format!(
                "messages and windows: {:?}, then {:?}",
                self.taken, after.taken
            );
            found.push(Violation::new(RULE, what));
        }
        let now: HashMap<CaseId, &Case> = after.solved.iter().map(|c| (c.case, c)).collect();
        let same = |case: &&Case| {
            now.get(&case.case).is_some_and(|c| {
                (&c.solution, &c.evidence, c.solved_at)
                    == (&case.solution, &case.evidence, case.solved_at)
            })
        };
        if let Some(case) = self.solved.iter().find(|case| !same(case)) {
            let what = format!("case {} is solved another time", case.case);
            found.push(Violation::new(RULE, what));
        }
    }
}
