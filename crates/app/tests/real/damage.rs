//! Damage in the data directory, and records that nobody can read.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use threadlore_log_local::LocalLog;
use threadlore_model::{Body, Offset, Partition, Timestamp, Topic, TopicPartition};
use threadlore_ports::{Clock, EventLog};
use threadlore_schema::Topics;

use super::support::{Place, demo};

const CHANNEL: &str = "irc:#u";

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("made");
    for entry in fs::read_dir(from).expect("lists") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("copied");
        }
    }
}

/// A flipped bit in what log and keystore wrote: refused in a sentence, and
/// nothing is changed; with the good files back everything is as before.
#[test]
fn damaged_files_are_refused() {
    let place = Place::new();
    let log = demo().join("2008-03-01.txt");
    let log = log.to_str().expect("UTF-8");
    place.json(&["import", log, "--channel", CHANNEL]);
    let before = place.verified().table("messages");
    for (part, journal) in [("log", "db/0.jnl"), ("keys", "0.jnl")] {
        let (good, dir) = (place.path().join("good"), place.data().join(part));
        copy(&dir, &good);
        let bytes = fs::read(dir.join(journal)).expect("the journal");
        let used = bytes.iter().rposition(|byte| *byte != 0).expect("content");
        for at in [used / 50, used / 2] {
            let mut changed = bytes.clone();
            changed[at] ^= 0x10;
            fs::write(dir.join(journal), changed).expect("written");
            let ran = place.run(&["verify"]);
            println!("{part} at {at}: {}", ran.err.trim());
            assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""), "{ran:?}");
            assert!(ran.err.contains("restore them from a backup"), "{ran:?}");
            assert!(!ran.err.contains("panicked"), "{ran:?}");
            fs::remove_dir_all(&dir).expect("removed");
            copy(&good, &dir);
        }
        fs::remove_dir_all(&good).expect("removed");
    }
    assert_eq!(place.verified().table("messages"), before);
}

/// A clock that stands.
pub(crate) struct Standing;

#[async_trait]
impl Clock for Standing {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_700_000_000_000)
    }
    async fn sleep(&self, _: Duration) {}
}

/// The log of a place that nobody runs on.
fn log(place: &Place) -> LocalLog {
    let topics = Topics::embedded().clone();
    LocalLog::open(&place.data().join("log"), topics, true, Arc::new(Standing)).expect("opens")
}

/// A value with a schema that no version knows, in single-object encoding.
const UNKNOWN: &[u8] = b"\xc3\x01\xde\xad\xbe\xef\xde\xad\xbe\xefwhatever";

#[test]
fn records_that_nobody_can_read_are_put_aside() {
    let (place, good) = (Place::new(), demo().join("2008-03-01.txt"));
    let good = good.to_str().expect("UTF-8");
    let import = ["import", good, "--channel", CHANNEL];
    place.file("first.txt", "[10:00] <ann> hello\n");
    let first = [
        "import",
        "first.txt",
        "--channel",
        CHANNEL,
        "--date",
        "2001-02-03",
    ];
    place.json(&first);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let log = log(&place);
        let key = format!("default/{CHANNEL}");
        for topic in [Topic::ChatInbox, Topic::ChatEvents, Topic::KnowledgeCases] {
            for value in [UNKNOWN, b"", b"not avro at all"] {
                log.append_bytes(topic, key.as_bytes(), value)
                    .await
                    .expect("appended");
            }
        }
    });
    let taken = place.json(&import)["messages"].as_u64().expect("a count");
    let after = place.verified();
    assert_eq!(
        after.table("messages").0,
        taken + 1,
        "what follows is taken"
    );
    assert!(after.table("cases").0 > 0);
    assert_eq!(place.json(&["replay"])["projections"][0]["equal"], true);

    let skipped: Vec<(String, Topic)> = runtime.block_on(async {
        let log = log(&place);
        let mut skipped = Vec::new();
        for partition in 0..log.partitions(Topic::LogSkips) {
            let at = TopicPartition {
                topic: Topic::LogSkips,
                partition: Partition(i32::try_from(partition).expect("few")),
            };
            for record in log.read(at, Offset(0), 1000).await.expect("reads") {
                if let Ok(event) = record.body
                    && let Body::RecordSkipped(skip) = event.body
                {
                    skipped.push((skip.reason, skip.topic));
                }
            }
        }
        skipped
    });
    println!("{skipped:#?}");
    for topic in [Topic::ChatInbox, Topic::ChatEvents, Topic::KnowledgeCases] {
        let reasons = skipped.iter().filter(|(_, of)| *of == topic);
        let unknown = reasons.filter(|(reason, _)| reason.contains("no schema with fingerprint"));
        assert!(unknown.count() > 0, "{topic:?}: {skipped:#?}");
    }
}

