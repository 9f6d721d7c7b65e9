//! What others write on our topics, and topics that others made.

use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::producer::{FutureProducer, FutureRecord};
use threadlore_log_kafka::{KafkaLog, Plan, Planned};
use threadlore_model::{Partition, Topic, TopicPartition};
use threadlore_ports::{Class, EventLog};
use threadlore_schema::Topics;

use crate::cluster::{Cluster, client, options};
use crate::support::{Wall, connect, place, read_all, records};

#[tokio::test(flavor = "multi_thread")]
async fn records_that_are_not_ours_have_their_reason() {
    let broker = Cluster::start().await;
    let log = connect(broker.bootstrap()).await;
    log.append(records(0..1)).await.expect("appends");
    let good = read_all(&log, place()).await;
    assert!(good[0].body.is_ok());
    let theirs: FutureProducer = client(broker.bootstrap()).create().expect("a producer");
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

#[tokio::test(flavor = "multi_thread")]
async fn a_topic_with_other_partitions_is_refused_and_not_touched() {
    let broker = Cluster::start().await;
    let admin: AdminClient<DefaultClientContext> =
        client(broker.bootstrap()).create().expect("a client");
    let name = Topic::ChatEvents.name();
    let few = [NewTopic::new(name, 2, TopicReplication::Fixed(1)).set("retention.ms", "1000")];
    let made = admin.create_topics(&few, &AdminOptions::new()).await;
    made.expect("answered")[0].as_ref().expect("made");
    let options = options(broker.bootstrap());
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
        said.contains("chat.events differs: partitions is 2 and must be 4"),
        "{said}"
    );
    println!("{said}");
}
