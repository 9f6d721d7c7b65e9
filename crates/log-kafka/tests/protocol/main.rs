//! The log on Kafka over the real protocol, against `tools/broker`, or any cluster when
//! `KAFKA_BOOTSTRAP` is set ([`cluster`]); and against the client
//! library's own double of a cluster, where something is to go wrong.

mod cluster;
mod faults;
mod groups;
mod others;
mod stats;
mod support;

use std::sync::Arc;

use threadlore_ports::{EventLog, RawLog, conformance};

use cluster::Cluster;
use support::connect;

#[tokio::test(flavor = "multi_thread")]
async fn the_log() {
    let cluster = std::sync::Mutex::new(None);
    conformance::log(|| async {
        // One after the other: a real one has the topics once.
        drop(cluster.lock().expect("no panic").take());
        let fresh = Cluster::start().await;
        let log = connect(fresh.bootstrap()).await;
        *cluster.lock().expect("no panic") = Some(fresh);
        Arc::new(log) as Arc<dyn EventLog>
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_as_bytes() {
    let cluster = std::sync::Mutex::new(None);
    conformance::raw(|| async {
        drop(cluster.lock().expect("no panic").take());
        let fresh = Cluster::start().await;
        let log = connect(fresh.bootstrap()).await;
        *cluster.lock().expect("no panic") = Some(fresh);
        Arc::new(log) as Arc<dyn RawLog>
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_opened_again() {
    let broker = Cluster::start().await;
    conformance::log_reopened(|| async {
        Arc::new(connect(broker.bootstrap()).await) as Arc<dyn EventLog>
    })
    .await;
}
