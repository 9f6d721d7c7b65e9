//! Wherever a restore is cut off, the next one makes it whole.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use threadlore_log_local::LocalLog;
use threadlore_model::{
    Body, Cause, ChannelId, Envelope, Event, EventId, Group, Key, MessageId, MessageRedacted,
    Offset, Producer, ReadyReason, Role, SpaceId, Timestamp, Topic, TopicPartition, WindowReady,
};
use threadlore_node::SystemClock;
use threadlore_ports::{EventLog, NewRecord, RawLog, place};
use threadlore_schema::{Codec, Topics};
use threadlore_testkit::MemoryKeystore;

use super::plan::Plan;
use super::repartition::of_log;
use super::target::Found;
use crate::commands::archive::{Archive, Manifest, ORDER, Once, Writing, archived};
use crate::commands::copy::{event_at, partitions};
use crate::output::Output;

fn space(name: &str) -> SpaceId {
    SpaceId::parse(name).expect("a space")
}

fn log(dir: &Path) -> LocalLog {
    log_of(dir, Topics::embedded().shards())
}

fn log_of(dir: &Path, partitions: u32) -> LocalLog {
    let topics = Topics::embedded().with_partitions(partitions);
    LocalLog::open(dir, topics, false, Arc::new(SystemClock)).expect("opens")
}

/// Messages of a channel and windows of them, as intake and buffer write them: the second
/// names an offset of the first.
struct Writer<'a> {
    log: &'a LocalLog,
    space: SpaceId,
    sequences: HashMap<(Role, TopicPartition), u64>,
}

impl Writer<'_> {
    async fn write(&mut self, channel: &str, number: usize) {
        let channel = ChannelId::parse(channel).expect("a channel");
        let message = MessageId::of_native(&self.space, &channel, &number.to_string());
        let body = MessageRedacted {
            message,
            channel: channel.clone(),
            redacted_at: Timestamp::from_millis(5),
        };
        let key = Key::of_channel(&self.space, &channel);
        let at = place(self.log, Topic::ChatEvents, key.as_str().as_bytes());
        let inbox = TopicPartition {
            topic: Topic::ChatInbox,
            ..at
        };
        let cause = (EventId::of_content("inbox", &[]), inbox, Offset(3));
        let said = self
            .append(Role::Intake, at, &key, body.into(), cause)
            .await;
        if number % 3 == 2 {
            let up_to = self.log.range(at).await.expect("a range").end;
            let up_to = Offset(up_to.0 - 1);
            let ready = WindowReady {
                channel,
                reason: ReadyReason::Count,
                messages: 3,
                up_to,
                now: Timestamp::from_millis(6),
            };
            let turns = TopicPartition {
                topic: Topic::ChatTurns,
                ..at
            };
            let cause = (said, at, up_to);
            self.append(Role::Buffer, turns, &key, ready.into(), cause)
                .await;
        }
    }

    async fn append(
        &mut self,
        role: Role,
        at: TopicPartition,
        key: &Key,
        body: Body,
        (event, from, offset): (EventId, TopicPartition, Offset),
    ) -> EventId {
        let sequence = self.sequences.entry((role, at)).or_default();
        *sequence += 1;
        let count = sequence.to_string();
        let id = EventId::of_content(role.name(), &[key.as_str(), &count]);
        let envelope = Envelope {
            id,
            space: self.space.clone(),
            key: key.clone(),
            time: Timestamp::from_millis(5),
            producer: Some(Producer {
                group: Group::of_role(role),
                partition: at.partition,
                sequence: *sequence,
            }),
            cause: Some(Cause {
                event,
                at: from,
                offset,
            }),
            actor: None,
            traceparent: None,
        };
        let record = NewRecord {
            topic: at.topic,
            event: Event { envelope, body },
        };
        self.log.publish(vec![record]).await.expect("appended");
        id
    }
}

/// Enough that partitions have several, and none.
const CHANNELS: [&str; 5] = ["irc:#a", "irc:#b", "irc:#c", "irc:#d", "irc:#e"];

async fn write(log: &LocalLog, name: &str, messages: usize) {
    let mut writer = Writer {
        log,
        space: space(name),
        sequences: HashMap::new(),
    };
    for number in 0..messages {
        writer
            .write(CHANNELS[number % CHANNELS.len()], number)
            .await;
    }
}

/// The first records of the log, in the order of an export.
async fn archive(log: &LocalLog, dir: &Path, first: usize) -> (Archive, usize) {
    let counts = ORDER.map(|topic| (topic.name().to_owned(), log.partitions(topic)));
    let manifest = Manifest {
        format: 1,
        space: space("one"),
        exported_at: String::new(),
        version: String::new(),
        people: String::new(),
        partitions: counts.into(),
        undecided: Some(0),
        records: BTreeMap::new(),
        keys: 0,
        records_digest: String::new(),
        keys_digest: String::new(),
    };
    let mut all = partitions(log);
    all.sort_by_key(|at| ORDER.iter().position(|topic| *topic == at.topic));
    let mut records = Vec::new();
    for at in all {
        let read = log.read_raw(at, Offset(0), 1000).await.expect("reads");
        records.extend(read.into_iter().map(|record| archived(at, record)));
    }
    let count = records.len();
    let mut writing = Writing::begin(dir, manifest).expect("begins");
    for record in records.into_iter().take(first) {
        writing.append(record).expect("written");
    }
    writing
        .finish(&MemoryKeystore::default())
        .await
        .expect("ends");
    (Archive::open(dir).expect("opens"), count)
}

