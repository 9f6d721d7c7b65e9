//! Errors of the disk and the database, each as one sentence with what to do.

use std::io::{Error, ErrorKind};
use std::path::Path;

use threadlore_ports::PortError;

/// The error of a failed operation on a path, with what to do about it.
pub(crate) fn io(doing: &'static str, path: &Path, source: Error) -> PortError {
    PortError::Broken {
        doing,
        reason: reason(source.kind(), path),
        source: Some(Box::new(source)),
    }
}

fn reason(kind: ErrorKind, path: &Path) -> String {
    let path = path.display();
    match kind {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            format!("no space is left for {path}: free some, then start again")
        }
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            format!("no permission to use {path}: give it to the user who runs threadlore")
        }
        ErrorKind::NotADirectory | ErrorKind::AlreadyExists => {
            format!("{path} cannot be a directory, because a file has its place: move that file")
        }
        _ => format!("{path} cannot be used"),
    }
}

/// The same for a database in a directory.
pub(crate) fn database(doing: &'static str, dir: &Path, source: fjall::Error) -> PortError {
    let dir_shown = dir.display();
    let reason = match (&source, io_kind(&source)) {
        (_, Some(kind)) => reason(kind, dir),
        (fjall::Error::Locked, _) => format!(
            "data directory {dir_shown} is in use: another threadlore runs on it; stop that one, \
             or use another directory"
        ),
        (fjall::Error::InvalidVersion(_), _) => format!(
            "{dir_shown} was written by another version of the database: use the version of \
             threadlore that wrote it"
        ),
        (fjall::Error::Poisoned, _) => format!(
            "an earlier write to {dir_shown} failed, so nothing more is written: see the first \
             error, then start again"
        ),
        _ => format!("the files in {dir_shown} are damaged: restore them from a backup"),
    };
    PortError::Broken {
        doing,
        reason,
        source: Some(Box::new(source)),
    }
}

/// The kind of the I/O error at the root of a database's error, if there is one.
fn io_kind(error: &fjall::Error) -> Option<ErrorKind> {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(io) = error.downcast_ref::<Error>() {
            // A file that is cut short is damage, not a matter of the disk.
            return (io.kind() != ErrorKind::UnexpectedEof).then(|| io.kind());
        }
        cause = error.source();
    }
    None
}

/// Runs disk operations on a thread for blocking work.
pub(crate) async fn blocking<T: Send + 'static>(
    doing: &'static str,
    work: impl FnOnce() -> Result<T, PortError> + Send + 'static,
) -> Result<T, PortError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(source) => Err(PortError::Unavailable {
            doing,
            what: "the thread pool for disk work",
            source: Some(Box::new(source)),
        }),
    }
}
