//! The whole log from one machine to a cluster and back, and what is no place for a copy.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use threadlore_log_local::LocalLog;
use threadlore_model::{Timestamp, Topic};
use threadlore_ports::Clock;
use threadlore_schema::Topics;
use threadlore_testkit::Kafka;

use super::support::{Place, demo};

const CHANNEL: &str = "irc:#u";
const TABLES: [&str; 4] = ["messages", "cases", "case_evidence", "case_confirmations"];

/// The same year for all: a clock that stands in 2100.
struct Later;

#[async_trait]
impl Clock for Later {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(4_102_444_800_000)
    }
    async fn sleep(&self, _: Duration) {}
}

/// A log with an inbox that was truncated, and with records that nobody can read.
fn grown(place: &Place) {
    let log = std::fs::read_to_string(demo().join("2008-03-01.txt")).expect("the log");
    let lines: Vec<&str> = log.lines().collect();
    for (dir, lines) in [("first", &lines[..100]), ("second", &lines[100..200])] {
        place.file(&format!("{dir}/2008-03-01.txt"), lines.join("\n"));
        // At its end it truncates the inbox.
        place.json(&["import", dir, "--channel", CHANNEL]);
    }
    unreadable(place, &[Topic::ChatInbox, Topic::ChatEvents]);
}

/// Adds a record to topics that is none of ours.
fn unreadable(place: &Place, to: &[Topic]) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let (dir, topics) = (place.data().join("log"), Topics::embedded().clone());
        let log = LocalLog::open(&dir, topics, true, Arc::new(Later)).expect("opens");
        let key = format!("default/{CHANNEL}");
        for topic in to {
            let bad = log.append_bytes(*topic, key.as_bytes(), b"no value at all");
            bad.await.expect("appended");
        }
    });
}

fn settings(place: &Place, log: &str) -> String {
    let dir = place.data();
    let text = format!("data_dir = \"{}\"\n{log}", dir.display());
    let file = place.file("threadlore.toml", text);
    file.to_str().expect("UTF-8").to_owned()
}

fn copied(from: &Place, to: &str) -> Value {
    let told = from.json(&["log", "copy", "--to", to]);
    assert_eq!(told["equal"], true, "{told}");
    let records: u64 = told["records"].as_u64().expect("a count");
    let parts = told["partitions"].as_array().expect("a list");
    let sum = parts
        .iter()
        .filter_map(|part| part["copied"].as_u64())
        .sum::<u64>();
    assert_eq!(sum, records, "{told}");
    assert!(
        told["keys"].as_u64() > Some(10) && told["blobs"].as_u64() == Some(2),
        "{told}"
    );
    told
}

