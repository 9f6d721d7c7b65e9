//! Paths to logs.

use std::fs::{self, File};
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use crate::error::ImportError;
use crate::format::Format;
use crate::import::Input;
use crate::packed::plain;

/// A log that can be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogFile {
    /// Absolute path.
    pub path: PathBuf,
    /// Size in bytes when it was found.
    pub size: u64,
}

/// The log at a path or, for a directory, the logs directly in it, in the order
/// of their names. Other files of the directory are left out.
///
/// # Errors
/// When there is nothing at the path, nothing that can be read, or a directory
/// without logs.
pub fn files(path: &Path) -> Result<Vec<LogFile>, ImportError> {
    let at = fs::canonicalize(path).map_err(|e| refuse(path, e))?;
    let meta = fs::metadata(&at).map_err(|e| refuse(path, e))?;
    if meta.is_file() {
        let size = meta.len();
        return Ok(vec![LogFile { path: at, size }]);
    }
    if !meta.is_dir() {
        return Err(ImportError::NotAFile(path.to_owned()));
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(&at).map_err(|e| refuse(path, e))? {
        let inside = entry.map_err(|e| refuse(path, e))?.path();
        let name = inside.file_name().and_then(|name| name.to_str());
        let name = name.unwrap_or_default();
        let packed = [".gz", ".zst", ".zip"]
            .iter()
            .find_map(|end| name.strip_suffix(end));
        let name = packed.unwrap_or(name);
        let extension = Path::new(name).extension().and_then(|e| e.to_str());
        let extension = extension.unwrap_or_default();
        if !Format::extensions().any(|e| e == extension) {
            continue;
        }
        let meta = fs::metadata(&inside).map_err(|e| refuse(&inside, e))?;
        if meta.is_file() {
            let size = meta.len();
            found.push(LogFile { path: inside, size });
        }
    }
    if found.is_empty() {
        return Err(ImportError::NoLogs(path.to_owned()));
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

impl LogFile {
    /// Whether the log can be opened.
    ///
    /// # Errors
    /// As [`LogFile::open`], but that a packed file is damaged shows only there.
    pub fn check(&self) -> Result<(), ImportError> {
        let opened = File::open(&self.path);
        opened.map(drop).map_err(|e| refuse(&self.path, e))
    }

    /// Opens the log.
    ///
    /// # Errors
    /// When it was removed or may not be read.
    pub fn open(&self) -> Result<Input<BufReader<File>>, ImportError> {
        let file = File::open(&self.path).map_err(|e| refuse(&self.path, e))?;
        let name = self.path.display().to_string();
        let (file, size) = match plain(&file).map_err(|fault| fault.of_file(name.clone()))? {
            Some(plain) => {
                let size = plain.metadata().map_err(|e| refuse(&self.path, e))?.len();
                (plain, size)
            }
            None => (file, self.size),
        };
        Ok(Input {
            name,
            size,
            reader: BufReader::with_capacity(64 << 10, file),
        })
    }
}

pub(crate) fn refuse(path: &Path, source: io::Error) -> ImportError {
    let path = path.to_owned();
    match source.kind() {
        io::ErrorKind::NotFound => ImportError::NotFound(path),
        io::ErrorKind::PermissionDenied => ImportError::Denied(path),
        _ => ImportError::Open { path, source },
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error;

    use super::*;

    #[test]
    fn a_directory_gives_its_logs_in_order() {
        let dir = tempfile::tempdir().expect("a directory");
        for name in [
            "b.txt",
            "a.jsonl",
            "c.log.gz",
            "e.txt.zst",
            "NOTES.md",
            "c",
            "gz",
        ] {
            fs::write(dir.path().join(name), "x").expect("writes");
        }
        fs::create_dir(dir.path().join("d.log")).expect("makes");
        let names: Vec<_> = files(dir.path())
            .expect("logs")
            .iter()
            .map(|f| f.path.file_name().expect("a name").to_owned())
            .collect();
        assert_eq!(names, ["a.jsonl", "b.txt", "c.log.gz", "e.txt.zst"]);
        let one = files(&dir.path().join("NOTES.md")).expect("a file by name");
        assert_eq!(one[0].size, 1);
        fs::remove_file(dir.path().join("NOTES.md")).expect("removes");
        let gone = one[0].open().expect_err("gone");
        assert!(matches!(gone, ImportError::NotFound(_)), "{gone}");
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        let dir = tempfile::tempdir().expect("a directory");
        let none = dir.path().join("none.txt");
        let error = files(&none).expect_err("absent");
        assert!(
            error.to_string().contains("none.txt does not exist"),
            "{error}"
        );
        let error = files(dir.path()).expect_err("empty");
        assert!(matches!(error, ImportError::NoLogs(_)), "{error}");
        let error = files(Path::new("/dev/null")).expect_err("a device");
        assert!(matches!(error, ImportError::NotAFile(_)), "{error}");
        // Root may read anything, so the mapping itself is checked.
        let denied = refuse(&none, io::ErrorKind::PermissionDenied.into());
        assert!(denied.to_string().contains("may not be read"), "{denied}");
        assert!(denied.source().is_none());
        let other = refuse(&none, io::ErrorKind::NotADirectory.into());
        assert!(other.source().is_some(), "{other}");
    }
}
