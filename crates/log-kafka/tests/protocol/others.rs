//! What others write on our topics, and topics that others made.

use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::producer::{FutureProducer, FutureRecord};
use threadlore_log_kafka::{KafkaLog, Plan, Planned};
use threadlore_model::{Offset, Partition, Topic, TopicPartition};
use threadlore_ports::{Class, EventLog, RawLog};
use threadlore_schema::Topics;

use crate::cluster::{Cluster, client, options};
use crate::support::{Wall, connect, place, read_all, records};

#[tokio::test(flavor = "multi_thread")]
async fn records_that_are_not_ours_have_their_reason() {
    let Some(cluster) = Cluster::start().await else {
        return;
    };
    let log = connect(&cluster.bootstrap()).await;
    log.publish(records(0..1)).await.expect("appends");
    let good = read_all(&log, place()).await;
    assert!(good[0].body.is_ok());
    let theirs: FutureProducer = client(&cluster.bootstrap()).create().expect("a producer");
    let topic = Topic::KnowledgeCases;
    let elsewhere = Partition((place().partition.0 + 1) % 4);
    for (key, value) in [
        (None, Some(&b"text"[..])),
        (Some("protocol/irc:a"), Some(&b"{}"[..])),
        (Some("protocol/irc:a"), None),
        (
            Some("protocol/irc:a"),
            Some(&b"\xc3\x01\0\0\0\0\0\0\0\0"[..]),
        ),
        (Some("protocol/irc:a"), Some(&b"\0\0\0\0\x07\0"[..])),
    ] {
        let mut record: FutureRecord<'_, str, [u8]> =
            FutureRecord::to(topic.name()).partition(elsewhere.0);
        record.key = key;
        record.payload = value;
        let wait = std::time::Duration::from_secs(30);
        theirs.send(record, wait).await.expect("written");
    }
    let at = TopicPartition {
        topic,
        partition: elsewhere,
    };
    let reasons: Vec<String> = read_all(&log, at)
        .await
        .into_iter()
        .map(|record| record.body.expect_err("none of ours").reason)
        .collect();
    for (reason, says) in reasons.iter().zip([
        "does not start with C3 01",
        "does not start with C3 01",
        "the value is empty",
        "no schema with fingerprint",
        "registry",
    ]) {
        assert!(reason.contains(says), "{reasons:?}");
    }
    assert_eq!(reasons.len(), 5);
}

/// Good values where they may not stand: each has its own reason, and what stands behind
/// it is read.
#[tokio::test(flavor = "multi_thread")]
async fn records_in_the_wrong_place_or_under_the_wrong_key_have_their_reason() {
    let Some(cluster) = Cluster::start().await else {
        return;
    };
    let log = connect(&cluster.bootstrap()).await;
    log.publish(records(0..1)).await.expect("appends");
    let good = log.read_raw(place(), Offset(0), 1).await.expect("reads");
    let partition = Partition((place().partition.0 + 1) % 4);
    for (topic, partition, key, says) in [
        (
            place().topic,
            partition,
            None,
            "its key belongs to partition",
        ),
        (
            place().topic,
            place().partition,
            Some(""),
            "the key is empty",
        ),
        (
            place().topic,
            place().partition,
            Some("protocol/irc:b"),
            "the key does not name the event's space and channel",
        ),
        (
            Topic::ChatEvents,
            place().partition,
            None,
            "CaseArchived does not belong on chat.events",
        ),
    ] {
        let at = TopicPartition { topic, partition };
        let before = read_all(&log, at).await.len();
        let mut odd = good[0].clone();
        odd.key = key.map_or(odd.key, |key| key.as_bytes().to_vec());
        let written = log.append_raw(at, vec![odd, good[0].clone()]).await;
        written.expect("written");
        let read = read_all(&log, at).await;
        assert_eq!(read.len(), before + 2);
        let reason = &read[before].body.as_ref().expect_err("no event").reason;
        assert!(reason.contains(says), "{reason}");
        assert_eq!(read[before + 1].body.is_ok(), at == place());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_topic_with_other_partitions_is_refused_and_not_touched() {
    let Some(cluster) = Cluster::start().await else {
        return;
    };
    let admin: AdminClient<DefaultClientContext> =
        client(&cluster.bootstrap()).create().expect("a client");
    let name = Topic::ChatEvents.name();
    let few = [NewTopic::new(name, 2, TopicReplication::Fixed(1)).set("retention.ms", "1000")];
    let made = admin.create_topics(&few, &AdminOptions::new()).await;
    made.expect("answered")[0].as_ref().expect("made");
    let options = options(&cluster.bootstrap());
    for _ in 0..2 {
        let plan = Plan::look(&options, Topics::embedded())
            .await
            .expect("looks");
        plan.create_missing(&options, 1)
            .await
            .expect("makes the others");
        let differs = |planned: &Planned| matches!(planned, Planned::Differs(_));
        let of = |topic| {
            plan.topics
                .iter()
                .find(|(t, _)| *t == topic)
                .expect("planned")
        };
        assert!(differs(&of(Topic::ChatEvents).1), "{plan:?}");
    }
    let refused = KafkaLog::connect(
        options,
        Topics::embedded().clone(),
        None,
        std::sync::Arc::new(Wall),
    );
    let refused = refused.await.err().expect("refused");
    assert_eq!(refused.class(), Class::Fatal);
    let said = refused.to_string();
    assert!(
        said.contains("chat.events differs: partitions is 2 and must be 4")
            && said.contains("retention.ms is 1000 and must be -1")
            && said.contains("`threadlore topics plan`"),
        "{said}"
    );
    println!("{said}");
}
