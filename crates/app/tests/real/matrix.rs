//! The bot in rooms of a real homeserver (Synapse): it joins, learns, answers, takes back, and comes
//! back.

use std::env;
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use threadlore_testkit::not_run;

use super::cluster::{Cluster, ROLES};
use super::support::{Place, Running, look};

/// Looks at what others do before a test gives up: two minutes.
const LOOKS: usize = 600;

/// A homeserver of its own.
struct Server {
    child: Child,
    url: String,
    runtime: tokio::runtime::Runtime,
    http: reqwest::Client,
}

impl Server {
    /// `None` where there is no Synapse: `./dev test --all` installs it.
    #[expect(
        clippy::disallowed_methods,
        reason = "where the packages are, only the environment says"
    )]
    fn start(place: &Place) -> Option<Self> {
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

    fn call(&self, method: &str, path: &str, token: &str, body: Option<&Value>) -> Value {
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

    fn person(&self, name: &str) -> Person<'_> {
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
struct Person<'s> {
    server: &'s Server,
    id: String,
    token: String,
}

impl Person<'_> {
    fn call(&self, method: &str, path: &str, body: Value) -> Value {
        self.server.call(method, path, &self.token, Some(&body))
    }

    /// A room with a name, for everybody.
    fn room(&self, name: &str) -> String {
        let room = json!({"preset": "public_chat", "room_alias_name": name});
        let made = self.call("POST", "createRoom", room);
        made["room_id"].as_str().expect("an id").to_owned()
    }

    fn join(&self, room: &str) {
        self.call("POST", &format!("join/{room}"), json!({}));
    }

    fn invite(&self, room: &str, whom: &Person<'_>) {
        let path = format!("rooms/{room}/invite");
        self.call("POST", &path, json!({"user_id": whom.id}));
    }

    /// Sends an event; returns its id.
    fn send(&self, room: &str, kind: &str, content: Value) -> String {
        let transaction = uuid(&self.token, &content);
        let path = format!("rooms/{room}/send/{kind}/{transaction}");
        let sent = self.call("PUT", &path, content);
        sent["event_id"].as_str().expect("an id").to_owned()
    }

    fn say(&self, room: &str, text: &str) -> String {
        self.send(
            room,
            "m.room.message",
            json!({"msgtype": "m.text", "body": text}),
        )
    }

    fn redact(&self, room: &str, event: &str) {
        self.call(
            "PUT",
            &format!("rooms/{room}/redact/{event}/{event}"),
            json!({}),
        );
    }

    /// Messages of somebody in a room, oldest first; without content where they were taken back.
    fn said_by(&self, room: &str, whom: &Person<'_>) -> Vec<Value> {
        let path = format!("rooms/{room}/messages?dir=b&limit=1000");
        let page = self.server.call("GET", &path, &self.token, None);
        let chunk = page["chunk"].as_array().expect("events");
        let of = |event: &&Value| event["sender"] == *whom.id && event["type"] == "m.room.message";
        chunk.iter().filter(of).rev().cloned().collect()
    }

    /// The same, once there are so many.
    fn until_said(&self, room: &str, whom: &Person<'_>, count: usize) -> Vec<Value> {
        self.until(&format!("{count} messages"), || {
            let said = self.said_by(room, whom);
            (said.len() >= count).then_some(said)
        })
    }

    fn until<T>(&self, what: &str, look_for: impl Fn() -> Option<T>) -> T {
        for _ in 0..LOOKS {
            if let Some(found) = look_for() {
                return found;
            }
            look();
        }
        panic!("{what}: not in {LOOKS} looks");
    }
}

/// Of what is said how often: two equal lines are two.
fn uuid(token: &str, content: &Value) -> String {
    use std::sync::atomic::{AtomicU64, Ordering};
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{}-{count}", token.len() + content.to_string().len())
}

/// A problem is stated, and solved.
fn solve(room: &str, asker: &Person<'_>, helper: &Person<'_>) {
    asker.say(room, "my laptop wont suspend when i close the lid");
    let solution = "set HandleLidSwitch=suspend in /etc/systemd/logind.conf and restart logind";
    helper.say(room, &format!("anna: {solution}"));
    asker.say(room, "thanks ben, that works!");
}

/// The bot, which is invited by anna.
fn serving(place: &Place, server: &Server, bot: &Person<'_>) -> Running {
    let mut command = place.command(&["standalone"]);
    command
        .env("THREADLORE__MATRIX__HOMESERVER", &server.url)
        .env("THREADLORE__MATRIX__ACCESS_TOKEN", &bot.token)
        .env("THREADLORE__MATRIX__ROOMS", "#help:lore.test")
        .env("THREADLORE__MATRIX__INVITED_BY", "@anna:lore.test");
    let mut owner = place.start(&mut command);
    assert!(owner.wait_for("in rooms of Matrix"), "{}", owner.said());
    owner
}

