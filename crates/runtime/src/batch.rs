//! The inputs of one round and what they change: folded and decided one by one
//! on cached states, then sealed and committed together.

mod finish;
mod parts;
mod queued;
mod recovered;
mod rejected;
mod timing;

use std::collections::{BTreeSet, HashMap, HashSet};

use threadlore_model::{
    Cause, Envelope, Event, EventId, Key, Offset, Producer, SpaceId, Timestamp, Topic,
};
use threadlore_ports::Shard;
use threadlore_roles::{Decision, Facts, Input, KeyState, Processor};
use threadlore_stream::{Failure, FoldPorts, Polled, Refused, Spans};

use crate::calls::{CallResult, PendingCall};
use crate::key_entry::LastInput;
use crate::recovery::Recovery;
use crate::state_cache::StateCache;

use parts::Place;
pub(crate) use parts::{BatchInput, Counters, Finished, Note, Outcome, Round};
pub(crate) use rejected::{Origin, Rejected};

/// What one round builds up.
pub(crate) struct Batch<'a, P: Processor> {
    processor: &'a P,
    shard: &'a Shard,
    ports: &'a FoldPorts,
    states: &'a mut StateCache<P::State>,
    recovery: Option<&'a mut Recovery>,
    /// Platform events known to be accepted before this batch.
    known: HashSet<EventId>,
    pending: &'a HashMap<Key, usize>,
    wall: Timestamp,
    sequence: u64,
    next_call: u64,
    /// What is not to be decided, because the log does not take what it would lead to.
    rejected: &'a Rejected,
    /// What is being decided on.
    origin: Origin,
    spans: Spans,
    touched: BTreeSet<Key>,
    /// Keys of which a timer was rejected: it waits for the key's next input.
    halted: BTreeSet<Key>,
    /// A key of which an own decision is to be folded whose event has to be read first, with
    /// topic and offset of the record that was taken.
    to_load: Option<(Key, (Topic, Offset))>,
    accepted: Vec<EventId>,
    events: Vec<Event>,
    /// One for each event.
    places: Vec<Place>,
    calls: Vec<PendingCall<P::Call>>,
    answered: Vec<u64>,
    notes: Vec<Note>,
}

