//! A broker that dies, and a cluster in which something goes wrong.

use std::sync::Arc;

use rdkafka::consumer::{BaseConsumer, Consumer as _};
use rdkafka::mocking::MockCluster;
use rdkafka::producer::DefaultProducerContext;
use rdkafka::types::{RDKafkaApiKey, RDKafkaRespErr};
use rdkafka::{Message as _, TopicPartitionList};
use threadlore_log_kafka::KafkaLog;
use threadlore_model::{Group, Offset, Role, Timestamp, Topic};
use threadlore_ports::{Class, Clock as _, EventLog, PortError, RawLog as _, RawRecord};
use threadlore_schema::Topics;
use threadlore_testkit::Kafka;

use crate::cluster::{client, options};
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
    let Some(mut kafka) = Kafka::start(dir.path()) else {
        return;
    };
    let log = Arc::new(connect(&kafka.bootstrap()).await);
    log.publish(records(0..100)).await.expect("appends");
    assert_eq!(
        numbers(&read_all(log.as_ref(), place()).await),
        expected(100)
    );
    for round in 1..3 {
        kafka.kill();
        let (from, to) = (round * 100, round * 100 + 100);
        let waiting = tokio::spawn({
            let log = Arc::clone(&log);
            async move { log.publish(records(from..to)).await }
        });
        assert!(log.range(place()).await.is_err(), "nobody answers");
        assert!(!waiting.is_finished(), "it waits for the broker");
        kafka.start_again();
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
    log.publish(records(0..10)).await.expect("appends");
    cluster.request_errors(
        RDKafkaApiKey::Produce,
        &[
            RDKafkaRespErr::RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION,
            RDKafkaRespErr::RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT,
            RDKafkaRespErr::RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS,
        ],
    );
    log.publish(records(10..60)).await.expect("appends");
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
        log.publish(records(from..from + 20))
            .await
            .expect("appends");
        assert_eq!(numbers(&read_all(&log, place()).await), expected(from + 20));
    }
    cluster.broker_down(1).expect("down");
    cluster
        .partition_leader(topic, partition, Some(2))
        .expect("moved");
    log.publish(records(80..100)).await.expect("appends");
    assert_eq!(numbers(&read_all(&log, place()).await), expected(100));
    cluster.broker_up(1).expect("up");
    log.publish(records(100..120)).await.expect("appends");
    assert_eq!(numbers(&read_all(&log, place()).await), expected(120));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_producer_that_can_go_no_further_is_replaced() {
    let cluster = cluster();
    let log = on(&cluster);
    log.publish(records(0..10)).await.expect("appends");
    cluster.request_errors(
        RDKafkaApiKey::Produce,
        &[RDKafkaRespErr::RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER],
    );
    let refused = log.publish(records(10..20)).await;
    println!("{refused:?}");
    // As the outbox does: from the first record that is not known to be written.
    while log.publish(records(10..20)).await.is_err() {}
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

/// What the user may not do is said with what to do, and ends the process: it does not
/// pass by itself.
#[tokio::test(flavor = "multi_thread")]
async fn what_the_user_may_not_do_is_said() {
    let not = RDKafkaRespErr::RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED;
    let says = |error: PortError, what: &str| {
        assert_eq!(error.class(), Class::Fatal, "{error:?}");
        let said = error.to_string();
        println!("{said}");
        assert!(
            said.contains(what) && said.contains("`threadlore topics render acls`"),
            "{said}"
        );
    };
    let cluster = cluster();
    let log = on(&cluster);
    log.publish(records(0..1)).await.expect("appends");

    cluster.request_errors(RDKafkaApiKey::Produce, &[not; 5]);
    let refused = log.publish(records(1..2)).await;
    says(
        refused.expect_err("may not write"),
        "Write on topic knowledge.cases",
    );

    let log = on(&cluster);
    cluster.request_errors(RDKafkaApiKey::Fetch, &[not; 5]);
    let refused = log.read(place(), Offset(0), 1).await;
    says(
        refused.expect_err("may not read"),
        "Read on topic knowledge.cases",
    );

    let (group, topic) = (Group::of_role(Role::Buffer), Topic::ChatEvents);
    let not = RDKafkaRespErr::RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED;
    cluster.request_errors(RDKafkaApiKey::FindCoordinator, &[not; 5]);
    let mut member = log.join(&group, topic).await.expect("asks");
    let refused = member.change().await;
    says(refused.expect_err("may not join"), "Read on group buffer");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_producer_whose_clock_is_ahead_makes_no_record_come_later_than_now() {
    let cluster = cluster();
    let log = on(&cluster);
    log.publish(records(0..1)).await.expect("appends");
    let ahead = Timestamp::from_millis(4_102_444_800_000);
    let good = log.read_raw(place(), Offset(0), 1).await.expect("reads");
    let record = RawRecord {
        appended: ahead,
        ..good[0].clone()
    };
    let written = log.append_raw(place(), vec![record]).await;
    written.expect("written");
    let theirs = tokio::task::spawn_blocking({
        let bootstrap = cluster.bootstrap_servers();
        move || time_of(&bootstrap)
    });
    assert_eq!(theirs.await.expect("no panic"), ahead.as_millis());
    let read = read_all(&log, place()).await;
    assert!(read[1].appended <= Wall.now(), "{:?}", read[1].appended);
    assert!(read[1].appended >= read[0].appended);
}

/// The time of the second record as it stands on the cluster.
fn time_of(bootstrap: &str) -> i64 {
    let mut list = TopicPartitionList::new();
    let at = place();
    let second = rdkafka::Offset::Offset(1);
    list.add_partition_offset(at.topic.name(), at.partition.0, second)
        .expect("added");
    let reader: BaseConsumer = client(bootstrap)
        .set("group.id", "any")
        .create()
        .expect("a client");
    reader.assign(&list).expect("assigned");
    loop {
        if let Some(Ok(record)) = reader.poll(std::time::Duration::from_secs(1)) {
            return record.timestamp().to_millis().expect("a time");
        }
    }
}
