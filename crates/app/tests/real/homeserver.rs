//! A homeserver of Matrix (Synapse), and the people on it.

use std::env;
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};
use threadlore_testkit::not_run;

use super::support::{Place, look};

/// Looks at what others do before a test gives up: two minutes.
pub(crate) const LOOKS: usize = 600;

/// A homeserver of its own.
pub(crate) struct Server {
    child: Child,
    pub(crate) url: String,
    runtime: tokio::runtime::Runtime,
    http: reqwest::Client,
}

impl Server {
    /// `None` where there is no Synapse: `./dev test --all` installs it.
    #[expect(
        clippy::disallowed_methods,
        reason = "where the packages are, only the environment says"
    )]
    pub(crate) fn start(place: &Place) -> Option<Self> {
        let Some(packages) = env::var_os("THREADLORE_SYNAPSE") else {
            not_run(
                "THREADLORE_SYNAPSE names no packages of Synapse: ./dev test --all installs them",
            );
            return None;
        };
        let taken = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = taken.local_addr().expect("an address").port();
        drop(taken);
        let dir = place.path().display();
        let every = "{per_second: 10000, burst_count: 10000}";
        let config = format!(
            "server_name: lore.test\nreport_stats: false\nsigning_key_path: {dir}/key\n\
             media_store_path: {dir}/media\nenable_registration: true\n\
             enable_registration_without_verification: true\nsuppress_key_server_warning: true\n\
             trusted_key_servers: []\npresence: {{enabled: false}}\n\
             database: {{name: sqlite3, args: {{database: {dir}/homeserver.db}}}}\n\
             rc_message: {every}\nrc_registration: {every}\n\
             rc_invites: {{per_room: {every}, per_user: {every}, per_issuer: {every}}}\n\
             rc_joins: {{local: {every}, remote: {every}}}\nlog_config: {dir}/log.yaml\n\
             listeners:\n  - port: {port}\n    bind_addresses: [127.0.0.1]\n    type: http\n    \
             tls: false\n    resources: [{{names: [client]}}]\n"
        );
        place.file("homeserver.yaml", config);
        place.file(
            "log.yaml",
            format!(
                "version: 1\nhandlers:\n  file: {{class: logging.FileHandler, filename: {dir}/synapse.log}}\n\
                 root: {{level: WARNING, handlers: [file]}}\n"
            ),
        );
        let command = |more: &[&str]| {
            let mut command = Command::new("python3");
            command
                .args(["-m", "synapse.app.homeserver", "-c", "homeserver.yaml"])
                .args(more)
                .env("PYTHONPATH", &packages)
                .current_dir(place.path())
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            command
        };
        let keys = command(&["--generate-keys"]).status().expect("python3");
        assert!(keys.success(), "Synapse makes no keys");
        let child = command(&[]).spawn().expect("python3");
        let mut server = Self {
            child,
            url: format!("http://127.0.0.1:{port}"),
            runtime: tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime"),
            http: reqwest::Client::new(),
        };
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            let ended = server.child.try_wait().expect("it can be asked");
            assert!(ended.is_none(), "Synapse ended: {ended:?}");
            look();
        }
        Some(server)
    }

    pub(crate) fn call(
        &self,
        method: &str,
        path: &str,
        token: &str,
        body: Option<&Value>,
    ) -> Value {
        let method = method.parse().expect("a method");
        let url = format!("{}/_matrix/client/v3/{path}", self.url);
        let mut request = self.http.request(method, url);
        if !token.is_empty() {
            request = request.bearer_auth(token);
        }
        if let Some(body) = body {
            request = request.body(body.to_string());
        }
        self.runtime.block_on(async {
            let answer = request.send().await.expect("Synapse answers");
            let status = answer.status();
            let text = answer.text().await.expect("all of it");
            assert!(status.is_success(), "{path}: {status} {text}");
            serde_json::from_str(&text).expect("JSON")
        })
    }

    pub(crate) fn person(&self, name: &str) -> Person<'_> {
        let account = json!({
            "username": name, "password": "a long password", "auth": {"type": "m.login.dummy"},
        });
        let made = self.call("POST", "register", "", Some(&account));
        Person {
            server: self,
            id: made["user_id"].as_str().expect("an id").to_owned(),
            token: made["access_token"].as_str().expect("a token").to_owned(),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// Somebody with an account.
pub(crate) struct Person<'s> {
    server: &'s Server,
    pub(crate) id: String,
    pub(crate) token: String,
}

