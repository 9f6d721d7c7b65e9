//! One batch, from its inputs to what is to be committed.

use std::collections::HashSet;

use threadlore_model::{Event, EventId, Group, Key, Timestamp};
use threadlore_ports::{Observer, PortError};
use threadlore_roles::{Input, Processor};
use threadlore_stream::Polled;

use super::{Inputs, Worker};
use crate::batch::{Batch, BatchInput, Finished, Outcome, Rejected, Round};
use crate::calls::CallResult;
use crate::committer::{Decided, Then};
use crate::key_entry::KeyEntry;
use crate::reader::Read;
use crate::recovery::Own;

impl<P: Processor> Worker<P> {
    /// Folds and decides one batch, and says what is to be committed.
    pub(super) async fn decide(&mut self, inputs: Inputs<P>) -> Result<Decided, PortError> {
        let started = self.ports.clock.now();
        let group = self.shard.group.clone();
        let Inputs {
            ended,
            due,
            read,
            recovered,
        } = inputs;
        let read = read.unwrap_or_else(|| Read::nothing(&self.positions));
        let count = ended.len() + due.len() + read.records.len();
        self.tell_inputs(&ended, &read);
        let keys = ended.iter().map(|call| &call.asked.key).chain(&due);
        let keys = keys.chain(read.records.iter().filter_map(key_of));
        let keys: HashSet<Key> = keys.cloned().collect();
        self.states.evict();
        self.load(keys).await?;
        let known = self.known(&read.records).await?;
        if let Some(recovery) = &mut self.recovery {
            let own = Own {
                ports: &self.ports,
                processor: self.processor.as_ref(),
                shard: &self.shard,
            };
            let reading = recovery.read_on(own, &read.positions);
            self.pipeline.alongside(reading).await?;
        }
        let mut resumed = Vec::new();
        if recovered {
            let recovery = self.recovery.take();
            if let Some(left) = recovery.map(|r| r.left()).filter(|left| *left > 0) {
                tracing::warn!(shard = %self.shard, left,
                    "decisions whose causes cannot be read are left out of the state");
            }
            self.pipeline.reader.lift_bound();
            resumed = self.timers.due(Timestamp::EARLIEST, usize::MAX);
        }
        self.load(resumed.iter().cloned().collect()).await?;
        let inputs = ended.into_iter().map(BatchInput::CallResult);
        let inputs = inputs.chain(due.into_iter().map(BatchInput::Timer));
        let inputs = inputs.chain(read.records.into_iter().map(BatchInput::Record));
        let inputs = inputs.chain(resumed.into_iter().map(BatchInput::Resume));
        let finished = self.engine(&inputs.collect::<Vec<_>>(), &known).await?;
        let mut changes = finished.changes;
        changes.positions = read.positions.clone();
        changes.marks = read.marks;
        changes.recovered = self.recovery.is_none();
        self.batch += 1;
        self.positions = read.positions.clone();
        self.counters = finished.counters;
        self.accepted = changes.accepted.clone();
        changes
            .effects
            .iter()
            .for_each(|row| self.pool.announce(&row.key));
        for (key, at) in &finished.timers {
            self.states.changed(key, self.batch);
            self.timers.set(key, *at);
            self.set_flow(key);
        }
        self.states.drop_derived(finished.timers.len());
        let then = Then {
            batch: self.batch,
            decided: changes.outbox.len(),
            outbox: changes.outbox.clone(),
            effects: changes.effects.clone(),
            spans: finished.spans,
            notes: finished.notes,
            positions: read.positions,
            inputs: count,
            started,
        };
        tracing::trace!(shard = %group, batch = self.batch, "decided");
        Ok(Decided { changes, then })
    }

    fn tell_inputs(&self, ended: &[CallResult<P>], read: &Read) {
        let (group, observer) = (&self.shard.group, &self.ports.observer);
        for topic in P::INPUTS {
            let records = read.records.iter().filter(|r| r.at.topic == *topic);
            observer.read(group, *topic, records.count());
        }
        for (topic, count) in &read.repeats {
            for _ in 0..*count {
                observer.dropped(group, *topic, "redelivered");
            }
        }
        for call in ended {
            tell_result(observer.as_ref(), group, self.pool.step(), call);
        }
    }

