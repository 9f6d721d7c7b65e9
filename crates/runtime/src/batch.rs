//! The inputs of one round and what they change: folded and decided one by one
//! on cached states, then sealed and committed together.

mod rejected;
mod turns;

use std::collections::{BTreeSet, HashMap, HashSet};

use hashlink::LinkedHashMap;
use threadlore_model::{
    Cause, EffectOutcome, Envelope, Event, EventId, Key, Producer, Role, SpaceId, Timestamp, Topic,
};
use threadlore_ports::{
    Changes, Class, EffectRow, Failure, FoldPorts, OutboxRow, Polled, PortError, Refused, Shard,
    Spans, encode_dead_letter, failed_call, skip_events,
};
use threadlore_roles::{Decision, Facts, Input, KeyState, Processor};

use crate::effects::Answered;
use crate::kept::{Kept, Last, due};
use crate::recovery::Recovery;

pub(crate) use rejected::{Origin, Rejected};

/// A wake that does not move on after this many firings before one record is left
/// for the next round.
const WAKES_PER_RECORD: usize = 1000;

/// What one round builds up.
pub(crate) struct Batch<'a, P: Processor> {
    pub(crate) processor: &'a P,
    pub(crate) shard: &'a Shard,
    pub(crate) ports: &'a FoldPorts,
    pub(crate) states: &'a mut LinkedHashMap<Key, Kept<P::State>>,
    pub(crate) recovery: Option<&'a mut Recovery>,
    /// Platform events known to be accepted before this batch.
    pub(crate) known: HashSet<EventId>,
    pub(crate) pending: &'a HashMap<Key, usize>,
    pub(crate) wall: Timestamp,
    pub(crate) sequence: u64,
    pub(crate) next_effect: u64,
    /// What is not to be decided, because the log does not take what it would lead to.
    rejected: &'a Rejected,
    /// What is being decided on.
    origin: Origin,
    spans: Spans,
    touched: BTreeSet<Key>,
    /// Keys of which a timer was rejected: it waits for the key's next input.
    halted: BTreeSet<Key>,
    accepted: Vec<EventId>,
    events: Vec<Event>,
    /// One for each event.
    places: Vec<Place>,
    effects: Vec<EffectRow>,
    answered: Vec<u64>,
    notes: Vec<Note>,
}

/// Where a decided event goes, and where it comes from.
struct Place {
    topic: Topic,
    ends_decision: bool,
    /// `None` for what puts something aside.
    origin: Option<Origin>,
}

/// What the observer is told once the batch is committed.
pub(crate) enum Note {
    Skipped(Topic),
    KeptFailed(Topic),
    Dropped(Topic, &'static str),
}

/// One input of a round.
pub(crate) enum Taken {
    /// A call that was committed was answered.
    Answer(Answered),
    /// A key's time came.
    Wake(Key),
    /// A record was read.
    Record(Polled),
    /// A lost state was rebuilt.
    Resume(Key),
}

/// What a finished batch leaves.
pub(crate) struct Finished {
    pub(crate) changes: Changes,
    pub(crate) spans: Spans,
    pub(crate) notes: Vec<Note>,
    pub(crate) wakes: Vec<(Key, Option<Timestamp>)>,
    pub(crate) sequence: u64,
    pub(crate) next_effect: u64,
}

/// What came of a batch.
pub(crate) enum Outcome {
    /// It can be committed.
    Finished(Box<Finished>),
    /// The log does not take what some inputs led to. The states of these keys are not those
    /// of the store any more; without these inputs the batch is to be decided once more.
    Rejected(Rejected, BTreeSet<Key>),
}

/// A shard's place in its own order of events.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counters {
    pub(crate) sequence: u64,
    pub(crate) next_effect: u64,
}

