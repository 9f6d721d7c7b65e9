//! The data directory: one owner at a time, one format.

use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::error::{BadInput, InUse};
use crate::owner_only;

/// Format of the data directory. A change that old binaries cannot read counts it up.
const FORMAT: &str = "2";
/// The file that says so.
const FORMAT_FILE: &str = "FORMAT";
/// The file that the owner locks, with its process id.
const LOCK: &str = "threadlore.lock";

/// Bytes without which nothing goes on.
pub const LEAST_ROOM: usize = 1 << 20;
/// Bytes without which PostgreSQL may stop: it takes so many at a time.
pub const ROOM: usize = 16 << 20;

/// Proof that this process owns a data directory.
pub(crate) struct DataDir {
    path: PathBuf,
    fresh: bool,
    _lock: File,
}

impl DataDir {
    /// Takes the directory; creates it when missing. From then on this process makes files
    /// for their owner only.
    pub(crate) fn open(given: &Path) -> anyhow::Result<Self> {
        owner_only::umask();
        owner_only::prepare(given)?;
        let shown = given.display();
        let path = given
            .canonicalize()
            .with_context(|| format!("opening {shown}"))?;
        let lock_path = path.join(LOCK);
        let mut lock = File::options()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(&lock_path)
            .map_err(|e| {
                BadInput(format!(
                    "the data directory {shown} cannot be written ({e}): mend its permissions, or \
                     choose another with --data-dir"
                ))
            })?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut pid = String::new();
                lock.read_to_string(&mut pid).unwrap_or_default();
                return Err(InUse::by(given, pid.trim()).into());
            }
            Err(TryLockError::Error(e)) => {
                return Err(e).with_context(|| format!("locking {}", lock_path.display()));
            }
        }
        lock.set_len(0)?;
        lock.seek(SeekFrom::Start(0))?;
        writeln!(lock, "{}", std::process::id())?;
        let fresh = check_format(&path)?;
        owner_only::check(&path)?;
        Ok(Self {
            path,
            fresh,
            _lock: lock,
        })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it was just made: only then may secrets be made.
    pub(crate) fn is_fresh(&self) -> bool {
        self.fresh
    }

    /// Marks the directory as made, once its secrets are.
    pub(crate) fn mark_made(&self) -> anyhow::Result<()> {
        let file = self.path.join(FORMAT_FILE);
        let temporary = self.path.join("FORMAT.new");
        fs::write(&temporary, FORMAT)?;
        File::open(&temporary)?.sync_all()?;
        fs::rename(&temporary, &file)?;
        Ok(File::open(&self.path)?.sync_all()?)
    }
}

/// The process that owns a data directory, as far as it is known.
#[must_use]
pub fn owner(data_dir: &Path) -> Option<u32> {
    let text = fs::read_to_string(data_dir.join(LOCK)).ok()?;
    text.trim().parse().ok()
}

/// Whether there is a data directory, or one that is being made.
#[must_use]
pub fn is_made(data_dir: &Path) -> bool {
    [FORMAT_FILE, LOCK]
        .iter()
        .any(|file| data_dir.join(file).exists())
}

/// Whether the disk of a data directory has less room than this. What a full disk
/// does to a database has many names, so it is the disk that is asked.
#[must_use]
pub fn is_full(data_dir: &Path, bytes: usize) -> bool {
    let probe = data_dir.join("room.probe");
    let written = fs::write(&probe, vec![0x5a; bytes]);
    fs::remove_file(&probe).ok();
    let full = [ErrorKind::StorageFull, ErrorKind::QuotaExceeded];
    written.is_err_and(|e| full.contains(&e.kind()))
}

fn check_format(path: &Path) -> anyhow::Result<bool> {
    match fs::read_to_string(path.join(FORMAT_FILE)) {
        Ok(format) if format.trim() == FORMAT => Ok(false),
        Ok(format) => Err(BadInput(format!(
            "the data directory {} has format {:?}, and this version reads {FORMAT}: use the version \
             that wrote it, or choose another with --data-dir",
            path.display(),
            format.trim().chars().take(20).collect::<String>()
        ))
        .into()),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(true),
        Err(e) => Err(e).context("reading the data directory's format"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_owner_is_refused_with_the_first_ones_pid() {
        let dir = tempfile::tempdir().expect("a directory");
        let first = DataDir::open(dir.path()).expect("free");
        assert!(first.is_fresh());
        first.mark_made().expect("written");
        let error = DataDir::open(dir.path()).err().expect("in use").to_string();
        assert!(error.contains(&std::process::id().to_string()), "{error}");
        drop(first);
        assert!(!DataDir::open(dir.path()).expect("free again").is_fresh());
    }

    #[test]
    fn another_format_is_refused() {
        let dir = tempfile::tempdir().expect("a directory");
        // One of before the first release, and one of a later version.
        for format in ["1", "99"] {
            fs::write(dir.path().join("FORMAT"), format).expect("written");
            let error = DataDir::open(dir.path())
                .err()
                .expect("refused")
                .to_string();
            assert!(error.contains(&format!("format {format:?}")), "{error}");
            assert!(error.contains("choose another with --data-dir"), "{error}");
        }
    }
}