    /// Folds and decides inputs. Where the log does not take what some of them led to, all of
    /// them are decided once more without those, from the states before them.
    async fn engine(
        &mut self,
        inputs: &[BatchInput<P>],
        known: &HashSet<EventId>,
    ) -> Result<Finished, PortError> {
        let inline = self.pool.is_quick();
        // The same for every attempt: names of what a timer decides are made of it.
        let wall = self.ports.clock.now();
        let mut rejected = Rejected::new();
        loop {
            let mut batch = Batch::new(Round {
                processor: self.processor.as_ref(),
                shard: &self.shard,
                ports: &self.ports,
                states: &mut self.states,
                recovery: self.recovery.as_mut(),
                known: known.clone(),
                pending: self.pool.pending(),
                wall,
                counters: self.counters,
                rejected: &rejected,
            });
            for input in inputs {
                batch.take(input);
                while batch.is_to_load() {
                    self.pipeline.alongside(batch.load()).await?;
                }
                while inline && let Some(asked) = batch.take_asked() {
                    let ended = self.pool.answer(asked);
                    let ended = async { Ok(ended.await) };
                    let ended = self.pipeline.alongside(ended).await?;
                    let (group, step) = (&self.shard.group, self.pool.step());
                    tell_result(self.ports.observer.as_ref(), group, step, &ended);
                    batch.ended(&ended);
                    while batch.is_to_load() {
                        self.pipeline.alongside(batch.load()).await?;
                    }
                }
            }
            let (more, touched) = match self.pipeline.alongside(batch.finish()).await? {
                Outcome::Finished(finished) => {
                    if let Some(recovery) = &mut self.recovery {
                        recovery.finished();
                    }
                    return Ok(*finished);
                }
                Outcome::Rejected(more, touched) => (more, touched),
            };
            let known_before = rejected.len();
            rejected.extend(more);
            if rejected.len() == known_before {
                let reason = format!("{}: the log refuses the same event again", self.shard);
                return Err(PortError::broken("deciding a batch", reason));
            }
            if let Some(recovery) = &mut self.recovery {
                recovery.undo();
            }
            // The store has the states before this batch once the one before it is committed.
            self.pipeline.until(|all| all.committer.is_free()).await?;
            for key in &touched {
                self.states.remove(key);
            }
            self.load(touched.into_iter().collect()).await?;
        }
    }

    /// Loads the states of keys that are not in memory. Those that a batch changed which is
    /// not committed are.
    async fn load(&mut self, keys: HashSet<Key>) -> Result<(), PortError> {
        let missing = keys.into_iter().filter(|key| !self.states.contains(key));
        let mut missing: Vec<Key> = missing.collect();
        if missing.is_empty() {
            return Ok(());
        }
        missing.sort();
        let load = self.ports.store.load(&self.shard, &missing);
        for row in self.pipeline.alongside(load).await? {
            let entry = KeyEntry::of_row(&row)?;
            self.states.insert(row.key.clone(), entry);
            self.set_flow(&row.key);
        }
        Ok(())
    }

    fn set_flow(&mut self, key: &Key) {
        if let Some(entry) = self.states.get(key) {
            let flow = self.processor.flow(&entry.state);
            let (waiting, calls) = (flow.waiting, self.pool.has_calls(key));
            let (observer, group) = (&self.ports.observer, &self.shard.group);
            let before = self.backpressure.held();
            if self.backpressure.set(key, flow, calls) {
                observer.held(group, key, waiting);
            } else if self.backpressure.held() < before {
                observer.released(group, 1);
            }
        }
    }

    /// Which of the batch's platform events were accepted before.
    async fn known(&mut self, records: &[Polled]) -> Result<HashSet<EventId>, PortError> {
        let mut ids = Vec::new();
        for record in records {
            let Ok(event) = &record.event else { continue };
            let input = Input::Record {
                at: record.at,
                offset: record.offset,
                arrived: record.appended,
                event,
            };
            ids.extend(self.processor.identity(&input));
        }
        if ids.is_empty() {
            return Ok(HashSet::new());
        }
        let known = self.ports.store.accepted(&self.shard, &ids);
        let mut known = self.pipeline.alongside(known).await?;
        known.extend(&self.accepted);
        Ok(known)
    }
}

fn tell_result<P: Processor>(
    observer: &dyn Observer,
    group: &Group,
    step: &'static str,
    result: &CallResult<P>,
) {
    observer.call(group, step, result.answer.is_ok(), result.seconds());
}

fn key_of(record: &Polled) -> Option<&Key> {
    record
        .event
        .as_ref()
        .ok()
        .map(|event: &Event| &event.envelope.key)
}
