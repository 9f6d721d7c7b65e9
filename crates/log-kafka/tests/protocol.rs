//! The log on Kafka over the real protocol: against `tools/broker`, or against the cluster
//! that `KAFKA_BOOTSTRAP` names.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use threadlore_log_kafka::{KafkaLog, KafkaOptions, Plan};
use threadlore_model::Timestamp;
use threadlore_ports::{Clock, EventLog, conformance};
use threadlore_schema::Topics;
use threadlore_testkit::Broker;

/// The machine's clock.
struct Wall;

#[async_trait]
impl Clock for Wall {
    #[expect(
        clippy::disallowed_methods,
        reason = "the broker has the wall clock too"
    )]
    fn now(&self) -> Timestamp {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        Timestamp::from_millis(now.expect("after 1970").as_millis() as i64)
    }

    #[expect(clippy::disallowed_methods, reason = "the port itself")]
    async fn sleep(&self, by: Duration) {
        tokio::time::sleep(by).await;
    }
}

async fn connect(bootstrap: &str) -> KafkaLog {
    let options = KafkaOptions {
        bootstrap: bootstrap.to_owned(),
        ..KafkaOptions::default()
    };
    let topics = Topics::embedded();
    let plan = Plan::look(&options, topics).await.expect("looks");
    plan.create_missing(&options, 1).await.expect("made");
    KafkaLog::connect(options, topics.clone(), Arc::new(Wall))
        .await
        .expect("connects")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log() {
    let dirs = tempfile::tempdir().expect("a directory");
    let count = std::sync::atomic::AtomicU32::new(0);
    let brokers = std::sync::Mutex::new(Vec::new());
    conformance::log(|| async {
        let number = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let broker = Broker::start(&dirs.path().join(number.to_string()));
        let log = connect(broker.bootstrap()).await;
        brokers.lock().expect("a list").push(broker);
        Arc::new(log) as Arc<dyn EventLog>
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_opened_again() {
    let dir = tempfile::tempdir().expect("a directory");
    let broker = Broker::start(dir.path());
    conformance::log_reopened(|| async {
        Arc::new(connect(broker.bootstrap()).await) as Arc<dyn EventLog>
    })
    .await;
}
