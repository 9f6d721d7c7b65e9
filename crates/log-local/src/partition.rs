//! One partition: its records, its start and end, and the readers that wait for more.

use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fjall::Keyspace;
use threadlore_model::{Offset, Partition, Timestamp};
use tokio::sync::watch;

use crate::frame;
use crate::witness::Witness;

/// A partition. Appends and retention hold its lock; reads do not.
pub(crate) struct Part {
    /// The topic's records; those of one partition are adjacent.
    pub(crate) records: Keyspace,
    number: Partition,
    witness: Arc<Witness>,
    start: AtomicI64,
    end: watch::Sender<Offset>,
    tail: Mutex<Tail>,
}

/// The end of a partition, for appends.
pub(crate) struct Tail {
    /// Append time of the last record; the next one has no earlier one.
    pub(crate) latest: Timestamp,
}

impl Tail {
    /// The stored start, end and latest append time of a partition after retention. Without it, a
    /// partition that lost all its records would begin at 0 again.
    pub(crate) fn mark(&self, start: Offset, end: Offset) -> Vec<u8> {
        [start.0, end.0, self.latest.as_millis()]
            .iter()
            .flat_map(|number| number.to_be_bytes())
            .collect()
    }
}

fn i64_at(bytes: Option<&[u8]>, at: usize) -> Option<i64> {
    let (number, _) = bytes?.get(at..)?.split_first_chunk()?;
    Some(i64::from_be_bytes(*number))
}

impl Part {
    /// A partition as its last record and its mark say.
    pub(crate) fn open(
        records: &Keyspace,
        witness: &Arc<Witness>,
        number: Partition,
        mark: Option<&[u8]>,
    ) -> fjall::Result<Self> {
        let field = |i: usize| i64_at(mark, i * 8).unwrap_or(0);
        let (start, mut end) = (field(0), field(1));
        let mut latest = Timestamp::from_millis(field(2));
        let last = records.prefix(number.0.to_be_bytes()).next_back();
        if let Some(last) = last {
            let (key, value) = last.into_inner()?;
            end = end.max(i64_at(Some(&key), 4).map_or(0, |offset| offset + 1));
            latest = latest.max(frame::appended(&value).unwrap_or_default());
        }
        Ok(Self {
            records: records.clone(),
            number,
            witness: witness.clone(),
            start: AtomicI64::new(start),
            end: watch::Sender::new(Offset(end)),
            tail: Mutex::new(Tail { latest }),
        })
    }

    /// Holds the only right to change the partition.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Tail> {
        self.tail.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The database key of a record: partition, offset, both big endian.
    pub(crate) fn key(&self, offset: Offset) -> [u8; 12] {
        let mut key = [0; 12];
        key[..4].copy_from_slice(&self.number.0.to_be_bytes());
        key[4..].copy_from_slice(&offset.0.to_be_bytes());
        key
    }

    pub(crate) fn end(&self) -> Offset {
        *self.end.borrow()
    }

    pub(crate) fn range(&self) -> Range<Offset> {
        Offset(self.start.load(Ordering::Acquire))..self.end()
    }

    /// Publishes that records were appended and are durable, and wakes waiting readers.
    pub(crate) fn grow(&self, records: usize) -> io::Result<()> {
        self.end.send_modify(|end| end.0 += records as i64);
        self.witness.note(self.number, self.end())
    }

    /// Publishes that records before `start` are deleted.
    pub(crate) fn start_at(&self, start: Offset) {
        self.start.store(start.0, Ordering::Release);
    }

    /// Returns once the partition ends at `end` or later.
    pub(crate) fn reaches(&self, end: Offset) -> impl Future<Output = ()> + use<> {
        let mut changes = self.end.subscribe();
        async move {
            // An error says that the log was closed, and ends the wait as well.
            let closed = changes.wait_for(|now| *now >= end).await.is_err();
            let _: bool = closed;
        }
    }
}