/// Waits until a statement gives this.
fn until(place: &Place, statement: &str, wanted: &str) {
    let mut found = None;
    for _ in 0..LOOKS {
        found = place.sql(statement);
        if found.as_deref().map(str::trim) == Some(wanted) {
            return;
        }
        look();
    }
    panic!("{statement} gives {found:?}, not {wanted}");
}

const SOLVED: &str = "SELECT count(*) FROM lore.cases WHERE status = 'solved'";

#[test]
fn a_room_that_was_just_helped_is_answered_also_over_a_kill() {
    let place = Place::new();
    let Some(server) = Server::start(&place) else {
        return;
    };
    let [anna, ben, dora, lore] = ["anna", "ben", "dora", "lore"].map(|name| server.person(name));
    let room = anna.room("help");
    ben.join(&room);
    dora.join(&room);
    // What is said before the bot joins is history: it learns from it.
    anna.say(
        &room,
        "my printer prints only blank pages since yesterday, what can I do?",
    );
    ben.say(&room, "anna: take the tape off the new cartridge");
    anna.say(&room, "thanks ben, that was it, it prints again");
    let mut bot = serving(&place, &server, &lore);
    assert!(bot.wait_for("in a room of Matrix"), "{}", bot.said());
    until(&place, SOLVED, "1");

    solve(&room, &anna, &ben);
    until(&place, SOLVED, "2");
    let question = dora.say(&room, "how do I make suspend on lid close work?");
    let said = dora.until_said(&room, &lore, 1);
    let answer = &said[0]["content"];
    let body = answer["body"].as_str().expect("a text");
    assert!(body.contains("set HandleLidSwitch=suspend"), "{body}");
    assert!(body.contains("From: threadlore:case/"), "{body}");
    assert_eq!(answer["msgtype"], "m.notice");
    assert_eq!(
        answer["m.relates_to"]["m.in_reply_to"]["event_id"],
        *question
    );
    assert_eq!(answer["m.mentions"]["user_ids"], json!([dora.id]));

    // A mention by the platform's own means always gets something.
    dora.send(
        &room,
        "m.room.message",
        json!({
            "msgtype": "m.text", "body": "and how do I bake bread?",
            "m.mentions": {"user_ids": [lore.id]},
        }),
    );
    let said = dora.until_said(&room, &lore, 2);
    let body = said[1]["content"]["body"].as_str().expect("a text");
    assert!(body.contains("I know"), "{body}");

    // What is said while the bot is away is heard when it is back; nothing is sent twice.
    bot.kill();
    dora.say(
        &room,
        "does anybody know why the printer gives me blank pages?",
    );
    let bot = serving(&place, &server, &lore);
    let said = dora.until_said(&room, &lore, 3);
    let body = said[2]["content"]["body"].as_str().expect("a text");
    assert!(
        body.contains("take the tape off the new cartridge"),
        "{body}"
    );

    // Whose question is taken back, its answer is taken back too.
    dora.redact(&room, &question);
    dora.until("the answer is taken back", || {
        let first = dora.said_by(&room, &lore).into_iter().next()?;
        first["content"].as_object()?.is_empty().then_some(())
    });
    assert_eq!(dora.said_by(&room, &lore).len(), 3);
    let posted =
        "SELECT count(*) FROM lore.deliveries WHERE action = 'post' AND result = 'delivered'";
    until(&place, posted, "3");
    bot.stop();
    place.verified();
}

