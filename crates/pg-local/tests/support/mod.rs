//! What the tests share: psql, and the example as a process that can be killed.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use threadlore_pg_local::{Binaries, Search};

pub(crate) fn binaries() -> Binaries {
    Binaries::find(&Search::default()).expect("the tests need Debian's package `postgresql`")
}

fn psql(url: &str, statement: &str) -> Command {
    let mut psql = Command::new(binaries().dir().join("psql"));
    psql.args(["-XqAt", "-v", "ON_ERROR_STOP=1", "-d", url, "-c", statement]);
    psql
}

/// The unaligned output of one statement.
pub(crate) fn sql(url: &str, statement: &str) -> String {
    let output = psql(url, statement).output().expect("psql runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{statement}: {said}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// True while the process runs; a zombie has no program any more.
pub(crate) fn runs(pid: u32) -> bool {
    std::fs::read_link(format!("/proc/{pid}/exe")).is_ok()
}

/// Looks every 10 ms, for at most 20 s.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..2000 {
        if holds() {
            return;
        }
        pause();
    }
    panic!("waited 20 s for {what}");
}

#[expect(
    clippy::disallowed_methods,
    reason = "the pause between two looks at a condition in another process"
)]
fn pause() {
    std::thread::sleep(Duration::from_millis(10));
}

/// A session in the middle of a statement.
pub(crate) struct Busy {
    psql: Child,
    /// The server's process for it.
    pub(crate) backend: u32,
}

/// Returns when the server shows the session as active.
pub(crate) fn busy_session(url: &str) -> Busy {
    let child = psql(url, "select pg_sleep(600)")
        .stderr(Stdio::null())
        .spawn()
        .expect("psql runs");
    let active = "select pid from pg_stat_activity where query like '%pg_sleep(600)%' \
                  and pid <> pg_backend_pid() and state = 'active'";
    let mut backend = None;
    until("the session to be busy", || {
        backend = sql(url, active).parse().ok();
        backend.is_some()
    });
    Busy {
        psql: child,
        backend: backend.expect("until saw it"),
    }
}

/// Sends a signal to a process of the server.
pub(crate) fn send_signal(signal: &str, pid: u32) {
    let script = r#"kill -"$0" "$1""#;
    let status = Command::new("sh")
        .args(["-c", script, signal, &pid.to_string()])
        .status()
        .expect("sh runs");
    assert!(status.success(), "cannot send {signal} to {pid}");
}

impl Busy {
    /// The server's death must have ended it.
    pub(crate) fn end(mut self) {
        let status = self.psql.wait().expect("psql can be waited for");
        assert!(!status.success(), "the session survived its server");
    }
}

/// Built by cargo with the tests.
pub(crate) fn serve_example() -> PathBuf {
    let test = std::env::current_exe().expect("path of the test");
    let profile = test.parent().and_then(Path::parent).expect("target dir");
    let path = profile.join("examples/serve");
    assert!(
        path.exists(),
        "run the tests of the whole package, so that its examples are built"
    );
    path
}

/// The example, holding a durable server until it is killed or dropped.
pub(crate) struct Served {
    child: Child,
    pub(crate) server: u32,
    pub(crate) url: String,
}

impl Served {
    pub(crate) fn start(dir: &Path) -> Served {
        let mut child = Command::new(serve_example())
            .args([dir, Path::new("durable")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the example runs");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped"))
            .read_line(&mut line)
            .expect("its output can be read");
        let (pid, url) = line.trim().split_once(' ').expect("pid and url");
        Served {
            server: pid.parse().expect("a process id"),
            url: url.to_owned(),
            child,
        }
    }

    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// SIGKILL: no code of ours runs any more.
    pub(crate) fn kill(mut self) {
        self.child.kill().expect("it was alive");
        self.child.wait().expect("it can be waited for");
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // The end of its input asks it to stop; a killed one has ended already.
        drop(self.child.stdin.take());
        self.child.wait().ok();
    }
}
