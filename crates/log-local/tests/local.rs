//! What is kept in a directory keeps the promises of its ports, and a directory
//! that cannot be used is refused in one clear sentence.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use threadlore_log_local::{FileBlobs, LocalKeystore, LocalLog};
use threadlore_model::{
    Envelope, Event, EventId, Group, Key, Offset, Partition, Producer, RecordSkipped, Role,
    SpaceId, Timestamp, Topic, TopicPartition,
};
use threadlore_ports::{
    BlobStore, Clock, EventLog, Keystore, NewRecord, PortError, RawLog, RawRecord, Record, Wrapping,
};
use threadlore_schema::Topics;
use threadlore_testkit::conformance;

/// A clock that stands still: no sleep but one of no length ever ends.
struct Still;

#[async_trait]
impl Clock for Still {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_000)
    }

    async fn sleep(&self, by: Duration) {
        if !by.is_zero() {
            std::future::pending::<()>().await;
        }
    }
}

fn open(dir: &Path) -> Result<LocalLog, PortError> {
    LocalLog::open(dir, Topics::embedded().clone(), true, Arc::new(Still))
}

fn temp() -> tempfile::TempDir {
    tempfile::tempdir().expect("a directory")
}

fn said<T>(result: Result<T, PortError>) -> String {
    result.err().expect("refused").to_string()
}

#[tokio::test]
async fn the_log_as_bytes() {
    let dirs = temp();
    let count = std::sync::atomic::AtomicU32::new(0);
    conformance::raw(|| async {
        let number = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let log = open(&dirs.path().join(number.to_string())).expect("opens");
        Arc::new(log) as Arc<dyn RawLog>
    })
    .await;
}

#[tokio::test]
async fn times_of_appending_are_kept_and_never_go_back() {
    let dir = temp();
    let log = open(dir.path()).expect("opens");
    let at = TopicPartition {
        topic: Topic::ChatTurns,
        partition: Partition(0),
    };
    let records = [5, 7, 6].map(|ms| RawRecord {
        offset: Offset(0),
        appended: Timestamp::from_millis(ms),
        key: Vec::new(),
        headers: Vec::new(),
        value: Vec::new(),
    });
    log.append_raw(at, records.to_vec()).await.expect("appends");
    log.append_raw(at, records[..1].to_vec())
        .await
        .expect("appends");
    let read = log.read_raw(at, Offset(0), 9).await.expect("reads");
    let times: Vec<i64> = read.iter().map(|r| r.appended.as_millis()).collect();
    assert_eq!(times, [5, 7, 7, 7]);
}

#[tokio::test]
async fn the_log() {
    let dirs = temp();
    let count = std::sync::atomic::AtomicU32::new(0);
    conformance::log(|| async {
        let number = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let log = open(&dirs.path().join(number.to_string())).expect("opens");
        Arc::new(log) as Arc<dyn EventLog>
    })
    .await;
}

#[tokio::test]
async fn the_log_opened_again() {
    let dir = temp();
    conformance::log_reopened(|| async {
        Arc::new(open(dir.path()).expect("opens")) as Arc<dyn EventLog>
    })
    .await;
}

#[tokio::test]
async fn the_log_truncated() {
    let dirs = Mutex::new(Vec::new());
    conformance::log_truncated(|| async {
        let dir = temp();
        let log = open(dir.path()).expect("opens");
        dirs.lock().expect("no panic").push(dir);
        Arc::new(log) as Arc<dyn EventLog>
    })
    .await;
}

#[tokio::test]
async fn the_keystore() {
    let dir = temp();
    conformance::keystore(|| async {
        let store = LocalKeystore::open(dir.path(), Wrapping::under([7; 32])).expect("opens");
        Arc::new(store) as Arc<dyn Keystore>
    })
    .await;
}

#[tokio::test]
async fn the_blobs() {
    let dir = temp();
    conformance::blobs(|| async { Arc::new(FileBlobs::at(dir.path())) as Arc<dyn BlobStore> })
        .await;
}

