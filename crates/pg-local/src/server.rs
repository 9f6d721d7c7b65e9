//! The handle of one server and the thread that owns it.

use std::fmt::Write;
use std::path::Path;
use std::process::Child;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::command::signal;
use crate::error::tail;
use crate::launch::{USER, init, spawn, wait_ready};
use crate::layout::{Layout, PORT};
use crate::poll::poll;
use crate::{Binaries, Error};

/// A fast shutdown writes at most the shared buffers.
const STOPPED_WITHIN: Duration = Duration::from_secs(60);

/// The durability of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// A commit is on the disk when it is acknowledged.
    Durable,
    /// For tests: a death of the machine can ruin the data (no `fsync`, no whole
    /// pages in the write-ahead log). A server that is killed keeps every commit
    /// that it acknowledged.
    Test,
}

/// A running PostgreSQL that belongs to this process. Dropping it stops it.
#[derive(Debug)]
pub struct Server {
    sockets: String,
    pid: u32,
    /// Dropped to ask the owner thread for a shutdown.
    keep: Option<SyncSender<()>>,
    owner: Option<JoinHandle<Result<(), Error>>>,
}

impl Server {
    /// Starts the server of `dir`, after making its data directory on the first
    /// run, and returns when it accepts connections. Blocks for about a second
    /// on the first run, a fraction of one later, up to two minutes when a
    /// crash left much to recover; call it off async workers.
    ///
    /// # Errors
    /// Each says what, where and what to do; nothing is left running and
    /// nothing half-made.
    pub fn start(binaries: &Binaries, dir: &Path, mode: Mode) -> Result<Server, Error> {
        let (started, wait_started) = sync_channel(1);
        let (keep, stop) = sync_channel(0);
        let (binaries, path) = (binaries.clone(), dir.to_owned());
        // The kernel ties the server to the thread that spawned it, so that
        // thread must live as long as the handle, whoever calls us.
        let owner = thread::Builder::new()
            .name("pg-owner".to_owned())
            .spawn(move || own(&binaries, &path, mode, &started, &stop))
            .map_err(|e| Error::io("start a thread for", dir, e))?;
        match wait_started.recv() {
            Ok((pid, sockets)) => Ok(Server {
                sockets,
                pid,
                keep: Some(keep),
                owner: Some(owner),
            }),
            // The thread ended before it could report a start.
            Err(_) => Err(join(owner).err().unwrap_or_else(|| Error::NotReady {
                reason: "the owner thread ended".to_owned(),
                log: dir.to_owned(),
                lines: tail(""),
            })),
        }
    }

    /// A connection URL over the socket, for sqlx and libpq alike:
    /// `postgresql:///<database>?host=<directory>&port=5432&user=threadlore`.
    /// After the first start there is one database, `postgres`.
    pub fn url(&self, database: &str) -> String {
        url(database, &self.sockets)
    }

    /// The directory of the socket; only its owner may enter it.
    pub fn socket_dir(&self) -> &Path {
        Path::new(&self.sockets)
    }

    /// The port, which is only part of the socket's name.
    pub fn port(&self) -> u16 {
        PORT
    }

    /// The role to connect as, a superuser without a password.
    pub fn user(&self) -> &str {
        USER
    }

    /// Process id of the server.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Ends open connections, writes a checkpoint, waits for the end.
    ///
    /// # Errors
    /// [`Error::NotStopped`] when the server had died or had to be killed.
    pub fn stop(mut self) -> Result<(), Error> {
        self.end()
    }

    fn end(&mut self) -> Result<(), Error> {
        self.keep = None;
        self.owner.take().map_or(Ok(()), join)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Err(error) = self.end() {
            tracing::warn!(%error, "the private PostgreSQL ended badly");
        }
    }
}

/// A panic of the owner thread is a defect of ours and is passed on.
fn join(owner: JoinHandle<Result<(), Error>>) -> Result<(), Error> {
    owner
        .join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// The life of the owner thread. It holds the lock until the server is gone.
fn own(
    binaries: &Binaries,
    dir: &Path,
    mode: Mode,
    started: &SyncSender<(u32, String)>,
    stop: &Receiver<()>,
) -> Result<(), Error> {
    let layout = Layout::claim(dir, binaries.major())?;
    if !layout.data.exists() {
        init(binaries, &layout, mode)?;
    }
    layout.clear_stale()?;
    let mut child = spawn(binaries, &layout, mode)?;
    if let Err(error) = wait_ready(&layout, &mut child) {
        // Fails only when it has ended already; reaped either way.
        child.kill().ok();
        child.wait().ok();
        return Err(error);
    }
    tracing::debug!(dir = %layout.dir.display(), version = binaries.major(), pid = child.id(), "private PostgreSQL is ready");
    if started.send((child.id(), layout.sockets.clone())).is_ok() {
        // Nothing is ever sent: it ends when the handle drops its sender.
        stop.recv().ok();
    }
    shut_down(&layout, &mut child)
}

fn shut_down(layout: &Layout, child: &mut Child) -> Result<(), Error> {
    let bad = |reason: String| Error::NotStopped {
        reason,
        log: layout.log.clone(),
    };
    let ended = |child: &mut Child| child.try_wait().map_err(|e| bad(e.to_string()));
    let mut status = ended(child)?;
    if status.is_none() && signal(child.id(), "INT") {
        status = poll(STOPPED_WITHIN, || ended(child).transpose()).transpose()?;
    }
    let Some(status) = status else {
        child.kill().ok();
        child.wait().ok();
        let waited = STOPPED_WITHIN.as_secs();
        return Err(bad(format!("killed after {waited} s")));
    };
    if !status.success() {
        return Err(bad(status.to_string()));
    }
    layout.leave();
    tracing::debug!(dir = %layout.dir.display(), "private PostgreSQL has stopped");
    Ok(())
}

/// A connection URL over the socket in a directory.
pub(crate) fn url(database: &str, sockets: &str) -> String {
    let (database, sockets) = (percent(database), percent(sockets));
    format!("postgresql:///{database}?host={sockets}&port={PORT}&user={USER}")
}

/// Percent-encodes all but what is plain in each part of a URL.
fn percent(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'/' => {
                out.push(char::from(byte));
            }
            // Writing to a String cannot fail.
            _ => write!(out, "%{byte:02X}").unwrap_or_default(),
        }
    }
    out
}
