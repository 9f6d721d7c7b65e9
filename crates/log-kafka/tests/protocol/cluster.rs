//! The cluster of a test: a node of Apache Kafka of its own or, with
//! `KAFKA_BOOTSTRAP=host:9092`, any other cluster, and `KAFKA_PROPERTIES` with a file of
//! properties where it wants some.
//!
//! There the topics are made for each test and deleted after it. A cluster that has any of
//! them before is refused: they may be somebody's.

use std::fs::File;

use rdkafka::ClientConfig;
use rdkafka::admin::{AdminClient, AdminOptions};
use rdkafka::client::DefaultClientContext;
use tempfile::TempDir;
use threadlore_log_kafka::{KafkaOptions, Plan, Planned};
use threadlore_model::Topic;
use threadlore_schema::Topics;
use threadlore_testkit::{Kafka, KafkaSetup};

/// It ends with this.
pub(crate) enum Cluster {
    Own(Kafka, #[expect(dead_code, reason = "kept")] TempDir),
    /// The lock lets one test at a time have it.
    Named(String, #[expect(dead_code, reason = "kept")] File),
}

impl Cluster {
    /// Without topics. Where no node can run here, the test is reported as not run.
    pub(crate) async fn start() -> Option<Self> {
        Self::with(KafkaSetup::default()).await
    }

    /// The same; a node of its own is set up like this.
    pub(crate) async fn with(setup: KafkaSetup) -> Option<Self> {
        let Some(bootstrap) = variable("KAFKA_BOOTSTRAP") else {
            let dir = tempfile::tempdir().expect("a directory");
            return Some(Self::Own(setup.start(dir.path())?, dir));
        };
        let lock = std::env::temp_dir().join("threadlore-kafka.lock");
        let lock = File::create(lock).expect("a file");
        let locked = tokio::task::spawn_blocking(move || lock.lock().map(|()| lock));
        let lock = locked.await.expect("no panic").expect("locked");
        let plan = Plan::look(&options(&bootstrap), Topics::embedded()).await;
        let plan = plan.expect("looks");
        let there: Vec<Topic> = plan
            .topics
            .into_iter()
            .filter(|(_, planned)| *planned != Planned::Create)
            .map(|(topic, _)| topic)
            .collect();
        assert!(
            there.is_empty(),
            "{bootstrap} has {there:?}: the tests would delete them, so name another cluster, or \
             delete them yourself if a test that was cut off left them"
        );
        Some(Self::Named(bootstrap, lock))
    }

    pub(crate) fn bootstrap(&self) -> String {
        match self {
            Self::Own(kafka, _) => kafka.bootstrap(),
            Self::Named(bootstrap, _) => bootstrap.clone(),
        }
    }

    /// Deletes our topics, once no client of the test is left.
    pub(crate) async fn empty(&self) {
        let bootstrap = self.bootstrap();
        let deleted = tokio::task::spawn_blocking(move || delete_topics(&bootstrap));
        deleted.await.expect("deleted");
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let Self::Named(bootstrap, _) = self else {
            return;
        };
        let bootstrap = bootstrap.clone();
        // In a thread of its own: a test's may not wait.
        let deleting = std::thread::spawn(move || delete_topics(&bootstrap));
        if deleting.join().is_err() {
            eprintln!("the topics of the test are left on the cluster");
        }
    }
}

fn delete_topics(bootstrap: &str) {
    clients_ended();
    let admin: AdminClient<DefaultClientContext> = client(bootstrap).create().expect("a client");
    let names: Vec<&str> = Topic::ALL.iter().map(|topic| topic.name()).collect();
    let options = AdminOptions::new();
    let deleted = admin.delete_topics(&names, &options);
    futures::executor::block_on(deleted).expect("answered");
    let patience = std::time::Duration::from_secs(30);
    let left = || {
        let metadata = admin.inner().fetch_metadata(None, patience).expect("told");
        let mut topics = metadata.topics().iter();
        topics.any(|topic| names.contains(&topic.name()))
    };
    while left() {
        std::thread::yield_now();
    }
}

/// Waits until no client of the tests is left: they end in threads of their own, and one whose
/// topics go meanwhile may end the process.
fn clients_ended() {
    let is_client = |task: std::io::Result<std::fs::DirEntry>| {
        let name = task.and_then(|task| std::fs::read_to_string(task.path().join("comm")));
        name.is_ok_and(|name| name.starts_with("rdk:"))
    };
    let threads = || std::fs::read_dir("/proc/self/task");
    while threads().is_ok_and(|mut threads| threads.any(is_client)) {
        std::thread::yield_now();
    }
}

pub(crate) fn options(bootstrap: &str) -> KafkaOptions {
    let file = variable("KAFKA_PROPERTIES");
    let text = file.map(|path| std::fs::read_to_string(path).expect("the properties"));
    KafkaOptions {
        bootstrap: bootstrap.to_owned(),
        client: KafkaOptions::properties(&text.unwrap_or_default()).expect("properties"),
        ..KafkaOptions::default()
    }
}

/// A client that is none of ours.
pub(crate) fn client(bootstrap: &str) -> ClientConfig {
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", bootstrap);
    for (name, value) in options(bootstrap).client {
        config.set(name, value);
    }
    config
}

#[expect(
    clippy::disallowed_methods,
    reason = "which cluster is not ours to say"
)]
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}
