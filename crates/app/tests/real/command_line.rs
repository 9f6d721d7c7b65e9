//! The command line as a careful tool: what it prints, what it refuses, what it leaves alone.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use super::support::{Place, Running, binaries, look};

const CHANNEL: &str = "irc:#u";
/// A question, an answer and thanks, with characters that steer a terminal in each of them.
const CHAT: &str = "[10:00] <ann> how do I mount an iso image \u{202e}file\u{1b}[31m in the terminal?\n\
                    [10:01] <bob> ann: sudo mount -o loop \u{2066}file.iso /mnt\u{9b}31m\n\
                    [10:02] <ann> bob: thanks, that worked!\n";

fn imported() -> Place {
    let place = Place::new();
    place.file("2020-01-02.txt", CHAT);
    place.json(&["import", "2020-01-02.txt", "--channel", CHANNEL]);
    place
}

#[test]
fn help_says_what_the_program_is() {
    let place = Place::new();
    let help = place.run(&["--help"]);
    assert!(
        help.out
            .starts_with("Event-sourced memory for support and community chat"),
        "{}",
        help.out
    );
    let replay = place.run(&["replay", "--help"]);
    for projection in ["messages", "cases", "channels", "vectors"] {
        assert!(replay.out.contains(projection), "{}", replay.out);
    }
    assert!(!place.data().exists(), "nothing was made");
}

