//! `inbox.keys`: the short-lived keys that seal the records of `chat.inbox`.
//!
//! Gateways send plain text, and a database's files keep bytes long after their record is dropped.
//! So these records are sealed with a key that exists only until they are truncated:
//!
//! 1. records are sealed with the current key;
//! 2. a truncation makes a new key the current one, and notes the end of each partition for the
//!    old key;
//! 3. once every partition starts at or after that end, the old key is removed from the file.
//!
//! The file has a line per key, oldest first: its number, its 64 hexadecimal digits and, but
//! for the current one, the ends as `partition=offset`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use threadlore_model::{Cipher, Offset, Partition, Topic, TopicPartition};
use threadlore_ports::PortError;

use crate::error::io;
use crate::files;
use crate::layout::DOING as OPENING;
use crate::secret::{hex, parse_hex, random_32};

/// The topic whose records are sealed.
pub(crate) const SEALED: Topic = Topic::ChatInbox;

const SEALING: &str = "sealing a record of the inbox";
const NONCE: usize = Cipher::NONCE;
const NUMBER: usize = 4;

/// An offset for each partition: its end, or its start.
type Offsets = BTreeMap<Partition, Offset>;

/// The keys of a log's directory.
pub(crate) struct InboxKeys {
    path: PathBuf,
    keys: RwLock<BTreeMap<u32, InboxKey>>,
    /// Whether the current key may have sealed something.
    used: AtomicBool,
}

#[derive(Clone)]
struct InboxKey {
    secret: [u8; 32],
    /// The ends of the partitions when the next key took over; `None` for the current key.
    ends: Option<Offsets>,
}

impl InboxKeys {
    /// Reads the keys of a directory, or makes the first one.
    ///
    /// # Errors
    /// `Broken` when the file is damaged or cannot be read or written.
    pub(crate) fn open(dir: &Path) -> Result<Self, PortError> {
        let path = dir.join("inbox.keys");
        let text = files::read(&path).map_err(|e| io(OPENING, &path, e))?;
        let keys = match text {
            Some(text) => parse(&text).ok_or_else(|| {
                let shown = path.display();
                let reason = format!("{shown} does not hold keys: restore it from a backup");
                PortError::broken(OPENING, reason)
            })?,
            None => BTreeMap::new(),
        };
        let is_new = keys.is_empty();
        let keys = Self {
            path,
            keys: RwLock::new(keys),
            used: AtomicBool::new(!is_new),
        };
        if is_new {
            keys.change(OPENING, |keys| add(OPENING, keys))?;
        }
        Ok(keys)
    }

    /// Seals a record for its place: the key's number, a nonce, the sealed bytes.
    pub(crate) fn seal(
        &self,
        at: TopicPartition,
        offset: Offset,
        content: &[u8],
    ) -> Result<Vec<u8>, PortError> {
        let keys = self.read();
        let (number, key) = keys.last_key_value().ok_or_else(no_key)?;
        self.used.store(true, Ordering::Relaxed);
        let mut nonce = [0; NONCE];
        getrandom::fill(&mut nonce).map_err(|_| PortError::Unavailable {
            doing: SEALING,
            what: "the operating system's randomness",
            source: None,
        })?;
        let out = [&number.to_be_bytes()[..], &nonce].concat();
        let sealed = cipher(key).seal(&nonce, &place(at, offset), content, out);
        sealed.ok_or_else(|| PortError::broken(SEALING, "the record is too long"))
    }

    /// Opens bytes that [`InboxKeys::seal`] made; `None` if their key is gone, or for other bytes.
    pub(crate) fn open_record(
        &self,
        at: TopicPartition,
        offset: Offset,
        sealed: &[u8],
    ) -> Option<Vec<u8>> {
        let (number, rest) = sealed.split_first_chunk::<NUMBER>()?;
        let (nonce, rest) = rest.split_first_chunk::<NONCE>()?;
        let keys = self.read();
        let key = keys.get(&u32::from_be_bytes(*number))?;
        cipher(key).open(nonce, &place(at, offset), rest)
    }

    /// Makes a new key the current one, if the old one has sealed records. The caller must prevent
    /// appends meanwhile.
    pub(crate) fn renew(&self, doing: &'static str, ends: Offsets) -> Result<(), PortError> {
        if !self.used.swap(false, Ordering::Relaxed) {
            return Ok(());
        }
        self.change(doing, |keys| {
            if let Some(mut current) = keys.last_entry() {
                current.get_mut().ends = Some(ends);
            }
            add(doing, keys)
        })
    }

    /// Removes the keys of which no record is left, now that the partitions start there.
    pub(crate) fn remove_unused(
        &self,
        doing: &'static str,
        starts: &Offsets,
    ) -> Result<(), PortError> {
        let is_needed = |key: &InboxKey| {
            key.ends.as_ref().is_none_or(|ends| {
                let start = |partition| starts.get(partition).copied().unwrap_or_default();
                ends.iter().any(|(partition, end)| start(partition) < *end)
            })
        };
        if self.read().values().all(is_needed) {
            return Ok(());
        }
        self.change(doing, |keys| {
            keys.retain(|_, key| is_needed(key));
            Ok(())
        })
    }

