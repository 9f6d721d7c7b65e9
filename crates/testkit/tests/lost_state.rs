//! A worker that has nothing to do notices that its state is gone.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::executor::block_on;
use threadlore_model::{
    ChannelId, Envelope, Event, EventId, IntakeParams, Key, Partition, PersonHasher,
    PlatformRedaction, SpaceId, Timestamp, Topic,
};
use threadlore_models::Builtin;
use threadlore_ports::{Class, Clock, EventLog, NewRecord, Stop};
use threadlore_runtime::{Intake, Limits, Ports, Worker};
use threadlore_testkit::{MemoryLog, MemoryStore, fold_ports};

/// Time passes at once.
struct Fast;

#[async_trait]
impl Clock for Fast {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_760_000_000_000)
    }
    async fn sleep(&self, _by: Duration) {}
}

fn redaction() -> Event {
    let space = SpaceId::parse("a").expect("a valid space");
    let channel = ChannelId::parse("test:help").expect("a valid channel");
    Event {
        envelope: Envelope {
            id: EventId::of_content("test", &["1"]),
            key: Key::of_channel(&space, &channel),
            space,
            time: Fast.now(),
            producer: None,
            cause: None,
            traceparent: None,
        },
        body: PlatformRedaction {
            channel,
            native_id: "1".to_owned(),
            redacted_at: Fast.now(),
        }
        .into(),
    }
}

#[test]
fn an_idle_worker_notices_that_its_state_is_lost_and_the_next_one_recovers() {
    block_on(async {
        let log = Arc::new(MemoryLog::new(1, Arc::new(Fast)));
        let store = Arc::new(MemoryStore::new());
        let ports = Ports {
            embedder: None,
            shared: fold_ports(&log, &store, Arc::new(Fast)),
            engine: Arc::new(Builtin),
        };
        let record = NewRecord {
            topic: Topic::ChatInbox,
            event: redaction(),
        };
        log.append(vec![record]).await.expect("appends");
        let params = IntakeParams {
            hasher: PersonHasher::new(&[1; 32]),
            max_text_bytes: 1000,
            case_link_base: String::new(),
        };
        let intake = Arc::new(Intake(params));
        let start = || {
            let intake = Arc::clone(&intake);
            Worker::start(intake, Partition(0), ports.clone(), Limits::default())
        };
        let mut worker = start().await.expect("starts");
        while worker.step().await.expect("works") {}
        store.lose();
        let ended = worker.run(&Stop::default()).await;
        assert_eq!(ended.expect_err("its state is gone").class(), Class::Retry);

        let mut worker = start().await.expect("starts");
        while worker.step().await.expect("works") {}
        let events = log.dump().into_iter();
        let events = events.filter(|r| r.at.topic == Topic::ChatEvents).count();
        assert_eq!(events, 1, "nothing is taken twice");
    });
}