#[test]
fn another_master_key_is_refused() {
    let dir = temp();
    drop(LocalKeystore::open(dir.path(), Wrapping::under([7; 32])).expect("made"));
    let refused = said(LocalKeystore::open(dir.path(), Wrapping::under([8; 32])));
    assert!(refused.contains("master key is not the one"), "{refused}");
    LocalKeystore::open(dir.path(), Wrapping::under([7; 32])).expect("still opens");
}

/// While one master key takes the place of another, keys under both are read; afterwards the old one opens nothing.
#[tokio::test]
async fn a_master_key_is_replaced() {
    let dir = temp();
    conformance::replaced_master_key(|wrapping| async {
        let opened = LocalKeystore::open(dir.path(), wrapping);
        opened.map(|store| Arc::new(store) as Arc<dyn Keystore>)
    })
    .await;
}

#[test]
fn a_directory_in_use_is_refused() {
    let dir = temp();
    let _log = open(dir.path()).expect("opens");
    let refused = said(open(dir.path()));
    assert!(refused.contains("is in use"), "{refused}");
    let _keys =
        LocalKeystore::open(&dir.path().join("keys"), Wrapping::under([7; 32])).expect("opens");
    let refused = said(LocalKeystore::open(
        &dir.path().join("keys"),
        Wrapping::under([7; 32]),
    ));
    assert!(refused.contains("is in use"), "{refused}");
}

#[test]
fn a_changed_partition_count_is_refused() {
    let dir = temp();
    drop(open(dir.path()).expect("opens"));
    let layout = dir.path().join("LAYOUT");
    let text = fs::read_to_string(&layout).expect("the layout");
    let changed = text.replace("settings 4", "settings 8");
    assert_ne!(text, changed);
    fs::write(&layout, changed).expect("written");
    let refused = said(open(dir.path()));
    assert!(refused.contains("settings has 8 partitions"), "{refused}");
    assert!(refused.contains("set `log.partitions` to 8"), "{refused}");
}

#[test]
fn another_format_or_no_layout_is_refused() {
    let dir = temp();
    drop(open(dir.path()).expect("opens"));
    let layout = dir.path().join("LAYOUT");
    let text = fs::read_to_string(&layout).expect("the layout");
    for (content, says) in [
        (text.replace("log 2", "log 3"), "use the version"),
        (text.replace("chat.turns 4", "chat.turns"), "is damaged"),
        (format!("{text}chat.rumours 4\n"), "does not know"),
        ("\0\0\0".to_owned(), "use the version"),
    ] {
        fs::write(&layout, content).expect("written");
        let refused = said(open(dir.path()));
        assert!(refused.contains(says), "{refused}");
    }
    fs::remove_file(&layout).expect("removed");
    let refused = said(open(dir.path()));
    assert!(refused.contains("no LAYOUT file"), "{refused}");
}

#[test]
fn a_file_in_the_place_of_the_directory_is_refused() {
    let dir = temp();
    let path = dir.path().join("file");
    fs::write(&path, "x").expect("written");
    for refused in [
        said(open(&path)),
        said(open(&path.join("below"))),
        said(LocalKeystore::open(&path, Wrapping::under([7; 32]))),
    ] {
        assert!(refused.contains("move that file"), "{refused}");
    }
}

#[tokio::test]
async fn the_owner_removes_what_a_killed_process_left() {
    let dir = temp();
    let blobs = FileBlobs::at(dir.path());
    blobs.remove_leftovers().expect("there are none yet");
    blobs.put("a", b"whole").await.expect("stores");
    fs::write(dir.path().join("new/7"), "half").expect("written");
    blobs.remove_leftovers().expect("removes");
    assert_eq!(
        fs::read_dir(dir.path().join("new")).expect("lists").count(),
        0
    );
    assert_eq!(
        blobs.get("a").await.expect("reads"),
        Some(b"whole".to_vec())
    );
}

