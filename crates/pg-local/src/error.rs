//! Errors, each as one sentence with the problem, the place and what to do.

use std::io;
use std::path::{Path, PathBuf};

/// Why there is no private PostgreSQL.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No usable `initdb` and `postgres` were found.
    #[error(
        "no PostgreSQL {min} or newer found (looked in {looked}); install it (Debian: package `postgresql`), or set PG_BIN to the directory that holds `initdb` and `postgres`, or set DATABASE_URL to a running server",
        min = crate::binaries::OLDEST
    )]
    NoBinaries {
        /// The places tried, each with its problem.
        looked: String,
    },
    /// Another process owns the data directory, or a server still runs in it.
    #[error("data directory {} is in use by {}; stop that process or choose another data directory", dir.display(), owner(*pid))]
    InUse {
        /// The directory given to [`crate::Server::start`].
        dir: PathBuf,
        /// The process that holds it, when it could be read.
        pid: Option<u32>,
    },
    /// A file or directory may not be read or written by our user.
    #[error("no permission to use {} as uid {uid}; run as the owner of the directory, give it to this user, or choose another data directory", path.display())]
    NoPermission {
        /// The file or directory.
        path: PathBuf,
        /// The effective user id that tried.
        uid: u32,
    },
    /// The device has no room left.
    #[error("no space left on the device of {}; free some space and start again", path.display())]
    DiskFull {
        /// A file or directory on that device.
        path: PathBuf,
    },
    /// The data was written by another major version than the binaries found.
    #[error("{} holds data of PostgreSQL {found} but the binaries are version {have}; set PG_BIN to the binaries of PostgreSQL {found}, or move {} away to begin with empty tables", data.display(), data.display())]
    WrongVersion {
        /// The directory with the data of the other version.
        data: PathBuf,
        /// Major version of the data.
        found: String,
        /// Major version of the binaries.
        have: u32,
    },
    /// The helpers that start the server do not work on this system.
    #[error(
        "cannot start processes through util-linux ({detail}); `setpriv` is needed, and as root `unshare` with user namespaces, because PostgreSQL refuses to run as root: install util-linux, run as another user, or set DATABASE_URL"
    )]
    Launcher {
        /// The output of the helper.
        detail: String,
    },
    /// `initdb` ended with an error; nothing was left behind.
    #[error("initdb failed in {}: {output}", dir.display())]
    InitDb {
        /// The directory it worked in.
        dir: PathBuf,
        /// Its last lines of output.
        output: String,
    },
    /// The server ended, or was not ready in time.
    #[error("PostgreSQL did not become ready ({reason}); the end of {}: {lines}", log.display())]
    NotReady {
        /// Exit status, or the time that was waited.
        reason: String,
        /// The server's log file.
        log: PathBuf,
        /// Its last lines.
        lines: String,
    },
    /// The server did not end cleanly; its next start recovers from its log.
    #[error("PostgreSQL did not stop cleanly ({reason}); nothing committed is lost, the next start recovers; see {}", log.display())]
    NotStopped {
        /// Exit status, or the time that was waited.
        reason: String,
        /// The server's log file.
        log: PathBuf,
    },
    /// Any other failed call to the system.
    #[error("cannot {action} {}", path.display())]
    Io {
        /// The attempted action, as a verb.
        action: &'static str,
        /// The path of the action.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
}

impl Error {
    /// Names the two causes that a person can mend; the rest stays [`Error::Io`].
    pub(crate) fn io(action: &'static str, path: &Path, source: io::Error) -> Error {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::PermissionDenied => Error::NoPermission {
                path,
                uid: crate::command::uid(),
            },
            io::ErrorKind::StorageFull => Error::DiskFull { path },
            _ => Error::Io {
                action,
                path,
                source,
            },
        }
    }
}

/// True when PostgreSQL's own words (always English here) say so.
pub(crate) fn says_disk_full(output: &str) -> bool {
    output.contains("No space left on device")
}

/// The last lines of a text that can be long.
pub(crate) fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|l| !l.trim().is_empty()).collect();
    if lines.is_empty() {
        return "(empty)".to_owned();
    }
    lines[lines.len().saturating_sub(8)..].join("\n")
}

fn owner(pid: Option<u32>) -> String {
    pid.map_or_else(|| "another process".to_owned(), |pid| format!("pid {pid}"))
}
