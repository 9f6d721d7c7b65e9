//! Programs for tests that run beside them: they say one line and end with their standard
//! input, and so with the test.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A running program; it is killed when this is dropped.
pub(crate) struct Beside(Child);

impl Beside {
    /// Starts a program; returns what it said, too.
    pub(crate) fn start(binary: &Path, args: &[&str], built: &str) -> (Self, String) {
        let child = Command::new(binary)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let child = child.unwrap_or_else(|error| {
            panic!("{} cannot be started ({error}): {built}", binary.display())
        });
        let mut process = Self(child);
        let mut said = BufReader::new(process.0.stdout.take().expect("its output"));
        let mut line = String::new();
        said.read_line(&mut line).expect("its line");
        assert!(line.contains(':'), "{} did not start", binary.display());
        (process, line.trim().to_owned())
    }
}

impl Beside {
    pub(crate) fn pid(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        self.0.kill().expect("killed");
        self.0.wait().expect("ended");
    }
}
