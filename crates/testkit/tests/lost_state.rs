//! A worker that has nothing to do notices that its state is gone, and has said how far
//! it got.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use futures::executor::block_on;
use threadlore_model::{
    ChannelId, Envelope, Event, EventId, Group, Key, MessageEdited, MessageId, Offset, Partition,
    PersonHasher, PersonId, PlatformRedaction, Private, Producer, Role, SpaceId, Timestamp, Topic,
};
use threadlore_models::Builtin;
use threadlore_ports::{Class, Clock, EventLog, NewRecord, Shard};
use threadlore_roles::{Buffer, BufferParams, Intake, IntakeParams};
use threadlore_runtime::{Limits, Ports, Worker};
use threadlore_testkit::{MemoryLog, MemoryStore, fold_ports};
use tokio_util::sync::CancellationToken;

const START: Timestamp = Timestamp::from_millis(1_760_000_000_000);

/// Time passes when somebody sleeps, and at once.
struct Fast(Mutex<Timestamp>);

impl Fast {
    fn start() -> Arc<Self> {
        Arc::new(Self(Mutex::new(START)))
    }
}

#[async_trait]
impl Clock for Fast {
    fn now(&self) -> Timestamp {
        *self.0.lock().expect("not poisoned")
    }
    async fn sleep(&self, by: Duration) {
        let mut now = self.0.lock().expect("not poisoned");
        *now = now.plus(by);
    }
}

fn redaction() -> Event {
    let space = SpaceId::parse("a").expect("a valid space");
    let channel = ChannelId::parse("test:help").expect("a valid channel");
    Event {
        envelope: Envelope {
            id: EventId::of_content("test", &["1"]),
            key: Key::of_channel(&space, &channel),
            space,
            time: START,
            producer: None,
            cause: None,
            traceparent: None,
        },
        body: PlatformRedaction {
            channel,
            native_id: "1".to_owned(),
            redacted_at: START,
        }
        .into(),
    }
}

fn intake() -> Arc<Intake> {
    Arc::new(Intake(IntakeParams {
        hasher: PersonHasher::new(&[1; 32]),
        max_text_bytes: 1000,
        case_link_base: String::new(),
    }))
}

/// A worker's ports, and what they stand on.
fn parts() -> (Arc<MemoryLog>, Arc<MemoryStore>, Ports) {
    let clock = Fast::start();
    let log = Arc::new(MemoryLog::new(1, clock.clone()));
    let store = Arc::new(MemoryStore::new());
    let ports = Ports {
        embedder: None,
        shared: fold_ports(&log, &store, clock),
        engine: Arc::new(Builtin::default()),
    };
    (log, store, ports)
}

#[test]
fn a_position_moves_past_repeats_that_stand_at_the_end() {
    block_on(async {
        let (log, store, ports) = parts();
        let mut event = redaction();
        event.envelope.producer = Some(Producer {
            group: Group::of_role(Role::Gateway),
            partition: Partition(0),
            sequence: 1,
        });
        let record = || NewRecord {
            topic: Topic::ChatInbox,
            event: event.clone(),
        };
        let worker = Worker::start(intake(), Partition(0), ports, Limits::default());
        let mut worker = worker.await.expect("starts");
        let shard = Shard {
            group: Group::of_role(Role::Intake),
            partition: Partition(0),
        };
        for end in 1..4 {
            log.publish(vec![record()]).await.expect("appends");
            while worker.step().await.expect("works") {}
            let positions = store.ownership_of(&shard).positions;
            assert_eq!(positions[&Topic::ChatInbox], Offset(end));
        }
    });
}

#[test]
fn an_idle_worker_notices_that_its_state_is_lost_and_the_next_one_recovers() {
    block_on(async {
        let (log, store, ports) = parts();
        let record = NewRecord {
            topic: Topic::ChatInbox,
            event: redaction(),
        };
        log.publish(vec![record]).await.expect("appends");
        let intake = intake();
        let start = || {
            let intake = Arc::clone(&intake);
            Worker::start(intake, Partition(0), ports.clone(), Limits::default())
        };
        let mut worker = start().await.expect("starts");
        while worker.step().await.expect("works") {}
        store.lose();
        let ended = worker.run(&CancellationToken::new()).await;
        assert_eq!(ended.expect_err("its state is gone").class(), Class::Retry);

        let mut worker = start().await.expect("starts");
        while worker.step().await.expect("works") {}
        let events = log.dump().into_iter();
        let events = events.filter(|r| r.at.topic == Topic::ChatEvents).count();
        assert_eq!(events, 1, "nothing is taken twice");
    });
}

/// The n-th edit of a channel, written as `intake` writes it.
fn edit(n: i64, of: &str) -> Event {
    let space = SpaceId::parse("a").expect("a valid space");
    let channel = ChannelId::parse(&format!("test:{of}")).expect("a valid channel");
    let id = EventId::of_content("edit", &[of, &n.to_string()]);
    Event {
        envelope: Envelope {
            id,
            key: Key::of_channel(&space, &channel),
            space,
            time: START,
            producer: None,
            cause: None,
            traceparent: None,
        },
        body: MessageEdited {
            message: MessageId::from_uuid(id.as_uuid()),
            channel,
            person: PersonId::from_uuid(id.as_uuid()),
            revision: n,
            text: Private::Erased,
            edited_at: START,
        }
        .into(),
    }
}

#[test]
fn a_recovery_that_crashes_in_the_middle_goes_on_and_decides_nothing_twice() {
    block_on(async {
        // given
        let (log, store, ports) = parts();
        let edits = (0..100).flat_map(|n| [edit(n, "help"), edit(n, "talk")]);
        let records = edits.map(|event| NewRecord {
            topic: Topic::ChatEvents,
            event,
        });
        log.publish(records.collect()).await.expect("appends");
        let shard = Shard {
            group: Group::of_role(Role::Buffer),
            partition: Partition(0),
        };
        let start = || {
            let buffer = Arc::new(Buffer(BufferParams {
                window_count: 7,
                ..BufferParams::default()
            }));
            let limits = Limits {
                batch: 9,
                ..Limits::default()
            };
            Worker::start(buffer, Partition(0), ports.clone(), limits)
        };
        let windows = || {
            let records = log.dump().into_iter();
            records.filter(|r| r.at.topic == Topic::ChatTurns).count()
        };
        let mut worker = start().await.expect("starts");
        while worker.step().await.expect("works") {}
        let (before, decided) = (store.states_of(&shard), windows());
        assert_eq!(decided, 28);
        store.lose();
        // when
        for _ in 0..3 {
            let mut worker = start().await.expect("starts");
            for _ in 0..5 {
                assert!(worker.step().await.expect("works"));
            }
            assert!(!store.ownership_of(&shard).recovered);
        }
        let mut worker = start().await.expect("starts");
        while worker.step().await.expect("works") {}
        // then
        assert!(store.ownership_of(&shard).recovered);
        assert_eq!(store.states_of(&shard), before);
        assert_eq!(windows(), decided, "nothing is decided twice");
    });
}
