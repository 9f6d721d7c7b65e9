//! Whether all work of a run is done.

use std::time::Duration;

use futures::FutureExt;
use threadlore_model::{Body, Offset, Partition, Topic, TopicPartition};
use threadlore_ports::{EventLog, Store};

use crate::sim::jobs::{Job, inputs, job_of, shard_name, shard_of, shards};
use crate::sim::sched::BEGIN;
use crate::sim::world::World;

const HOUR: Duration = Duration::from_secs(60 * 60);

impl World {
    /// What still waits anywhere, if anything does.
    pub(crate) fn unrest(&self) -> Option<String> {
        {
            let inner = self.shared.lock();
            if inner.sent < self.workload.items.len() {
                return Some("inputs are not sent yet".to_owned());
            }
            if inner.stalled > 0 || !self.starts.is_empty() {
                return Some("a process stands still or starts".to_owned());
            }
        }
        (0..shards()).find_map(|n| {
            self.unrest_of(n)
                .map(|why| format!("{}: {why}", shard_name(Some(n))))
        })
    }

    fn unrest_of(&self, n: usize) -> Option<&'static str> {
        let (job, partition) = job_of(n);
        let shard = shard_of(job, partition);
        let owned = self.store.ownership_of(&shard);
        let worker = matches!(job, Job::Worker(_));
        if worker && !owned.recovered {
            return Some("it is not recovered");
        }
        if !self.store.outbox_of(&shard).is_empty() {
            return Some("an event is not published");
        }
        if !self.store.effects(&shard).now_or_never()?.ok()?.is_empty() {
            return Some("an effect is not answered");
        }
        // What is due in a day is for another day.
        let soon = BEGIN.plus(Duration::from_millis(self.shared.lock().now.unsigned_abs()) + HOUR);
        let wakes = self.store.wakes(&shard).now_or_never()?.ok()?;
        if wakes.iter().any(|wake| wake.at <= soon) {
            return Some("a timer is not due yet");
        }
        let waits = inputs(job).iter().any(|topic| {
            let at = TopicPartition {
                topic: *topic,
                partition,
            };
            let from = owned.positions.get(topic).copied().unwrap_or_default();
            let rest = self.log.read(at, from, usize::MAX).now_or_never();
            let rest = rest.and_then(Result::ok).unwrap_or_default();
            // Repeats, and records that were dead-lettered, are passed over without a commit.
            rest.iter().any(|record| {
                let repeat = record.body.as_ref().is_ok_and(|event| {
                    event.envelope.producer.as_ref().is_some_and(|p| {
                        let mark = owned.marks.get(&(*topic, p.group.clone(), p.partition));
                        mark.is_some_and(|mark| p.sequence <= *mark)
                    })
                });
                !repeat && !self.is_skipped(at, record.offset)
            })
        });
        waits.then_some("a record is not taken")
    }

    fn is_skipped(&self, at: TopicPartition, offset: Offset) -> bool {
        let skips = TopicPartition {
            topic: Topic::LogSkips,
            partition: Partition(0),
        };
        let read = self.log.read(skips, Offset(0), usize::MAX).now_or_never();
        read.and_then(Result::ok)
            .unwrap_or_default()
            .iter()
            .any(|record| {
                matches!(&record.body, Ok(event) if matches!(&event.body,
                Body::RecordSkipped(s) if (s.topic, s.partition, s.offset)
                    == (at.topic, at.partition.0, offset)))
            })
    }
}
