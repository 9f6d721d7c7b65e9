//! A real schema registry goes away in the middle of the work and comes back: what is known
//! goes on, what is not waits, and nobody ends.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use threadlore_log_kafka::{KafkaLog, KafkaOptions};
use threadlore_model::{Offset, Topic, TopicPartition, partition_for};
use threadlore_ports::{Clock, EventLog as _, RawLog as _, RawRecord};
use threadlore_schema::Topics;
use threadlore_testkit::SchemaRegistry;

use super::chat::{import_at, parts};
use super::cluster::{Cluster, ROLES};
use super::kafka::Standing;
use super::outages::memory;
use super::support::{PATIENCE, Place, Running, all_work, look, messages, signal};

/// How long it is away.
const SECONDS: u64 = 12;

/// A gateway's own schema: without the fields that have a default. Each has its own words.
fn own_schema(doc: &str) -> String {
    let own = r#"{"type":"record","name":"PlatformMessage","namespace":"io.threadlore.v1","doc":"D",
    "fields":[{"name":"channel","type":"string"},{"name":"native_id","type":"string"},
    {"name":"author_id","type":"string"},{"name":"author_is_bot","type":"boolean"},
    {"name":"text","type":"string"},
    {"name":"sent_at","type":{"type":"long","logicalType":"timestamp-millis"}}]}"#;
    own.replace(r#""doc":"D""#, &format!(r#""doc":"{doc}""#))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Killed: connections are refused.
    Refuses,
    /// Stopped: connections stand, and nothing answers.
    Hangs,
}

impl Way {
    fn set(self, registry: &mut SchemaRegistry, up: bool) {
        match (self, up) {
            (Self::Refuses, false) => registry.kill(),
            (Self::Refuses, true) => registry.start_again(),
            (Self::Hangs, up) => {
                let pid = registry.pid().expect("it runs");
                signal(pid, if up { "CONT" } else { "STOP" });
            }
        }
    }
}

#[test]
fn a_registry_that_goes_away_and_comes_back_loses_nothing() {
    is_away_for(SECONDS);
}

#[test]
#[ignore = "long form: ./dev soak registry"]
fn a_registry_is_away_for_five_minutes_soak_registry() {
    is_away_for(300);
}

