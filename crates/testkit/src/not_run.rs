//! Tests that cannot run where something is missing. They are reported at the end of
//! `./dev test` as not run, with the reason, instead of counting as passed.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Reports that the calling test cannot run here; the test then returns. For what `./dev test`
/// installs and what CI has, such as packages of Python or the right to mount a file system.
///
/// # Panics
/// Where `CI=true`: there, nothing may be missing.
pub fn not_run(reason: &str) {
    let here = Surroundings::read();
    assert!(!here.ci, "CI=true, and this test cannot run: {reason}");
    here.report(reason);
}

/// Reports that the calling test needs the address of a server in `variable`, which only an
/// operator can name. In CI, too, it is reported and does not fail.
pub fn not_run_without(variable: &str) {
    Surroundings::read().report(&format!("{variable} is not set"));
}

/// What the environment says.
struct Surroundings {
    ci: bool,
    /// The file that `./dev test` prints at its end.
    file: Option<PathBuf>,
    test: String,
}

impl Surroundings {
    #[expect(
        clippy::disallowed_methods,
        reason = "as ./dev, CI and nextest set it; it is not a setting of what is tested"
    )]
    fn read() -> Self {
        // Nextest runs each test on the main thread of a process of its own.
        let test = std::env::var("NEXTEST_TEST_NAME").ok();
        let thread = || std::thread::current().name().unwrap_or("a test").to_owned();
        Self {
            ci: std::env::var("CI").is_ok_and(|value| value == "true"),
            file: std::env::var_os("THREADLORE_NOT_RUN").map(PathBuf::from),
            test: test.unwrap_or_else(thread),
        }
    }

    fn report(&self, reason: &str) {
        let line = format!("{}: {reason}\n", self.test);
        eprint!("not run: {line}");
        if let Some(file) = &self.file {
            append(file, &line);
        }
    }
}

/// In one write, so that lines of tests that run side by side stay whole.
fn append(file: &Path, line: &str) {
    let opened = OpenOptions::new().create(true).append(true).open(file);
    let written = opened.and_then(|mut file| file.write_all(line.as_bytes()));
    written.unwrap_or_else(|error| panic!("{} cannot be written: {error}", file.display()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_report_is_a_line_of_the_file() {
        let name = format!("threadlore-not-run-{}", std::process::id());
        let file = std::env::temp_dir().join(name);
        for test in ["one", "two"] {
            let here = Surroundings {
                ci: false,
                file: Some(file.clone()),
                test: test.to_owned(),
            };
            here.report("no Java");
        }
        let text = std::fs::read_to_string(&file).expect("written");
        std::fs::remove_file(&file).expect("removed");
        assert_eq!(text, "one: no Java\ntwo: no Java\n");
    }
}
