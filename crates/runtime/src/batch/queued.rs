//! Records that wait in a key's queue, for processors that have one.

use threadlore_model::{Cause, Envelope, Key};
use threadlore_roles::{Input, KeyState, Processor, QueuedRecord};
use threadlore_stream::skip_events_of;

use super::{Batch, Note, Origin, because};
use crate::key_entry::LastInput;
use crate::recovery::Past;

impl<P: Processor> Batch<'_, P> {
    /// Takes records of the key's queue for as long as one can be taken.
    pub(super) fn take_queued(&mut self, key: &Key) {
        let processor = self.processor;
        let Some(queue) = processor.queue() else {
            return;
        };
        while self.to_load.is_none() {
            let busy = self.pending_calls(key) > 0;
            let recovery = self.recovery.as_ref();
            let rebuilding = recovery.is_some_and(|recovery| recovery.has_outputs(key));
            let Some(kept) = self.states.get_mut(key) else {
                return;
            };
            let Some(record) = queue.next(&mut kept.state, busy, rebuilding) else {
                return;
            };
            let past = recovery.map_or(Past::Undecided, |r| r.past_of(key, &record.cause));
            if past == Past::Unknown {
                queue.postpone(&mut kept.state, record);
                self.touched.insert(key.clone());
                continue;
            }
            self.queued(key, &record, past == Past::Decided);
        }
    }

    fn queued(&mut self, key: &Key, record: &QueuedRecord, decided: bool) {
        let cause = &record.cause;
        let origin = Origin::Record(cause.at, cause.offset);
        if let Some(reason) = self.rejected.get(&origin) {
            return self.skip_queued(key, record, reason.clone());
        }
        let moves_time = cause.at.topic.moves_channel_time();
        if !decided && moves_time {
            self.timers_before(key, record.time, record.arrived);
        }
        let traceparent = if decided {
            record.traceparent.clone()
        } else {
            let taken = (cause, record.change.event_type());
            self.spans
                .queued(taken, record.traceparent.as_ref(), record.arrived)
        };
        self.touched.insert(key.clone());
        let kept = self.states.entry(key);
        if moves_time {
            kept.last = Some(LastInput {
                at: cause.at,
                offset: cause.offset,
                event: cause.event,
                traceparent: traceparent.clone(),
            });
        }
        let input = Input::Queued { record, decided };
        self.processor.fold(&mut kept.state, &input);
        if decided {
            self.fold_outputs(key, (cause.at.topic, cause.offset));
            return;
        }
        let now = kept.state.clock().now(record.arrived);
        self.origin = origin;
        let facts = self.facts(key, cause.clone(), now, false);
        if let Err(reason) = self.decide_on(key, &input, traceparent, facts) {
            self.skip_queued(key, record, reason);
        }
    }

    /// Puts a record aside that waited in the key's queue.
    fn skip_queued(&mut self, key: &Key, record: &QueuedRecord, reason: String) {
        let Cause { event, at, offset } = record.cause;
        tracing::warn!(topic = %at.topic, partition = %at.partition, %offset, reason,
            "a record is skipped");
        self.touched.insert(key.clone());
        self.notes.push(Note::Skipped(at.topic));
        let envelope = key.space().ok().map(|space| Envelope {
            id: event,
            space,
            key: key.clone(),
            time: record.time,
            producer: None,
            cause: None,
            actor: None,
            traceparent: record.traceparent.clone(),
        });
        let (source, refused) = (envelope.as_ref(), because(reason));
        let sequence = &mut self.sequence;
        let place = (at, offset);
        let events = skip_events_of(self.shard, place, source, &refused, self.wall, sequence);
        self.add_dead_letters(events);
    }
}
