//! Commands of Kafka's own tools, such as `kafka-acls.sh`, in one Java machine for all of a
//! test: each would take two seconds to start one.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// What is printed after a command that worked.
const DONE: &str = "done";

/// The machine; it ends with this, and with this process.
pub(super) struct Commands {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Commands {
    pub(super) fn start(mut program: Command) -> Self {
        let spawned = program.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut process = spawned.expect("tools/kafka/node starts");
        Self {
            input: process.stdin.take().expect("its input"),
            output: BufReader::new(process.stdout.take().expect("its output")),
            process,
        }
    }

    /// Runs a command by its words; returns what it printed.
    ///
    /// # Panics
    /// When it fails, with what it printed.
    pub(super) fn run(&mut self, words: &[String]) -> String {
        let line = serde_json::to_string(words).expect("texts");
        writeln!(self.input, "{line}").expect("its input is open");
        let mut printed = String::new();
        loop {
            let before = printed.len();
            let read = self.output.read_line(&mut printed).expect("text");
            assert!(read > 0, "{words:?} failed: {printed}");
            if printed[before..].trim_end() == DONE {
                printed.truncate(before);
                return printed;
            }
        }
    }
}

impl Drop for Commands {
    fn drop(&mut self) {
        // It ends by itself when its input does.
        self.process.kill().ok();
        self.process.wait().ok();
    }
}
