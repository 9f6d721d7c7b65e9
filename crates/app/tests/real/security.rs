//! A process for each role on a node of Kafka with TLS, users and access rules that deny what
//! nobody allowed. With the rules that `threadlore topics render acls` prints a message goes the
//! whole way to a case; without one of them, what is missing is told in one sentence.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;

use threadlore_pg_local::{Mode, Server};
use threadlore_testkit::{Qdrant, SecureKafka};

use super::support::{Place, Ran, Running, binaries, psql};

/// A conversation that becomes a solved case.
const CHAT: &str = "\
[12:00] <ann> my sound is gone after the upgrade, any idea?
[12:01] <bob> ann: run alsamixer and unmute Master
[12:02] <ann> bob: that works, thanks
";
/// Every role of `run`, but the embedder, which needs a model.
const ROLES: [&str; 5] = ["intake", "buffer", "extractor", "projector", "indexer"];
/// Whose rights commands have.
const API: &str = "api";

/// The node, the databases and the index that all processes share.
struct Secured {
    place: Place,
    kafka: SecureKafka,
    tables: String,
    _index: Qdrant,
    _server: Server,
    imports: usize,
}

impl Secured {
    fn start() -> Option<Self> {
        let place = Place::new();
        let mut kafka = SecureKafka::start(&place.path().join("kafka"))?;
        let index = Qdrant::start();
        let server = Server::start(&binaries(), &place.path().join("pg"), Mode::Test);
        let server = server.expect("it starts");
        let url = server.url("postgres");
        for name in ["tables", "keys"] {
            psql(&url, &format!("CREATE DATABASE {name}")).expect("made");
        }
        for name in ["people.key", "master.key"] {
            let path = place.file(name, "5eed".repeat(16));
            std::fs::set_permissions(path, Permissions::from_mode(0o600)).expect("closed");
        }
        place.file("chat/2024-05-01.txt", CHAT);
        // As printed, by the tool that it is printed for.
        let printed = place.run(&["topics", "render", "acls"]);
        assert_eq!(printed.code, Some(0), "{}", printed.err);
        for user in kafka.run_acls(&printed.out) {
            kafka.add_user(&user);
        }
        let (bootstrap, tables) = (kafka.kafka.bootstrap(), server.url("tables"));
        let (keys, index_url) = (server.url("keys"), index.url());
        let settings = |name: &str, properties: String| {
            place.file(
                &format!("{name}.properties"),
                format!("{properties}session.timeout.ms=6000\nheartbeat.interval.ms=1000\n"),
            );
            place.file(
                &format!("{name}.toml"),
                format!(
                    "[log]\nengine = \"kafka\"\n\
                     [kafka]\nbootstrap_servers = \"{bootstrap}\"\n\
                     properties_file = \"{name}.properties\"\n\
                     [postgres]\nurl = \"{tables}\"\nconnections = 4\n\
                     [keystore]\nurl = \"{keys}\"\nmaster_key_file = \"master.key\"\n\
                     [people]\nhash_key_file = \"people.key\"\n\
                     [index]\nengine = \"qdrant\"\nurl = \"{index_url}\"\n\
                     [buffer]\nmin_for_resolution = 3\n"
                ),
            );
        };
        for role in ROLES.iter().chain([&API]) {
            settings(role, kafka.properties(&format!("threadlore-{role}")));
        }
        settings("admin", kafka.admin());
        let secured = Self {
            place,
            kafka,
            tables,
            imports: 0,
            _index: index,
            _server: server,
        };
        let made = secured.run("admin", &["topics", "apply", "--replicas", "1"]);
        assert_eq!(made.code, Some(0), "{}", made.err);
        Some(secured)
    }

    /// A command as the user of a role.
    fn run(&self, user: &str, args: &[&str]) -> Ran {
        let config = format!("{user}.toml");
        self.place.run(&[&["--config", &config], args].concat())
    }

    /// The process of a role, as its user.
    fn process(&self, role: &str) -> Running {
        let config = format!("{role}.toml");
        let args = ["--config", &config, "run", role];
        self.place.start(&mut self.place.command(&args))
    }

    /// The process of a role, once it works.
    fn working(&self, role: &str) -> Running {
        let mut process = self.process(role);
        assert!(process.wait_for("running "), "{role}: {}", process.said());
        process
    }

    /// Imports the chat into another channel than before, in a process that may be left.
    fn import(&mut self) -> Running {
        self.imports += 1;
        self.import_into(self.imports)
    }

    fn import_into(&self, number: usize) -> Running {
        let channel = format!("irc:#n{number}");
        let args = [
            "--config",
            "api.toml",
            "import",
            "chat",
            "--channel",
            &channel,
        ];
        self.place.start(&mut self.place.command(&args))
    }

    /// Takes a right from the user of a role, or gives it back.
    fn set_right(&mut self, allow: bool, (role, operation, on): (&str, &str, &[&str])) {
        let user = format!("threadlore-{role}");
        self.kafka.set_right(allow, &user, operation, on);
    }
}

/// The process ends with 1 and one sentence with all of these words.
fn ends(mut process: Running, words: &[String]) {
    let said = words
        .iter()
        .all(|words| process.wait_for(words) || process.has_said(words));
    let ended = process.end();
    assert!(said, "not all of {words:?}: {}", ended.err);
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    let sentence = |line: &&str| line.starts_with("threadlore: ");
    let told: Vec<&str> = ended.err.lines().filter(sentence).collect();
    println!("{}", told.join("\n"));
    assert_eq!(told.len(), 1, "{}", ended.err);
    for words in words {
        assert!(told[0].contains(words), "{words}: {}", told[0]);
    }
    assert!(!ended.err.contains("the-secret-of"), "{}", ended.err);
}