#[test]
fn letters_are_listed_shown_and_refused_while_nothing_was_mended() {
    let place = Place::new();
    place.file("first.txt", "[10:00] <ann> hello\n");
    let import = [
        "import",
        "first.txt",
        "--channel",
        CHANNEL,
        "--date",
        "2001-02-03",
    ];
    place.json(&import);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let (log, key) = (log(&place), format!("default/{CHANNEL}"));
        for value in [UNKNOWN, b"my secret is blue"] {
            let appended = log.append_bytes(Topic::ChatInbox, key.as_bytes(), value);
            appended.await.expect("appended");
        }
        let appended = log.append_bytes(Topic::ChatTurns, key.as_bytes(), UNKNOWN);
        appended.await.expect("appended");
    });
    place.json(&import);

    let list = |args: &[&str]| place.json(&[&["dlq", "list"], args].concat());
    let letters = list(&["--topic", "chat.inbox"])["letters"].clone();
    let letters = letters.as_array().expect("a list");
    assert_eq!(letters.len(), 2);
    assert_eq!(
        list(&["--space", "default"])["letters"]
            .as_array()
            .map(Vec::len),
        Some(0)
    );
    let mistyped = place.run(&["dlq", "list", "--space", "defualt"]);
    assert_eq!(mistyped.code, Some(3), "{mistyped:?}");
    assert!(mistyped.err.contains("check --space"), "{mistyped:?}");
    let first = list(&["--limit", "1"]);
    let next = first["next"].as_str().expect("older ones");
    assert_eq!(first["letters"][0]["letter"], next);
    let rest = list(&["--after", next]);
    assert_eq!(rest["letters"].as_array().map(Vec::len), Some(3), "{rest}");
    assert_eq!(rest["next"], Value::Null);
    let of = |reason: &str| {
        let told = |letter: &&Value| {
            letter["reason"]
                .as_str()
                .is_some_and(|r| r.contains(reason))
        };
        let letter = letters
            .iter()
            .find(told)
            .expect("a letter with this reason");
        letter["letter"].as_str().expect("a place").to_owned()
    };
    let (unknown, prose) = (of("no schema with fingerprint"), of("single-object"));
    let shown = place.run(&["dlq", "show", &prose]);
    assert_eq!(shown.code, Some(0), "{shown:?}");
    assert!(!shown.out.contains("blue") && shown.out.contains("17 bytes: no Avro"));
    let asked = place.run(&["dlq", "show", &prose, "--value"]);
    assert!(asked.out.contains("my secret is blue"), "{asked:?}");

    // Nothing was mended, and what another role wrote is no command's to write.
    for (args, says) in [
        (vec![unknown.as_str()], "no schema with fingerprint"),
        (vec!["--topic", "chat.inbox"], "single-object"),
        (vec!["--topic", "chat.turns"], "only its role"),
    ] {
        let ran = place.run(&[&["dlq", "redrive"], &args[..]].concat());
        assert_eq!(ran.code, Some(3), "{ran:?}");
        assert!(
            ran.out.starts_with("0 dead letters were redriven"),
            "{ran:?}"
        );
        assert!(
            ran.out.contains(says) && !ran.out.contains("blue"),
            "{ran:?}"
        );
    }
    for (letter, code, says) in [
        ("chat.inbox.dlq/0/77", 3, "there is no dead letter"),
        ("chat.inbox.dlq/7/0", 3, "partitions 0 to 3"),
        ("chat.inbox/0/0", 2, "end in .dlq"),
        ("17", 2, "topic/partition/offset"),
    ] {
        let ran = place.run(&["dlq", "show", letter]);
        assert_eq!(ran.code, Some(code), "{ran:?}");
        assert!(ran.err.contains(says), "{ran:?}");
    }
    assert_eq!(place.verified().table("messages").0, 1);
}
