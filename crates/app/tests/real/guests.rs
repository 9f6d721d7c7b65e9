//! Commands beside a running `standalone`: the same output as by themselves, and
//! an owner that nothing on its socket can hurt.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;

use serde_json::Value;

use super::support::{Place, demo};

const CHANNEL: &str = "irc:#u";

/// A result without what differs from run to run: seconds, and the number of a build.
fn lasting(mut told: Value) -> Value {
    for projection in told["projections"].as_array_mut().into_iter().flatten() {
        let fields = projection.as_object_mut().expect("an object");
        assert!(fields.remove("seconds").is_some_and(|s| s.is_number()));
        assert!(fields.remove("number").is_some_and(|n| n.is_number()));
    }
    if let Some(retrieval) = told.get_mut("retrieval").and_then(Value::as_object_mut) {
        assert!(retrieval.remove("build").is_some_and(|b| b.is_string()));
    }
    told
}

/// What is said but progress, which depends on when one looks.
fn lasting_lines(text: &str) -> Vec<&str> {
    let is_progress = |line: &&str| line.starts_with("working: ") && line.contains(" of ");
    text.lines().filter(|line| !is_progress(line)).collect()
}

#[test]
fn commands_beside_a_standalone_say_what_they_say_alone() {
    let beside = Place::new();
    let alone = Place::beside(&beside);
    let log = std::fs::read(demo().join("2008-03-01.txt")).expect("the log");
    for place in [&beside, &alone] {
        place.file("logs/2008-03-01.txt", &log);
    }
    let owner = beside.standalone();
    let socket = beside.data().join("admin.sock");
    let mode = std::fs::metadata(&socket).expect("a socket").permissions();
    assert_eq!(mode.mode() & 0o777, 0o600);
    let import = ["import", "logs", "--channel", CHANNEL];
    let taken = beside.json(&import);
    assert_eq!(taken, alone.json(&import));
    assert!(taken["messages"].as_u64() > Some(1000), "{taken}");
    let titles = beside
        .sql(
            "SELECT regexp_replace(title, E'[\\n\\r]', ' ', 'g') FROM lore.cases \
             WHERE solved_at IS NOT NULL ORDER BY case_id LIMIT 4",
        )
        .expect("the database answers");
    let asked = titles.lines().chain(["what is an unladen swallow?"]);
    // A case's digest has the time in it at which it was found, so these are
    // compared with what the same directory says once nobody owns it.
    let mut args: Vec<Vec<&str>> = asked.map(|question| vec!["ask", question]).collect();
    args.push(import.to_vec());
    args.push(vec!["verify"]);
    args.push(vec!["verify", "--projection", "cases"]);
    args.push(vec!["replay", "--no-switch", "--projection", "messages"]);
    args.push(vec!["replay"]);
    let told: Vec<Value> = args.iter().map(|args| beside.json(args)).collect();
    let text = format!("{told:?}");
    assert!(text.contains("evidence"), "silent on all of its own cases");
    assert!(!text.contains("\"equal\": Bool(false)"), "{text}");
    owner.stop();
    for (args, told) in args.iter().zip(told) {
        assert_eq!(lasting(told), lasting(beside.json(args)), "{args:?}");
    }
    // So that the other directory has the same builds.
    for args in args.iter().chain(&args) {
        alone.json(args);
    }
    let owner = beside.standalone();
    // What is not JSON, word for word, and the exit codes.
    for (args, code) in [
        (&["replay", "list"][..], 0),
        (&["replay", "rollback", "--projection", "cases"], 0),
        (&["replay", "rollback", "--projection", "cases"], 0),
        (&["replay", "rollback", "--projection", "cases"], 3),
        (
            &["channel", "set", "--channel", CHANNEL, "--admin", "bob"],
            0,
        ),
        (&["ask", "unladen", "--channel", CHANNEL], 0),
        (&["channel", "show"], 0),
        (&["channel", "set", "--channel", CHANNEL, "--no-admins"], 0),
        (&["import", "none", "--channel", CHANNEL], 3),
        (&["ask", ""], 3),
        (&["replay", "list"], 0),
    ] {
        let (ours, theirs) = (beside.run(args), alone.run(args));
        println!("{args:?}: {}", ours.err.trim());
        assert_eq!(lasting_lines(&ours.err), lasting_lines(&theirs.err));
        assert_eq!((ours.code, ours.out), (theirs.code, theirs.out));
        assert_eq!(ours.code, Some(code), "{args:?}");
    }
    // Live as well: what comes in now goes to every build that is kept.
    beside.file("more.txt", "[10:00] <ann> hello\n");
    let more = [
        "import",
        "more.txt",
        "--channel",
        CHANNEL,
        "--date",
        "2020-01-02",
    ];
    assert_eq!(beside.json(&more)["messages"], 1);
    beside.verified();
    let second = beside.run(&["standalone"]);
    assert_eq!(second.code, Some(4), "{second:?}");
    owner.stop();
    assert!(!socket.exists(), "it goes with its owner");
    beside.verified();
}

