//! A data directory, runs of the binary on it, and questions to its database.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::Value;
use threadlore_pg_local::{Binaries, Mode, Search, Server};

/// Longest wait for the next line or the end: a wrong run fails, a slow machine does not.
pub(crate) const PATIENCE: Duration = Duration::from_secs(180);

/// The environment variable that names the file with the key for people.
pub(crate) const PEOPLE_KEY: &str = "THREADLORE__PEOPLE__HASH_KEY_FILE";

/// The bundled logs, one day each.
pub(crate) fn demo() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("demo/ubuntu")
}

/// A working directory with a data directory in it. Its path is short, because a
/// socket's must be.
pub(crate) struct Place {
    dir: tempfile::TempDir,
    /// The file with the key for people: digests compare only under one key.
    people: PathBuf,
}

impl Place {
    pub(crate) fn new() -> Self {
        // What tests make in a data directory is the owner's alone, as what the binary makes.
        rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
        let dir = tempfile::Builder::new().prefix("tl").tempdir_in("/tmp");
        let dir = dir.expect("a directory");
        let people = dir.path().join("people.key");
        Self { dir, people }
    }

    /// A place whose people are hashed as those of another place.
    pub(crate) fn beside(other: &Self) -> Self {
        let people = other.people.clone();
        Self {
            people,
            ..Self::new()
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.path().join("d")
    }

    /// Writes a file of the working directory; returns its path.
    pub(crate) fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().expect("below the directory")).expect("made");
        fs::write(&path, bytes).expect("written");
        path
    }

    /// The binary on the data directory, with nothing of the caller's settings.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        self.command_in("d", args)
    }

    /// The same on another data directory of the place.
    pub(crate) fn command_in(&self, data: &str, args: &[&str]) -> Command {
        self.command_of(env!("CARGO_BIN_EXE_threadlore"), data, args)
    }

    /// The same of another program.
    pub(crate) fn command_of(&self, program: &str, data: &str, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.path())
            .env_remove("DATABASE_URL")
            .env(PEOPLE_KEY, &self.people)
            .args(["--data-dir", data])
            .args(args)
            .stdin(Stdio::null());
        command
    }

    /// Runs to the end.
    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        Ran::of(self.command(args).output().expect("it starts"))
    }

    /// Runs to the end with these lines on standard input.
    pub(crate) fn run_with(&self, args: &[&str], lines: &[&str]) -> Ran {
        Self::fed(&mut self.command(args), lines)
    }

    /// Runs a command to the end with these lines on standard input.
    pub(crate) fn fed(command: &mut Command, lines: &[&str]) -> Ran {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let mut input = child.stdin.take().expect("piped");
        // It may end without reading all of it.
        input.write_all(lines.join("\n").as_bytes()).ok();
        drop(input);
        Ran::of(child.wait_with_output().expect("it ends"))
    }

    /// Runs to the end on a data directory anywhere.
    pub(crate) fn run_in(data: &str, args: &[&str]) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_threadlore"));
        command.args(["--data-dir", data]).args(args);
        Ran::of(command.output().expect("it starts"))
    }

    /// Runs to the end, which must be good; the JSON object that it prints.
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let ran = self.run(&[&["--json"], args].concat());
        assert_eq!(ran.code, Some(0), "{args:?}: {}", ran.err);
        serde_json::from_str(&ran.out).expect("one JSON object")
    }

    /// Starts; the caller ends it.
    pub(crate) fn start(&self, command: &mut Command) -> Running {
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let stderr = BufReader::new(child.stderr.take().expect("piped"));
        let (said, lines) = channel();
        std::thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                if said.send(line).is_err() {
                    return;
                }
            }
        });
        Running {
            child,
            lines,
            seen: Vec::new(),
        }
    }

    /// `standalone` on the data directory, once every role runs.
    pub(crate) fn standalone(&self) -> Running {
        let mut owner = self.start(&mut self.command(&["standalone"]));
        assert!(owner.wait_for("running every role"), "{}", owner.said());
        owner
    }

    /// `verify`, which must find every build equal.
    pub(crate) fn verified(&self) -> Verified {
        self.verified_in("d")
    }

    /// The same on another data directory of the place.
    pub(crate) fn verified_in(&self, data: &str) -> Verified {
        let mut command = self.command_in(data, &["--json", "verify"]);
        let ran = Ran::of(command.output().expect("it starts"));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let told: Value = serde_json::from_str(&ran.out).expect("one JSON object");
        let projections = told["projections"].as_array().expect("a list").clone();
        assert_eq!(
            projections.len(),
            threadlore_ports::Projection::ALL.len(),
            "{told}"
        );
        assert!(projections.iter().all(|p| p["equal"] == true), "{told}");
        Verified { projections }
    }

    /// A statement on the database of the running process.
    pub(crate) fn sql(&self, statement: &str) -> Option<String> {
        psql(&self.url(), statement)
    }

    /// Keeps writers out of a table of the running process until it is dropped.
    pub(crate) fn locked(&self, table: &str) -> Locked {
        let mut child = Command::new(psql_program())
            .args(["-XqAt", &self.url()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("psql starts");
        let mut input = child.stdin.take().expect("piped");
        let statement = format!("BEGIN;\nLOCK TABLE {table} IN SHARE MODE;\n\\echo locked\n");
        input.write_all(statement.as_bytes()).expect("psql reads");
        input.flush().expect("psql reads");
        let mut said = String::new();
        let output = child.stdout.take().expect("piped");
        BufReader::new(output)
            .read_line(&mut said)
            .expect("psql says");
        assert_eq!(said, "locked\n");
        Locked {
            child,
            input: Some(input),
        }
    }

    /// Statements while no process of ours runs.
    pub(crate) fn with_database<T>(&self, ask: impl FnOnce(&dyn Fn(&str) -> String) -> T) -> T {
        let dir = self.data().join("postgres");
        let server = Server::start(&binaries(), &dir, Mode::Durable).expect("it starts");
        let url = server.url("postgres");
        let answer = ask(&|statement| psql(&url, statement).expect("the statement runs"));
        server.stop().expect("it stops");
        answer
    }

    fn url(&self) -> String {
        let home = format!("pg{}", binaries().major());
        let sockets = self.data().join("postgres").join(home).join("sock");
        let sockets = sockets.display();
        format!("postgresql:///postgres?host={sockets}&port=5432&user=threadlore")
    }
}

#[expect(clippy::disallowed_methods, reason = "as ./dev sets it")]
pub(crate) fn binaries() -> Binaries {
    Binaries::find(&Search {
        pg_bin: std::env::var_os("PG_BIN").map(PathBuf::from),
        extra: Vec::new(),
    })
    .expect("PostgreSQL is installed")
}

/// A session that holds a lock; it ends when this is dropped.
pub(crate) struct Locked {
    child: Child,
    input: Option<ChildStdin>,
}

impl Drop for Locked {
    fn drop(&mut self) {
        // The end of its input ends psql, and its transaction with it.
        drop(self.input.take());
        self.child.wait().ok();
    }
}

fn psql_program() -> PathBuf {
    let beside = binaries().dir().join("psql");
    if beside.exists() {
        beside
    } else {
        PathBuf::from("psql")
    }
}

/// What the statement returns, one row a line; `None` when it fails.
pub(crate) fn psql(url: &str, statement: &str) -> Option<String> {
    let output = Command::new(psql_program())
        .args(["-XqAt", "-v", "ON_ERROR_STOP=1", "-c", statement, url])
        .output()
        .expect("psql starts");
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    output.status.success().then_some(text)
}

/// How a run ended and what it said.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    pub(crate) fn of(output: Output) -> Self {
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        Self {
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            ..Self::ended(output.status, err)
        }
    }

    /// With the signal in the text if one ended it, so that a crash is told from a refusal.
    fn ended(status: ExitStatus, mut err: String) -> Self {
        if let Some(signal) = status.signal() {
            err.push_str(&format!("\nended by signal {signal}"));
        }
        Self {
            code: status.code(),
            out: String::new(),
            err,
        }
    }
}

