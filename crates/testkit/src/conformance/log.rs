//! What every [`EventLog`] must do.

use std::sync::Arc;
use std::time::Duration;

use futures::future::{join, join_all};
use threadlore_model::{
    ArchiveReason, Body, CaseArchived, CaseId, ChannelId, Envelope, Event, EventId, Group, Key,
    MessageEdited, MessageId, Offset, Partition, PersonId, PlatformRedaction, Private, Producer,
    Role, SpaceId, Timestamp, Topic, TopicPartition,
};

use threadlore_ports::{Class, EncodedRecord, EventLog, NewRecord, Record, all_partitions, place};

const TOPIC: Topic = Topic::KnowledgeCases;

/// Runs the suite. Each call of `make` gives an empty log with at least two
/// partitions of `knowledge.cases`, whose clock never gets to the end of an hour's sleep.
///
/// # Panics
/// When a guarantee is not kept.
pub async fn log<F: Future<Output = Arc<dyn EventLog>>>(make: impl Fn() -> F) {
    starts_empty(make().await).await;
    keeps_order_and_content(make().await).await;
    keeps_calls_together(make().await).await;
    refuses_what_must_not_be_written(make().await).await;
    appends_what_was_encoded(make().await).await;
    refuses_offsets_outside(make().await).await;
    waits_for_records(make().await).await;
}

/// Runs the part of the suite that needs a log that outlives its handle: each
/// call of `open` opens the same log, which is empty at first.
///
/// # Panics
/// When a guarantee is not kept.
pub async fn log_reopened<F: Future<Output = Arc<dyn EventLog>>>(open: impl Fn() -> F) {
    let log = open().await;
    append(&log, events("a", 0..30)).await;
    append(&log, events("b", 0..30)).await;
    let before = dump(&log).await;
    drop(log);
    let log = open().await;
    assert_eq!(
        shown(&dump(&log).await),
        shown(&before),
        "after opening again"
    );
    append(&log, events("a", 30..40)).await;
    let after = read_all(&log, of("a", &log)).await;
    let offsets: Vec<_> = after.iter().map(|record| record.offset.0).collect();
    let expected: Vec<_> = (0..offsets.len() as i64).collect();
    assert_eq!(offsets, expected, "offsets go on where they ended");
}

/// Runs the part of the suite about dropping the first records of a topic, which a log gives
/// for `chat.inbox`. `make` as in [`log`].
///
/// # Panics
/// When a guarantee is not kept.
pub async fn log_truncated<F: Future<Output = Arc<dyn EventLog>>>(make: impl Fn() -> F) {
    const INBOX: Topic = Topic::ChatInbox;
    let log = make().await;
    let at = place(log.as_ref(), INBOX, key("a").as_str().as_bytes());
    let send = async |numbers: std::ops::Range<i64>| {
        let records = numbers.map(redaction).collect();
        log.publish(records).await.expect("appends");
    };
    let sent = async |from: i64| -> Vec<String> {
        let records = log.read(at, Offset(from), 100).await.expect("reads");
        let bodies = records.iter().filter_map(|r| r.body.as_deref().ok());
        let native = bodies.map(|event| match &event.body {
            Body::PlatformRedaction(body) => body.native_id.clone(),
            other => panic!("{}", other.type_name()),
        });
        native.collect()
    };
    let range = async || log.range(at).await.expect("a range");
    let names =
        |numbers: std::ops::Range<i64>| -> Vec<String> { numbers.map(|n| n.to_string()).collect() };
    let truncate = async |to: i64| {
        let done = log.truncate([(at, Offset(to))].into()).await;
        done.expect("truncates");
    };
    send(0..10).await;
    truncate(4).await;
    assert_eq!(range().await, Offset(4)..Offset(10));
    assert_eq!(sent(4).await, names(4..10), "the others stay what they are");
    let gone = log.read(at, Offset(3), 1).await;
    assert_eq!(gone.expect_err("is gone").class(), Class::Fatal);
    truncate(2).await;
    assert_eq!(range().await, Offset(4)..Offset(10), "nothing comes back");
    truncate(10).await;
    assert_eq!(range().await, Offset(10)..Offset(10));
    send(10..12).await;
    assert_eq!(sent(10).await, names(10..12), "offsets go on");
    let others = all_partitions(log.as_ref(), INBOX).filter(|other| *other != at);
    for other in others {
        assert_eq!(
            log.range(other).await.expect("a range"),
            Offset(0)..Offset(0)
        );
    }
}

fn redaction(number: i64) -> NewRecord {
    let envelope = envelope("a", number);
    let body = Body::from(PlatformRedaction {
        channel: channel("a").1,
        native_id: number.to_string(),
        redacted_at: envelope.time,
    });
    NewRecord {
        topic: Topic::ChatInbox,
        event: Event { envelope, body },
    }
}

