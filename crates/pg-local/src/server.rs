//! The handle of one server and the thread that owns it.

use std::fmt::Write;
use std::path::Path;
use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::command::signal;
use crate::error::tail;
use crate::launch::{USER, init, spawn, wait_ready};
use crate::layout::{Layout, PORT};
use crate::poll::poll;
use crate::{Binaries, Error};

/// How often the owner looks whether the server ended by itself.
const WATCH: Duration = Duration::from_millis(200);

/// Pauses before the server is started again: the shortest, and the longest. The shortest is longer
/// than a pool takes an idle connection for one that works without asking (1 s in `store-postgres`):
/// no connection to the dead server is used once the next one is ready.
const RESTART: (Duration, Duration) = (Duration::from_millis(1200), Duration::from_secs(30));

/// After a server that ran for so long the pauses begin anew.
const STEADY: Duration = Duration::from_secs(60);

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

/// A running PostgreSQL that belongs to this process. Dropping it stops it. One that ends by itself,
/// or is killed, is started again; connections fail until then.
#[derive(Debug)]
pub struct Server {
    sockets: String,
    /// 0 while none runs.
    pid: Arc<AtomicU32>,
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
        let pid = Arc::new(AtomicU32::new(0));
        let watched = Arc::clone(&pid);
        // The kernel ties the server to the thread that spawned it, so that
        // thread must live as long as the handle, whoever calls us.
        let owner = thread::Builder::new()
            .name("pg-owner".to_owned())
            .spawn(move || own(&binaries, &path, mode, (&started, &watched, &stop)))
            .map_err(|e| Error::io("start a thread for", dir, e))?;
        match wait_started.recv() {
            Ok(sockets) => Ok(Server {
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

    /// Process id of the server; `None` while it is started again.
    pub fn pid(&self) -> Option<u32> {
        Some(self.pid.load(Ordering::Acquire)).filter(|pid| *pid != 0)
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
    (started, pid, stop): (&SyncSender<String>, &AtomicU32, &Receiver<()>),
) -> Result<(), Error> {
    let layout = Layout::claim(dir, binaries.major())?;
    if !layout.data.exists() {
        init(binaries, &layout, mode)?;
    }
    let mut child = launch(binaries, &layout, mode)?;
    pid.store(child.id(), Ordering::Release);
    if started.send(layout.sockets.clone()).is_ok() {
        let mut pause = RESTART.0;
        while let Some((ended, ran)) = ended_by_itself(&mut child, stop) {
            pid.store(0, Ordering::Release);
            if ran >= STEADY {
                pause = RESTART.0;
            }
            tracing::error!(
                dir = %layout.dir.display(),
                log = %layout.log.display(),
                "the private PostgreSQL ended by itself ({ended}); it is started again"
            );
            let Some(again) = restart((binaries, mode), &layout, stop, &mut pause) else {
                layout.leave();
                return Ok(());
            };
            child = again;
            pid.store(child.id(), Ordering::Release);
            tracing::info!(dir = %layout.dir.display(), "the private PostgreSQL runs again");
        }
    }
    shut_down(&layout, &mut child)
}

/// Starts the server on its data directory; it accepts connections when this returns.
fn launch(binaries: &Binaries, layout: &Layout, mode: Mode) -> Result<Child, Error> {
    layout.clear_stale()?;
    let mut child = spawn(binaries, layout, mode)?;
    if let Err(error) = wait_ready(layout, &mut child) {
        // Fails only when it has ended already; reaped either way.
        child.kill().ok();
        child.wait().ok();
        return Err(error);
    }
    tracing::debug!(dir = %layout.dir.display(), version = binaries.major(), pid = child.id(), "private PostgreSQL is ready");
    Ok(child)
}

/// Waits until the server ends, and says how, and about how long it ran; `None` when it is to be
/// stopped.
fn ended_by_itself(child: &mut Child, stop: &Receiver<()>) -> Option<(String, Duration)> {
    let mut ran = Duration::ZERO;
    // Nothing is ever sent: the handle drops its sender to stop the server.
    while stop.recv_timeout(WATCH) == Err(RecvTimeoutError::Timeout) {
        match child.try_wait() {
            Ok(None) => ran += WATCH,
            Ok(Some(status)) => return Some((status.to_string(), ran)),
            Err(error) => return Some((error.to_string(), ran)),
        }
    }
    None
}

/// Starts the server again, as often as it takes; `None` when it is to be stopped meanwhile.
fn restart(
    (binaries, mode): (&Binaries, Mode),
    layout: &Layout,
    stop: &Receiver<()>,
    pause: &mut Duration,
) -> Option<Child> {
    while stop.recv_timeout(*pause) == Err(RecvTimeoutError::Timeout) {
        *pause = (*pause * 2).min(RESTART.1);
        let launched = layout
            .wait_for_orphans()
            .and_then(|()| launch(binaries, layout, mode));
        match launched {
            Ok(child) => return Some(child),
            Err(error) => tracing::error!(%error, "the private PostgreSQL does not start again"),
        }
    }
    None
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