/// The names of the commands below one, as its help lists them.
fn below(place: &Place, command: &[String]) -> Vec<String> {
    let words = command.iter().map(String::as_str);
    let args: Vec<&str> = words.chain(["--help"]).collect();
    let help = place.run(&args).out;
    let Some((_, list)) = help.split_once("\nCommands:\n") else {
        return Vec::new();
    };
    let lines = list.lines().take_while(|line| line.starts_with("  "));
    let names = lines.filter_map(|line| line.split_whitespace().next());
    names
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

/// Every command that can be given.
fn commands(place: &Place, command: Vec<String>, all: &mut Vec<String>) {
    let names = below(place, &command);
    // These are commands, and have commands below it.
    if names.is_empty() || command == ["replay"] || command == ["redecide"] {
        all.push(command.join(" "));
    }
    for name in names {
        let longer = command.iter().cloned().chain([name]).collect();
        commands(place, longer, all);
    }
}

/// What is run for a command: the data directory, the arguments, how many objects it prints;
/// `None` where that needs more than one machine.
fn example(command: &str) -> Option<(&'static str, Vec<&'static str>, usize)> {
    let here = |args: &[&'static str]| Some(("d", args.to_vec(), 1));
    match command {
        // Brokers, or minutes; what they print is held by the tests of the cluster.
        "run" | "topics plan" | "topics apply" | "demo" => None,
        // A letter; held by the tests of models that fail.
        "dlq show" => None,
        // A token; held by the tests of tokens.
        "token revoke" => None,
        // A replay that is under way; held by the tests of replays.
        "replay pause" | "replay resume" | "replay drop" => None,
        // Files of a model; held by the tests of a model in this process.
        "models pull" => None,
        "models list" => here(&["models", "list"]),
        "standalone" => Some(("d", vec!["standalone", "--until-drained"], 2)),
        "up" => Some((
            "d",
            vec!["up", "--until-drained", "--listen", "127.0.0.1:0"],
            2,
        )),
        "analyst create" => here(&["analyst", "create", "ann"]),
        "analyst list" => here(&["analyst", "list"]),
        "analyst remove" => here(&["analyst", "remove", "ann"]),
        "keys rewrap" => here(&["keys", "rewrap"]),
        "token create" => here(&["token", "create", "site", "--may", "read"]),
        "token list" => here(&["token", "list"]),
        // A process that serves pages; held by the tests of pages.
        "sign-in" => None,
        // An assistant; held by the tests of mcp.
        "mcp" => None,
        "cases search" => here(&["cases", "search", "mount an iso image"]),
        "import" => here(&["import", "2020-01-02.txt", "--channel", CHANNEL, "--again"]),
        "ask" => here(&["ask", "how do I mount an iso image in the terminal?"]),
        "cases list" => here(&["cases", "list"]),
        "answers list" => here(&["answers", "list"]),
        "report" => here(&["report"]),
        // A question that was asked; held by the tests of why.
        "answers why" | "answers teach" | "answers rate" => None,
        "memory graph" => here(&["memory", "graph", "iso"]),
        "memory list" => here(&["memory", "list"]),
        // The id of a memory; held by the tests of remembering, and so is adding one.
        "memory show" | "memory add" | "memory change" | "memory restore" | "memory forget" => None,
        // People who talk; held by the tests of talking.
        "chat" => None,
        // A file of questions; held by the tests of eval.
        "eval" => None,
        // The name of a case; held by the tests of cases.
        "cases show" | "cases why" | "cases correct" | "cases archive" | "cases merge"
        | "cases split" | "cases erase" => None,
        "replay" => here(&["replay", "--projection", "channels"]),
        "replay rollback" => here(&["replay", "rollback", "--projection", "channels"]),
        "replay switch" => here(&["replay", "switch", "--projection", "channels", "2"]),
        "replay list" => here(&["replay", "list"]),
        "migrate" => here(&["migrate"]),
        // A run that goes on from command to command; held by the tests of runs.
        "redecide switch" | "redecide rollback" | "redecide compare" | "redecide drop" => None,
        "redecide" => here(&["redecide", "--dry-run"]),
        "redecide list" => here(&["redecide", "list"]),
        "verify" => here(&["verify", "--projection", "channels"]),
        "channel show" => here(&["channel", "show"]),
        "space list" => here(&["space", "list"]),
        "channel set" => here(&["channel", "set", "--channel", CHANNEL, "--admin", "ann"]),
        "sql" => here(&["sql"]),
        "user add" => here(&["user", "add", "anna"]),
        "user list" => here(&["user", "list"]),
        // Pages; held by the tests of accounts.
        "user link" => None,
        "user remove" => here(&["user", "remove", "anna"]),
        "erase" => here(&["erase", "--person", "irc:bob", "--dry-run"]),
        "dlq list" => here(&["dlq", "list"]),
        "dlq redrive" => here(&["dlq", "redrive", "--topic", "chat.turns", "--dry-run"]),
        "export" => here(&["export", "out"]),
        "restore" => Some(("f", vec!["restore", "out", "--dry-run"], 1)),
        "config check" => here(&["config", "check"]),
        "config print" => here(&["config", "print"]),
        "config docs" => here(&["config", "docs"]),
        "config words" => here(&["config", "words", "ru"]),
        "topics render" => here(&["topics", "render", "asyncapi"]),
        "log copy" => here(&["log", "copy", "--to", "copy.toml", "--dry-run"]),
        "schema check" => here(&["schema", "check"]),
        "completions" => here(&["completions", "bash"]),
        other => panic!("the command {other:?} has no example: add one here"),
    }
}

#[test]
fn every_command_prints_json_when_asked_to() {
    let place = imported();
    place.file("copy.toml", "data_dir = \"g\"\n");
    let mut all = Vec::new();
    commands(&place, Vec::new(), &mut all);
    assert!(all.len() > 20, "{all:?}");
    for command in all {
        let Some((data, args, objects)) = example(&command) else {
            continue;
        };
        let args = [&["--json"], &args[..]].concat();
        let output = place.command_in(data, &args).output().expect("it starts");
        let (out, err) = (
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr),
        );
        println!("{command}: {} bytes", out.len());
        assert_eq!(output.status.code(), Some(0), "{command}: {err}");
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!(lines.len(), objects, "{command}: {out}");
        for line in lines {
            let value: Value = serde_json::from_str(line).expect(&command);
            assert!(value.is_object(), "{command}: {line}");
        }
    }
}

#[test]
fn a_channel_is_shown_and_only_what_is_named_is_changed() {
    let place = imported();
    let shown = || place.json(&["channel", "show"])["channels"][0].clone();
    let set = |args: &[&str]| {
        let told = place.json(&[&["channel", "set", "--channel", CHANNEL], args].concat());
        told["admins"].as_array().expect("admins").len()
    };
    let first = shown();
    assert_eq!(
        (&first["channel"], &first["messages"]),
        (&CHANNEL.into(), &3.into())
    );
    assert_eq!(
        (&first["admins"], &first["answers"]),
        (&Value::Null, &false.into())
    );
    assert_eq!(set(&["--admin", "ann"]), 1);
    assert_eq!(set(&["--add-admin", "bob"]), 2);
    assert_eq!(set(&["--add-admin", "bob", "--remove-admin", "nobody"]), 2);
    assert_eq!(set(&["--remove-admin", "ann"]), 1);
    assert_eq!(shown()["answers"], true);
    for (args, code, words) in [
        (&["channel", "--channel", CHANNEL][..], 2, "--channel"),
        (&["channel"], 2, "set "),
        (&["channel", "set", "--channel", CHANNEL], 2, "--no-admins"),
        (
            &["channel", "show", "--channel", "irc:#other"],
            3,
            "there is no channel irc:#other",
        ),
    ] {
        let ran = place.run(args);
        assert_eq!(ran.code, Some(code), "{args:?}: {}", ran.err);
        assert!(ran.err.contains(words), "{args:?}: {}", ran.err);
        assert_eq!(shown()["answers"], true, "{args:?}");
    }
    assert_eq!(set(&["--no-admins"]), 0);
    let plain = place.run(&["channel", "show", "--channel", CHANNEL]).out;
    assert!(
        plain.contains("no admins: the bot is silent there"),
        "{plain}"
    );
}

#[test]
fn psql_opens_as_an_analyst_of_one_space() {
    let place = imported();
    let query = "SELECT current_user, count(*), count(DISTINCT space) FROM lore.messages";
    let args = ["sql", "--", "-XAt", "-c", query];
    let alone = place.run(&args);
    assert_eq!(
        (alone.code, alone.out.trim()),
        (Some(0), "lore_reader|3|1"),
        "{alone:?}"
    );
    let owner = place.standalone();
    let beside = place.run(&args);
    assert_eq!(beside.out, alone.out, "{beside:?}");
    // The connection works from anywhere.
    let url = place.json(&["sql"])["url"]
        .as_str()
        .expect("a URL")
        .to_owned();
    assert!(url.contains("host=/"), "absolute: {url}");
    assert_eq!(
        super::support::psql(&url, query).as_deref(),
        Some("lore_reader|3|1")
    );
    let empty = place.run(&["sql", "--space", "other", "--", "-XAt", "-c", query]);
    assert_eq!(empty.out.trim(), "lore_reader|0|0", "{empty:?}");
    assert!(
        empty.err.contains("the space other has no message"),
        "{empty:?}"
    );
    let failed = place.run(&["sql", "--", "-c", "DELETE FROM lore.messages"]);
    assert_eq!(failed.code, Some(1), "{failed:?}");
    // Without psql the line to type is printed.
    let mut command = place.command(&["sql"]);
    command.env("PATH", "/none").env("PG_BIN", place.path());
    let output = command.output().expect("it starts");
    assert_eq!(output.status.code(), Some(6), "{output:?}");
    let line = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        line.starts_with("psql 'postgresql:///postgres?host=/"),
        "{line}"
    );
    owner.stop();
}

