//! What the log does with damaged, foreign and old data.

use std::sync::Mutex;

use threadlore_model::Key;
use threadlore_ports::Undecodable;

use super::*;
use crate::frame;
use fjall::Slice;
use threadlore_model::{
    Body, ChannelId, Envelope, Event, EventId, Group, PlatformRedaction, Producer, Role, SpaceId,
    WindowReady,
};
use threadlore_model::{Cause, ReadyReason};

/// A clock that is turned by hand; its sleeps end at once.
struct Turned(Mutex<Timestamp>);

#[async_trait]
impl Clock for Turned {
    fn now(&self) -> Timestamp {
        *self.0.lock().expect("not poisoned")
    }

    async fn sleep(&self, _: Duration) {}
}

fn clock(at: i64) -> Arc<dyn Clock> {
    Arc::new(Turned(Mutex::new(Timestamp::from_millis(at))))
}

fn open_at(dir: &Path, now: i64) -> LocalLog {
    LocalLog::open(dir, Topics::embedded().clone(), false, clock(now)).expect("opens")
}

fn event(body: impl Into<Body>) -> Event {
    let body = body.into();
    let space = SpaceId::parse("acme").expect("a space");
    let channel = body.channel().expect("of a channel").clone();
    Event {
        envelope: Envelope {
            id: EventId::of_content("test", &["1"]),
            key: Key::of_channel(&space, &channel),
            space,
            time: Timestamp::from_millis(5),
            producer: None,
            cause: None::<Cause>,
            actor: None,
            traceparent: None,
        },
        body,
    }
}

fn channel() -> ChannelId {
    ChannelId::parse("irc:#test").expect("a channel")
}

fn redaction(native: usize) -> NewRecord {
    let body = PlatformRedaction {
        channel: channel(),
        native_id: native.to_string(),
        redacted_at: Timestamp::from_millis(5),
    };
    NewRecord {
        topic: Topic::ChatInbox,
        event: event(body),
    }
}

fn home(log: &LocalLog, topic: Topic) -> TopicPartition {
    let key = redaction(0).event.envelope.key;
    threadlore_ports::place(log, topic, key.as_str().as_bytes())
}

/// Writes a record past every check.
fn write_raw(log: &LocalLog, at: TopicPartition, key: &[u8], value: &[u8]) {
    let record = RawRecord {
        offset: Offset(0),
        appended: log.0.clock.now(),
        key: key.to_vec(),
        headers: Vec::new(),
        value: value.to_vec(),
    };
    log.0.append_raw(at, &[record]).expect("written");
}

fn remove(log: &LocalLog, at: TopicPartition, offset: i64) {
    let part = &log.0.parts[&at];
    part.records
        .remove(part.key(Offset(offset)))
        .expect("removed");
}

async fn refusal(log: &LocalLog, at: TopicPartition, offset: i64) -> Undecodable {
    let records = log.read(at, Offset(offset), 1).await.expect("reads");
    records[0].body.clone().expect_err("no event")
}

#[tokio::test]
async fn a_damaged_record_is_told_and_the_next_is_read() {
    let dir = tempfile::tempdir().expect("a directory");
    let log = open_at(dir.path(), 1);
    log.publish((0..3).map(redaction).collect())
        .await
        .expect("appends");
    let at = home(&log, Topic::ChatInbox);
    let part = &log.0.parts[&at];
    let mut frame = part
        .records
        .get(part.key(Offset(1)))
        .expect("reads")
        .expect("there")
        .to_vec();
    *frame.last_mut().expect("bytes") ^= 1;
    part.records
        .insert(part.key(Offset(1)), Slice::from(&frame[..]))
        .expect("damaged");
    let found = log.read(at, Offset(0), 10).await.expect("reads");
    assert_eq!(found.len(), 3);
    assert!(found[0].body.is_ok() && found[2].body.is_ok());
    let bad = found[1].body.clone().expect_err("damaged");
    assert!(bad.reason.contains("checksum"), "{}", bad.reason);
    assert_eq!(bad.value, frame);
}

#[tokio::test]
async fn a_missing_record_stops_the_reader() {
    let dir = tempfile::tempdir().expect("a directory");
    let log = open_at(dir.path(), 1);
    log.publish((0..3).map(redaction).collect())
        .await
        .expect("appends");
    let at = home(&log, Topic::ChatInbox);
    remove(&log, at, 1);
    let said = log.read(at, Offset(0), 10).await.expect_err("a gap");
    assert!(
        said.to_string().contains("record 1 of chat.inbox/"),
        "{said}"
    );
    remove(&log, at, 2);
    let said = log.read(at, Offset(2), 10).await.expect_err("a gap");
    assert!(
        said.to_string().contains("record 2 of chat.inbox/"),
        "{said}"
    );
}