/// Stops the process of a role; whether it had one.
fn stop(processes: &mut Vec<(&str, Running)>, role: &str) -> bool {
    let slot = processes.iter().position(|(name, _)| *name == role);
    if let Some(slot) = slot {
        processes.remove(slot).1.stop();
    }
    slot.is_some()
}

#[test]
fn each_role_works_with_its_own_user_and_what_it_may_not_do_is_named() {
    let Some(mut secured) = Secured::start() else {
        return;
    };
    let mut processes: Vec<(&str, Running)> = ROLES
        .iter()
        .map(|role| (*role, secured.process(role)))
        .collect();
    for (role, process) in &mut processes {
        assert!(process.wait_for("running "), "{role}: {}", process.said());
    }
    // A message goes the whole way, and commands do their work.
    let imported = secured.import().end();
    assert_eq!(imported.code, Some(0), "{}", imported.err);
    let cases = psql(&secured.tables, "SELECT count(*) FROM lore.cases");
    assert_eq!(cases.as_deref(), Some("1"));
    for args in [
        &["ask", "my sound is gone"][..],
        &["dlq", "list"],
        &["verify"],
        &["replay", "--projection", "channels"],
        &["export", "exported"],
    ] {
        let ran = secured.run(API, args);
        assert_eq!(ran.code, Some(0), "{args:?}: {}", ran.err);
    }
    let verified = secured.run("projector", &["verify"]);
    assert_eq!(verified.code, Some(0), "{}", verified.err);

    // Each right by itself: what asks for it ends, and works again with it.
    let group = |role: &'static str| ["--group", role, "--resource-pattern-type", "prefixed"];
    let topic = |name: &'static str| ["--topic", name];
    let rights: Vec<(&str, &str, Vec<&str>)> = vec![
        ("intake", "Read", topic("chat.inbox").to_vec()),
        ("intake", "Write", topic("chat.events").to_vec()),
        ("intake", "Read", group("intake").to_vec()),
        ("intake", "Describe", topic("vectors").to_vec()),
        ("buffer", "Read", topic("chat.events").to_vec()),
        ("buffer", "Write", topic("chat.turns").to_vec()),
        ("extractor", "Read", topic("chat.turns").to_vec()),
        ("extractor", "Write", topic("knowledge.cases").to_vec()),
        ("extractor", "Read", group("extractor").to_vec()),
        ("projector", "Read", topic("knowledge.cases").to_vec()),
        ("projector", "Read", group("projector").to_vec()),
        ("indexer", "Read", group("indexer").to_vec()),
    ];
    for (role, operation, on) in &rights {
        assert!(stop(&mut processes, role));
        secured.set_right(false, (role, operation, on));
        let process = secured.process(role);
        // What there is to do needs the right.
        let importing = secured.import();
        let resource = format!("{} {}", on[0].trim_start_matches("--"), on[1]);
        ends(
            process,
            &[
                format!("denies user threadlore-{role} {operation} on {resource}"),
                format!("which the role {role} needs"),
                format!("--allow-principal User:threadlore-{role} --operation {operation} "),
            ],
        );
        importing.kill();
        secured.set_right(true, (role, operation, on));
        processes.push((role, secured.working(role)));
    }
    // Commands name the missing right too.
    let import = ["import", "chat", "--channel", "irc:#refused"];
    for (user, operation, topic, args) in [
        (API, "Write", "chat.inbox", &import[..]),
        ("projector", "Read", "chat.events", &["verify"]),
    ] {
        // The role's process needs this right, too.
        let had_process = stop(&mut processes, user);
        secured.set_right(false, (user, operation, &["--topic", topic]));
        let ran = secured.run(user, args);
        assert_eq!(ran.code, Some(1), "{args:?}: {}", ran.err);
        println!("{}", ran.err.trim());
        let denies = format!("denies user threadlore-{user} {operation} on topic {topic}");
        assert!(ran.err.contains(&denies), "{}", ran.err);
        secured.set_right(true, (user, operation, &["--topic", topic]));
        if had_process {
            processes.push((user, secured.working(user)));
        }
    }
    let refused = secured.run("projector", &import);
    assert_eq!(refused.code, Some(1), "{}", refused.err);
    let denies = "denies user threadlore-projector Write on topic chat.inbox";
    assert!(refused.err.contains(denies), "{}", refused.err);
    // Two rights that no work needs: they are named, and the work goes on.
    for (operation, on) in [
        ("DescribeConfigs", ["--topic", "vectors"]),
        ("Describe", ["--group", "threadlore-readers"]),
    ] {
        assert!(stop(&mut processes, "buffer"));
        secured.set_right(false, ("buffer", operation, &on));
        let mut process = secured.process("buffer");
        let resource = format!("{} {}", on[0].trim_start_matches("--"), on[1]);
        let denies = format!("denies user threadlore-buffer {operation} on {resource}");
        assert!(process.wait_for(&denies), "{}", process.said());
        let runs = process.has_said("running ") || process.wait_for("running ");
        assert!(runs, "{}", process.said());
        processes.push(("buffer", process));
        secured.set_right(true, ("buffer", operation, &on));
    }
    // With all of them back, everything arrives, and once.
    for number in 1..=secured.imports {
        let imported = secured.import_into(number).end();
        assert_eq!(imported.code, Some(0), "{}", imported.err);
    }
    let messages = psql(&secured.tables, "SELECT count(*) FROM lore.messages");
    assert_eq!(messages, Some((3 * secured.imports).to_string()));
    let verified = secured.run("projector", &["verify"]);
    assert_eq!(verified.code, Some(0), "{}", verified.err);
    for (_, process) in processes {
        process.stop();
    }
}