/// An owner that stands still in its start, after it took the data directory, until the
/// gate opens: its PostgreSQL is a script that waits for a file.
fn starting(place: &Place) -> (Running, Gate) {
    let real = binaries().dir().to_owned();
    let (bin, gate) = (place.path().join("bin"), place.path().join("gate"));
    fs::create_dir_all(&bin).expect("made");
    for entry in fs::read_dir(&real).expect("programs") {
        let name = entry.expect("an entry").file_name();
        if name != "postgres" {
            std::os::unix::fs::symlink(real.join(&name), bin.join(&name)).expect("linked");
        }
    }
    let reached = place.path().join("reached");
    let script = format!(
        "#!/bin/sh\n[ \"$1\" = -D ] && {{ : >'{}'; while [ ! -e '{}' ]; do sleep 0.05; done; }}\n\
         exec '{}' \"$@\"\n",
        reached.display(),
        gate.display(),
        real.join("postgres").display()
    );
    let postgres = place.file("bin/postgres", script);
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(postgres, mode).expect("can be run");
    let mut command = place.command(&["standalone"]);
    let mut owner = place.start(command.env("PG_BIN", bin));
    while !reached.exists() {
        assert!(owner.works(), "{}", owner.said());
        look();
    }
    (owner, Gate(gate))
}

struct Gate(PathBuf);

impl Gate {
    fn open(self) {
        fs::write(self.0, "").expect("written");
    }
}

#[test]
fn a_client_waits_for_an_owner_that_starts() {
    // What is there already is not made again: only the server's start waits.
    let place = imported();
    let (mut owner, gate) = starting(&place);
    let mut client = place.start(&mut place.command(&["replay", "list"]));
    assert!(client.wait_for("waiting for it"), "{}", client.said());
    gate.open();
    let ran = client.end();
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(ran.err.matches("waiting for it").count(), 1, "{ran:?}");
    assert!(
        ran.err.contains(&format!("process {},", owner.pid())),
        "{ran:?}"
    );
    assert!(owner.wait_for("running every role"), "{}", owner.said());
    owner.stop();
}

