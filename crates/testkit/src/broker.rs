//! A broker of Kafka's protocol for tests: `tools/broker` as a process of its own, so that
//! it can be killed. `./dev` builds it.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A broker on the loopback interface; it ends with this, and with this process.
pub struct Broker {
    child: Option<Child>,
    dir: PathBuf,
    bootstrap: String,
}

impl Broker {
    /// Starts one that keeps its records in a directory.
    ///
    /// # Panics
    /// When it was not built, or does not start.
    #[must_use]
    pub fn start(dir: &Path) -> Self {
        let mut broker = Self {
            child: None,
            dir: dir.to_owned(),
            bootstrap: String::new(),
        };
        broker.spawn(&[]);
        broker
    }

    /// Where it listens, `host:port`.
    #[must_use]
    pub fn bootstrap(&self) -> &str {
        &self.bootstrap
    }

    /// Kills it; what it acknowledged stays in its directory.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().expect("killed");
            child.wait().expect("ended");
        }
    }

    /// Starts it again where it was.
    ///
    /// # Panics
    /// As [`Broker::start`].
    pub fn start_again(&mut self) {
        self.kill();
        let port = self.bootstrap.rsplit(':').next().expect("a port");
        self.spawn(&[&port.to_owned()]);
    }

    fn spawn(&mut self, port: &[&String]) {
        let binary = binary();
        let child = Command::new(&binary)
            .arg(&self.dir)
            .args(port)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let mut child = child.unwrap_or_else(|error| {
            panic!(
                "the broker for tests cannot be started ({}: {error}): `./dev broker` builds it",
                binary.display()
            )
        });
        let mut said = BufReader::new(child.stdout.take().expect("its output"));
        let mut line = String::new();
        said.read_line(&mut line).expect("its address");
        assert!(line.contains(':'), "the broker for tests did not start");
        line.trim().clone_into(&mut self.bootstrap);
        self.child = Some(child);
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Beside what cargo built for this test: `<target>/debug/deps/<test>`.
fn binary() -> PathBuf {
    let test = std::env::current_exe().expect("the test's own path");
    let target = test.ancestors().nth(3).expect("a target directory");
    target.join("broker/debug/threadlore-broker")
}
