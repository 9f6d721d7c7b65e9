//! The log on Kafka over the real protocol, against a node of Apache Kafka, or any cluster when
//! `KAFKA_BOOTSTRAP` is set ([`cluster`]); and against the client library's own double of a
//! cluster, where something is to go wrong.

mod access;
mod cluster;
mod faults;
mod groups;
mod others;
mod rebalances;
mod stats;
mod support;

use std::sync::Arc;

use threadlore_ports::{EventLog, RawLog};
use threadlore_testkit::conformance;

use cluster::Cluster;
use support::connect;

#[tokio::test(flavor = "multi_thread")]
async fn the_log() {
    let Some(cluster) = Cluster::start().await else {
        return;
    };
    conformance::log(|| async {
        cluster.empty().await;
        Arc::new(connect(&cluster.bootstrap()).await) as Arc<dyn EventLog>
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_as_bytes() {
    let Some(cluster) = Cluster::start().await else {
        return;
    };
    conformance::raw(|| async {
        cluster.empty().await;
        Arc::new(connect(&cluster.bootstrap()).await) as Arc<dyn RawLog>
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_truncated() {
    let Some(cluster) = Cluster::start().await else {
        return;
    };
    conformance::log_truncated(|| async {
        cluster.empty().await;
        Arc::new(connect(&cluster.bootstrap()).await) as Arc<dyn EventLog>
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_opened_again() {
    let Some(cluster) = Cluster::start().await else {
        return;
    };
    conformance::log_reopened(|| async {
        Arc::new(connect(&cluster.bootstrap()).await) as Arc<dyn EventLog>
    })
    .await;
}