#[test]
fn a_client_takes_over_from_an_owner_that_ends() {
    let place = imported();
    // A start that fails once it has the directory.
    let secret = place.data().join("secrets/master.key");
    let kept = place.path().join("kept");
    fs::rename(&secret, &kept).expect("moved");
    let failed = place.run(&["standalone"]);
    assert_eq!(failed.code, Some(3), "{failed:?}");
    fs::rename(&kept, &secret).expect("moved back");
    // Its socket and its process id are left by one that is killed.
    place.standalone().kill();
    assert!(place.data().join("admin.sock").exists());
    let ran = place.run(&["replay", "list"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    // One that stands still in its start, and is killed while a client waits for it.
    let (owner, _gate) = starting(&place);
    let mut client = place.start(&mut place.command(&["replay", "list"]));
    assert!(client.wait_for("waiting for it"), "{}", client.said());
    owner.kill();
    let ended = client.end();
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

#[test]
fn commands_that_read_make_no_data_directory() {
    let place = Place::new();
    for args in [
        &["ask", "why?"][..],
        &["verify"],
        &["replay"],
        &["replay", "list"],
        &["replay", "rollback", "--projection", "cases"],
        &["eval", "q.jsonl"],
        &["cases", "list"],
        &["cases", "show", "0736391e-46af-58f2-8c90-46757a90b90c"],
        &["dlq", "list"],
        &["dlq", "show", "chat.inbox.dlq/0/0"],
        &["dlq", "redrive", "chat.inbox.dlq/0/0"],
        &["channel", "show"],
        &["export", "out"],
        &["sql"],
    ] {
        let ran = place.run(args);
        assert_eq!(ran.code, Some(3), "{args:?}: {ran:?}");
        assert!(
            ran.err.contains("the data directory d does not exist"),
            "{ran:?}"
        );
        assert!(!place.data().exists(), "{args:?}");
    }
    fs::create_dir(place.data()).expect("made");
    let ran = place.run(&["ask", "why?"]);
    assert!(
        ran.err.contains("has nothing of threadlore in it"),
        "{ran:?}"
    );
    assert_eq!(fs::read_dir(place.data()).expect("there").count(), 0);
}

#[test]
fn chat_does_not_steer_the_terminal() {
    let place = imported();
    let question = "how do I mount an iso image in the terminal?";
    let told = place.run(&["ask", question]);
    assert!(
        told.out.contains("loop"),
        "the answer quotes the chat: {told:?}"
    );
    for steering in ['\u{202e}', '\u{2066}', '\u{1b}', '\u{9b}'] {
        assert!(!told.out.contains(steering), "{steering:?}: {told:?}");
    }
    let json = place.run(&["--json", "ask", question]).out;
    assert!(
        json.contains("\\u2066") && !json.contains('\u{2066}'),
        "{json}"
    );
}

#[test]
fn strange_files_are_passed_over_and_a_directory_of_them_is_refused() {
    let place = Place::new();
    place.file("logs/2020-01-02.txt", CHAT);
    place.file("logs/notes.txt", "dear diary,\ntoday nothing happened\n");
    place.file("logs/table.log", "time;user;text\n1;2;3\n");
    place.file("logs/wide.txt", b"\xff\xfe[\x001\x00");
    place.file("logs/other.jsonl", "{\"user\":\"u\",\"ts\":1}\n");
    let import = ["import", "logs", "--channel", CHANNEL];
    let taken = place.json(&import);
    assert_eq!(taken["messages"], 3, "{taken}");
    let passed_over = |told: &Value| -> Vec<String> {
        let files = told["passed_over"].as_array().expect("a list").iter();
        files
            .map(|one| one["file"].as_str().expect("a name").to_owned())
            .collect()
    };
    let strange = ["notes.txt", "other.jsonl", "table.log", "wide.txt"];
    assert_eq!(passed_over(&taken), strange);
    let again = place.run(&import);
    assert_eq!(
        again.code,
        Some(0),
        "what was taken before is no error: {again:?}"
    );
    fs::remove_file(place.path().join("logs/2020-01-02.txt")).expect("removed");
    let refused = place.run(&[&["--json"], &import[..]].concat());
    assert_eq!(refused.code, Some(3), "{refused:?}");
    let told: Value = serde_json::from_str(&refused.out).expect("JSON");
    assert_eq!(passed_over(&told), strange);
    assert!(
        refused.err.contains("nothing was imported: "),
        "{refused:?}"
    );
    // One file, every line of which is skipped.
    for _ in 0..2 {
        let one = ["import", "logs/other.jsonl", "--channel", CHANNEL];
        let refused = place.run(&one);
        assert_eq!(refused.code, Some(3), "{refused:?}");
        let says = "looks like JSON lines with the fields user, ts";
        assert!(refused.err.contains(says), "{refused:?}");
    }
}
