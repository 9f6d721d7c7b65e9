//! Inputs that are no records: timers, and what a rebuilt state takes up again.

use threadlore_model::{Cause, EventId, Key, Timestamp};
use threadlore_roles::{Input, KeyState, Processor};

use super::{Batch, Origin};

/// A timer that does not move on after this many firings before one record is left
/// for the next round.
const TIMERS_PER_RECORD: usize = 1000;

impl<P: Processor> Batch<'_, P> {
    /// A key whose timer on the wall clock is due.
    pub(super) fn timer(&mut self, key: &Key) {
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

    /// After a recovery: what is due for a key is taken up again.
    pub(super) fn resume(&mut self, key: &Key) {
        let Some(last) = self.states.get(key).and_then(|kept| kept.last.clone()) else {
            return;
        };
        self.origin = Origin::Resume(key.clone());
        // The sequence makes ids differ between two recoveries without a record between them.
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
        self.take_queued(key);
    }

    /// Timers that were due before a record.
    pub(super) fn timers_before(&mut self, key: &Key, time: Timestamp, appended: Timestamp) {
        let mut last = None;
        for _ in 0..TIMERS_PER_RECORD {
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
        let facts = self.facts(key, cause.clone(), now, false);
        if let Err(reason) = self.decide_on(key, &input, traceparent.clone(), facts) {
            self.refuse(key, &cause, traceparent.as_ref(), &reason);
            self.halted.insert(key.clone());
        }
    }

    /// Whether nothing may be decided on what is no record; then a dead letter says why.
    fn is_rejected(&mut self, key: &Key, cause: &Cause, traceparent: Option<&String>) -> bool {
        let Some(reason) = self.rejected.get(&self.origin).cloned() else {
            return false;
        };
        self.refuse(key, cause, traceparent, &reason);
        true
    }
}
