//! A broker that dies, and a cluster in which something goes wrong.

use std::sync::Arc;

use rdkafka::mocking::MockCluster;
use rdkafka::producer::DefaultProducerContext;
use rdkafka::types::{RDKafkaApiKey, RDKafkaRespErr};
use threadlore_log_kafka::KafkaLog;
use threadlore_model::Topic;
use threadlore_ports::EventLog;
use threadlore_schema::Topics;
use threadlore_testkit::Broker;

use crate::cluster::options;
use crate::support::{Wall, connect, number, place, read_all, records};

fn numbers(read: &[threadlore_ports::Record]) -> Vec<i64> {
    read.iter().map(number).collect()
}

fn expected(end: i64) -> Vec<i64> {
    (0..end).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_dies_is_waited_for_and_nothing_is_lost() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut broker = Broker::start(dir.path());
    let log = Arc::new(connect(broker.bootstrap()).await);
    log.append(records(0..100)).await.expect("appends");
    assert_eq!(
        numbers(&read_all(log.as_ref(), place()).await),
        expected(100)
    );
    for round in 1..3 {
        broker.kill();
        let (from, to) = (round * 100, round * 100 + 100);
        let waiting = tokio::spawn({
            let log = Arc::clone(&log);
            async move { log.append(records(from..to)).await }
        });
        assert!(log.range(place()).await.is_err(), "nobody answers");
        assert!(!waiting.is_finished(), "it waits for the broker");
        broker.start_again();
        waiting.await.expect("a task").expect("appends");
        assert_eq!(
            numbers(&read_all(log.as_ref(), place()).await),
            expected(to)
        );
    }
}

/// A cluster of three brokers within the client library.
fn cluster() -> MockCluster<'static, DefaultProducerContext> {
    let cluster = MockCluster::new(3).expect("a cluster");
    for spec in Topics::embedded().iter() {
        let partitions = i32::try_from(spec.partitions).expect("few");
        cluster
            .create_topic(spec.topic.name(), partitions, 3)
            .expect("made");
    }
    cluster
}

/// It does not tell the properties of topics, so they are not looked at.
fn on(cluster: &MockCluster<'static, DefaultProducerContext>) -> KafkaLog {
    let options = options(&cluster.bootstrap_servers());
    KafkaLog::unchecked(options, Topics::embedded().clone(), None, Arc::new(Wall))
        .expect("connects")
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_of_a_cluster_pass_without_gap_or_repeat() {
    let cluster = cluster();
    let log = on(&cluster);
    log.append(records(0..10)).await.expect("appends");
    cluster.request_errors(
        RDKafkaApiKey::Produce,
        &[
            RDKafkaRespErr::RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION,
            RDKafkaRespErr::RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT,
            RDKafkaRespErr::RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS,
        ],
    );
    log.append(records(10..60)).await.expect("appends");
    cluster.request_errors(
        RDKafkaApiKey::Fetch,
        &[
            RDKafkaRespErr::RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION,
            RDKafkaRespErr::RD_KAFKA_RESP_ERR_KAFKA_STORAGE_ERROR,
        ],
    );
    assert_eq!(numbers(&read_all(&log, place()).await), expected(60));
}

#[tokio::test(flavor = "multi_thread")]
async fn leaders_move_and_brokers_go() {
    let cluster = cluster();
    let log = on(&cluster);
    let (topic, partition) = (Topic::KnowledgeCases.name(), place().partition.0);
    for (round, leader) in [1, 2, 3, 1].into_iter().enumerate() {
        let from = round as i64 * 20;
        cluster
            .partition_leader(topic, partition, Some(leader))
            .expect("moved");
        log.append(records(from..from + 20)).await.expect("appends");
        assert_eq!(numbers(&read_all(&log, place()).await), expected(from + 20));
    }
    cluster.broker_down(1).expect("down");
    cluster
        .partition_leader(topic, partition, Some(2))
        .expect("moved");
    log.append(records(80..100)).await.expect("appends");
    assert_eq!(numbers(&read_all(&log, place()).await), expected(100));
    cluster.broker_up(1).expect("up");
    log.append(records(100..120)).await.expect("appends");
    assert_eq!(numbers(&read_all(&log, place()).await), expected(120));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_producer_that_can_go_no_further_is_replaced() {
    let cluster = cluster();
    let log = on(&cluster);
    log.append(records(0..10)).await.expect("appends");
    cluster.request_errors(
        RDKafkaApiKey::Produce,
        &[RDKafkaRespErr::RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER],
    );
    let refused = log.append(records(10..20)).await;
    println!("{refused:?}");
    // As the outbox does: from the first record that is not known to be written.
    while log.append(records(10..20)).await.is_err() {}
    let mut read = numbers(&read_all(&log, place()).await);
    // Repeats are dropped by their sequence; there is never one missing before another.
    let mut highest = -1;
    read.retain(|number| {
        let is_new = *number > highest;
        highest = highest.max(*number);
        is_new
    });
    assert_eq!(read, expected(20));
}