fn is_away_for(seconds: u64) {
    let place = Place::new();
    let Some(mut registry) = SchemaRegistry::start(&place.path().join("registry")) else {
        return;
    };
    let settings = format!("[registry]\nurl = \"{}\"\n", registry.url());
    let Some(cluster) = Cluster::start(place, &settings) else {
        return;
    };
    let parts = parts();
    let mut processes = vec![Some(cluster.run(&ROLES)), Some(cluster.run(&ROLES))];
    import_at(&cluster.place, &parts[..1], 0, &AtomicBool::new(false));
    let known = registry.ids();
    for (n, way) in [Way::Refuses, Way::Hangs].into_iter().enumerate() {
        let channels = [2 * n + 1, 2 * n + 2];
        let imports = channels.map(|number| {
            let (path, log) = &parts[number];
            cluster.place.file(path, log);
            (path.as_str(), format!("irc:#u{number}"))
        });
        let args = |number: usize| {
            let (path, channel) = &imports[number];
            ["import", *path, "--channel", channel]
        };
        let own = registry.register(&format!("gateway-{n}"), &own_schema(&n.to_string()));
        let mut during = cluster.place.start(&mut cluster.place.command(&args(0)));
        assert!(during.wait_for("importing:"), "{}", during.said());
        #[expect(clippy::disallowed_methods, reason = "the test's own wall time")]
        let away = Instant::now();
        way.set(&mut registry, false);
        gateway(&cluster, own, &format!("irc:#gateway{n}"));
        // They know no ids: they say so, and leave the partitions to those that do.
        let (mut late, mut told) = (cluster.run(&ROLES), cluster.run(&ROLES));
        for process in [&mut late, &mut told] {
            for words in ["the schema registry is away", "no partitions are taken yet"] {
                assert!(process.wait_for(words), "{}", process.said());
            }
        }
        // One of them is told to stop before the registry is back.
        told.signal("TERM");
        let told = told.end();
        assert_eq!(told.code, Some(0), "{way:?}: {}", told.err);
        processes.push(Some(late));
        // A command that has to write ends and says why; one that has not does its work.
        let refused = cluster.place.run(&args(1));
        assert_eq!(refused.code, Some(6), "{way:?}: {}", refused.err);
        assert!(refused.err.contains(&registry.url()), "{}", refused.err);
        let asked = cluster.place.run(&["ask", "what is an unladen swallow?"]);
        assert_eq!(asked.code, Some(0), "{way:?}: {}", asked.err);
        while away.elapsed() < Duration::from_secs(seconds) {
            all_work(&mut processes);
            look();
        }
        assert_eq!(gateways(&cluster), n, "its schema cannot be known");
        way.set(&mut registry, true);
        #[expect(clippy::disallowed_methods, reason = "the test's own wall time")]
        let back = Instant::now();
        while gateways(&cluster) == n {
            all_work(&mut processes);
            assert!(back.elapsed() < PATIENCE, "{way:?}: the gateway's message");
            look();
        }
        let read = back.elapsed().as_secs_f64();
        // Whoever knew the ids needed nothing of the registry.
        let during = during.end();
        assert_eq!(during.code, Some(0), "{way:?}: {}", during.err);
        cluster.place.json(&args(1));
        let said = |process: &mut _| Running::times_said(process, " WARN ");
        println!(
            "{way:?} for {seconds} s: the gateway's message {read:.1} s after it came back; nothing \
             left to do {:.1} s after; most memory of a process {} MB; warnings {:?}",
            back.elapsed().as_secs_f64(),
            processes.iter().flatten().map(memory).max().expect("one"),
            processes.iter_mut().flatten().map(said).collect::<Vec<_>>(),
        );
    }
    let mut ids = registry.ids();
    ids.retain(|subject, _| !subject.starts_with("gateway-"));
    assert_eq!(ids, known, "every schema has the id that it had");
    let sent: usize = parts[..5].iter().map(|(_, log)| messages(log).len()).sum();
    let verified = cluster.place.verified();
    let found = verified.table("messages").0;
    assert_eq!(found, sent as u64 + 2, "lost or doubled");
    let letters = cluster.place.json(&["dlq", "list"]);
    assert_eq!(
        letters["letters"].as_array().map(Vec::len),
        Some(0),
        "{letters}"
    );
    processes.into_iter().flatten().for_each(Running::stop);
}

/// Messages of gateways with schemas of their own.
fn gateways(cluster: &Cluster) -> usize {
    let asked = "SELECT count(*) FROM lore.messages WHERE channel LIKE 'irc:#gateway%'";
    let count = cluster.sql(asked).expect("the database answers");
    count.parse().expect("a number")
}

/// What a gateway writes by its own schema, which nobody here has seen.
fn gateway(cluster: &Cluster, own: u32, channel: &str) {
    let string = |text: &str| {
        let length = u8::try_from(text.len() * 2).expect("short");
        [&[length], text.as_bytes()].concat()
    };
    let value = [
        vec![0],
        own.to_be_bytes().to_vec(),
        string(channel),
        string("m-1"),
        string("ann"),
        // No bot.
        vec![0],
        string("from a gateway"),
        // At 42 ms.
        vec![84],
    ]
    .concat();
    let key = format!("default/{channel}").into_bytes();
    let options = KafkaOptions {
        bootstrap: cluster.kafka.bootstrap(),
        ..KafkaOptions::default()
    };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let topics = Topics::embedded().clone();
        let log = KafkaLog::unchecked(options, topics, None, Arc::new(Standing)).expect("a client");
        let topic = Topic::ChatInbox;
        let partition = partition_for(&key, log.partitions(topic));
        let record = RawRecord {
            offset: Offset(0),
            appended: Standing.now(),
            key,
            headers: Vec::new(),
            value,
        };
        let at = TopicPartition { topic, partition };
        log.append_raw(at, vec![record]).await.expect("appended");
    });
}