impl<'a, P: Processor> Batch<'a, P> {
    pub(crate) fn new(
        processor: &'a P,
        (shard, ports): (&'a Shard, &'a FoldPorts),
        states: &'a mut LinkedHashMap<Key, Kept<P::State>>,
        recovery: Option<&'a mut Recovery>,
        known: HashSet<EventId>,
        pending: &'a HashMap<Key, usize>,
        (counters, rejected): (Counters, &'a Rejected),
    ) -> Self {
        let wall = ports.clock.now();
        Self {
            processor,
            shard,
            ports,
            states,
            recovery,
            known,
            pending,
            wall,
            sequence: counters.sequence,
            next_effect: counters.next_effect,
            rejected,
            origin: Origin::None,
            spans: Spans::new(&ports.observer, &shard.group, wall),
            touched: BTreeSet::new(),
            halted: BTreeSet::new(),
            accepted: Vec::new(),
            events: Vec::new(),
            places: Vec::new(),
            effects: Vec::new(),
            answered: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Takes one input.
    pub(crate) fn take(&mut self, input: &Taken) {
        match input {
            Taken::Answer(answer) => {
                self.answered.push(answer.row.id);
                self.outcome(answer);
            }
            Taken::Wake(key) => self.wake(key),
            Taken::Record(polled) => self.record(polled),
            Taken::Resume(key) => self.resume(key),
        }
    }

    /// The next call that the inputs taken so far ask for. Whoever takes it out
    /// answers it by [`Batch::outcome`]; what is left is committed.
    pub(crate) fn take_asked(&mut self) -> Option<EffectRow> {
        self.effects.pop()
    }

    /// A record: wakes that were due before it, then the record itself.
    fn record(&mut self, polled: &Polled) {
        let Polled {
            at,
            offset,
            appended,
            event,
        } = polled;
        let event = match event {
            Ok(event) => event,
            Err(refused) => return self.skip(polled, refused),
        };
        let origin = Origin::Record(*at, *offset);
        if let Some(reason) = self.rejected.get(&origin) {
            return self.skip(polled, &because(reason.clone()));
        }
        let key = event.envelope.key.clone();
        let input = Input::Record {
            at: *at,
            offset: *offset,
            arrived: *appended,
            event,
        };
        self.touched.insert(key.clone());
        if P::QUEUES {
            let kept = self.states.entry(key.clone()).or_insert_with(Kept::default);
            self.processor.fold(&mut kept.state, &input);
            return self.take_turns(&key);
        }
        let recovers = self.recovery.is_some();
        if !recovers {
            self.wakes_before(&key, event.envelope.time, *appended);
        }
        // What is only folded was followed when it was decided on.
        let traceparent = if recovers {
            event.envelope.traceparent.clone()
        } else {
            self.spans.record(polled, P::ROLE == Role::Intake)
        };
        let kept = self.states.entry(key.clone()).or_insert_with(Kept::default);
        kept.last = Some(Last {
            at: *at,
            offset: *offset,
            event: event.envelope.id,
            traceparent: traceparent.clone(),
        });
        self.processor.fold(&mut kept.state, &input);
        let cause = Cause {
            event: event.envelope.id,
            at: *at,
            offset: *offset,
        };
        if let Some(trace) = &traceparent
            && self.processor.waits_for(&kept.state, &cause)
        {
            kept.traces.push((cause.clone(), trace.clone()));
        }
        // Everything read in a recovery was decided before; only slow calls may be open.
        if let Some(recovery) = &mut self.recovery {
            for event in recovery.outputs(&key, |cause| cause.offset <= *offset) {
                self.processor.fold_decided(&mut kept.state, &event);
            }
            return;
        }
        let now = kept.state.clock().now(*appended);
        let space = event.envelope.space.clone();
        let identity = self.processor.identity(&input);
        let repeated = identity.is_some_and(|id| self.known.contains(&id));
        let facts = self.facts(&key, cause, now, repeated);
        self.origin = origin;
        match self.decide(&key, &input, &facts) {
            Ok(decision) => {
                if let Some(reason) = decision.dropped {
                    self.notes.push(Note::Dropped(at.topic, reason));
                }
                if let Some(id) = identity.filter(|_| !decision.events.is_empty()) {
                    self.known.insert(id);
                    self.accepted.push(id);
                }
                self.apply(&key, &space, traceparent, facts, decision);
            }
            Err(reason) => self.skip(polled, &because(reason)),
        }
    }

    /// A key whose time came on the wall clock.
    fn wake(&mut self, key: &Key) {
        let Some(kept) = self.states.get(key) else {
            return;
        };
        let wake = self.processor.wake(&kept.state);
        let now = kept.state.clock().now(self.wall);
        if let Some(at) = wake.channel.filter(|at| *at <= now) {
            self.fire(key, at, false);
        } else if wake.wall.is_some_and(|at| at <= self.wall) {
            self.fire(key, now, true);
        }
        self.touched.insert(key.clone());
    }

    /// An answered call.
    pub(crate) fn outcome(&mut self, Answered { row, outcome, time }: &Answered) {
        // No two calls of a group have the same cause.
        let what = self.shard.group.to_string();
        let id = EventId::of_content("effect", &[&row.cause.event.to_string(), &what]);
        self.origin = Origin::Answer(id);
        // An answer that nothing can be made of is as good as none.
        let failed = self.rejected.get(&self.origin).map(|reason| {
            self.origin = Origin::Failure(id);
            let reason = reason.clone();
            EffectOutcome::Failed { reason }
        });
        let outcome = failed.as_ref().unwrap_or(outcome);
        let (key, traceparent) = (&row.key, row.traceparent.as_ref());
        if let EffectOutcome::Failed { reason } = outcome {
            tracing::error!(%key, reason, "a call failed for good; a dead letter says so");
            self.keep_failed(&Failure {
                id,
                key,
                cause: &row.cause,
                traceparent,
                reason,
            });
        }
        let input = Input::Outcome {
            request: &row.request,
            outcome,
        };
        self.fold(key, &input);
        let cause = Cause {
            event: id,
            ..row.cause.clone()
        };
        let traceparent = self.spans.call(&cause, traceparent, *time);
        if !self.rejected.contains_key(&self.origin) {
            self.internal(key, &input, cause, traceparent);
        }
        self.take_turns(key);
    }

    /// Keeps what failed for good, with its reason.
    fn keep_failed(&mut self, failure: &Failure<'_>) {
        let letter = failed_call(self.shard, failure, self.wall, &mut self.sequence);
        if let Some(letter) = letter {
            self.notes.push(Note::KeptFailed(failure.cause.at.topic));
            self.put_aside(vec![letter]);
        }
    }

    /// After a recovery: what is due for a key is taken up again.
    fn resume(&mut self, key: &Key) {
        let Some(last) = self.states.get(key).and_then(|kept| kept.last.clone()) else {
            return;
        };
        self.origin = Origin::Resume(key.clone());
        // The sequence tells apart two recoveries between which nothing came in.
        let place = [last.event.to_string(), self.sequence.to_string()];
        let id = EventId::of_content("resume", &place.each_ref().map(String::as_str));
        let cause = Cause {
            event: id,
            at: last.at,
            offset: last.offset,
        };
        if !self.is_rejected(key, &cause, last.traceparent.as_ref()) {
            self.internal(key, &Input::Resume, cause, last.traceparent);
        }
        self.take_turns(key);
    }

    /// Whether nothing may be decided on what is no record; then a dead letter says why.
    fn is_rejected(&mut self, key: &Key, cause: &Cause, traceparent: Option<&String>) -> bool {
        let Some(reason) = self.rejected.get(&self.origin) else {
            return false;
        };
        tracing::error!(%key, reason, "the log does not take a decision; a dead letter says so");
        self.keep_failed(&Failure {
            id: cause.event,
            key,
            cause,
            traceparent,
            reason,
        });
        true
    }

    fn wakes_before(&mut self, key: &Key, time: Timestamp, appended: Timestamp) {
        let mut last = None;
        for _ in 0..WAKES_PER_RECORD {
            let Some(kept) = self.states.get(key) else {
                return;
            };
            let mut clock = *kept.state.clock();
            clock.observe(time, appended);
            let due = self.processor.wake(&kept.state).channel;
            let Some(at) = due.filter(|at| *at <= clock.now(appended)) else {
                return;
            };
            if last == Some(at) {
                return;
            }
            last = Some(at);
            self.fire(key, at, false);
        }
    }

    fn fire(&mut self, key: &Key, now: Timestamp, idle: bool) {
        let Some(last) = self.states.get(key).and_then(|kept| kept.last.clone()) else {
            return;
        };
        // By the event and not by its offset, which depends on what other keys of the
        // partition were written when.
        let name = format!("{}@{}", if idle { "idle" } else { "wake" }, last.event);
        let id = EventId::timer(self.shard.group.as_str(), key, &name, now.as_millis());
        let cause = Cause {
            event: id,
            at: last.at,
            offset: last.offset,
        };
        let input = Input::Wake { idle };
        self.fold(key, &input);
        self.origin = Origin::Timer(id);
        if self.is_rejected(key, &cause, last.traceparent.as_ref()) {
            self.halted.insert(key.clone());
            return;
        }
        let traceparent = self.spans.timer(&cause, last.traceparent.as_ref());
        let facts = self.facts(key, cause, now, false);
        self.decide_internal(key, &input, traceparent, facts);
    }

    fn internal(
        &mut self,
        key: &Key,
        input: &Input<'_>,
        cause: Cause,
        traceparent: Option<String>,
    ) {
        let Some(kept) = self.states.get(key) else {
            return;
        };
        let now = kept.state.clock().now(self.wall);
        let facts = self.facts(key, cause, now, false);
        self.decide_internal(key, input, traceparent, facts);
    }

    fn decide_internal(
        &mut self,
        key: &Key,
        input: &Input<'_>,
        traceparent: Option<String>,
        facts: Facts,
    ) {
        match (self.decide(key, input, &facts), key.space()) {
            (Ok(decision), Ok(space)) => {
                if let Some(reason) = decision.dropped {
                    tracing::error!(%key, reason, "an answer cannot be used");
                }
                self.apply(key, &space, traceparent, facts, decision);
            }
            // No record has such a key: its envelope would not fit it.
            (Ok(_), Err(error)) => tracing::error!(%key, %error, "what follows is of no space"),
            (Err(reason), _) => tracing::error!(%key, reason, "an answer cannot be used"),
        }
    }

    fn fold(&mut self, key: &Key, input: &Input<'_>) {
        self.touched.insert(key.clone());
        let kept = self.states.entry(key.clone()).or_insert_with(Kept::default);
        self.processor.fold(&mut kept.state, input);
    }

    fn facts(&self, key: &Key, cause: Cause, now: Timestamp, repeated: bool) -> Facts {
        Facts {
            now,
            group: P::ROLE.name(),
            channel: key.channel().ok().map(|(_, channel)| channel),
            cause,
            repeated,
            pending_effects: self.pending_effects(key),
        }
    }

    /// Calls of the key that are asked for and not answered.
    fn pending_effects(&self, key: &Key) -> usize {
        let fresh = self.effects.iter().filter(|row| row.key == *key).count();
        self.pending.get(key).copied().unwrap_or(0) + fresh
    }

    fn decide(&self, key: &Key, input: &Input<'_>, facts: &Facts) -> Result<Decision, String> {
        let Some(kept) = self.states.get(key) else {
            return Ok(Decision::default());
        };
        self.processor
            .decide(&kept.state, input, facts)
            .map_err(|refusal| refusal.0)
    }

    /// Takes a decision over, and what follows from each of its events. All of it is
    /// one decision to whoever reads the log.
    fn apply(
        &mut self,
        key: &Key,
        space: &SpaceId,
        traceparent: Option<String>,
        facts: Facts,
        decision: Decision,
    ) {
        let start = self.events.len();
        let mut next = start;
        self.apply_one(key, space, &traceparent, &facts, decision);
        while let Some(event) = self.events.get(next).cloned() {
            next += 1;
            let facts = Facts {
                cause: Cause {
                    event: event.envelope.id,
                    ..facts.cause.clone()
                },
                pending_effects: self.pending_effects(key),
                ..facts.clone()
            };
            match self.decide(key, &Input::Decided(&event), &facts) {
                Ok(decision) => self.apply_one(key, space, &traceparent, &facts, decision),
                Err(reason) => tracing::error!(%key, reason, "an own decision is refused"),
            }
        }
        if next > start
            && let Some(place) = self.places.last_mut()
        {
            place.ends_decision = true;
        }
    }

    fn apply_one(
        &mut self,
        key: &Key,
        space: &SpaceId,
        traceparent: &Option<String>,
        facts: &Facts,
        decision: Decision,
    ) {
        self.touched.insert(key.clone());
        for (ordinal, decided) in decision.events.into_iter().enumerate() {
            let Some(topic) = decided.body.topic() else {
                continue;
            };
            let event = Event {
                envelope: Envelope {
                    id: decided.id.unwrap_or_else(|| facts.event_id(ordinal)),
                    space: space.clone(),
                    key: key.clone(),
                    time: decided.time.unwrap_or(facts.now),
                    producer: Some(self.next_producer()),
                    cause: Some(facts.cause.clone()),
                    traceparent: traceparent.clone(),
                },
                body: decided.body,
            };
            if let Some(kept) = self.states.get_mut(key) {
                self.processor.fold_decided(&mut kept.state, &event);
            }
            self.events.push(event);
            self.places.push(Place {
                topic,
                ends_decision: false,
                origin: Some(self.origin.clone()),
            });
        }
        for (cause, request) in decision.effects {
            self.next_effect += 1;
            let kept = self.states.get(key);
            let carried = if cause == facts.cause {
                traceparent.clone()
            } else {
                kept.and_then(|kept| kept.trace_of(&cause))
            };
            self.effects.push(EffectRow {
                id: self.next_effect,
                key: key.clone(),
                traceparent: carried,
                cause,
                request,
            });
        }
    }

    fn next_producer(&mut self) -> Producer {
        self.sequence += 1;
        Producer {
            group: self.shard.group.clone(),
            partition: self.shard.partition,
            sequence: self.sequence,
        }
    }

    /// Puts a record aside: a skip and a dead letter.
    fn skip(&mut self, polled: &Polled, refused: &Refused) {
        tracing::warn!(topic = %polled.at.topic, partition = %polled.at.partition,
            offset = %polled.offset, reason = refused.reason, "a record is skipped");
        self.notes.push(Note::Skipped(polled.at.topic));
        let events = skip_events(self.shard, polled, refused, self.wall, &mut self.sequence);
        self.put_aside(events);
    }

    /// Publishes what puts something aside.
    fn put_aside(&mut self, events: Vec<(Topic, Event)>) {
        let count = events.len();
        for (i, (topic, event)) in events.into_iter().enumerate() {
            self.events.push(event);
            self.places.push(Place {
                topic,
                ends_decision: i + 1 == count,
                origin: None,
            });
        }
    }

    /// The decided events as the log takes them; or why it does not, with what they were
    /// decided on.
    fn encode(&mut self) -> Result<Result<Vec<OutboxRow>, Rejected>, PortError> {
        let log = self.ports.log.as_ref();
        let (mut rows, mut rejected) = (Vec::with_capacity(self.events.len()), Rejected::new());
        let events = std::mem::take(&mut self.events).into_iter();
        for (event, place) in events.zip(std::mem::take(&mut self.places)) {
            let Some(origin) = place.origin else {
                let letter = encode_dead_letter(log, (place.topic, event), place.ends_decision);
                rows.push(letter?);
                continue;
            };
            match OutboxRow::encode(log, (place.topic, &event), place.ends_decision) {
                Ok(row) => rows.push(row),
                Err(error) if error.class() == Class::DeadLetter => {
                    rejected.insert(origin, error.to_string());
                }
                Err(error) => return Err(error),
            }
        }
        Ok(match rejected.is_empty() {
            true => Ok(rows),
            false => Err(rejected),
        })
    }

    /// Seals and encodes what was decided, and says what is to be committed.
    pub(crate) async fn finish(mut self) -> Result<Outcome, PortError> {
        self.ports.vault.seal(&mut self.events).await?;
        let outbox = match self.encode()? {
            Ok(outbox) => outbox,
            Err(rejected) => return Ok(Outcome::Rejected(rejected, self.touched)),
        };
        let mut changes = Changes {
            sequence: self.sequence,
            accepted: self.accepted,
            outbox,
            effects: self.effects,
            answered: self.answered,
            ..Changes::default()
        };
        let mut wakes = Vec::new();
        for key in self.touched {
            let Some(kept) = self.states.get_mut(&key) else {
                continue;
            };
            let (processor, state) = (self.processor, &kept.state);
            kept.traces
                .retain(|(cause, _)| processor.waits_for(state, cause));
            // In a recovery every key waits to be resumed, also by a later owner.
            let wake = match self.recovery {
                Some(_) => Some(Timestamp::EARLIEST),
                None if self.halted.contains(&key) => None,
                None => due(&kept.state, self.processor.wake(&kept.state)),
            };
            changes.states.push(kept.row(&key, wake)?);
            wakes.push((key, wake));
        }
        Ok(Outcome::Finished(Box::new(Finished {
            changes,
            spans: self.spans,
            notes: self.notes,
            wakes,
            sequence: self.sequence,
            next_effect: self.next_effect,
        })))
    }
}

/// A record that is put aside although it is an event.
fn because(reason: String) -> Refused {
    Refused {
        reason,
        value: Vec::new(),
        key: None,
    }
}