impl Person<'_> {
    pub(crate) fn call(&self, method: &str, path: &str, body: Value) -> Value {
        self.server.call(method, path, &self.token, Some(&body))
    }

    /// A room with a name, for everybody.
    pub(crate) fn room(&self, name: &str) -> String {
        let room = json!({"preset": "public_chat", "room_alias_name": name});
        let made = self.call("POST", "createRoom", room);
        made["room_id"].as_str().expect("an id").to_owned()
    }

    pub(crate) fn join(&self, room: &str) {
        self.call("POST", &format!("join/{room}"), json!({}));
    }

    pub(crate) fn invite(&self, room: &str, whom: &Person<'_>) {
        let path = format!("rooms/{room}/invite");
        self.call("POST", &path, json!({"user_id": whom.id}));
    }

    /// Sends an event; returns its id.
    pub(crate) fn send(&self, room: &str, kind: &str, content: Value) -> String {
        let transaction = transaction();
        let path = format!("rooms/{room}/send/{kind}/{transaction}");
        let sent = self.call("PUT", &path, content);
        sent["event_id"].as_str().expect("an id").to_owned()
    }

    pub(crate) fn say(&self, room: &str, text: &str) -> String {
        self.send(
            room,
            "m.room.message",
            json!({"msgtype": "m.text", "body": text}),
        )
    }

    pub(crate) fn redact(&self, room: &str, event: &str) {
        self.call(
            "PUT",
            &format!("rooms/{room}/redact/{event}/{event}"),
            json!({}),
        );
    }

    /// Messages of somebody in a room but the greeting of the bot, oldest first; without content
    /// where they were taken back.
    pub(crate) fn said_by(&self, room: &str, whom: &Person<'_>) -> Vec<Value> {
        let all = self.all_said_by(room, whom).into_iter();
        let is_greeting = |event: &Value| {
            let body = event["content"]["body"].as_str();
            body.is_some_and(|body| body.starts_with("Hello. I learn from what is solved here"))
        };
        all.filter(|event| !is_greeting(event)).collect()
    }

    /// The same with the greeting.
    pub(crate) fn all_said_by(&self, room: &str, whom: &Person<'_>) -> Vec<Value> {
        let path = format!("rooms/{room}/messages?dir=b&limit=1000");
        let page = self.server.call("GET", &path, &self.token, None);
        let chunk = page["chunk"].as_array().expect("events");
        let of = |event: &&Value| event["sender"] == *whom.id && event["type"] == "m.room.message";
        chunk.iter().filter(of).rev().cloned().collect()
    }

    /// The same, once there are so many.
    pub(crate) fn until_said(&self, room: &str, whom: &Person<'_>, count: usize) -> Vec<Value> {
        self.until(&format!("{count} messages"), || {
            let said = self.said_by(room, whom);
            (said.len() >= count).then_some(said)
        })
    }

    pub(crate) fn until<T>(&self, what: &str, look_for: impl Fn() -> Option<T>) -> T {
        for _ in 0..LOOKS {
            if let Some(found) = look_for() {
                return found;
            }
            look();
        }
        panic!("{what}: not in {LOOKS} looks");
    }
}

/// A transaction of its own for each event that is sent.
fn transaction() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    COUNT.fetch_add(1, Ordering::Relaxed).to_string()
}