#[tokio::test]
async fn foreign_records_are_undecodable_with_their_bytes() {
    let dir = tempfile::tempdir().expect("a directory");
    let log = open_at(dir.path(), 1);
    let at = home(&log, Topic::ChatInbox);
    let key = redaction(0).event.envelope.key;
    let encoded = Codec::new()
        .encode(Topic::ChatInbox, &redaction(0).event)
        .expect("encodes");
    write_raw(&log, at, key.as_str().as_bytes(), b"{}");
    write_raw(&log, at, b"", &encoded.value);
    let other = TopicPartition {
        partition: Partition((at.partition.0 + 1) % 4),
        ..at
    };
    write_raw(&log, other, key.as_str().as_bytes(), &encoded.value);
    let turns = home(&log, Topic::ChatTurns);
    write_raw(&log, turns, key.as_str().as_bytes(), &encoded.value);

    let bad = refusal(&log, at, 0).await;
    assert!(bad.reason.contains("C3 01"), "{}", bad.reason);
    assert_eq!((bad.key, &bad.value[..]), (Some(key), &b"{}"[..]));
    let bad = refusal(&log, at, 1).await;
    assert!(bad.reason.contains("the key is empty"), "{}", bad.reason);
    assert_eq!((bad.key, bad.value), (None, encoded.value));
    let bad = refusal(&log, other, 0).await;
    assert!(bad.reason.contains("murmur2"), "{}", bad.reason);
    let bad = refusal(&log, turns, 0).await;
    assert!(
        bad.reason.contains("does not belong on chat.turns"),
        "{}",
        bad.reason
    );
}

#[tokio::test]
async fn retention_drops_the_old_and_keeps_offsets() {
    const DAY: i64 = 86_400_000;
    let dir = tempfile::tempdir().expect("a directory");
    let now = |day: i64| Timestamp::from_millis(day * DAY);
    let old = 2 * STEP + 5;
    let turn = event(WindowReady {
        channel: channel(),
        reason: ReadyReason::Count,
        messages: 1,
        up_to: Offset(0),
        now: now(0),
    });
    let log = open_at(dir.path(), 10 * DAY);
    log.publish((0..old).map(redaction).collect())
        .await
        .expect("appends");
    let topic = Topic::ChatTurns;
    log.publish(vec![NewRecord { topic, event: turn }])
        .await
        .expect("appends");
    let (at, turns) = (home(&log, Topic::ChatInbox), home(&log, Topic::ChatTurns));
    drop(log);
    let log = open_at(dir.path(), 12 * DAY);
    log.publish(vec![redaction(0)]).await.expect("appends");

    assert_eq!(log.enforce_retention(now(16)).await.expect("works"), 0);
    assert_eq!(
        log.enforce_retention(now(18)).await.expect("works"),
        old as u64
    );
    let range = Offset(old as i64)..Offset(old as i64 + 1);
    assert_eq!(log.range(at).await.expect("a range"), range);
    assert!(log.read(at, Offset(0), 1).await.is_err());
    assert_eq!(log.enforce_retention(now(1000)).await.expect("works"), 1);
    assert_eq!(
        log.range(turns).await.expect("a range"),
        Offset(0)..Offset(1)
    );
    drop(log);

    // The clock went back, and nothing is left to tell the end by but the mark.
    let log = open_at(dir.path(), 1);
    let end = Offset(old as i64 + 1);
    assert_eq!(log.range(at).await.expect("a range"), end..end);
    log.publish(vec![redaction(0)]).await.expect("appends");
    let records = log.read(at, end, 9).await.expect("reads");
    assert_eq!((records[0].offset, records[0].appended), (end, now(12)));
}

#[tokio::test]
async fn an_event_of_a_role_that_may_not_write_it_is_no_event() {
    let dir = tempfile::tempdir().expect("a directory");
    let log = open_at(dir.path(), 1);
    let ready = WindowReady {
        channel: channel(),
        reason: ReadyReason::Pause,
        messages: 1,
        up_to: Offset(0),
        now: Timestamp::from_millis(5),
    };
    let mut event = event(ready);
    event.envelope.producer = Some(Producer {
        group: Group::of_role(Role::Extractor),
        partition: Partition(0),
        sequence: 1,
    });
    let record = NewRecord {
        topic: Topic::ChatTurns,
        event,
    };
    log.publish(vec![record]).await.expect("appends");
    let bad = refusal(&log, home(&log, Topic::ChatTurns), 0).await;
    assert!(
        bad.reason.contains("may not write WindowReady"),
        "{}",
        bad.reason
    );
}