/// An address of this machine that is free at the moment.
pub(crate) fn free_address() -> SocketAddr {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a free port");
    taken.local_addr().expect("an address")
}

/// Sends a signal by name to a process of ours.
pub(crate) fn signal(pid: u32, name: &str) {
    let told = Command::new("sh")
        .args(["-c", r#"kill -"$0" "$1""#, name, &pid.to_string()])
        .status();
    assert!(told.expect("kill starts").success(), "it runs");
}

/// A process that works.
pub(crate) struct Running {
    child: Child,
    lines: Receiver<String>,
    seen: Vec<String>,
}

impl Running {
    /// Waits for a line with these words; false when it ended without.
    pub(crate) fn wait_for(&mut self, words: &str) -> bool {
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => {
                    let found = line.contains(words);
                    self.seen.push(line);
                    if found {
                        return true;
                    }
                }
                Err(error) => {
                    assert!(
                        error == std::sync::mpsc::RecvTimeoutError::Disconnected,
                        "no line with {words:?} in {PATIENCE:?}: {:?}",
                        self.seen
                    );
                    return false;
                }
            }
        }
    }

    /// Whether it said so until now.
    pub(crate) fn has_said(&mut self, words: &str) -> bool {
        self.seen.extend(self.lines.try_iter());
        self.seen.iter().any(|line| line.contains(words))
    }

    /// What it said until now.
    pub(crate) fn all_said(&mut self) -> String {
        self.seen.extend(self.lines.try_iter());
        self.said()
    }

    /// How many lines until now have these words.
    pub(crate) fn times_said(&mut self, words: &str) -> usize {
        self.seen.extend(self.lines.try_iter());
        self.seen.iter().filter(|line| line.contains(words)).count()
    }

    /// Whether it has not ended yet.
    pub(crate) fn works(&mut self) -> bool {
        self.child.try_wait().expect("ours").is_none()
    }

    pub(crate) fn said(&self) -> String {
        self.seen.join("\n")
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// SIGKILL, to this process and to nothing else.
    pub(crate) fn kill(mut self) -> Option<i32> {
        self.child.kill().expect("it can be killed");
        self.child.wait().expect("it ends").code()
    }

    /// Sends a signal by name.
    pub(crate) fn signal(&self, name: &str) {
        signal(self.pid(), name);
    }

    /// SIGTERM, after which it must end well.
    pub(crate) fn stop(self) {
        self.signal("TERM");
        let ended = self.end();
        assert_eq!(ended.code, Some(0), "{}", ended.err);
        assert!(!ended.err.contains("panicked"), "{}", ended.err);
    }

    /// Waits for its end.
    pub(crate) fn end(mut self) -> Ran {
        let err = loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => self.seen.push(line),
                Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => break self.seen.join("\n"),
                Err(error) => panic!("it does not end: {error}: {:?}", self.seen),
            }
        };
        Ran::ended(self.child.wait().expect("it ends"), err)
    }
}