#[test]
fn a_client_that_goes_away_stops_its_command() {
    let place = Place::new();
    let mut owner = place.standalone();
    let logs = demo();
    let import = [
        "import",
        logs.to_str().expect("UTF-8"),
        "--channel",
        CHANNEL,
    ];
    let mut client = place.start(&mut place.command(&import));
    assert!(client.wait_for("importing:"), "{}", client.said());
    client.signal("INT");
    let ended = client.end();
    assert_eq!(ended.code, Some(130), "{}", ended.err);
    assert!(ended.err.contains("interrupted"), "{}", ended.err);
    let rest = place.json(&import);
    println!(
        "stopped after {} of {} lines",
        rest["earlier"], rest["lines"]
    );
    assert!(rest["earlier"].as_u64() < rest["lines"].as_u64(), "{rest}");

    // A rebuild that is cut off leaves nothing, and the live build is fed again.
    let before = place.run(&["replay", "list"]).out;
    for _ in 0..3 {
        let mut client = place.start(&mut place.command(&["verify"]));
        assert!(
            client.wait_for("nothing is left to do"),
            "{}",
            client.said()
        );
        client.kill();
    }
    place.verified();
    assert_eq!(place.run(&["replay", "list"]).out, before);
    place.file("more.txt", "[10:00] <ann> hello\n");
    let more = [
        "import",
        "more.txt",
        "--channel",
        CHANNEL,
        "--date",
        "2020-01-02",
    ];
    assert_eq!(place.json(&more)["messages"], 1);
    assert!(!owner.has_said("WARN"), "{}", owner.said());
    owner.stop();
}

#[test]
fn an_owner_that_ends_says_so_to_its_guests() {
    let place = Place::new();
    let owner = place.standalone();
    let logs = demo();
    let import = [
        "import",
        logs.to_str().expect("UTF-8"),
        "--channel",
        CHANNEL,
    ];
    let mut client = place.start(&mut place.command(&import));
    assert!(client.wait_for("importing:"), "{}", client.said());
    owner.kill();
    let ended = client.end();
    assert_eq!(ended.code, Some(6), "{}", ended.err);
    assert!(ended.err.contains("ended before"), "{}", ended.err);
    // The socket of the dead is in nobody's way.
    let owner = place.standalone();
    place.json(&import);
    owner.stop();
    place.verified();
}

/// What the owner answers to these bytes.
fn answers(place: &Place, bytes: &[u8]) -> Vec<Value> {
    let mut owner = UnixStream::connect(place.data().join("admin.sock")).expect("it listens");
    // It may have answered, and gone, before all was sent.
    owner.write_all(bytes).ok();
    owner.write_all(b"\n").ok();
    let lines = BufReader::new(owner).lines();
    lines
        .map_while(Result::ok)
        .map(|line| serde_json::from_str(&line).expect("JSON"))
        .collect()
}

#[test]
fn hostile_lines_hurt_nobody() {
    let place = Place::new();
    let owner = place.standalone();
    let request = |args: &[&str]| {
        let version = env!("CARGO_PKG_VERSION");
        serde_json::json!({ "version": version, "dir": "/", "args": args }).to_string()
    };
    let long = "x".repeat(1 << 20);
    for (bytes, words, code) in [
        (b"GET / HTTP/1.1".to_vec(), "not a request", 2),
        (b"\0\xff".to_vec(), "not a request", 2),
        (long.clone().into_bytes(), "more than", 2),
        (request(&[]).into_bytes(), "Usage", 2),
        (request(&["rm", "-rf"]).into_bytes(), "unrecognized", 2),
        (request(&["--version"]).into_bytes(), "threadlore", 2),
        (
            request(&["standalone"]).into_bytes(),
            "is in use by process",
            4,
        ),
        (
            request(&["demo", "--fresh"]).into_bytes(),
            "is in use by process",
            4,
        ),
        (request(&["config", "print"]).into_bytes(), "by itself", 3),
        (
            request(&["ask", &long[..3000]]).into_bytes(),
            "2000 are allowed",
            3,
        ),
        (request(&["ask", "a\0b"]).into_bytes(), "", 0),
        (
            request(&["import", "/dev/zero", "--channel", CHANNEL]).into_bytes(),
            "neither a file nor a directory",
            3,
        ),
    ] {
        let told = answers(&place, &bytes);
        println!("{told:?}");
        let last = told.last().expect("an answer");
        assert_eq!(*last, serde_json::json!({ "exit": code }), "{words}");
        let said = format!("{told:?}");
        assert!(said.contains(words), "{words:?}: {said}");
    }
    // Clients that say nothing take the places, and then there is none left.
    let connect = || UnixStream::connect(place.data().join("admin.sock")).expect("it listens");
    let silent: Vec<_> = (0..32).map(|_| connect()).collect();
    let refused = place.run(&["ask", "is there room?"]);
    assert_eq!(refused.code, Some(6), "{refused:?}");
    assert!(refused.err.contains("32 commands already"), "{refused:?}");
    drop(silent);
    // The owner sees them go one by one.
    let codes: Vec<_> = (0..20)
        .map(|_| place.run(&["replay", "list"]).code)
        .take_while(|code| *code == Some(6))
        .collect();
    assert!(codes.len() < 20, "their places are free again");
    owner.stop();
}

#[test]
fn where_no_socket_can_be_the_refusal_stays() {
    let place = Place::new();
    let deep = format!("{}/{}", "x".repeat(60), "y".repeat(60));
    let mut owner = place.start(&mut place.command_in(&deep, &["standalone"]));
    assert!(owner.wait_for("running every role"), "{}", owner.said());
    assert!(owner.has_said("107 at most"), "{}", owner.said());
    let refused = place.start(&mut place.command_in(&deep, &["ask", "why?"]));
    let refused = refused.end();
    assert_eq!(refused.code, Some(4), "{refused:?}");
    let pid = format!("process {}:", owner.pid());
    assert!(refused.err.contains(&pid), "{refused:?}");
    owner.stop();
}