/// Two processes are in the same rooms with the same account, on a cluster. What both hear is one,
/// and one of them answers; when that is killed, the other does.
#[test]
fn another_process_goes_on_in_the_room_when_one_is_killed() {
    let place = Place::new();
    let Some(server) = Server::start(&place) else {
        return;
    };
    let [anna, ben, dora, lore] = ["anna", "ben", "dora", "lore"].map(|name| server.person(name));
    let room = anna.room("help");
    ben.join(&room);
    dora.join(&room);
    let more = format!(
        "[matrix]\nhomeserver = \"{}\"\naccess_token = \"{}\"\nrooms = \"#help:lore.test\"\n",
        server.url, lore.token
    );
    let Some(cluster) = Cluster::start(Place::new(), &more) else {
        return;
    };
    let gateway = || {
        let mut gateway = cluster.run(&["gateway-matrix"]);
        assert!(gateway.wait_for("in rooms of Matrix"), "{}", gateway.said());
        gateway
    };
    let roles = [&ROLES[..], &["responder"]].concat();
    let rest = cluster.run(&roles);
    let (mut one, two) = (gateway(), gateway());
    assert!(one.wait_for("in a room of Matrix"), "{}", one.said());
    solve(&room, &anna, &ben);
    anna.until("a solved case", || {
        cluster.sql(SOLVED).filter(|count| count.trim() == "1")
    });
    let mut answers = 0;
    let mut is_answered = |what: &str| {
        dora.say(&room, "lore: how do I make suspend on lid close work?");
        answers += 1;
        let said = dora.until_said(&room, &lore, answers);
        assert_eq!(said.len(), answers, "{what}: once");
        let asked = dora.said_by(&room, &dora);
        let at = |event: Option<&Value>| event.expect("said")["origin_server_ts"].as_i64();
        let took = at(said.last()).expect("a time") - at(asked.last()).expect("a time");
        println!("{what}: answered after {took} ms");
        // Fifteen seconds, and the two after which a turn has ended.
        assert!(took <= 17_000, "{what}: {took} ms");
    };
    is_answered("with two");
    one.kill();
    is_answered("the first is killed");
    let three = gateway();
    two.kill();
    is_answered("the second is killed");
    assert_eq!(
        cluster
            .sql("SELECT count(*) = count(DISTINCT native_id) FROM lore.messages")
            .as_deref(),
        Some("t")
    );
    three.stop();
    rest.stop();
}

/// Each round asks something by name, and kills the bot at another moment: before it decides, while
/// it sends, or after.
#[test]
#[ignore = "long form: ./dev soak matrix_kills"]
fn soak_matrix_kills() {
    const ROUNDS: usize = 100;
    let place = Place::new();
    place.file(
        "threadlore.toml",
        "[responder]\nanswers_per_minute = 1000\nanswers_per_day = 1000000\n",
    );
    let Some(server) = Server::start(&place) else {
        return;
    };
    let [anna, ben, dora, lore] = ["anna", "ben", "dora", "lore"].map(|name| server.person(name));
    let room = anna.room("help");
    ben.join(&room);
    dora.join(&room);
    let bot = serving(&place, &server, &lore);
    solve(&room, &anna, &ben);
    until(&place, SOLVED, "1");
    let mut bot = Some(bot);
    let mut asked = Vec::new();
    for round in 0..ROUNDS {
        asked.push(dora.say(&room, "lore: how do I make suspend on lid close work?"));
        // From nothing to four seconds: a turn ends after two.
        for _ in 0..(round * 7) % 21 {
            look();
        }
        if let Some(bot) = bot.take() {
            bot.kill();
        }
        bot = Some(serving(&place, &server, &lore));
    }
    // Every line has had its turn, and every answer was sent.
    let lines = "SELECT sum(cardinality(messages)) FROM lore.turns";
    until(&place, lines, &(ROUNDS + 3).to_string());
    // Questions that came within two seconds of each other are one turn, with one answer.
    let turns = "SELECT count(*) FROM lore.deliveries WHERE action = 'post' AND result IS NULL";
    until(&place, turns, "0");
    let wanted = "SELECT count(*) FROM lore.turns WHERE outcome = 'answered'";
    let wanted: usize = place
        .sql(wanted)
        .expect("a count")
        .trim()
        .parse()
        .expect("a number");
    let said = dora.until_said(&room, &lore, wanted);
    let mut replied: Vec<String> = said
        .iter()
        .map(|event| {
            let reply = &event["content"]["m.relates_to"]["m.in_reply_to"]["event_id"];
            reply.as_str().expect("a reply").to_owned()
        })
        .collect();
    println!(
        "{ROUNDS} kills: {} questions, {wanted} turns, {} answers",
        asked.len(),
        said.len()
    );
    assert!(replied.iter().all(|id| asked.contains(id)), "{replied:?}");
    replied.sort();
    replied.dedup();
    assert_eq!(replied.len(), said.len(), "one answer was sent twice");
    assert_eq!(said.len(), wanted);
    if let Some(bot) = bot {
        bot.stop();
    }
    place.verified();
}

