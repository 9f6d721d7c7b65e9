//! The in-memory twins keep the promises of their ports.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::executor::block_on;
use threadlore_model::{Offset, Partition, Timestamp, Topic, TopicPartition};
use threadlore_ports::{BlobStore, CaseIndex, Class, Clock, EventLog, Keystore, Undecodable};
use threadlore_testkit::conformance;
use threadlore_testkit::{MemoryBlobs, MemoryIndex, MemoryKeystore, MemoryLog};

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

#[test]
fn the_log() {
    block_on(conformance::log(|| async {
        Arc::new(MemoryLog::new(4, Arc::new(Still))) as Arc<dyn EventLog>
    }));
}

#[test]
fn the_log_truncated() {
    block_on(conformance::log_truncated(|| async {
        Arc::new(MemoryLog::new(4, Arc::new(Still))) as Arc<dyn EventLog>
    }));
}

#[test]
fn the_keystore() {
    let store: Arc<dyn Keystore> = Arc::new(MemoryKeystore::default());
    block_on(conformance::keystore(|| async { store.clone() }));
}

#[test]
fn the_blobs() {
    let store: Arc<dyn BlobStore> = Arc::new(MemoryBlobs::default());
    block_on(conformance::blobs(|| async { store.clone() }));
}

#[test]
fn the_index() {
    block_on(conformance::index(&MemoryIndex::default()));
    let store: Arc<dyn CaseIndex> = Arc::new(MemoryIndex::default());
    block_on(conformance::index_reopened(|| async { store.clone() }));
}

#[test]
fn raw_records_and_a_later_start() {
    let log = MemoryLog::new(2, Arc::new(Still));
    let at = TopicPartition {
        topic: Topic::ChatInbox,
        partition: Partition(1),
    };
    let bad = Undecodable {
        reason: "no event".to_owned(),
        value: vec![1],
        key: None,
        is_newer: false,
    };
    for i in 0..3 {
        assert_eq!(log.push_raw(at, bad.clone()).expect("pushed"), Offset(i));
    }
    log.truncate_start(at, Offset(2)).expect("truncated");
    assert_eq!(
        block_on(log.range(at)).expect("a range"),
        Offset(2)..Offset(3)
    );
    let gone = block_on(log.read(at, Offset(1), 9)).expect_err("gone");
    assert_eq!(gone.class(), Class::Fatal);
    let left = block_on(log.read(at, Offset(2), 9)).expect("reads");
    assert_eq!(left[0].body, Err(bad));
    assert_eq!(log.dump().len(), 1);
}
