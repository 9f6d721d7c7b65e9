//! A broker of Kafka's protocol for tests: `tools/broker` as a process of its own, so that
//! it can be killed. `./dev` builds it.

use std::path::{Path, PathBuf};

use crate::beside::Beside;

/// A broker on the loopback interface; it ends with this, and with this process.
pub struct Broker {
    process: Option<Beside>,
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
            process: None,
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
        self.process = None;
    }

    /// Starts it again where it was.
    ///
    /// # Panics
    /// As [`Broker::start`].
    pub fn start_again(&mut self) {
        self.kill();
        let port = self
            .bootstrap
            .rsplit(':')
            .next()
            .expect("a port")
            .to_owned();
        self.spawn(&[&port]);
    }

    fn spawn(&mut self, port: &[&str]) {
        let args = [&[self.dir.to_str().expect("a path of UTF-8")], port].concat();
        let (process, said) = Beside::start(BINARY, &args, "`./dev broker` builds it");
        self.bootstrap = said;
        self.process = Some(process);
    }
}

/// Where `./dev` builds it.
const BINARY: &str = "broker/debug/threadlore-broker";