    /// Changes the keys, on disk before they are used.
    fn change(
        &self,
        doing: &'static str,
        change: impl FnOnce(&mut BTreeMap<u32, InboxKey>) -> Result<(), PortError>,
    ) -> Result<(), PortError> {
        let mut keys = self.write();
        let mut changed = keys.clone();
        change(&mut changed)?;
        let dir = self.path.parent().unwrap_or(Path::new("."));
        let text = text(&changed);
        files::put(&self.path, dir, text.as_bytes()).map_err(|e| io(doing, &self.path, e))?;
        *keys = changed;
        Ok(())
    }

    fn read(&self) -> RwLockReadGuard<'_, BTreeMap<u32, InboxKey>> {
        self.keys.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, BTreeMap<u32, InboxKey>> {
        self.keys.write().unwrap_or_else(PoisonError::into_inner)
    }
}

fn no_key() -> PortError {
    PortError::broken(SEALING, "there is no key")
}

fn add(doing: &'static str, keys: &mut BTreeMap<u32, InboxKey>) -> Result<(), PortError> {
    let number = keys.last_key_value().map_or(1, |(last, _)| last + 1);
    let secret = random_32(doing)?;
    keys.insert(number, InboxKey { secret, ends: None });
    Ok(())
}

const fn cipher(key: &InboxKey) -> Cipher {
    Cipher::new(key.secret)
}

fn place(at: TopicPartition, offset: Offset) -> Vec<u8> {
    format!("{at}/{offset}").into_bytes()
}

fn text(keys: &BTreeMap<u32, InboxKey>) -> String {
    let mut text = String::new();
    for (number, key) in keys {
        // Writing to a string does not fail.
        write!(text, "{number} {}", hex(&key.secret)).unwrap_or_default();
        for (partition, end) in key.ends.iter().flatten() {
            write!(text, " {}={}", partition.0, end.0).unwrap_or_default();
        }
        text.push('\n');
    }
    text
}

fn parse(text: &[u8]) -> Option<BTreeMap<u32, InboxKey>> {
    let text = std::str::from_utf8(text).ok()?;
    let lines = text.lines().count();
    let mut keys = BTreeMap::new();
    for (n, line) in text.lines().enumerate() {
        let mut words = line.split(' ');
        let number = words.next()?.parse().ok()?;
        let secret = parse_hex(words.next()?)?;
        let mut ends = BTreeMap::new();
        for word in words {
            let (partition, end) = word.split_once('=')?;
            ends.insert(
                Partition(partition.parse().ok()?),
                Offset(end.parse().ok()?),
            );
        }
        let is_current = n + 1 == lines;
        let ends = (!is_current).then_some(ends);
        keys.insert(number, InboxKey { secret, ends });
    }
    // Later lines have later keys, so that the last one is the current one.
    (keys.len() == lines && lines > 0).then_some(keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: TopicPartition = TopicPartition {
        topic: SEALED,
        partition: Partition(1),
    };

    fn open(dir: &Path) -> InboxKeys {
        InboxKeys::open(dir).expect("opens")
    }

    fn offsets(one: i64, two: i64) -> Offsets {
        [(Partition(0), Offset(one)), (Partition(1), Offset(two))].into()
    }

    #[test]
    fn a_key_is_gone_once_every_record_that_it_sealed_is_truncated() {
        let dir = tempfile::tempdir().expect("a directory");
        let keys = open(dir.path());
        let first = keys.seal(AT, Offset(7), b"plain").expect("sealed");
        assert!(!first.windows(5).any(|bytes| bytes == b"plain"));
        keys.renew("testing", offsets(3, 8)).expect("renewed");
        let second = keys.seal(AT, Offset(8), b"later").expect("sealed");
        let opened = |keys: &InboxKeys| {
            let first = keys.open_record(AT, Offset(7), &first);
            (first, keys.open_record(AT, Offset(8), &second))
        };
        let both = (Some(b"plain".to_vec()), Some(b"later".to_vec()));
        keys.remove_unused("testing", &offsets(3, 7))
            .expect("looked");
        assert_eq!(opened(&keys), both);
        assert_eq!(opened(&open(dir.path())), both, "they are on disk");
        // when
        keys.remove_unused("testing", &offsets(3, 8))
            .expect("removed");
        // then
        let later = (None, Some(b"later".to_vec()));
        assert_eq!(opened(&keys), later);
        assert_eq!(opened(&open(dir.path())), later);
        assert_eq!(
            keys.open_record(AT, Offset(9), &second),
            None,
            "of its place"
        );
    }

    #[test]
    fn keys_that_sealed_nothing_are_not_renewed() {
        let dir = tempfile::tempdir().expect("a directory");
        let keys = open(dir.path());
        let numbers = || open(dir.path()).read().keys().copied().collect::<Vec<_>>();
        keys.renew("testing", offsets(0, 0)).expect("looked");
        assert_eq!(numbers(), [1]);
        keys.seal(AT, Offset(4), b"plain").expect("sealed");
        for _ in 0..3 {
            keys.renew("testing", offsets(0, 5)).expect("renewed once");
        }
        assert_eq!(numbers(), [1, 2]);
    }

    #[test]
    fn a_damaged_file_is_refused() {
        let dir = tempfile::tempdir().expect("a directory");
        drop(open(dir.path()));
        let path = dir.path().join("inbox.keys");
        let good = std::fs::read_to_string(&path).expect("there");
        for bad in ["", "1", &good[..20], &good.replace('1', "x"), "\u{0}"] {
            std::fs::write(&path, bad).expect("written");
            let refused = InboxKeys::open(dir.path()).err();
            let refused = refused.expect("refused").to_string();
            assert!(refused.contains("restore it"), "{bad:?}: {refused}");
        }
    }
}
