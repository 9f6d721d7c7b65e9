//! An extractor whose inputs are far ahead of it: what waits in its state stays
//! bounded, and it comes through to the end, whatever the order.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use futures::executor::block_on;
use proptest::prelude::*;
use threadlore_callers::ExtractCaller;
use threadlore_model::{
    ChannelId, Envelope, Event, EventId, Extraction, Group, Key, MessageId, MessagePosted, Offset,
    Partition, PersonId, Private, ReadyReason, Role, SpaceId, Topic, Window, WindowReady,
};
use threadlore_ports::{Clock, EventLog, ExtractEngine, NewRecord, PortError, Shard};
use threadlore_roles::Extractor;
use threadlore_roles::ExtractorParams;
use threadlore_runtime::{Limits, Worker};
use threadlore_testkit::{MemoryLog, MemoryStore, StoppedClock, fold_ports};

const BACKLOG: usize = 4;
const BATCH: usize = 3;

/// Finds nothing, at once or in the pool.
struct Blind {
    quick: bool,
}

#[async_trait]
impl ExtractEngine for Blind {
    fn version(&self) -> &str {
        "blind-1"
    }
    fn is_quick(&self) -> bool {
        self.quick
    }
    async fn extract(&self, _window: &Window) -> Result<Extraction, PortError> {
        Ok(Extraction::default())
    }
}

fn event(channel: usize, name: &str, body: impl Into<threadlore_model::Body>) -> Event {
    let (space, id) = (space(), EventId::of_content("test", &[name]));
    Event {
        envelope: Envelope {
            id,
            key: Key::of_channel(&space, &named(channel)),
            space,
            time: StoppedClock.now(),
            producer: None,
            cause: None,
            actor: None,
            traceparent: None,
        },
        body: body.into(),
    }
}

fn space() -> SpaceId {
    SpaceId::parse("a").expect("a valid space")
}

fn named(channel: usize) -> ChannelId {
    ChannelId::parse(&format!("test:{channel}")).expect("a valid channel")
}

fn posted(channel: usize, offset: usize) -> Event {
    let id = EventId::of_content("test", &["message", &offset.to_string()]);
    let body = MessagePosted {
        message: MessageId::from_uuid(id.as_uuid()),
        channel: named(channel),
        person: PersonId::from_uuid(id.as_uuid()),
        native_id: offset.to_string(),
        author_native: Private::Erased,
        author_name: None,
        text: Private::Erased,
        bot: false,
        reply_to: None,
        mentions: Vec::new(),
        sent_at: StoppedClock.now(),
        thread_root: None,
        to_bot: false,
    };
    event(channel, &format!("posted {offset}"), body)
}

fn ready(channel: usize, up_to: usize, n: usize) -> Event {
    let body = WindowReady {
        channel: named(channel),
        reason: ReadyReason::Count,
        messages: 1,
        up_to: Offset(up_to as i64),
        now: StoppedClock.now(),
    };
    event(channel, &format!("ready {n}"), body)
}

/// Never answers about the first channel, and finds nothing in the others.
#[derive(Default)]
struct Hanging {
    /// Channels that it was asked about, and not the first.
    asked: Mutex<Vec<ChannelId>>,
}

#[async_trait]
impl ExtractEngine for Hanging {
    fn version(&self) -> &str {
        "hanging-1"
    }
    async fn extract(&self, window: &Window) -> Result<Extraction, PortError> {
        if window.channel == named(0) {
            std::future::pending::<()>().await;
        }
        self.asked
            .lock()
            .expect("whole")
            .push(window.channel.clone());
        Ok(Extraction::default())
    }
}

/// Works until nothing is left; the most windows that waited in one channel.
fn work(messages: &[usize], windows: &[(usize, usize)], quick: bool) -> usize {
    block_on(async {
        let engine = Arc::new(Blind { quick });
        let (mut worker, store) = start(messages, windows, engine, 0).await;
        let shard = shard();
        let mut most = 0;
        while worker.step().await.expect("works") {
            for row in store.states_of(&shard) {
                let windows = row.parts.iter().filter(|p| p.name.starts_with("window:"));
                most = most.max(windows.count());
            }
        }
        let left = store.ownership_of(&shard).positions;
        assert!(
            worker.is_idle().await.expect("tells"),
            "it stands still at {left:?}"
        );
        most
    })
}

