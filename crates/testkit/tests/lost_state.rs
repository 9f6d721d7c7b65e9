//! A worker that has nothing to do notices that its state is gone, and has said how far
//! it got.

use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use futures::executor::block_on;
use threadlore_model::{
    Body, ChannelId, Envelope, Event, EventId, ExtractionRequested, Group, Key, MessageEdited,
    MessageId, Offset, Partition, PersonHasher, PersonId, PlatformRedaction, Private, Producer,
    ReactionAdded, ReadyReason, Role, SpaceId, Timestamp, Topic, WindowReady,
};
use threadlore_ports::{
    Changes, Class, Clock, EventLog, NewRecord, OutboxRow, Shard, StateRow, Store,
};
use threadlore_roles::{Buffer, BufferParams, Intake, IntakeParams};
use threadlore_runtime::{Limits, NoCaller, Worker};
use threadlore_stream::FoldPorts;
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

/// In the channel; the name makes its id.
fn event(name: &str, body: impl Into<Body>) -> Event {
    let mut event = redaction();
    event.envelope.id = EventId::of_content("test", &[name]);
    event.body = body.into();
    event
}

fn channel() -> ChannelId {
    ChannelId::parse("test:help").expect("a valid channel")
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
            actor: None,
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
fn parts() -> (Arc<MemoryLog>, Arc<MemoryStore>, FoldPorts) {
    let clock = Fast::start();
    let log = Arc::new(MemoryLog::new(1, clock.clone()));
    let store = Arc::new(MemoryStore::new());
    let ports = fold_ports(&log, &store, clock);
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
        let worker = Worker::start(
            intake(),
            Arc::new(NoCaller),
            Partition(0),
            ports,
            Limits::default(),
        );
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
            Worker::start(
                intake,
                Arc::new(NoCaller),
                Partition(0),
                ports.clone(),
                Limits::default(),
            )
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

/// Something that a window is announced for.
fn reaction(name: &str) -> Event {
    let uuid = EventId::of_content("test", &[name]).as_uuid();
    let reaction = ReactionAdded {
        message: MessageId::from_uuid(uuid),
        channel: channel(),
        person: PersonId::from_uuid(uuid),
        emoji: "👍".to_owned(),
        at: START,
    };
    event(name, reaction)
}

/// Asks for the window that the first three reactions made.
fn request(name: &str) -> Event {
    let asked = ExtractionRequested {
        channel: channel(),
        reason: ReadyReason::Count,
        messages: 3,
        up_to: Offset(2),
        announced_at: START,
    };
    event(name, asked)
}

/// The windows in the log with their causes.
fn windows(log: &MemoryLog) -> Vec<(WindowReady, Topic)> {
    let events = log.dump().into_iter().filter_map(|record| record.body.ok());
    let windows = events.filter_map(|event| match event.body {
        Body::WindowReady(ready) => Some((ready, event.envelope.cause?.at.topic)),
        _ => None,
    });
    windows.collect()
}

#[test]
fn a_lost_buffer_answers_no_request_twice_and_keeps_what_waits_for_a_window() {
    block_on(async {
        let (log, store, ports) = parts();
        let buffer = Arc::new(Buffer(BufferParams {
            window_count: 3,
            ..BufferParams::default()
        }));
        let start = || {
            let buffer = Arc::clone(&buffer);
            Worker::start(
                buffer,
                Arc::new(NoCaller),
                Partition(0),
                ports.clone(),
                Limits::default(),
            )
        };
        let publish = async |events: Vec<Event>| {
            let records = events.into_iter().map(|event| NewRecord {
                topic: event.body.topic().expect("a topic"),
                event,
            });
            log.publish(records.collect()).await.expect("appends");
        };
        let mut worker = start().await.expect("starts");
        let named = |names: [&str; 3]| names.map(reaction).to_vec();
        publish(named(["1", "2", "3"])).await;
        while worker.step().await.expect("works") {}
        // Twice the same, and one for which nothing can be done.
        let mut beyond = request("beyond");
        if let Body::ExtractionRequested(asked) = &mut beyond.body {
            asked.up_to = Offset(99);
        }
        publish(vec![request("asked"), beyond, request("asked")]).await;
        publish(vec![reaction("4")]).await;
        while worker.step().await.expect("works") {}
        publish(vec![request("once more")]).await;
        publish(named(["5", "6", "7"])).await;
        while worker.step().await.expect("works") {}
        publish(vec![request("asked")]).await;
        while worker.step().await.expect("works") {}
        let (turns, requests) = (Topic::ChatEvents, Topic::KnowledgeRequests);
        let announced = windows(&log);
        let causes: Vec<Topic> = announced.iter().map(|(_, cause)| *cause).collect();
        assert_eq!(causes, [turns, requests, requests, turns]);
        assert_eq!(announced[1].0, announced[0].0, "the same window");

        for _ in 0..2 {
            store.lose();
            let mut worker = start().await.expect("starts");
            while worker.step().await.expect("works") {}
            assert_eq!(windows(&log), announced, "nothing is decided twice");
        }
        let mut worker = start().await.expect("starts");
        publish(named(["8", "9", "10"])).await;
        while worker.step().await.expect("works") {}
        let after = windows(&log);
        let (last, _) = after.last().expect("a window");
        assert_eq!(
            (after.len(), last.messages),
            (5, 3),
            "one waited since then"
        );
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
            actor: None,
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

/// The states of a shard, as another version might have stored them.
fn unreadable(store: &MemoryStore, shard: &Shard) -> Vec<StateRow> {
    let states = store.states_of(shard).into_iter();
    let unreadable = states.map(|row| StateRow {
        body: b"of another version".to_vec(),
        ..row
    });
    unreadable.collect()
}

#[test]
fn states_of_another_version_are_made_anew_after_its_outbox_is_in_the_log() {
    block_on(async {
        let start = |ports: &FoldPorts| {
            let buffer = Arc::new(Buffer(BufferParams {
                window_count: 7,
                ..BufferParams::default()
            }));
            let (caller, ports) = (Arc::new(NoCaller), ports.clone());
            Worker::start(buffer, caller, Partition(0), ports, Limits::default())
        };
        let publish = async |log: &MemoryLog, numbers: Range<i64>| {
            let edits = numbers.map(|n| NewRecord {
                topic: Topic::ChatEvents,
                event: edit(n, "help"),
            });
            log.publish(edits.collect()).await.expect("appends");
        };
        let shard = Shard {
            group: Group::of_role(Role::Buffer),
            partition: Partition(0),
        };
        // given
        let (undisturbed, undisturbed_store, ports) = parts();
        publish(&undisturbed, 0..14).await;
        let mut worker = start(&ports).await.expect("starts");
        while worker.step().await.expect("works") {}
        // The same, but that the last window is decided and not published.
        let (log, store, ports) = parts();
        publish(&log, 0..13).await;
        let mut worker = start(&ports).await.expect("starts");
        while worker.step().await.expect("works") {}
        publish(&log, 13..14).await;
        let mut records = undisturbed.dump().into_iter();
        let window = records.rfind(|record| record.at.topic == Topic::ChatTurns);
        let window = *window.expect("a window").body.expect("an event");
        let row = OutboxRow::encode(log.as_ref(), (Topic::ChatTurns, &window), true);
        let owner = store.acquire(&shard).await.expect("acquires");
        let changes = Changes {
            positions: undisturbed_store.ownership_of(&shard).positions,
            sequence: owner.sequence + 1,
            recovered: true,
            states: unreadable(&undisturbed_store, &shard),
            outbox: vec![row.expect("encodes")],
            ..Changes::default()
        };
        let committed = store.commit(&shard, owner.epoch, changes).await;
        committed.expect("commits");
        store.set_layout(&shard, -1);
        // when
        let mut worker = start(&ports).await.expect("starts");
        assert_eq!(store.outbox_of(&shard), []);
        while worker.step().await.expect("works") {}
        // then
        let owner = store.ownership_of(&shard);
        assert_eq!((owner.layout, owner.recovered), (0, true));
        assert_eq!(windows(&log), windows(&undisturbed));
        assert_eq!(store.states_of(&shard), undisturbed_store.states_of(&shard));
    });
}

#[test]
fn a_state_that_cannot_be_read_says_what_to_do() {
    block_on(async {
        let (log, store, ports) = parts();
        let start = || {
            let buffer = Arc::new(Buffer(BufferParams::default()));
            let (caller, ports) = (Arc::new(NoCaller), ports.clone());
            Worker::start(buffer, caller, Partition(0), ports, Limits::default())
        };
        let publish = async |n| {
            let topic = Topic::ChatEvents;
            let event = edit(n, "help");
            let record = NewRecord { topic, event };
            log.publish(vec![record]).await.expect("appends");
        };
        publish(0).await;
        let mut worker = start().await.expect("starts");
        while worker.step().await.expect("works") {}
        let shard = Shard {
            group: Group::of_role(Role::Buffer),
            partition: Partition(0),
        };
        let owner = store.acquire(&shard).await.expect("acquires");
        let changes = Changes {
            states: unreadable(&store, &shard),
            recovered: true,
            ..Changes::default()
        };
        let committed = store.commit(&shard, owner.epoch, changes).await;
        committed.expect("commits");
        publish(1).await;
        let mut worker = start().await.expect("starts");
        let refused = loop {
            match worker.step().await {
                Ok(true) => {}
                other => break other,
            }
        };
        let refused = refused.expect_err("it cannot be read");
        assert_eq!(refused.class(), Class::Fatal);
        assert!(
            format!("{refused:?}").contains("layout = -1"),
            "{refused:?}"
        );
    });
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
            Worker::start(
                buffer,
                Arc::new(NoCaller),
                Partition(0),
                ports.clone(),
                limits,
            )
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