impl<'a, P: Processor> Batch<'a, P> {
    pub(crate) fn new(round: Round<'a, P>) -> Self {
        Self {
            spans: Spans::new(&round.ports.observer, &round.shard.group, round.wall),
            processor: round.processor,
            shard: round.shard,
            ports: round.ports,
            states: round.states,
            recovery: round.recovery,
            known: round.known,
            pending: round.pending,
            wall: round.wall,
            sequence: round.counters.sequence,
            next_call: round.counters.next_call,
            rejected: round.rejected,
            origin: Origin::None,
            touched: BTreeSet::new(),
            halted: BTreeSet::new(),
            to_load: None,
            accepted: Vec::new(),
            events: Vec::new(),
            places: Vec::new(),
            calls: Vec::new(),
            answered: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Takes one input.
    pub(crate) fn take(&mut self, input: &BatchInput<P>) {
        match input {
            BatchInput::CallResult(ended) => {
                self.answered.push(ended.asked.id);
                self.ended(ended);
            }
            BatchInput::Timer(key) => self.timer(key),
            BatchInput::Record(polled) => self.record(polled),
            BatchInput::Resume(key) => self.resume(key),
        }
    }

    /// The next call that the inputs taken so far ask for. The caller
    /// answers it by [`Batch::ended`]; what is left is committed.
    pub(crate) fn take_asked(&mut self) -> Option<PendingCall<P::Call>> {
        self.calls.pop()
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
        let input: Input<'_, P::Call, P::Answer> = Input::Record {
            at: *at,
            offset: *offset,
            arrived: *appended,
            event,
        };
        self.touched.insert(key.clone());
        if self.processor.queue().is_some() {
            let kept = self.states.entry(&key);
            self.processor.fold(&mut kept.state, &input);
            return self.take_queued(&key);
        }
        let recovers = self.recovery.is_some();
        let moves_time = at.topic.moves_channel_time();
        if !recovers && moves_time {
            self.timers_before(&key, event.envelope.time, *appended);
        }
        // What is only folded was followed when it was decided on.
        let traceparent = if recovers {
            event.envelope.traceparent.clone()
        } else {
            self.spans.record(polled, P::BEGINS_TRACES)
        };
        let kept = self.states.entry(&key);
        if moves_time {
            kept.last = Some(LastInput {
                at: *at,
                offset: *offset,
                event: event.envelope.id,
                traceparent: traceparent.clone(),
            });
        }
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
        if recovers {
            return self.fold_outputs(&key, (at.topic, *offset));
        }
        let now = kept.state.clock().now(*appended);
        let identity = self.processor.identity(&input);
        let repeated = identity.is_some_and(|id| self.known.contains(&id));
        let facts = self.facts(&key, cause, now, repeated);
        self.origin = origin;
        let before = self.events.len();
        match self.decide_on(&key, &input, traceparent, facts) {
            Ok(()) if self.events.len() > before => {
                if let Some(id) = identity {
                    self.known.insert(id);
                    self.accepted.push(id);
                }
            }
            Ok(()) => {}
            Err(reason) => self.skip(polled, &because(reason)),
        }
    }

    /// A call that ended.
    pub(crate) fn ended(
        &mut self,
        CallResult {
            asked,
            answer,
            time,
        }: &CallResult<P>,
    ) {
        // No two calls of a group have the same cause.
        let what = self.shard.group.to_string();
        let id = EventId::of_content("effect", &[&asked.cause.event.to_string(), &what]);
        self.origin = Origin::Answer(id);
        // An answer that nothing can be made of is as good as none.
        let rejected = self.rejected.get(&self.origin).cloned();
        if rejected.is_some() {
            self.origin = Origin::Failure(id);
        }
        let answer = match &rejected {
            Some(reason) => Err(reason.as_str()),
            None => answer.as_ref().map_err(String::as_str),
        };
        let (key, traceparent) = (&asked.key, asked.traceparent.as_ref());
        if let Err(reason) = answer
            && P::KEEPS_FAILED_CALLS
        {
            tracing::error!(%key, reason, "a call failed for good; a dead letter says so");
            self.keep_failed(&Failure {
                id,
                key,
                cause: &asked.cause,
                traceparent,
                reason,
            });
        }
        let input = Input::Answered {
            call: &asked.call,
            answer,
        };
        self.fold(key, &input);
        let cause = Cause {
            event: id,
            ..asked.cause.clone()
        };
        let traceparent = self.spans.call(&cause, traceparent, *time);
        if !self.rejected.contains_key(&self.origin) {
            self.internal(key, &input, cause, traceparent);
        }
        self.take_queued(key);
    }

    /// Decides on an input that is no record and was folded.
    fn internal(
        &mut self,
        key: &Key,
        input: &Input<'_, P::Call, P::Answer>,
        cause: Cause,
        traceparent: Option<String>,
    ) {
        let Some(kept) = self.states.get(key) else {
            return;
        };
        let now = kept.state.clock().now(self.wall);
        let facts = self.facts(key, cause.clone(), now, false);
        if let Err(reason) = self.decide_on(key, input, traceparent.clone(), facts) {
            self.refuse(key, &cause, traceparent.as_ref(), &reason);
        }
    }

    /// Decides on an input that was folded, and takes the decision over.
    ///
    /// # Errors
    /// Why nothing can be decided on it. The caller makes a dead letter of it.
    fn decide_on(
        &mut self,
        key: &Key,
        input: &Input<'_, P::Call, P::Answer>,
        traceparent: Option<String>,
        facts: Facts,
    ) -> Result<(), String> {
        let decision = self.decide(key, input, &facts)?;
        let space = key.space().map_err(|error| error.to_string())?;
        if let Some(reason) = decision.dropped {
            self.notes.push(Note::Dropped(facts.cause.at.topic, reason));
        }
        self.apply(key, &space, traceparent, facts, decision);
        Ok(())
    }

    /// Adds a dead letter about an input that is no record.
    fn refuse(&mut self, key: &Key, cause: &Cause, traceparent: Option<&String>, reason: &str) {
        tracing::error!(%key, reason, "nothing can be decided on an input; a dead letter says so");
        self.keep_failed(&Failure {
            id: cause.event,
            key,
            cause,
            traceparent,
            reason,
        });
    }

    fn fold(&mut self, key: &Key, input: &Input<'_, P::Call, P::Answer>) {
        self.touched.insert(key.clone());
        let kept = self.states.entry(key);
        self.processor.fold(&mut kept.state, input);
    }

    fn facts(&self, key: &Key, cause: Cause, now: Timestamp, repeated: bool) -> Facts {
        Facts {
            now,
            group: self.shard.group.clone(),
            space: key.space().ok(),
            channel: key.channel().ok().map(|(_, channel)| channel),
            cause,
            repeated,
            pending_calls: self.pending_calls(key),
        }
    }

    /// Calls of the key that are asked for and not answered.
    fn pending_calls(&self, key: &Key) -> usize {
        let fresh = self.calls.iter().filter(|asked| asked.key == *key).count();
        self.pending.get(key).copied().unwrap_or(0) + fresh
    }

    fn decide(
        &self,
        key: &Key,
        input: &Input<'_, P::Call, P::Answer>,
        facts: &Facts,
    ) -> Result<Decision<P::Call>, String> {
        let Some(kept) = self.states.get(key) else {
            return Ok(Decision::default());
        };
        self.processor
            .decide(&kept.state, input, facts)
            .map_err(|refusal| refusal.0)
    }

    /// Takes a decision over, and what follows from each of its events. All of it is
    /// one decision to readers of the log.
    fn apply(
        &mut self,
        key: &Key,
        space: &SpaceId,
        traceparent: Option<String>,
        facts: Facts,
        decision: Decision<P::Call>,
    ) {
        let start = self.events.len();
        let mut next = start;
        self.apply_one(key, space, &traceparent, &facts, decision);
        let mut refused = Vec::new();
        while let Some(event) = self.events.get(next).cloned() {
            next += 1;
            let facts = Facts {
                cause: Cause {
                    event: event.envelope.id,
                    ..facts.cause.clone()
                },
                pending_calls: self.pending_calls(key),
                ..facts.clone()
            };
            match self.decide(key, &Input::Decided(&event), &facts) {
                Ok(decision) => self.apply_one(key, space, &traceparent, &facts, decision),
                Err(reason) => refused.push((facts.cause, reason)),
            }
        }
        if next > start
            && let Some(place) = self.places.last_mut()
        {
            place.ends_decision = true;
        }
        for (cause, reason) in refused {
            self.refuse(key, &cause, traceparent.as_ref(), &reason);
        }
    }

    fn apply_one(
        &mut self,
        key: &Key,
        space: &SpaceId,
        traceparent: &Option<String>,
        facts: &Facts,
        decision: Decision<P::Call>,
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
                    actor: None,
                    traceparent: traceparent.clone(),
                },
                body: decided.body,
            };
            if let Some(kept) = self.states.get_mut(key) {
                self.processor.fold_decided(&mut kept.state, &event);
            }
            if let Some(outcome) = event.body.outcome() {
                let name = event.body.type_name();
                self.notes.push(Note::Outcome(name, outcome));
            }
            self.events.push(event);
            self.places.push(Place {
                topic,
                ends_decision: false,
                origin: Some(self.origin.clone()),
            });
        }
        for (cause, call) in decision.calls {
            self.next_call += 1;
            let kept = self.states.get(key);
            let carried = if cause == facts.cause {
                traceparent.clone()
            } else {
                kept.and_then(|kept| kept.trace_of(&cause))
            };
            self.calls.push(PendingCall {
                id: self.next_call,
                key: key.clone(),
                traceparent: carried,
                cause,
                call,
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
}

/// Why an event that was read is dead-lettered.
fn because(reason: String) -> Refused {
    Refused {
        reason,
        value: Vec::new(),
        key: None,
    }
}