/// Files below a directory that hold these bytes.
fn files_with(dir: &Path, bytes: &[u8]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).expect("lists") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files_with(&path, bytes));
        } else if std::fs::read(&path)
            .expect("reads")
            .windows(bytes.len())
            .any(|part| part == bytes)
        {
            found.push(path);
        }
    }
    found
}

const SECRET: &[u8] = b"qx7-what-was-redacted-9zk";

#[tokio::test]
async fn no_file_has_the_text_of_the_inbox_and_its_key_goes_with_it() {
    let dir = tempfile::tempdir().expect("a directory");
    let log = open_at(dir.path(), 1);
    let (at, turns) = (home(&log, Topic::ChatInbox), home(&log, Topic::ChatTurns));
    write_raw(&log, at, b"key", b"first");
    write_raw(&log, at, b"key", SECRET);
    write_raw(&log, at, b"key", b"third");
    assert_eq!(files_with(dir.path(), SECRET), [] as [PathBuf; 0]);
    let sealed = log.0.parts[&at]
        .records
        .get(log.0.parts[&at].key(Offset(1)));
    let sealed = sealed.expect("reads").expect("there").to_vec();
    let opens = |log: &LocalLog| frame::unseal(at, Offset(1), &sealed, &log.0.keys).is_ok();

    log.truncate([(at, Offset(2))].into())
        .await
        .expect("truncates");
    assert_eq!(log.range(at).await.expect("a range"), Offset(2)..Offset(3));
    assert!(log.read(at, Offset(1), 1).await.is_err());
    let third = log.read_raw(at, Offset(2), 9).await.expect("reads");
    assert_eq!(third[0].value, b"third", "it was sealed with the same key");
    assert!(opens(&log), "so the key is needed");
    log.truncate([(at, Offset(3))].into())
        .await
        .expect("truncates");
    assert!(
        !opens(&log),
        "nothing that it sealed is left, so it is gone"
    );
    drop(log);
    let log = open_at(dir.path(), 1);
    assert!(!opens(&log));
    assert_eq!(log.range(at).await.expect("a range"), Offset(3)..Offset(3));
    write_raw(&log, at, b"key", b"fourth");
    let fourth = log.read_raw(at, Offset(3), 9).await.expect("reads");
    assert_eq!(fourth[0].value, b"fourth");
    // The search does find what is plain.
    write_raw(&log, turns, b"key", SECRET);
    assert!(!files_with(dir.path(), SECRET).is_empty());
}

#[tokio::test]
async fn what_a_newer_version_wrote_is_not_passed_over() {
    let dir = tempfile::tempdir().expect("a directory");
    let log = open_at(dir.path(), 1);
    log.publish(vec![redaction(0)]).await.expect("appends");
    let at = home(&log, Topic::ChatInbox);
    let key = redaction(0).event.envelope.key;
    let unknown = [&[0xc3, 0x01], &[7; 8][..], b"datum"].concat();
    let known = log.read_raw(at, Offset(0), 1).await.expect("reads");
    let known = known[0].value.clone();
    let ours = ("ce_producer", "buffer/0/1");
    for (headers, value, is_newer) in [
        // A gateway's: its schema may be anything.
        (vec![("ce_type", "PlatformRedaction")], &unknown, false),
        (vec![("ce_type", "WindowReady"), ours], &unknown, true),
        (vec![("ce_type", "CaseSung"), ours], &known, true),
        (vec![("ce_type", "WindowReady"), ours], &known, false),
    ] {
        let headers = headers.iter();
        let record = RawRecord {
            offset: Offset(0),
            appended: log.0.clock.now(),
            key: key.as_str().as_bytes().to_vec(),
            headers: headers
                .map(|(name, value)| ((*name).to_owned(), value.as_bytes().to_vec()))
                .collect(),
            value: value.clone(),
        };
        log.0.append_raw(at, &[record]).expect("written");
        let last = log.range(at).await.expect("is there").end;
        let last = Offset(last.0 - 1);
        match log.read(at, last, 1).await {
            Ok(records) => assert!(!is_newer && records[0].body.is_err()),
            Err(refused) => {
                assert!(is_newer, "{refused}");
                assert_eq!(refused.class(), threadlore_ports::Class::Fatal);
                let said = refused.to_string();
                assert!(
                    said.contains("a newer version of Threadlore wrote offset"),
                    "{said}"
                );
            }
        }
    }
    let before = log.read(at, Offset(0), 9).await.expect("reads");
    assert_eq!(before.len(), 2, "those before it are read");
}