/// Each writer stores its own blobs through a handle of its own, as imports side by side do.
#[tokio::test(flavor = "multi_thread")]
async fn handles_side_by_side_store_what_they_were_given() {
    const WRITERS: usize = 8;
    const ROUNDS: usize = 50;
    let dir = Arc::new(temp());
    let content = |writer: usize, round: usize| format!("{writer} {round} ").repeat(2000);
    let writers = (0..WRITERS).map(|writer| {
        let dir = Arc::clone(&dir);
        tokio::spawn(async move {
            for round in 0..ROUNDS {
                let (blobs, name) = (FileBlobs::at(dir.path()), format!("imports/{writer}"));
                let bytes = content(writer, round).into_bytes();
                blobs.put(&name, &bytes).await.expect("stores");
                let read = blobs.get(&name).await.expect("reads");
                assert!(read == Some(bytes), "writer {writer}, round {round}");
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.expect("every blob is its writer's");
    }
    let left = fs::read_dir(dir.path().join("new")).expect("lists").count();
    assert_eq!(left, 0, "temporary files");
    let mode = |path: &str| {
        let meta = fs::metadata(dir.path().join(path)).expect("there");
        std::os::unix::fs::PermissionsExt::mode(&meta.permissions()) & 0o777
    };
    assert_eq!((mode("whole"), mode("whole/imports%0")), (0o700, 0o600));
}

fn skip(number: i64) -> NewRecord {
    let space = SpaceId::parse("acme").expect("a space");
    let body = RecordSkipped {
        role: "intake".to_owned(),
        topic: Topic::ChatInbox,
        partition: 0,
        offset: Offset(number),
        reason: "the value is empty".to_owned(),
        now: Timestamp::from_millis(number),
    };
    let envelope = Envelope {
        id: EventId::of_content("test", &[&number.to_string()]),
        key: Key::of_space(&space),
        space,
        time: body.now,
        producer: Some(Producer {
            group: Group::of_role(Role::Intake),
            partition: Partition(0),
            sequence: number.unsigned_abs() + 1,
        }),
        cause: None,
        actor: None,
        traceparent: None,
    };
    NewRecord {
        topic: Topic::LogSkips,
        event: Event {
            envelope,
            body: body.into(),
        },
    }
}

async fn skips(log: &LocalLog) -> Vec<i64> {
    let at = TopicPartition {
        topic: Topic::LogSkips,
        partition: Partition(0),
    };
    let records = log.read(at, Offset(0), 1000).await.expect("reads");
    let number = |record: &Record| match &record.body {
        Ok(event) => event.envelope.time.as_millis(),
        Err(bad) => panic!("{}", bad.reason),
    };
    records.iter().map(number).collect()
}

/// A flipped bit anywhere in the journal: opening says so, or nothing is lost.
#[tokio::test]
async fn damage_in_the_journal_is_never_taken_for_data() {
    let dir = temp();
    let log = open(dir.path()).expect("opens");
    for number in 0..20 {
        log.publish(vec![skip(number)]).await.expect("appends");
    }
    let before = skips(&log).await;
    assert_eq!(before, (0..20).collect::<Vec<_>>());
    drop(log);
    let good = temp();
    copy(dir.path(), good.path());
    let journal = Path::new("db/0.jnl");
    let bytes = fs::read(good.path().join(journal)).expect("the journal");
    let used = bytes.iter().rposition(|byte| *byte != 0).expect("content") + 1;
    let mut told = 0;
    for at in (0..used).step_by(used / 25 + 1) {
        let damaged = temp();
        copy(good.path(), damaged.path());
        let mut changed = bytes.clone();
        changed[at] ^= 0x10;
        fs::write(damaged.path().join(journal), changed).expect("written");
        match open(damaged.path()) {
            Err(e) => {
                told += 1;
                assert!(e.to_string().contains("restore"), "byte {at}: {e}");
            }
            Ok(log) => {
                assert_eq!(skips(&log).await, before, "byte {at}");
            }
        }
    }
    assert!(told > 0, "no damage was told");
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("lists") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            fs::create_dir_all(&target).expect("made");
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("copied");
        }
    }
}