async fn starts_empty(log: Arc<dyn EventLog>) {
    assert!(log.partitions(TOPIC) > 1, "the suite needs two partitions");
    for topic in Topic::ALL {
        for at in all_partitions(log.as_ref(), topic) {
            assert_eq!(log.range(at).await.expect("a range"), Offset(0)..Offset(0));
            assert!(log.read(at, Offset(0), 10).await.expect("reads").is_empty());
        }
    }
}

async fn keeps_order_and_content(log: Arc<dyn EventLog>) {
    let (a, b) = (events("a", 0..50), events("b", 0..50));
    let mixed: Vec<_> = a
        .iter()
        .zip(&b)
        .flat_map(|(a, b)| [a, b])
        .cloned()
        .collect();
    for part in mixed.chunks(7) {
        append(&log, part.to_vec()).await;
    }
    for (name, sent) in [("a", a), ("b", b)] {
        let records = read_all(&log, of(name, &log)).await;
        let found: Vec<_> = records
            .iter()
            .filter_map(|record| record.body.as_deref().ok())
            .filter(|event| event.envelope.key == key(name))
            .cloned()
            .collect();
        assert_eq!(found, sent, "events of {name} in order, as they were sent");
    }
    for at in all_partitions(log.as_ref(), TOPIC) {
        let records = read_all(&log, at).await;
        let range = log.range(at).await.expect("a range");
        assert_eq!(range, Offset(0)..Offset(records.len() as i64));
        for (i, record) in records.iter().enumerate() {
            assert_eq!((record.at, record.offset), (at, Offset(i as i64)));
        }
        assert!(
            records.is_sorted_by_key(|record| record.appended),
            "append times never go back"
        );
        let middle = records.len() as i64 / 2;
        let some = log.read(at, Offset(middle), 3).await.expect("reads");
        let end = records.len().min(middle as usize + 3);
        assert_eq!(shown(&some), shown(&records[middle as usize..end]));
    }
}

async fn keeps_calls_together(log: Arc<dyn EventLog>) {
    let calls = (0..16).map(|i| append(&log, events("a", i * 5..i * 5 + 5)));
    join_all(calls).await;
    let records = read_all(&log, of("a", &log)).await;
    let numbers: Vec<_> = records.iter().map(number).collect();
    assert_eq!(numbers.len(), 80);
    for call in numbers.chunks(5) {
        let expected: Vec<_> = (call[0]..call[0] + 5).collect();
        assert_eq!(call, expected, "records of one call stand together");
        assert_eq!(call[0] % 5, 0, "a call is not split");
    }
}

async fn refuses_what_must_not_be_written(log: Arc<dyn EventLog>) {
    let good = new(event("a", 1));
    let refused = log.publish(vec![good.clone(), open_text()]).await;
    assert_eq!(refused.expect_err("open text").class(), Class::DeadLetter);
    let mut elsewhere = good.clone();
    elsewhere.topic = Topic::ChatTurns;
    let refused = log.publish(vec![good, elsewhere]).await;
    assert_eq!(refused.expect_err("wrong topic").class(), Class::DeadLetter);
    assert!(
        dump(&log).await.is_empty(),
        "nothing of a refused call is written"
    );
    log.publish(Vec::new()).await.expect("nothing to append");
}

/// What was encoded can be stored, and is what was published.
async fn appends_what_was_encoded(log: Arc<dyn EventLog>) {
    let sent = events("a", 0..3);
    let mut stored = Vec::new();
    for event in &sent {
        let record = log.encode(TOPIC, event).expect("encodes");
        assert_eq!((record.topic, &record.key), (TOPIC, &event.envelope.key));
        let mut bytes = Vec::new();
        ciborium::into_writer(&record, &mut bytes).expect("is stored");
        let back: EncodedRecord = ciborium::from_reader(bytes.as_slice()).expect("is read");
        assert_eq!(back, record);
        stored.push(back);
    }
    let NewRecord { topic, event } = open_text();
    for (topic, event) in [(topic, &event), (Topic::ChatTurns, &sent[0])] {
        let refused = log.encode(topic, event).expect_err("is refused");
        assert_eq!(refused.class(), Class::DeadLetter);
    }
    log.append(stored).await.expect("appends");
    log.append(Vec::new()).await.expect("nothing to append");
    let records = read_all(&log, of("a", &log)).await;
    let found: Vec<_> = records.into_iter().filter_map(|r| r.body.ok()).collect();
    let sent: Vec<_> = sent.into_iter().map(Box::new).collect();
    assert_eq!(found, sent);
}

