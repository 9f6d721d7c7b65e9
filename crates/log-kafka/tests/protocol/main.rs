//! The log on Kafka over the real protocol, against `tools/broker`; and against the client
//! library's own double of a cluster, where something is to go wrong.

mod faults;
mod groups;
mod others;
mod stats;
mod support;

use std::sync::Arc;

use threadlore_ports::{EventLog, conformance};
use threadlore_testkit::Broker;

use support::connect;

#[tokio::test(flavor = "multi_thread")]
async fn the_log() {
    let dirs = tempfile::tempdir().expect("a directory");
    let count = std::sync::atomic::AtomicU32::new(0);
    let brokers = std::sync::Mutex::new(Vec::new());
    conformance::log(|| async {
        let number = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let broker = Broker::start(&dirs.path().join(number.to_string()));
        let log = connect(broker.bootstrap()).await;
        brokers.lock().expect("a list").push(broker);
        Arc::new(log) as Arc<dyn EventLog>
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_opened_again() {
    let dir = tempfile::tempdir().expect("a directory");
    let broker = Broker::start(dir.path());
    conformance::log_reopened(|| async {
        Arc::new(connect(broker.bootstrap()).await) as Arc<dyn EventLog>
    })
    .await;
}
