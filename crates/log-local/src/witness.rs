//! `ends/<topic>`: the known end of each partition.
//!
//! The database cannot distinguish a damaged journal from one that a crash cut short: it drops
//! everything after the damage without an error. Therefore the new end is noted here after each
//! durable append, without waiting for the disk. A note may be older than the data, never newer. A
//! partition that ends before its note has lost acknowledged records.
//!
//! A slot has 16 bytes: the end, and its complement. A slot whose halves do not match is ignored.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use threadlore_model::{Offset, Partition, Topic};

use crate::files;

const SLOT: u64 = 16;

/// The notes of one topic.
pub(crate) struct Witness(File);

impl Witness {
    pub(crate) fn open(dir: &Path, topic: Topic, partitions: u32) -> io::Result<Self> {
        let dir = dir.join("ends");
        files::make_dir(&dir)?;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        options.mode(0o600);
        let file = options.open(dir.join(topic.name()))?;
        let length = SLOT * u64::from(partitions);
        if file.metadata()?.len() < length {
            file.set_len(length)?;
        }
        Ok(Self(file))
    }

    /// Notes that a partition durably ends at `end`.
    pub(crate) fn note(&self, partition: Partition, end: Offset) -> io::Result<()> {
        let mut slot = [0; SLOT as usize];
        slot[..8].copy_from_slice(&end.0.to_be_bytes());
        slot[8..].copy_from_slice(&(!end.0).to_be_bytes());
        self.0.write_all_at(&slot, place(partition))
    }

    /// The end that was noted last, if one was.
    pub(crate) fn end(&self, partition: Partition) -> io::Result<Option<Offset>> {
        let mut slot = [0; SLOT as usize];
        self.0.read_exact_at(&mut slot, place(partition))?;
        let number = |half: &[u8]| Some(i64::from_be_bytes(half.try_into().ok()?));
        let (end, complement) = (number(&slot[..8]), number(&slot[8..]));
        Ok(end.filter(|end| complement == Some(!end)).map(Offset))
    }
}

fn place(partition: Partition) -> u64 {
    SLOT * u64::from(partition.0.unsigned_abs())
}
