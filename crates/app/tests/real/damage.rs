//! Damage in the data directory, and records that nobody can read.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
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
struct Standing;

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