fn shard() -> Shard {
    Shard {
        group: Group::of_role(Role::Extractor),
        partition: Partition(0),
    }
}

/// An extractor with all of this in its log.
async fn start(
    messages: &[usize],
    windows: &[(usize, usize)],
    engine: Arc<dyn ExtractEngine>,
    held_at_most: usize,
) -> (Worker<Extractor>, Arc<MemoryStore>) {
    let records = |topic, events: Vec<Event>| -> Vec<NewRecord> {
        let record = |event| NewRecord { topic, event };
        events.into_iter().map(record).collect()
    };
    let all = (0..).zip(messages);
    let chat = all.map(|(offset, channel)| posted(*channel, offset));
    let turns = (0..).zip(windows);
    let turns = turns.map(|(n, (channel, up_to))| ready(*channel, *up_to, n));
    let log = Arc::new(MemoryLog::new(1, Arc::new(StoppedClock)));
    for (topic, events) in [
        (Topic::ChatEvents, chat.collect()),
        (Topic::ChatTurns, turns.collect()),
    ] {
        let appended = log.publish(records(topic, events)).await;
        appended.expect("appends");
    }
    let store = Arc::new(MemoryStore::new());
    let ports = fold_ports(&log, &store, Arc::new(StoppedClock));
    let caller = Arc::new(ExtractCaller(engine));
    let params = ExtractorParams {
        backlog: BACKLOG,
        held_at_most,
        ..ExtractorParams::default()
    };
    let limits = Limits {
        batch: BATCH,
        ..Limits::default()
    };
    let extractor = Arc::new(Extractor(params));
    let worker = Worker::start(extractor, caller, Partition(0), ports, limits);
    (worker.await.expect("starts"), store)
}

/// Windows in the order in which a buffer announces them: after so many messages
/// of a channel, and at the end for all.
fn announced(messages: &[usize], every: usize) -> Vec<(usize, usize)> {
    let mut windows = Vec::new();
    let mut counts = [0; 3];
    for (offset, channel) in messages.iter().enumerate() {
        counts[*channel] += 1;
        if counts[*channel] % every == 0 {
            windows.push((*channel, offset));
        }
    }
    let ends = (0..3).filter_map(|channel| {
        let last = messages.iter().rposition(|c| *c == channel)?;
        Some((channel, last))
    });
    windows.extend(ends);
    windows
}

#[test]
fn windows_that_were_announced_wait_in_the_log() {
    let messages: Vec<usize> = (0..400).map(|n| n % 3).collect();
    for quick in [true, false] {
        let most = work(&messages, &announced(&messages, 2), quick);
        assert!(
            (1..=BACKLOG + BATCH).contains(&most),
            "{most} windows waited"
        );
    }
}

#[test]
fn a_channel_whose_call_hangs_does_not_hold_the_others_back() {
    let messages: Vec<usize> = (0..400).map(|n| n % 3).collect();
    let windows = announced(&messages, 2);
    let others = windows.iter().filter(|(channel, _)| *channel != 0).count();
    let asked = |held_at_most| {
        let engine = Arc::new(Hanging::default());
        block_on(async {
            let (mut worker, _) = start(&messages, &windows, engine.clone(), held_at_most).await;
            while worker.step().await.expect("works") {}
        });
        engine.asked.lock().expect("whole").len()
    };
    assert_eq!(asked(10_000), others);
    let held = asked(BACKLOG * 5);
    assert!(
        held < others / 2,
        "{held} of {others}: what waits is bounded"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// Also where windows are announced in no sensible order, and seldom.
    #[test]
    fn nothing_stands_still(
        messages in prop::collection::vec(0..3_usize, 1..60),
        odd in prop::collection::vec(any::<prop::sample::Index>(), 0..60),
        every in 1..30_usize,
        quick in any::<bool>(),
    ) {
        let odd = odd.into_iter().map(|at| at.index(messages.len()));
        let odd = odd.map(|offset| (messages[offset], offset));
        let windows: Vec<_> = odd.chain(announced(&messages, every)).collect();
        work(&messages, &windows, quick);
    }
}
