//! How much chat goes through processes on Kafka, beside what Kafka alone can do and what one
//! process on the embedded parts does: a measurement, run by hand (docs/bench.md).

use std::time::{Duration, Instant};

use threadlore_gateways::{Bots, ImportOptions, LogFile, Target, files, import};
use threadlore_model::{
    ChannelId, Key, Offset, Partition, SpaceId, Topic, TopicPartition, partition_for,
};
use threadlore_node::{Environment, Node, Roles};
use threadlore_settings::Settings;

use super::chat::parts;
use super::cluster::{Cluster, ROLES};
use super::support::{Place, all_work};

/// Records read at a time.
const READ: usize = 2000;

#[tokio::test(flavor = "multi_thread")]
#[ignore = "a measurement"]
async fn processes_and_partitions() {
    for number in [1, 2, 4] {
        let embedded = embedded(number).await;
        measure(number, embedded).await;
    }
}

/// Messages a second of one process on the embedded parts, chat in so many partitions.
async fn embedded(number: u32) -> f64 {
    let place = Place::new();
    let mut settings = Settings::load(None, &Default::default()).expect("settings");
    settings.data_dir = place.data();
    let node = Node::open(settings, &Environment::read()).await;
    let node = node.expect("opens");
    let roles = Roles::start(&node, &Roles::all(&node)).await;
    let roles = roles.expect("starts");
    let logs = logs(&place);
    let space = SpaceId::parse("measured").expect("a space");
    let began = now();
    let sent = append(&node, &space, &channels(&node, number), &logs).await;
    node.drain(&|_| {}).await.expect("answers");
    let through = sent as f64 / began.elapsed().as_secs_f64();
    roles.stop().await.expect("stops");
    through
}

fn logs(place: &Place) -> Vec<LogFile> {
    let parts = parts();
    let files = parts
        .iter()
        .flat_map(|(path, log)| files(&place.file(path, log)).expect("a log"));
    files.collect()
}

/// So many processes, and chat in as many partitions.
async fn measure(number: u32, embedded: f64) {
    let Some(cluster) = Cluster::start(Place::new(), "") else {
        return;
    };
    // With default settings.
    cluster.place.file("client.properties", "");
    let node = node(&cluster).await;
    let channels = channels(&node, number);
    let logs = logs(&cluster.place);

    // What Kafka can do: the same records, appended and read while nobody else works.
    let space = SpaceId::parse("alone").expect("a space");
    let began = now();
    let sent = append(&node, &space, &channels, &logs).await;
    let produced = sent as f64 / began.elapsed().as_secs_f64();
    let began = now();
    let read = read(&node).await;
    let consumed = read as f64 / began.elapsed().as_secs_f64();
    assert_eq!(read, sent);

    let mut processes: Vec<_> = (0..number).map(|_| Some(cluster.run(&ROLES))).collect();
    for process in processes.iter_mut().flatten() {
        assert!(process.wait_for("running "), "{}", process.said());
    }
    // With everything shared out, and what was appended above done.
    node.drain(&|_| {}).await.expect("answers");
    let space = SpaceId::parse("measured").expect("a space");
    let began = now();
    let sent = append(&node, &space, &channels, &logs).await;
    node.drain(&|_| {}).await.expect("answers");
    let through = sent as f64 / began.elapsed().as_secs_f64();
    all_work(&mut processes);
    println!(
        "{number} processes, {number} partitions, {sent} messages: {through:.0} messages/s from \
         end to end; Kafka alone: {produced:.0}/s appended, {consumed:.0}/s read; ratio to \
         both {:.2} and {:.2}; embedded: {embedded:.0}/s, ratio {:.2}",
        through / produced,
        through / consumed,
        through / embedded,
    );
}

#[expect(clippy::disallowed_methods, reason = "the test's own wall time")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// A node of this process on what the processes share.
pub(crate) async fn node(cluster: &Cluster) -> Node {
    let place = cluster.place.path();
    let text = std::fs::read_to_string(place.join("threadlore.toml")).expect("settings");
    // Files are named from the place on.
    let text = text.replace("_file = \"", &format!("_file = \"{}/", place.display()));
    let mut settings = Settings::load(Some(&text), &Default::default()).expect("settings");
    settings.data_dir = place.join("d");
    Node::open(settings, &Environment::read())
        .await
        .expect("opens")
}

/// Channels in different partitions.
fn channels(node: &Node, number: u32) -> Vec<ChannelId> {
    let count = node.log.partitions(Topic::ChatInbox);
    let space = SpaceId::parse("measured").expect("a space");
    let in_partition = |wanted: u32| {
        let names = (0..).map(|n| ChannelId::parse(&format!("irc:#c{n}")).expect("a channel"));
        let fits = |channel: &ChannelId| {
            let key = Key::of_channel(&space, channel);
            partition_for(key.as_str().as_bytes(), count) == Partition(wanted as i32)
        };
        names.into_iter().find(fits).expect("one of many")
    };
    (0..number.min(count)).map(in_partition).collect()
}

/// Every log into one of the channels; returns how many records.
async fn append(node: &Node, space: &SpaceId, channels: &[ChannelId], logs: &[LogFile]) -> u64 {
    let blobs = node.blobs();
    let mut sent = 0;
    for (number, log) in logs.iter().enumerate() {
        let options = ImportOptions {
            target: Target {
                space: space.clone(),
                channel: channels[number % channels.len()].clone(),
                bots: Bots::parse("").expect("none"),
            },
            format: None,
            date: None,
            timezone: None,
            again: true,
        };
        let (input, now) = (log.open().expect("a log"), node.clock.now());
        let log = node.log.as_ref();
        let summary = import(log, blobs, now, &options, input, |_| {}).await;
        sent += summary.expect("imports").taken();
    }
    sent
}

/// Reads all of `chat.inbox`; returns how many records.
async fn read(node: &Node) -> u64 {
    let (topic, mut records) = (Topic::ChatInbox, 0);
    for number in 0..node.log.partitions(topic) {
        let partition = Partition(number as i32);
        let at = TopicPartition { topic, partition };
        let range = node.log.range(at).await.expect("answers");
        let mut next = range.start;
        while next < range.end {
            let read = node.log.read(at, next, READ).await.expect("reads").len();
            records += read as u64;
            next = Offset(next.0 + read as i64);
            if read == 0 {
                let wait = Duration::from_secs(1);
                node.log.wait(&[(at, next)], wait).await.expect("waits");
            }
        }
    }
    records
}