#[test]
fn a_team_outgrows_one_machine_and_comes_back_without_losing_a_word() {
    let local = Place::new();
    let (cluster, again) = (Place::beside(&local), Place::beside(&local));
    let Some(node) = Kafka::start(&cluster.path().join("kafka")) else {
        return;
    };
    grown(&local);
    let before = local.verified();
    assert!(before.table("cases").0 > 0);
    // The inbox begins behind its start, and has a record that is not taken yet.
    unreadable(&local, &[Topic::ChatInbox]);
    let kafka = format!(
        "[log]\nengine = \"kafka\"\n[kafka]\nbootstrap_servers = \"{}\"\n",
        node.bootstrap()
    );
    let on_cluster = settings(&cluster, &kafka);
    let ran = cluster.run(&["topics", "apply", "--replicas", "1"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);

    let planned = local.json(&["log", "copy", "--to", &on_cluster, "--dry-run"]);
    assert!(!cluster.data().exists(), "a dry run makes nothing");
    let there = copied(&local, &on_cluster);
    assert_eq!(planned["records"], there["records"]);
    let file = there["offsets"].as_str().expect("a file");
    let offsets: Value =
        serde_json::from_slice(&std::fs::read(file).expect("written")).expect("JSON");
    let runs = offsets.as_object().expect("an object").iter();
    let moved: Vec<_> = runs
        .filter(|(_, runs)| runs[0]["old"].as_i64() > Some(0))
        .collect();
    assert!(
        moved.iter().all(|(at, _)| at.starts_with("chat.inbox/")),
        "{offsets}"
    );
    assert_eq!((moved.len(), &moved[0].1[0]["new"]), (1, &Value::from(0)));

    let back = copied(&cluster, &settings(&again, ""));
    assert_eq!(back["records"], there["records"]);
    let after = [cluster.verified(), again.verified()];
    for table in TABLES {
        for after in &after {
            assert_eq!(after.table(table), before.table(table), "{table}");
        }
    }
    // The letter's record was truncated where it was taken once more.
    let listed = again.json(&["dlq", "list", "--topic", "chat.inbox"]);
    let letter = listed["letters"][0]["letter"].as_str().expect("a letter");
    let shown = again.json(&["dlq", "show", letter]);
    let is = shown["source_is"].as_str().expect("what it is");
    assert!(is.starts_with("gone from the log"), "{shown}");
    // Who started on the copy decided nothing again: the record that was not taken left the
    // inbox, for a skip and a letter.
    let elsewhere = Place::new();
    let elsewhere = settings(&elsewhere, "");
    let planned = again.json(&["log", "copy", "--to", &elsewhere, "--dry-run"]);
    let records = |told: &Value| told["records"].as_u64().expect("a count");
    assert_eq!(records(&planned), records(&there) + 1);

    // A log that has something in it is no target.
    let full = local.run(&["log", "copy", "--to", &on_cluster]);
    assert_eq!(full.code, Some(3), "{full:?}");
    assert!(full.err.contains("positions of another log"), "{full:?}");
}

#[test]
fn what_is_no_place_for_a_copy_is_refused() {
    let (local, target) = (Place::new(), Place::new());
    let nowhere = local.run(&["log", "copy", "--to", "none.toml"]);
    assert_eq!(nowhere.code, Some(3), "{nowhere:?}");
    assert!(nowhere.err.contains("cannot be read"), "{nowhere:?}");
    let to = settings(&target, "");
    let nothing = local.run(&["log", "copy", "--to", &to]);
    assert_eq!(nothing.code, Some(3), "{nothing:?}");
    assert!(nothing.err.contains("no log to copy"), "{nothing:?}");
    assert!(!local.data().exists() && !target.data().exists());

    local.file("a.txt", "[10:00] <ann> hello\n");
    let import = [
        "import",
        "a.txt",
        "--channel",
        CHANNEL,
        "--date",
        "2001-02-03",
    ];
    local.json(&import);
    let same = settings(&local, "");
    let same = local.run(&["log", "copy", "--to", &same]);
    assert_eq!(same.code, Some(3), "{same:?}");
    assert!(same.err.contains("one of its own"), "{same:?}");
    std::fs::remove_file(local.path().join("threadlore.toml")).expect("removed");

    // People of a target that is there already are hashed with another key.
    target.file("a.txt", "[10:00] <ann> hello\n");
    target.json(&import);
    let used = local.run(&["log", "copy", "--to", &to]);
    assert_eq!(used.code, Some(3), "{used:?}");
    assert!(used.err.contains("positions of another log"), "{used:?}");
    std::fs::remove_dir_all(target.data().join("postgres")).expect("removed");
    let others = local.run(&["log", "copy", "--to", &to]);
    assert_eq!(others.code, Some(3), "{others:?}");
    let people = format!(
        "[people]\nhash_key_file = \"{}\"\n",
        local.path().join("people.key").display()
    );
    let to = settings(&target, &people);
    let full = local.run(&["log", "copy", "--to", &to]);
    assert_eq!(full.code, Some(3), "{full:?}");
    assert!(full.err.contains("has records"), "{full:?}");

    let owner = local.standalone();
    let busy = local.run(&["log", "copy", "--to", &to]);
    assert_eq!(busy.code, Some(4), "{busy:?}");
    owner.signal("TERM");
    assert_eq!(owner.end().code, Some(0));
}
