//! A schema registry that others wrote (Apicurio, by Confluent's protocol), for tests: a
//! server of its own for each test, from what `./dev` fetches. One that answers what a test
//! tells it is [`RegistryDouble`](crate::RegistryDouble).

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use crate::not_run::not_run;
use crate::port::Port;
use crate::service::Service;

/// What the server logs once it serves.
const SERVES: &str = "Listening on: http://";
/// Where it speaks Confluent's protocol.
const PATH: &str = "/apis/ccompat/v7";
/// Longest wait for an answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// A registry on the loopback interface; it ends with this, and with this process.
pub struct SchemaRegistry {
    dir: PathBuf,
    port: Port,
    service: Option<Service>,
}

impl SchemaRegistry {
    /// Starts one with its data in a directory. Where none can run here, the test is reported
    /// as not run, and there is none.
    ///
    /// # Panics
    /// When it does not start, with the last lines of its log.
    #[must_use]
    pub fn start(dir: &Path) -> Option<Self> {
        let told = script(&["check"]).output().expect("the script starts");
        if !told.status.success() {
            not_run(String::from_utf8_lossy(&told.stdout).trim());
            return None;
        }
        std::fs::create_dir_all(dir).expect("a directory");
        let mut registry = Self {
            dir: dir.to_owned(),
            port: Port::hold().expect("a free port"),
            service: None,
        };
        registry.start_again();
        Some(registry)
    }

    /// Its address, as clients of Confluent's protocol take it.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}{PATH}", self.port.number())
    }

    /// Its process, while it runs.
    #[must_use]
    pub fn pid(&self) -> Option<u32> {
        self.service.as_ref().map(Service::pid)
    }

    /// Kills it (`SIGKILL`); what it acknowledged stays in its directory.
    pub fn kill(&mut self) {
        self.service = None;
    }

    /// Starts it where it was, with what it knew.
    ///
    /// # Panics
    /// When it does not start, with the last lines of its log.
    pub fn start_again(&mut self) {
        self.kill();
        let dir = self.dir.to_str().expect("a path of UTF-8");
        let port = self.port.number().to_string();
        let mut service = Service::spawn("the schema registry", &script(&["start", dir, &port]));
        let started = service.wait_for(SERVES);
        started.unwrap_or_else(|error| panic!("{error}"));
        self.service = Some(service);
    }

    /// Registers a schema under a subject, as any client may.
    ///
    /// # Panics
    /// When it is refused.
    #[must_use]
    pub fn register(&self, subject: &str, schema: &str) -> u32 {
        let path = format!("/subjects/{subject}/versions");
        let answer = self.ask("POST", &path, &json!({ "schema": schema }));
        let id = answer["id"].as_u64().and_then(|id| u32::try_from(id).ok());
        id.unwrap_or_else(|| panic!("{subject}: {answer}"))
    }

    /// Sets the level of compatibility of all subjects, such as `FULL_TRANSITIVE`.
    ///
    /// # Panics
    /// When it is refused.
    pub fn set_compatibility(&self, level: &str) {
        let answer = self.ask("PUT", "/config", &json!({ "compatibility": level }));
        assert_eq!(answer["compatibilityLevel"], level, "{answer}");
    }

    /// The id of the latest schema of every subject.
    ///
    /// # Panics
    /// When it does not answer.
    #[must_use]
    pub fn ids(&self) -> BTreeMap<String, u64> {
        let subjects = self.ask("GET", "/subjects", &Value::Null);
        let subjects = subjects.as_array().expect("a list").iter();
        let subjects = subjects.map(|subject| subject.as_str().expect("a text").to_owned());
        let id = |subject: String| {
            let path = format!("/subjects/{subject}/versions/latest");
            let latest = self.ask("GET", &path, &Value::Null);
            let id = latest["id"].as_u64();
            (subject, id.unwrap_or_else(|| panic!("{latest}")))
        };
        subjects.map(id).collect()
    }

    fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        let address = ("127.0.0.1", self.port.number());
        let mut stream = TcpStream::connect(address).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("set");
        // By HTTP/1.0 an answer is whole when the connection ends.
        let request = format!(
            "{method} {PATH}{path} HTTP/1.0\r\n\
             content-type: application/vnd.schemaregistry.v1+json\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let body = answer.split_once("\r\n\r\n").map(|(_, body)| body);
        let json = body.and_then(|body| serde_json::from_str(body).ok());
        json.unwrap_or_else(|| panic!("{method} {path}: {answer}"))
    }
}

/// `tools/registry/server` with these arguments.
fn script(arguments: &[&str]) -> Command {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/registry/server");
    let mut command = Command::new(path);
    command.args(arguments);
    command
}
