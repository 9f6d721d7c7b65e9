//! Cursors of partitions, kept between calls. A role usually asks next for the records after those
//! that it read, so its cursor stays open and reads ahead.

use std::collections::HashMap;
use std::ops::{Deref, DerefMut, Range};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use threadlore_model::{Offset, TopicPartition};
use threadlore_ports::{Clock, PortError};

use crate::cursor::{Cursor, READING, Slot};
use crate::options::KafkaOptions;
use crate::stats::Board;

/// Idle cursors are closed after this time.
const KEPT: Duration = Duration::from_secs(30);
/// A cursor is reserved for its last reader for this time. Afterwards another reader of the
/// partition may reuse it.
const MINE: Duration = Duration::from_secs(2);

/// The cursors of a process.
pub(crate) struct Readers {
    options: KafkaOptions,
    board: Arc<Board>,
    clock: Arc<dyn Clock>,
    slots: Mutex<Vec<Arc<Slot>>>,
    idle: Mutex<HashMap<TopicPartition, Vec<Cursor>>>,
}

impl Readers {
    pub(crate) fn new((options, board): (KafkaOptions, Arc<Board>), clock: Arc<dyn Clock>) -> Self {
        Self {
            options,
            board,
            clock,
            slots: Mutex::default(),
            idle: Mutex::default(),
        }
    }

    /// The idle cursor whose next record is at `from`, if there is one.
    pub(crate) fn waiting(&self, at: TopicPartition, from: Offset) -> Option<Held<'_>> {
        let mut idle = self.idle();
        let cursors = idle.get_mut(&at)?;
        let found = cursors.iter().position(|cursor| cursor.next == from)?;
        let cursor = cursors.swap_remove(found);
        drop(idle);
        Some(self.hold(cursor))
    }

    /// A new cursor that begins at `from`; the log has this range.
    pub(crate) fn open(
        &self,
        at: TopicPartition,
        from: Offset,
        range: &Range<Offset>,
    ) -> Result<Held<'_>, PortError> {
        if from < range.start || from > range.end {
            return Err(PortError::broken(
                READING,
                format!(
                    "offset {from} of {at} is outside the log, which holds {} to {}",
                    range.start, range.end
                ),
            ));
        }
        self.give_up(at);
        let slot = self.slot(at)?;
        let now = self.clock.now();
        let cursor = Cursor::open(slot, (at, from), (from == range.end, now))?;
        Ok(self.hold(cursor))
    }

    fn idle(&self) -> MutexGuard<'_, HashMap<TopicPartition, Vec<Cursor>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Closes idle cursors, and clients without any cursor. There are as many clients as readers of
    /// one partition.
    fn give_up(&self, at: TopicPartition) {
        let now = self.clock.now();
        let mut old = Vec::new();
        for (place, cursors) in self.idle().iter_mut() {
            let kept = if *place == at { MINE } else { KEPT };
            let before = now.minus(kept);
            old.extend(cursors.extract_if(.., |cursor| cursor.used < before));
        }
        drop(old);
        let free: Vec<_> = {
            let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
            let first = slots.len().min(1);
            slots.extract_if(first.., |slot| slot.is_free()).collect()
        };
        // Their end waits for their threads.
        drop(tokio::task::spawn_blocking(move || drop(free)));
    }

    /// A client in which no cursor reads the partition; the partition is then reserved there.
    fn slot(&self, at: TopicPartition) -> Result<Arc<Slot>, PortError> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) = slots.iter().find(|slot| slot.reserve(at)) {
            return Ok(Arc::clone(slot));
        }
        let slot = Arc::new(Slot::connect(&self.options, &self.board)?);
        slot.reserve(at);
        slots.push(Arc::clone(&slot));
        Ok(slot)
    }

    fn hold(&self, cursor: Cursor) -> Held<'_> {
        Held {
            readers: self,
            cursor: Some(cursor),
            broken: false,
        }
    }
}

/// A cursor in use. It is returned when this is dropped, also when the call was cancelled.
pub(crate) struct Held<'a> {
    readers: &'a Readers,
    cursor: Option<Cursor>,
    broken: bool,
}

impl Held<'_> {
    /// Closes the cursor instead of returning it, because it cannot read.
    pub(crate) fn end<T>(mut self, error: PortError) -> Result<T, PortError> {
        self.broken = true;
        Err(error)
    }
}

#[expect(clippy::expect_used, reason = "it is taken by the drop alone")]
impl Deref for Held<'_> {
    type Target = Cursor;
    fn deref(&self) -> &Cursor {
        self.cursor.as_ref().expect("held")
    }
}

#[expect(clippy::expect_used, reason = "it is taken by the drop alone")]
impl DerefMut for Held<'_> {
    fn deref_mut(&mut self) -> &mut Cursor {
        self.cursor.as_mut().expect("held")
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        let Some(mut cursor) = self.cursor.take().filter(|_| !self.broken) else {
            return;
        };
        cursor.used = self.readers.clock.now();
        self.readers
            .idle()
            .entry(cursor.at)
            .or_default()
            .push(cursor);
    }
}
