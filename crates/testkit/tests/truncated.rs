//! Records of the truth that were deleted: nothing is built of the rest, and nobody goes on
//! behind the gap.

use std::sync::Arc;

use futures::executor::block_on;
use threadlore_model::{
    ArchiveReason, Body, CaseArchived, CaseId, ChannelId, Envelope, Event, EventId, Key, MessageId,
    Offset, Partition, PersonId, ReactionAdded, SpaceId, Topic, TopicPartition,
};
use threadlore_ports::{
    Changes, Class, Clock, EventLog, Generations, NewRecord, PortError, Projection, Shard, Store,
};
use threadlore_replay::{FoldPorts, Projector, rebuild};
use threadlore_roles::{Buffer, BufferParams, Processor};
use threadlore_runtime::{Limits, NoCaller, Worker};
use threadlore_testkit::{MemoryLog, MemoryStore, StoppedClock, fold_ports};

const AT: TopicPartition = TopicPartition {
    topic: Topic::KnowledgeCases,
    partition: Partition(0),
};

fn archived(number: u32) -> NewRecord {
    let space = SpaceId::parse("a").expect("a valid space");
    let channel = ChannelId::parse("test:help").expect("a valid channel");
    let id = EventId::of_content("test", &[&number.to_string()]);
    let envelope = Envelope {
        id,
        key: Key::of_channel(&space, &channel),
        space,
        time: StoppedClock.now(),
        producer: None,
        cause: None,
        actor: None,
        traceparent: None,
    };
    let body = Body::from(CaseArchived {
        case: CaseId::first_carried_by(id),
        channel,
        reason: ArchiveReason::Expired,
        now: envelope.time,
    });
    NewRecord {
        topic: AT.topic,
        event: Event { envelope, body },
    }
}

/// A log of ten records, and what folds them.
fn parts() -> (Arc<MemoryLog>, Arc<MemoryStore>, FoldPorts) {
    let log = Arc::new(MemoryLog::new(1, Arc::new(StoppedClock)));
    let store = Arc::new(MemoryStore::new());
    let ports = fold_ports(&log, &store, Arc::new(StoppedClock));
    block_on(log.publish((0..10).map(archived).collect())).expect("appended");
    (log, store, ports)
}

fn refused(error: PortError, words: &str) {
    assert_eq!(error.class(), Class::Fatal, "{error:?}");
    assert!(error.to_string().contains(words), "{error}");
}

#[test]
fn a_replay_of_a_topic_without_its_first_records_is_refused_and_makes_no_build() {
    let (log, store, ports) = parts();
    log.truncate_start(AT, Offset(4)).expect("truncated");
    let projection = Projection::Cases;
    let before = block_on(store.generations()).expect("lists").len();
    let rebuilt = block_on(rebuild(&ports, None, store.as_ref(), projection));
    let words = "replay impossible before offset 4 of knowledge.cases/0";
    refused(rebuilt.expect_err("records are missing"), words);
    assert_eq!(block_on(store.generations()).expect("lists").len(), before);
}

#[test]
fn a_reader_whose_next_record_was_deleted_ends_and_says_so() {
    let (log, store, ports) = parts();
    block_on(async {
        let build = store.create(Projection::Cases).await.expect("made");
        let start = || Projector::start(build, AT.partition, ports.clone());
        let mut reader = start().await.expect("starts");
        assert_eq!(reader.step(3).await.expect("folds"), 3);
        // At its position nothing is missing yet.
        log.truncate_start(AT, Offset(3)).expect("truncated");
        let mut reader = start().await.expect("starts");
        assert_eq!(reader.step(1).await.expect("folds"), 1);
        log.truncate_start(AT, Offset(7)).expect("truncated");
        let words = "stands at offset 4 of knowledge.cases/0, and the records from there to \
                     offset 7 were deleted";
        refused(start().await.err().expect("a gap"), words);
    });
}

#[test]
fn states_of_another_version_stay_where_their_records_were_deleted() {
    let (log, store, ports) = parts();
    block_on(async {
        // given
        let at = TopicPartition {
            topic: Topic::ChatEvents,
            ..AT
        };
        let records = (0..10).map(|number| {
            let mut event = archived(number).event;
            let id = event.envelope.id.as_uuid();
            event.body = Body::from(ReactionAdded {
                message: MessageId::from_uuid(id),
                channel: ChannelId::parse("test:help").expect("a valid channel"),
                person: PersonId::from_uuid(id),
                emoji: "👍".to_owned(),
                at: event.envelope.time,
            });
            let topic = at.topic;
            NewRecord { topic, event }
        });
        log.publish(records.collect()).await.expect("appends");
        let buffer = Buffer(BufferParams::default());
        let shard = Shard {
            group: buffer.group(),
            partition: at.partition,
        };
        let owner = store.acquire(&shard).await.expect("acquires");
        let changes = Changes {
            positions: [(at.topic, Offset(4))].into(),
            recovered: true,
            ..Changes::default()
        };
        let committed = store.commit(&shard, owner.epoch, changes).await;
        committed.expect("commits");
        store.set_layout(&shard, 7);
        log.truncate_start(at, Offset(4)).expect("truncated");
        // when
        let (buffer, caller) = (Arc::new(buffer), Arc::new(NoCaller));
        let started = Worker::start(buffer, caller, at.partition, ports, Limits::default());
        // then
        let words = "records of chat.events/0 before offset 4 were deleted";
        refused(started.await.err().expect("a gap"), words);
        let owner = store.ownership_of(&shard);
        assert_eq!((owner.layout, owner.positions[&at.topic]), (7, Offset(4)));
    });
}

#[test]
fn a_reader_without_a_position_does_not_begin_behind_deleted_records() {
    let (log, store, ports) = parts();
    log.truncate_start(AT, Offset(4)).expect("truncated");
    block_on(async {
        let build = store.create(Projection::Cases).await.expect("made");
        let started = Projector::start(build, AT.partition, ports).await;
        let words = "records of knowledge.cases/0 before offset 4 were deleted";
        refused(started.err().expect("a gap"), words);
    });
}