async fn found(log: &LocalLog) -> Found {
    let mut found = Found::default();
    // In two parts, as one that waited for the roles reads on.
    for _ in 0..2 {
        let read = found.read(log, &space("one"), &Output::Here).await;
        read.expect("reads");
    }
    found
}

async fn restore(archive: &Archive, log: &LocalLog) -> u64 {
    let plan = Plan::read(archive, log, &Output::Here).expect("whole");
    let found = found(log).await;
    found.check(&plan, &space("one")).expect("a part of it");
    let done = found.complete(log, (archive, plan), &Output::Here).await;
    done.expect("restored")
}

/// Every event of the log with its place.
async fn events(log: &LocalLog) -> Vec<(TopicPartition, Offset, Event)> {
    let (codec, topics, mut all) = (Codec::new(), of_log(log), Vec::new());
    for at in partitions(log) {
        for record in log.read_raw(at, Offset(0), 1000).await.expect("reads") {
            all.push((
                at,
                record.offset,
                event_at((&codec, &topics), at, &record).expect("an event"),
            ));
        }
    }
    all
}

async fn check(cut: usize, messages: usize, (before, after): (u32, u32)) {
    let dir = tempfile::tempdir().expect("a directory");
    let from = log_of(&dir.path().join("from"), before);
    write(&from, "one", messages).await;
    let to = log_of(&dir.path().join("to"), after);
    write(&to, "two", 7).await;
    let (whole, count) = archive(&from, &dir.path().join("whole"), usize::MAX).await;
    let cut = cut % (count + 1);
    let (part, _) = archive(&from, &dir.path().join("part"), cut).await;
    // when
    assert_eq!(restore(&part, &to).await, cut as u64);
    assert_eq!(restore(&whole, &to).await, (count - cut) as u64);
    // then: each once and in order, numbered on, with its cause where that is now.
    let there = events(&to).await;
    let place_of: HashMap<EventId, (TopicPartition, Offset)> = there
        .iter()
        .map(|(at, offset, event)| (event.envelope.id, (*at, *offset)))
        .collect();
    assert_eq!(place_of.len(), there.len(), "nothing is there twice");
    // Each key has its records in their order, whatever stands between them.
    let ours = |all: &[(TopicPartition, Offset, Event)]| {
        let mut of_key: BTreeMap<(Topic, String), Vec<EventId>> = BTreeMap::new();
        for (at, _, event) in all {
            if event.envelope.space == space("one") {
                let key = (at.topic, event.envelope.key.as_str().to_owned());
                of_key.entry(key).or_default().push(event.envelope.id);
            }
        }
        of_key
    };
    assert_eq!(ours(&there), ours(&events(&from).await));
    let mut last = HashMap::new();
    for (at, _, event) in &there {
        let producer = event.envelope.producer.clone().expect("a role wrote it");
        assert_eq!(
            producer.partition, at.partition,
            "a role works on its partition"
        );
        let last = last.entry((*at, producer.group)).or_insert(0);
        assert!(producer.sequence > *last, "repeats are known by it");
        *last = producer.sequence;
        let cause = event.envelope.cause.clone().expect("caused");
        match (&event.body, event.envelope.space == space("one")) {
            (Body::WindowReady(ready), _) => {
                assert_eq!(place_of[&cause.event], (cause.at, cause.offset));
                assert_eq!(ready.up_to, cause.offset);
            }
            // What the inbox had is gone.
            (_, true) => assert_eq!(cause.offset, Offset(-1)),
            (_, false) => assert_eq!(cause.offset, Offset(3)),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_restore_that_was_cut_off_anywhere_is_made_whole(cut: usize, messages in 1..30_usize) {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        runtime.block_on(check(cut, messages, (4, 4)));
    }

    #[test]
    fn so_is_one_into_a_log_with_other_partitions(
        cut: usize, messages in 1..30_usize, counts in (1..7_u32, 1..7_u32),
    ) {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        runtime.block_on(check(cut, messages, counts));
    }
}

#[tokio::test]
async fn a_space_that_went_on_is_not_mixed_with_what_it_was() {
    let dir = tempfile::tempdir().expect("a directory");
    let (from, to) = (log(&dir.path().join("from")), log(&dir.path().join("to")));
    write(&from, "one", 9).await;
    write(&to, "one", 12).await;
    let (archive, _) = archive(&from, &dir.path().join("whole"), usize::MAX).await;
    let plan = Plan::read(&archive, &from, &Output::Here).expect("whole");
    let found = found(&to).await;
    let refused = found.check(&plan, &space("one")).expect_err("more");
    assert!(
        refused.to_string().contains("other records in"),
        "{refused}"
    );
}

#[tokio::test]
async fn what_was_published_twice_is_taken_once() {
    let dir = tempfile::tempdir().expect("a directory");
    let log = log(dir.path());
    write(&log, "one", 9).await;
    let (all, mut once) = (events(&log).await, Once::default());
    for wanted in [true, false] {
        for (at, offset, event) in &all {
            assert_eq!(once.is_first(*at, event), wanted, "{at} {offset}");
        }
    }
}
