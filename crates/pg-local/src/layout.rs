//! The files of one server: their lock, their paths, and the remains of an earlier crash.

use std::collections::hash_map::DefaultHasher;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::hash::{Hash, Hasher};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::poll::poll;
use crate::{Error, command};

/// Only part of the socket's file name: nothing listens on the network.
pub(crate) const PORT: u16 = 5432;

/// The kernel accepts 107 bytes.
const LONGEST_SOCKET: usize = 106;

/// Backends of a killed server end when they next check its pipe.
const ORPHANS_STOP_WITHIN: Duration = Duration::from_secs(20);

/// The directories of a server, all made; holds the owner's lock.
#[derive(Debug)]
pub(crate) struct Layout {
    /// The caller's directory, absolute.
    pub(crate) dir: PathBuf,
    /// `<dir>/pg<major>`.
    pub(crate) home: PathBuf,
    /// `<home>/data`, made by initdb.
    pub(crate) data: PathBuf,
    /// Holds the socket; short enough, and no separator in it.
    pub(crate) sockets: String,
    /// `<home>/postgres.log`.
    pub(crate) log: PathBuf,
    _lock: File,
}

impl Layout {
    /// Takes the lock, refuses data of another version, creates the directories, and waits until no
    /// process of an earlier server is left.
    pub(crate) fn claim(dir: &Path, major: u32) -> Result<Layout, Error> {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(dir);
        made.map_err(|e| Error::io("create the directory", dir, e))?;
        let dir = fs::canonicalize(dir).map_err(|e| Error::io("resolve the path", dir, e))?;
        let lock = lock(&dir)?;
        let home = dir.join(format!("pg{major}"));
        check_version(&dir, &home, major)?;
        private_dir(&home)?;
        command::preflight(&home)?;
        let sockets = socket_dir(&home)?;
        let layout = Layout {
            data: home.join("data"),
            log: home.join("postgres.log"),
            dir,
            home,
            sockets,
            _lock: lock,
        };
        layout.wait_for_orphans()?;
        Ok(layout)
    }

    /// Waits until no process of an ended server is left: each holds its shared memory.
    pub(crate) fn wait_for_orphans(&self) -> Result<(), Error> {
        let gone = || orphan(&self.home).is_none().then_some(());
        match poll(ORPHANS_STOP_WITHIN, gone) {
            Some(()) => Ok(()),
            None => Err(Error::InUse {
                dir: self.dir.clone(),
                pid: orphan(&self.home),
            }),
        }
    }

