//! The cluster of a test: a broker of its own or, with `KAFKA_BOOTSTRAP=host:9092`, any
//! other, and `KAFKA_PROPERTIES` with a file of properties where it wants some.
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
use threadlore_testkit::Broker;

/// It ends with this.
pub(crate) enum Cluster {
    Own(Broker, #[expect(dead_code, reason = "kept")] TempDir),
    /// The lock lets one test at a time have it.
    Real(String, #[expect(dead_code, reason = "kept")] File),
}

impl Cluster {
    /// Without topics.
    pub(crate) async fn start() -> Self {
        let Some(bootstrap) = variable("KAFKA_BOOTSTRAP") else {
            let dir = tempfile::tempdir().expect("a directory");
            return Self::Own(Broker::start(dir.path()), dir);
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
        Self::Real(bootstrap, lock)
    }

    pub(crate) fn bootstrap(&self) -> &str {
        match self {
            Self::Own(broker, _) => broker.bootstrap(),
            Self::Real(bootstrap, _) => bootstrap,
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let Self::Real(bootstrap, _) = self else {
            return;
        };
        clients_ended();
        let client = client(bootstrap);
        // In a thread of its own: a test's may not wait.
        let deleting = std::thread::spawn(move || {
            let admin: AdminClient<DefaultClientContext> = client.create().expect("a client");
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
        });
        if deleting.join().is_err() {
            eprintln!("the topics of the test are left on the cluster");
        }
    }
}

/// Waits until no client of the tests is left, and no fetch of theirs at the cluster: they
/// end in threads of their own. The broker for tests does not survive that a topic goes
/// while somebody reads it, nor does the client library survive what it says of that.
fn clients_ended() {
    let is_client = |task: std::io::Result<std::fs::DirEntry>| {
        let name = task.and_then(|task| std::fs::read_to_string(task.path().join("comm")));
        name.is_ok_and(|name| name.starts_with("rdk:"))
    };
    let threads = || std::fs::read_dir("/proc/self/task");
    while threads().is_ok_and(|mut threads| threads.any(is_client)) {
        std::thread::yield_now();
    }
    #[expect(
        clippy::disallowed_methods,
        reason = "nobody tells when a fetch ends whose client is gone; it is held for 250 ms"
    )]
    std::thread::sleep(std::time::Duration::from_secs(1));
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
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}
