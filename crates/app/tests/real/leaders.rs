//! Three brokers, and the one that leads the busiest partition is killed in the middle of an
//! import: what it acknowledged is on another one, and nothing is lost or doubled.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use threadlore_log_kafka::{KafkaLog, KafkaOptions};
use threadlore_model::{ChannelId, Key, SpaceId, Topic, TopicPartition};
use threadlore_ports::place;
use threadlore_schema::Topics;
use threadlore_testkit::KafkaSetup;

use super::chat::{import, many_parts};
use super::cluster::{Cluster, ROLES};
use super::kafka::Standing;
use super::support::{PATIENCE, Place, all_work, look, messages};

/// What makes runs comparable (see `kafka`).
const SAME: &str = "[buffer]\nidle_ms = 86400000\n";

#[test]
fn leaders_that_are_killed_lose_and_double_nothing() {
    kill_leaders(3);
}

#[test]
#[ignore = "long form: ./dev soak kafka"]
fn a_leader_is_killed_thirty_times_soak_kafka() {
    kill_leaders(30);
}

/// In the middle of as many imports, one after the other.
fn kill_leaders(kills: usize) {
    let setup = KafkaSetup::default().nodes(3);
    let Some(mut cluster) = Cluster::with(&setup, "3", Place::new(), SAME) else {
        return;
    };
    // What an acknowledged record rests on.
    let described = ["--describe", "--topic", Topic::ChatEvents.name()];
    let described = cluster.kafka.tool("kafka-configs.sh", &described);
    assert!(described.contains("min.insync.replicas=2"), "{described}");
    let parts = many_parts(kills + 1);
    let mut processes = [Some(cluster.run(&ROLES)), Some(cluster.run(&ROLES))];
    import(&cluster.place, &parts[..1], &AtomicBool::new(false));
    let observer = Observer::of(&cluster);
    // What is appended, and what is made of it.
    let topics = [Topic::ChatInbox, Topic::ChatEvents, Topic::KnowledgeCases];
    for (number, (path, log)) in parts.iter().enumerate().skip(1) {
        cluster.place.file(path, log);
        let channel = format!("irc:#u{number}");
        let args = ["import", path, "--channel", &channel];
        let topic = topics[number % topics.len()];
        let leader = observer.leader(topic, &channel, 0);
        let mut during = cluster.place.start(&mut cluster.place.command(&args));
        assert!(during.wait_for("importing:"), "{}", during.said());
        cluster.kafka.kill_node(leader);
        let next = observer.leader(topic, &channel, leader);
        let during = during.end();
        assert!(matches!(during.code, Some(0 | 6)), "{}", during.err);
        // The same command goes on from where it was.
        cluster.place.json(&args);
        all_work(&mut processes);
        cluster.kafka.start_again();
        println!(
            "node {leader}, which led {topic} of {channel}, was killed in an import, which ended \
             with {:?}; node {next} leads now",
            during.code
        );
    }
    let counts = cluster.sql(
        "SELECT count(*) FROM lore_state.accepted a \
         JOIN lore.messages m ON m.message = a.event",
    );
    let sent: usize = parts.iter().map(|(_, log)| messages(log).len()).sum();
    assert_eq!(counts, Some(sent.to_string()), "accepted ids");
    let here = cluster.place.verified();
    assert_eq!(here.table("messages").0, sent as u64, "lost or doubled");
    for process in processes.into_iter().flatten() {
        process.stop();
    }

    let alone = Place::beside(&cluster.place);
    alone.file("threadlore.toml", SAME);
    import(&alone, &parts, &AtomicBool::new(false));
    here.is_same_as(&alone.verified());
}

/// Asks the cluster who leads what.
struct Observer {
    runtime: tokio::runtime::Runtime,
    log: KafkaLog,
}

impl Observer {
    fn of(cluster: &Cluster) -> Self {
        let options = KafkaOptions {
            bootstrap: cluster.kafka.bootstrap(),
            ..KafkaOptions::default()
        };
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let log = runtime.block_on(async {
            let topics = Topics::embedded().clone();
            KafkaLog::unchecked(options, topics, None, Arc::new(Standing)).expect("a client")
        });
        Self { runtime, log }
    }

    /// The node that leads a channel's partition, once another one than this does.
    fn leader(&self, topic: Topic, channel: &str, other_than: usize) -> usize {
        let space = SpaceId::parse("default").expect("a space");
        let channel = ChannelId::parse(channel).expect("a channel");
        let key = Key::of_channel(&space, &channel);
        let at: TopicPartition = place(&self.log, topic, key.as_str().as_bytes());
        #[expect(clippy::disallowed_methods, reason = "the test's own wall time")]
        let asked = std::time::Instant::now();
        loop {
            let leader = self.runtime.block_on(self.log.leader(at));
            if let Ok(Some(id)) = leader {
                let id = usize::try_from(id).expect("a number of a node");
                if id != other_than {
                    return id;
                }
            }
            assert!(asked.elapsed() < PATIENCE, "{at} has no leader: {leader:?}");
            look();
        }
    }
}
