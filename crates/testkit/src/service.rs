//! A server program for tests. It is killed when its handle is dropped, and by the kernel when
//! the test's process ends in any other way, `SIGKILL` included.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// Longest wait for the next line of a server that starts.
const PATIENCE: Duration = Duration::from_secs(120);
/// Lines of its output that are kept for messages.
const KEPT: usize = 40;

/// A running server program.
pub(crate) struct Service {
    name: String,
    child: Child,
    output: Receiver<String>,
    last: VecDeque<String>,
}

impl Service {
    /// Starts a command; what it prints on standard output is its log.
    ///
    /// # Panics
    /// When it cannot be started.
    pub(crate) fn spawn(name: &str, command: &Command) -> Self {
        // The kernel kills it when the thread that started it ends, so that one stays until
        // the output ends.
        // Where this process ended before the kernel was told, nothing is started.
        let mut tied = Command::new("setpriv");
        tied.args(["--pdeathsig", "KILL", "--", "sh", "-c"]);
        tied.arg(r#"[ "$PPID" -eq "$0" ] && exec "$@""#);
        tied.arg(std::process::id().to_string());
        tied.arg(command.get_program()).args(command.get_args());
        for (key, value) in command.get_envs() {
            match value {
                Some(value) => tied.env(key, value),
                None => tied.env_remove(key),
            };
        }
        tied.stdin(Stdio::null()).stdout(Stdio::piped());
        let (started, child) = channel();
        let (lines, output) = channel();
        std::thread::spawn(move || {
            let mut spawned = tied.spawn();
            let log = spawned.as_mut().ok().and_then(|child| child.stdout.take());
            if started.send(spawned).is_err() {
                return;
            }
            for line in log.into_iter().flat_map(|log| BufReader::new(log).lines()) {
                match line {
                    // Read on where nobody listens: a full pipe would hold the server up.
                    Ok(line) => drop(lines.send(line)),
                    Err(_) => return,
                }
            }
        });
        let child = child.recv().expect("the thread answers");
        let child =
            child.unwrap_or_else(|error| panic!("{name} cannot be started by setpriv: {error}"));
        Self {
            name: name.to_owned(),
            child,
            output,
            last: VecDeque::new(),
        }
    }

    /// Waits for a line with these words.
    ///
    /// # Errors
    /// With its last lines, where it ended or was silent for two minutes.
    pub(crate) fn wait_for(&mut self, words: &str) -> Result<(), String> {
        loop {
            match self.output.recv_timeout(PATIENCE) {
                Ok(line) => {
                    let found = line.contains(words);
                    self.keep(line);
                    if found {
                        return Ok(());
                    }
                }
                Err(error) => {
                    let how = match error {
                        RecvTimeoutError::Disconnected => "ended before it served",
                        RecvTimeoutError::Timeout => "did not start within two minutes",
                    };
                    let (name, lines) = (self.name.clone(), self.last_lines());
                    return Err(format!("{name} {how}; the last lines of its log:\n{lines}"));
                }
            }
        }
    }

    /// Its process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The last lines that it printed.
    pub(crate) fn last_lines(&mut self) -> String {
        while let Ok(line) = self.output.try_recv() {
            self.keep(line);
        }
        self.last.make_contiguous().join("\n")
    }

    fn keep(&mut self, line: String) {
        if self.last.len() == KEPT {
            self.last.pop_front();
        }
        self.last.push_back(line);
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // It may have ended by itself.
        self.child.kill().ok();
        self.child.wait().ok();
        if std::thread::panicking() {
            let lines = self.last_lines();
            eprintln!("the last lines of {}:\n{lines}", self.name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Service {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        Service::spawn("a script", &command)
    }

    #[test]
    fn a_server_that_ends_in_its_start_is_told_with_its_last_lines() {
        let mut service = shell("for n in $(seq 100); do echo line $n; done; exit 3");
        let told = service.wait_for("serving").expect_err("it ended");
        assert!(
            told.starts_with("a script ended before it served"),
            "{told}"
        );
        assert!(!told.contains("line 60\n"), "{told}");
        assert!(
            told.contains("line 61\n") && told.ends_with("line 100"),
            "{told}"
        );
    }

    #[test]
    fn a_server_outlives_the_thread_that_started_it_and_ends_when_it_is_dropped() {
        let started = std::thread::spawn(|| shell("echo serving; exec sleep 1000"));
        let mut service = started.join().expect("no panic");
        service.wait_for("serving").expect("it serves");
        let process = format!("/proc/{}/stat", service.pid());
        let stat = std::fs::read_to_string(&process).expect("it runs");
        assert!(
            !stat.contains(") Z"),
            "it was killed with that thread: {stat}"
        );
        drop(service);
        assert!(!std::path::Path::new(&process).exists());
    }

    const LEFT: &str = "THREADLORE_TEST_LEFT";

    #[test]
    fn a_server_ends_with_a_test_that_is_killed() {
        let test = std::env::current_exe().expect("the test's own path");
        let mut command = Command::new(test);
        let name = "service::tests::a_test_that_is_killed";
        command.args(["--exact", name, "--ignored", "--nocapture"]);
        let mut test = Service::spawn("a test", command.env(LEFT, "yes"));
        test.wait_for("its server is ").expect("it runs");
        let line = test.last.back().expect("the line");
        let pid = line.rsplit(' ').next().expect("a number").to_owned();
        let process = format!("/proc/{pid}/stat");
        assert!(std::path::Path::new(&process).exists());
        drop(test);
        // Killed and, whoever inherited it, at most not yet waited for.
        let ended = || std::fs::read_to_string(&process).map_or(true, |stat| stat.contains(") Z"));
        while !ended() {
            std::thread::yield_now();
        }
    }

    #[test]
    #[ignore = "a part of the test above, in a process of its own"]
    #[expect(
        clippy::disallowed_methods,
        reason = "it is no setting of what is tested"
    )]
    fn a_test_that_is_killed() {
        if std::env::var_os(LEFT).is_none() {
            return;
        }
        let service = shell("exec sleep 1000");
        println!("its server is {}", service.pid());
        loop {
            std::thread::park();
        }
    }
}
