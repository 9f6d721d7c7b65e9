//! Files that are whole or not there.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use tempfile::NamedTempFile;

/// Writes a file atomically, readable by its owner only: first under a unique name in `temporary`,
/// a directory of the same file system, then renamed. Durable on return; a crash leaves either the
/// old file or the new one.
pub(crate) fn put(path: &Path, temporary: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = NamedTempFile::new_in(temporary)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    sync_parent(path)
}

/// Makes a directory, and those above it that are missing, for their owner only.
pub(crate) fn make_dir(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Makes a rename or removal in a file's directory durable.
pub(crate) fn sync_parent(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => File::open(parent)?.sync_all(),
        _ => File::open(".")?.sync_all(),
    }
}

/// Reads a file; `None` when it is not there.
pub(crate) fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(e),
    }
}
