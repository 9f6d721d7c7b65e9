//! The end of a batch: dead letters; then what was decided is sealed, encoded and handed over
//! to be committed.

use threadlore_model::{Event, Timestamp, Topic};
use threadlore_ports::{Changes, Class, OutboxRow, PortError};
use threadlore_roles::Processor;
use threadlore_stream::{Failure, Polled, Refused, encode_dead_letter, failed_call, skip_events};

use super::{Batch, Counters, Finished, Note, Outcome, Place, Rejected};
use crate::calls::PendingCall;
use crate::timers::due;

impl<P: Processor> Batch<'_, P> {
    /// Adds the dead letter of what failed for good.
    pub(super) fn keep_failed(&mut self, failure: &Failure<'_>) {
        let dead_letter = failed_call(self.shard, failure, self.wall, &mut self.sequence);
        if let Some(dead_letter) = dead_letter {
            self.notes.push(Note::KeptFailed(failure.cause.at.topic));
            self.add_dead_letters(vec![dead_letter]);
        }
    }

    /// Dead-letters a record.
    pub(super) fn skip(&mut self, polled: &Polled, refused: &Refused) {
        tracing::warn!(topic = %polled.at.topic, partition = %polled.at.partition,
            offset = %polled.offset, reason = refused.reason, "a record is skipped");
        self.notes.push(Note::Skipped(polled.at.topic));
        let events = skip_events(self.shard, polled, refused, self.wall, &mut self.sequence);
        self.add_dead_letters(events);
    }

    /// Adds skips and dead letters to what the batch publishes.
    pub(super) fn add_dead_letters(&mut self, events: Vec<(Topic, Event)>) {
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
                let row = encode_dead_letter(log, (place.topic, event), place.ends_decision);
                rows.push(row?);
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
        let calls = self.calls.iter().map(PendingCall::row);
        let mut changes = Changes {
            sequence: self.sequence,
            accepted: self.accepted,
            outbox,
            effects: calls.collect::<Result<_, _>>()?,
            answered: self.answered,
            ..Changes::default()
        };
        let mut timers = Vec::new();
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
            timers.push((key, wake));
        }
        Ok(Outcome::Finished(Box::new(Finished {
            changes,
            spans: self.spans,
            notes: self.notes,
            timers,
            counters: Counters {
                sequence: self.sequence,
                next_call: self.next_call,
            },
        })))
    }
}
