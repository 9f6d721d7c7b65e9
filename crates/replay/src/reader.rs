//! Reads batches of one partition for a build.

use std::collections::BTreeSet;
use std::sync::Arc;

use threadlore_model::{Event, Offset, Run, Timestamp, Topic, TopicPartition};
use threadlore_ports::{Marks, PortError, Positions, Shard};
use threadlore_stream::{Consumer, FoldPorts, Polled, Refused, Spans};

/// Records that are read from the log at once.
const SLICE: usize = 500;
/// Bytes that an event and its row take, beside their texts: the structures themselves, ids,
/// names of space and channel, and the row as it is sent. Rounded up from what a replay of
/// short messages was seen to take.
const PER_EVENT: usize = 2048;
/// How often a text is there: in the event, in its row, as it is sent, and in the driver.
const COPIES: usize = 4;

/// How much is folded in one transaction.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Records at most.
    pub records: usize,
    /// Bytes of memory, as far as they can be estimated. A batch ends with the slice of records
    /// that goes beyond it.
    pub bytes: usize,
}

impl Bounds {
    /// At most so many records, however large.
    #[must_use]
    pub const fn records(records: usize) -> Self {
        Self {
            records,
            bytes: usize::MAX,
        }
    }

    /// About so many bytes.
    #[must_use]
    pub const fn bytes(bytes: usize) -> Self {
        Self {
            records: usize::MAX,
            bytes,
        }
    }
}

/// Where a record is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) at: TopicPartition,
    pub(crate) offset: Offset,
    pub(crate) appended: Timestamp,
}

impl Place {
    /// The record again, with its event.
    pub(crate) fn polled(self, event: Event) -> Polled {
        Polled {
            at: self.at,
            offset: self.offset,
            appended: self.appended,
            event: Ok(event),
        }
    }
}

/// Records that are folded together.
pub(crate) struct Batch {
    /// In the order of the log.
    pub(crate) events: Arc<Vec<Event>>,
    /// Where each of them is.
    pub(crate) places: Vec<Place>,
    /// Records that are no events.
    pub(crate) skipped: Vec<(Polled, Refused)>,
    /// After the batch.
    pub(crate) positions: Positions,
    /// Marks that moved with it.
    pub(crate) marks: Marks,
    /// Records read, repeats included.
    pub(crate) read: usize,
    pub(crate) spans: Spans,
    pub(crate) started: Timestamp,
}

/// Reads the partition of one shard.
pub(crate) struct Reader {
    pub(crate) consumer: Consumer,
    pub(crate) ports: FoldPorts,
    pub(crate) shard: Shard,
    pub(crate) topic: Topic,
    /// Of a build of cases: what other runs decided is passed over.
    pub(crate) run: Option<Run>,
}

impl Reader {
    /// The next records; `None` where there are none.
    pub(crate) async fn read(&mut self, bounds: Bounds) -> Result<Option<Batch>, PortError> {
        let started = self.ports.clock.now();
        let mut spans = Spans::new(&self.ports.observer, &self.shard.group, started);
        let (mut events, mut places, mut skipped) = (Vec::new(), Vec::new(), Vec::new());
        let (mut read, mut bytes) = (0, 0_usize);
        while read < bounds.records && (read == 0 || bytes < bounds.bytes) {
            let before = self.position();
            let room = bounds.bytes.saturating_sub(bytes) / PER_EVENT;
            let slice = SLICE.min(bounds.records - read).min(room.max(1));
            let polled = self.consumer.poll(slice, &BTreeSet::new()).await?;
            let passed = usize::try_from(self.position().0 - before.0).unwrap_or(0);
            if passed == 0 {
                break;
            }
            read += passed;
            for mut record in polled {
                if self.is_of_another_run(&record) {
                    continue;
                }
                spans.record(&record, false);
                match &mut record.event {
                    Ok(event) => bytes += estimate(event),
                    Err(refused) => {
                        let refused = refused.clone();
                        bytes += PER_EVENT + COPIES * refused.value.len();
                        skipped.push((record, refused));
                        continue;
                    }
                }
                places.push(Place {
                    at: record.at,
                    offset: record.offset,
                    appended: record.appended,
                });
                events.extend(record.event);
            }
        }
        if read == 0 {
            return Ok(None);
        }
        let observer = &self.ports.observer;
        observer.read(&self.shard.group, self.topic, read);
        Ok(Some(Batch {
            events: Arc::new(events),
            places,
            skipped,
            positions: self.consumer.positions().clone(),
            marks: self.consumer.take_moved(),
            read,
            spans,
            started,
        }))
    }

    fn is_of_another_run(&self, record: &Polled) -> bool {
        let (Some(run), Ok(event)) = (self.run, &record.event) else {
            return false;
        };
        let producer = event.envelope.producer.as_ref();
        producer.map_or(Run::FIRST, Run::of) != run
    }

    fn position(&self) -> Offset {
        let positions = self.consumer.positions();
        positions.get(&self.topic).copied().unwrap_or_default()
    }
}

/// About how many bytes the event takes until it is written.
fn estimate(event: &mut Event) -> usize {
    let fields = event.body.private_fields();
    let texts = fields.iter().filter_map(|(_, field)| field.text());
    PER_EVENT + COPIES * texts.map(str::len).sum::<usize>()
}