#[test]
fn invitations_threads_edits_and_encryption_are_as_the_page_says() {
    let place = Place::new();
    let Some(server) = Server::start(&place) else {
        return;
    };
    let [anna, ben, eve, lore] = ["anna", "ben", "eve", "lore"].map(|name| server.person(name));
    anna.room("help");
    let mut bot = serving(&place, &server, &lore);

    // Of whom it may be invited, it follows the invitation.
    let friends = anna.room("friends");
    anna.invite(&friends, &lore);
    let strangers = eve.room("strangers");
    eve.invite(&strangers, &lore);
    assert!(bot.wait_for("an invitation is accepted"), "{}", bot.said());
    assert!(
        bot.wait_for("an invitation is not accepted"),
        "{}",
        bot.said()
    );
    ben.join(&friends);
    eve.join(&friends);

    // An edit changes what is known, and a thread is answered in the thread.
    let wrong = ben.say(&friends, "anna: run `systemctl restart cupss`");
    anna.say(
        &friends,
        "the print queue is stuck and nothing comes out of the printer",
    );
    let helped = ben.say(&friends, "anna: run `systemctl restart cupss`");
    ben.send(
        &friends,
        "m.room.message",
        json!({
            "msgtype": "m.text", "body": "* anna: run `systemctl restart cups`",
            "m.new_content": {"msgtype": "m.text", "body": "anna: run `systemctl restart cups`"},
            "m.relates_to": {"rel_type": "m.replace", "event_id": helped},
        }),
    );
    ben.redact(&friends, &wrong);
    anna.say(&friends, "thanks ben, that works!");
    until(&place, SOLVED, "1");
    let root = anna.say(&friends, "what a day");
    let asked = eve.send(
        &friends,
        "m.room.message",
        json!({
            "msgtype": "m.text", "body": "my print queue is stuck, nothing comes out of the printer?",
            "m.relates_to": {
                "rel_type": "m.thread", "event_id": root,
                "m.in_reply_to": {"event_id": root}, "is_falling_back": true,
            },
        }),
    );
    let said = anna.until_said(&friends, &lore, 1);
    let answer = &said[0]["content"];
    let body = answer["body"].as_str().expect("a text");
    assert!(
        body.contains("systemctl restart cups`") || body.contains("systemctl restart cups\n"),
        "{body}"
    );
    assert!(!body.contains("cupss"), "{body}");
    assert_eq!(answer["m.relates_to"]["event_id"], *root);
    assert_eq!(answer["m.relates_to"]["m.in_reply_to"]["event_id"], *asked);

    // What everybody can read may be said among a few, too.
    let few = anna.call("POST", "createRoom", json!({"preset": "private_chat"}));
    let few = few["room_id"].as_str().expect("an id");
    anna.invite(few, &lore);
    let audiences = "SELECT string_agg(audience, ' ' ORDER BY audience) FROM lore.channels";
    until(&place, audiences, "members public public");
    anna.say(
        few,
        "my print queue is stuck, nothing comes out of the printer?",
    );
    let said = anna.until_said(few, &lore, 1);
    let body = said[0]["content"]["body"].as_str().expect("a text");
    assert!(body.contains("systemctl restart cups"), "{body}");

    // A notice is a bot's: nobody answers it.
    let notice = json!({"msgtype": "m.notice", "body": "lore: my print queue is stuck, nothing comes out of the printer?"});
    ben.send(&friends, "m.room.message", notice);
    // A room that becomes encrypted is told once.
    anna.call(
        "PUT",
        &format!("rooms/{friends}/state/m.room.encryption/"),
        json!({"algorithm": "m.megolm.v1.aes-sha2"}),
    );
    let said = anna.until_said(&friends, &lore, 2);
    let body = said[1]["content"]["body"].as_str().expect("a text");
    assert!(body.contains("encrypted"), "{body}");
    assert_eq!(said.len(), 2);
    bot.stop();
    place.verified();
}

#[test]
fn a_token_that_the_homeserver_does_not_know_is_said_and_the_rest_works() {
    let place = Place::new();
    let Some(server) = Server::start(&place) else {
        return;
    };
    let mut command = place.command(&["standalone"]);
    command
        .env("THREADLORE__MATRIX__HOMESERVER", &server.url)
        .env("THREADLORE__MATRIX__ACCESS_TOKEN", "syt_of_nobody");
    let mut owner = place.start(&mut command);
    assert!(
        owner.wait_for("does not know the access token"),
        "{}",
        owner.said()
    );
    assert!(!owner.said().contains("syt_of_nobody"), "{}", owner.said());
    owner.stop();
}

#[test]
fn settings_of_matrix_that_cannot_be_used_are_named() {
    let place = Place::new();
    for (settings, words) in [
        (
            "homeserver = \"example.org\"",
            "`matrix.homeserver` is not the address",
        ),
        (
            "homeserver = \"https://example.org\"",
            "`matrix.access_token`",
        ),
        (
            "homeserver = \"https://example.org\"\naccess_token = \"t\"\nrooms = \"help\"",
            "#help:example.org",
        ),
        (
            "homeserver = \"https://example.org\"\naccess_token = \"t\"\ninvited_by = \"@anna\"",
            "`matrix.invited_by`",
        ),
    ] {
        place.file("threadlore.toml", format!("[matrix]\n{settings}\n"));
        let ran = place.run(&["standalone"]);
        assert_eq!(ran.code, Some(3), "{settings}: {}", ran.err);
        assert!(ran.err.contains(words), "{settings}: {}", ran.err);
    }
}
