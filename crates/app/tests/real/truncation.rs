//! Somebody deletes records of a topic that is kept for ever (Kafka's `DeleteRecords`): what
//! was made of them stays, and nothing is built of the rest.

use std::sync::atomic::AtomicBool;

use threadlore_log_kafka::{KafkaLog, KafkaOptions};
use threadlore_model::{Offset, Partition, Topic, TopicPartition};
use threadlore_ports::EventLog as _;
use threadlore_schema::Topics;

use super::chat::{import, parts};
use super::cluster::{Cluster, ROLES};
use super::kafka::Standing;
use super::support::Place;

/// Where a topic has its records; all but the last one are deleted.
fn truncate(cluster: &Cluster, topic: Topic) -> (TopicPartition, Offset) {
    let options = KafkaOptions {
        bootstrap: cluster.kafka.bootstrap(),
        ..KafkaOptions::default()
    };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let topics = Topics::embedded().clone();
        let clock = std::sync::Arc::new(Standing);
        let log = KafkaLog::unchecked(options, topics, None, clock).expect("a client");
        let mut longest = None;
        for partition in (0..4).map(Partition) {
            let at = TopicPartition { topic, partition };
            let end = log.range(at).await.expect("a range").end;
            longest = longest.max(Some((end, at)));
        }
        let (end, at) = longest.expect("partitions");
        let first = Offset(end.0 - 1);
        assert!(first > Offset(10), "{at} has too few records: {end}");
        log.truncate([(at, first)].into()).await.expect("deleted");
        assert_eq!(log.range(at).await.expect("a range").start, first);
        (at, first)
    })
}

#[test]
fn records_that_were_deleted_are_missed_before_anything_is_made_of_the_rest() {
    let Some(cluster) = Cluster::start(Place::new(), "") else {
        return;
    };
    let process = cluster.run(&ROLES);
    import(&cluster.place, &parts()[..1], &AtomicBool::new(false));
    let before = cluster.sql("SELECT count(*) FROM lore.messages");
    let (at, first) = truncate(&cluster, Topic::ChatEvents);

    // Builds of the truncated topic are refused, and the live one stays.
    let refused = cluster.place.run(&["replay", "--projection", "messages"]);
    assert_eq!(refused.code, Some(1), "{}", refused.err);
    let said = format!("replay impossible before offset {first} of {at}");
    assert!(refused.err.contains(&said), "{}", refused.err);
    let refused = cluster.place.run(&["verify"]);
    assert_eq!(refused.code, Some(1), "{}", refused.err);
    assert!(refused.err.contains(&said), "{}", refused.err);
    assert_eq!(cluster.sql("SELECT count(*) FROM lore.messages"), before);
    // What read everything before goes on.
    process.stop();
    let process = cluster.run(&ROLES);
    import(&cluster.place, &parts()[1..2], &AtomicBool::new(false));
    process.stop();

    // Who stands behind the gap ends and names it.
    let behind = format!(
        "UPDATE lore_state.shards SET positions = positions || '{{\"{}\": 1}}' \
         WHERE consumer_group = 'buffer' AND partition = {}",
        at.topic, at.partition.0
    );
    cluster.sql(&behind).expect("moved back");
    let mut process = cluster.run(&ROLES);
    let words = format!("of {at}, and the records from there to offset {first} were deleted");
    assert!(process.wait_for(&words), "{}", process.said());
    assert_eq!(process.end().code, Some(1));
}