/// None of these processes may end by itself.
pub(crate) fn all_work(slots: &mut [Option<Running>]) {
    for slot in slots {
        if let Some(process) = slot
            && !process.works()
        {
            let ended = slot.take().expect("there").end();
            panic!("a process ended with {:?}: {}", ended.code, ended.err);
        }
    }
}

/// The time between two looks at what other processes do.
pub(crate) fn look() {
    #[expect(clippy::disallowed_methods, reason = "a condition of others is polled")]
    std::thread::sleep(Duration::from_millis(200));
}

/// Looks until something is so.
pub(crate) fn look_until(is_so: impl Fn() -> bool) {
    for _ in 0..600 {
        if is_so() {
            return;
        }
        look();
    }
    panic!("it did not become so in time");
}

/// What `verify` printed.
pub(crate) struct Verified {
    projections: Vec<Value>,
}

impl Verified {
    /// Nothing that readers see may differ.
    pub(crate) fn is_same_as(&self, other: &Self) {
        assert_eq!(self.tables(), other.tables());
        for table in self.tables() {
            // The time of a configuration is the wall clock's.
            if table != "channels" {
                assert_eq!(self.table(table), other.table(table), "{table}");
            }
        }
    }

    fn tables(&self) -> BTreeSet<&str> {
        let projections = self.projections.iter();
        let tables = projections.filter_map(|p| p["digests"].as_array());
        let names = tables.flatten().filter_map(|table| table["table"].as_str());
        names.collect()
    }

    /// Rows and digest of a table.
    pub(crate) fn table(&self, name: &str) -> (u64, String) {
        let tables = self
            .projections
            .iter()
            .filter_map(|p| p["digests"].as_array());
        let found = tables.flatten().find(|table| table["table"] == name);
        let table = found.expect("the table is there");
        assert_eq!(table["live"], table["rebuilt"]);
        let digest = table["live"].as_str().expect("a digest").to_owned();
        (table["rows"].as_u64().expect("a count"), digest)
    }
}

/// A message as a log has it: nick and text. Other lines are none.
pub(crate) fn messages(log: &[u8]) -> Vec<(String, String)> {
    let text = String::from_utf8_lossy(log);
    let parse = |line: &str| {
        let rest = line.strip_prefix('[')?.get("HH:MM]".len()..)?.trim_start();
        let (nick, text) = match rest.strip_prefix('<') {
            Some(said) => said.split_once('>')?,
            None => rest.strip_prefix("* ")?.split_once(' ')?,
        };
        Some((nick.to_owned(), text.trim().to_owned()))
    };
    text.lines().filter_map(parse).collect()
}