async fn refuses_offsets_outside(log: Arc<dyn EventLog>) {
    append(&log, events("a", 0..3)).await;
    let at = of("a", &log);
    assert!(
        log.read(at, Offset(3), 1)
            .await
            .expect("the end")
            .is_empty()
    );
    for outside in [-1, 4, i64::MAX, i64::MIN] {
        let refused = log.read(at, Offset(outside), 1).await;
        assert_eq!(refused.expect_err("outside").class(), Class::Fatal);
    }
    assert!(
        log.read(at, Offset(0), 0)
            .await
            .expect("no records")
            .is_empty()
    );
}

async fn waits_for_records(log: Arc<dyn EventLog>) {
    let hour = Duration::from_secs(3600);
    let (a, b) = (of("a", &log), other(&log));
    let any_of = [(a, Offset(0)), (b, Offset(0))];
    log.wait(&any_of, Duration::ZERO).await.expect("time is up");
    log.wait(&[], Duration::ZERO)
        .await
        .expect("nothing to wait for");
    let arrival = join(log.wait(&any_of, hour), append(&log, events("a", 0..1)));
    arrival.await.0.expect("a record came");
    log.wait(&any_of, hour).await.expect("a record is there");
    let later = [(a, Offset(1)), (b, Offset(0))];
    log.wait(&later, Duration::ZERO).await.expect("time is up");
    let arrival = join(log.wait(&later, hour), append(&log, events("a", 1..2)));
    arrival.await.0.expect("the next record came");
}

fn channel(name: &str) -> (SpaceId, ChannelId) {
    let space = SpaceId::parse("conformance").expect("a space");
    (
        space,
        ChannelId::parse(&format!("irc:{name}")).expect("a channel"),
    )
}

fn key(name: &str) -> Key {
    let (space, channel) = channel(name);
    Key::of_channel(&space, &channel)
}

/// The partition of a channel's records.
fn of(name: &str, log: &Arc<dyn EventLog>) -> TopicPartition {
    place(log.as_ref(), TOPIC, key(name).as_str().as_bytes())
}

/// A partition that is not that of channel `a`.
fn other(log: &Arc<dyn EventLog>) -> TopicPartition {
    let mut all = all_partitions(log.as_ref(), TOPIC);
    all.find(|at| *at != of("a", log)).expect("two partitions")
}

fn envelope(name: &str, number: i64) -> Envelope {
    Envelope {
        id: EventId::of_content("conformance", &[name, &number.to_string()]),
        space: channel(name).0,
        key: key(name),
        time: Timestamp::from_millis(number),
        producer: None,
        cause: None,
        actor: None,
        traceparent: None,
    }
}

fn event(name: &str, number: i64) -> Event {
    let mut envelope = envelope(name, number);
    envelope.producer = Some(Producer {
        group: Group::of_role(Role::Extractor),
        partition: Partition(0),
        sequence: number.unsigned_abs() + 1,
    });
    let body = Body::from(CaseArchived {
        case: CaseId::first_carried_by(envelope.id),
        channel: channel(name).1,
        reason: ArchiveReason::Expired,
        now: envelope.time,
    });
    Event { envelope, body }
}

fn events(name: &str, numbers: std::ops::Range<i64>) -> Vec<Event> {
    numbers.map(|number| event(name, number)).collect()
}

fn open_text() -> NewRecord {
    let envelope = envelope("a", 0);
    let (space, channel) = channel("a");
    let body = Body::from(MessageEdited {
        message: MessageId::of_native(&space, &channel, "1"),
        channel,
        person: PersonId::from_uuid(envelope.id.as_uuid()),
        revision: 1,
        text: Private::open("readable"),
        edited_at: envelope.time,
    });
    NewRecord {
        topic: Topic::ChatEvents,
        event: Event { envelope, body },
    }
}

fn new(event: Event) -> NewRecord {
    let topic = TOPIC;
    NewRecord { topic, event }
}

/// The number an event of this suite was made with.
fn number(record: &Record) -> i64 {
    let event = record.body.as_ref().expect("an event");
    event.envelope.time.as_millis()
}

async fn append(log: &Arc<dyn EventLog>, events: Vec<Event>) {
    let records = events.into_iter().map(new).collect();
    log.publish(records).await.expect("appends");
}

async fn read_all(log: &Arc<dyn EventLog>, at: TopicPartition) -> Vec<Record> {
    let mut all: Vec<Record> = Vec::new();
    loop {
        let from = all.last().map_or(Offset(0), |record| record.offset.next());
        let some = log.read(at, from, 7).await.expect("reads");
        assert!(some.len() <= 7, "no more than asked for");
        if some.is_empty() {
            return all;
        }
        all.extend(some);
    }
}

async fn dump(log: &Arc<dyn EventLog>) -> Vec<Record> {
    let mut all = Vec::new();
    for topic in Topic::ALL {
        for at in all_partitions(log.as_ref(), topic) {
            all.extend(read_all(log, at).await);
        }
    }
    all
}

fn shown(records: &[Record]) -> Vec<String> {
    records.iter().map(|record| format!("{record:?}")).collect()
}