    /// Removes the process id files of an ended server. Another process may have its id by now, and
    /// PostgreSQL would then refuse to start.
    pub(crate) fn clear_stale(&self) -> Result<(), Error> {
        let socket = Path::new(&self.sockets).join(format!(".s.PGSQL.{PORT}"));
        let files = [
            self.data.join("postmaster.pid"),
            socket.with_extension(format!("{PORT}.lock")),
            socket,
        ];
        for file in files {
            match fs::remove_file(&file) {
                Err(e) if e.kind() != ErrorKind::NotFound => {
                    return Err(Error::io("remove the stale file", &file, e));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Removes the socket's directory when it lies in the shared /tmp.
    pub(crate) fn leave(&self) {
        let sockets = Path::new(&self.sockets);
        if !sockets.starts_with(&self.home) {
            // Best effort: the next start can use the directory as it is.
            fs::remove_dir(sockets).ok();
        }
    }

    /// Whether the server with this process id reports that it accepts connections.
    pub(crate) fn is_ready(&self, pid: u32) -> bool {
        let Ok(text) = fs::read_to_string(self.data.join("postmaster.pid")) else {
            return false;
        };
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        lines.first() == Some(&pid.to_string().as_str()) && lines.last() == Some(&"ready")
    }
}

fn lock(dir: &Path) -> Result<File, Error> {
    let path = dir.join("postgres.lock");
    let mut file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .mode(0o600)
        .open(&path)
        .map_err(|e| Error::io("open the lock file", &path, e))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            return Err(Error::InUse {
                dir: dir.to_owned(),
                pid: fs::read_to_string(&path)
                    .ok()
                    .and_then(|text| text.trim().parse().ok()),
            });
        }
        Err(TryLockError::Error(e)) => return Err(Error::io("lock", &path, e)),
    }
    file.set_len(0)
        .and_then(|()| writeln!(file, "{}", std::process::id()))
        .map_err(|e| Error::io("write the lock file", &path, e))?;
    Ok(file)
}

/// Refuses both a `data` of another version and, where there is none yet, a
/// sibling of another version: an upgrade must not silently begin empty.
fn check_version(dir: &Path, home: &Path, major: u32) -> Result<(), Error> {
    let wrong = |data: PathBuf, found: &str| {
        Err(Error::WrongVersion {
            data,
            found: found.to_owned(),
            have: major,
        })
    };
    let data = home.join("data");
    if data.exists() {
        let path = data.join("PG_VERSION");
        let text = fs::read_to_string(&path).map_err(|e| Error::io("read", &path, e))?;
        return match text.trim() {
            found if found == major.to_string() => Ok(()),
            found => wrong(data, found),
        };
    }
    let entries = fs::read_dir(dir).map_err(|e| Error::io("list", dir, e))?;
    for entry in entries.flatten() {
        let name = entry.file_name();
        let other = name.to_str().and_then(|n| n.strip_prefix("pg"));
        if let Some(found) = other.filter(|v| v.parse::<u32>().is_ok())
            && entry.path().join("data").exists()
        {
            return wrong(entry.path(), found);
        }
    }
    Ok(())
}

/// Creates a directory that is closed to other users, or checks that it is ours.
fn private_dir(path: &Path) -> Result<(), Error> {
    match DirBuilder::new().mode(0o700).create(path) {
        Err(e) if e.kind() != ErrorKind::AlreadyExists => {
            return Err(Error::io("create the directory", path, e));
        }
        _ => {}
    }
    // Not followed: below /tmp anyone could have put a link here.
    let found = fs::symlink_metadata(path).map_err(|e| Error::io("inspect", path, e))?;
    if !found.is_dir() || found.uid() != command::uid() {
        return Err(Error::NoPermission {
            path: path.to_owned(),
            uid: command::uid(),
        });
    }
    fs::set_permissions(path, Permissions::from_mode(0o700))
        .map_err(|e| Error::io("close to others", path, e))
}

/// `<home>/sock`, or a directory below /tmp named after it when that path is
/// too long for a socket, or not plain: PostgreSQL's setting and libpq both
/// take commas for separators.
fn socket_dir(home: &Path) -> Result<String, Error> {
    let near = home.join("sock");
    let odd = |c: char| matches!(c, ',' | '"') || c.is_control();
    let path = match near.to_str() {
        Some(text)
            if !text.contains(odd)
                && text.len() + format!("/.s.PGSQL.{PORT}").len() <= LONGEST_SOCKET =>
        {
            text.to_owned()
        }
        _ => {
            let mut hasher = DefaultHasher::new();
            near.hash(&mut hasher);
            format!("/tmp/threadlore-pg-{:016x}", hasher.finish())
        }
    };
    private_dir(Path::new(&path))?;
    Ok(path)
}

/// A live PostgreSQL process that works below `home`. Each of them has the
/// data directory as its working directory, so that a process id used again
/// by a stranger is not taken for one.
fn orphan(home: &Path) -> Option<u32> {
    let processes = fs::read_dir("/proc").ok()?;
    processes.flatten().find_map(|entry| {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        let name = fs::read_to_string(entry.path().join("comm")).ok()?;
        let works_in = fs::read_link(entry.path().join("cwd")).ok()?;
        (matches!(name.trim(), "postgres" | "initdb") && works_in.starts_with(home)).then_some(pid)
    })
}
