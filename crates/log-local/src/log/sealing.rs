//! Sealing the inbox of a directory that a version without sealed inboxes wrote.

use std::path::Path;

use fjall::{Database, KeyspaceCreateOptions, PersistMode};
use threadlore_model::{Offset, Partition, TopicPartition};
use threadlore_ports::PortError;

use super::{MEMTABLE_BYTES, keyspace};
use crate::error::database;
use crate::frame::{self, Content};
use crate::inbox::{InboxKeys, SEALED};
use crate::layout;

/// Records written at once.
const STEP: usize = 1000;

/// Moves the records of a plain inbox to the sealed one, and drops the plain one. If it is
/// interrupted, it begins again.
pub(super) fn seal_inbox(dir: &Path, db: &Database, keys: &InboxKeys) -> Result<(), PortError> {
    let broken = |e| database(layout::DOING, dir, e);
    if !db.keyspace_exists(SEALED.name()) {
        return Ok(());
    }
    let options = || KeyspaceCreateOptions::default().max_memtable_size(MEMTABLE_BYTES);
    let plain = db.keyspace(SEALED.name(), options).map_err(broken)?;
    let sealed = db.keyspace(keyspace(SEALED), options).map_err(broken)?;
    let mut batch = db.batch();
    for (n, found) in plain.iter().enumerate() {
        let (key, frame) = found.into_inner().map_err(broken)?;
        let (at, offset) = place(&key);
        // A damaged record stays as it is: reading it names the damage.
        let content = Content::of_plain(at, offset, &frame).ok();
        let frame = match (content, frame::appended(&frame)) {
            (Some(content), Some(time)) => content.sealed_at(at, offset, time, keys)?,
            _ => frame.to_vec(),
        };
        batch.insert(&sealed, key, frame);
        if n % STEP == STEP - 1 {
            std::mem::replace(&mut batch, db.batch())
                .commit()
                .map_err(broken)?;
        }
    }
    batch.commit().map_err(broken)?;
    db.persist(PersistMode::SyncAll).map_err(broken)?;
    db.delete_keyspace(plain).map_err(broken)
}

/// The place of a record of the inbox, by its key in the database.
fn place(key: &[u8]) -> (TopicPartition, Offset) {
    let partition = key.first_chunk().map_or(0, |n| i32::from_be_bytes(*n));
    let offset = key.last_chunk().map_or(0, |n| i64::from_be_bytes(*n));
    let at = TopicPartition {
        topic: SEALED,
        partition: Partition(partition),
    };
    (at, Offset(offset))
}
