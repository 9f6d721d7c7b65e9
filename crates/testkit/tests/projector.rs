//! A projector whose batch holds an event that cannot be folded, and that loses its partition
//! at any moment.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use futures::FutureExt;
use futures::executor::block_on;
use futures::future::ready;
use threadlore_fold::Row;
use threadlore_model::{
    Body, CaseId, ChannelId, Envelope, Event, EventId, Key, Partition, Private, SpaceId, Timestamp,
    Topic, VectorComputed, source_text, vector_source, vector_text,
};
use threadlore_ports::{
    Clock, EventLog, Generation, Generations, NewRecord, PortError, Projection, Shard, Store,
};
use threadlore_replay::{FoldPorts, Projector, Resources, ends, fill};
use threadlore_testkit::{MemoryLog, MemoryStore, StoppedClock, fold_ports};

const EVENTS: u32 = 7;
/// The event whose vector cannot be read.
const UNREADABLE: u32 = 3;

/// A clock that hands the partition to another owner when it is read for the `at`-th time.
struct TakesOver {
    store: Arc<MemoryStore>,
    partition: Mutex<Option<Shard>>,
    read: AtomicUsize,
    at: usize,
}

#[async_trait]
impl Clock for TakesOver {
    fn now(&self) -> Timestamp {
        let partition = self.partition.lock().expect("not poisoned");
        if let Some(shard) = partition.as_ref()
            && self.read.fetch_add(1, Ordering::SeqCst) + 1 == self.at
        {
            let owned = self.store.acquire(shard).now_or_never();
            owned.expect("does not wait").expect("acquired");
        }
        Timestamp::from_millis(1_760_000_000_000)
    }
    async fn sleep(&self, _by: Duration) {}
}

fn computed(number: u32) -> Event {
    let space = SpaceId::parse("a").expect("a valid space");
    let channel = ChannelId::parse("test:help").expect("a valid channel");
    let id = EventId::of_content("test", &[&number.to_string()]);
    let now = Timestamp::from_millis(1_760_000_000_000);
    let vector = match number {
        UNREADABLE => "no vector".to_owned(),
        _ => vector_text(&[1.0, 2.0]),
    };
    Event {
        envelope: Envelope {
            id,
            key: Key::of_channel(&space, &channel),
            space,
            time: now,
            producer: None,
            cause: None,
            actor: None,
            traceparent: None,
        },
        body: Body::from(VectorComputed {
            case: CaseId::first_carried_by(id),
            channel,
            model: "model".to_owned(),
            source: Private::Open(source_text(&vector_source("a text"))),
            vector: Private::Open(vector),
            now,
        }),
    }
}

/// How a build is folded.
#[derive(Debug, Clone, Copy)]
enum By {
    /// By the projector that feeds it live.
    Live,
    /// By a replay.
    Replay,
}

/// Folds all there is into a build, by a new owner.
async fn fold(
    by: By,
    build: Generation,
    ports: &FoldPorts,
    store: &MemoryStore,
) -> Result<(), PortError> {
    match by {
        By::Live => {
            let mut projector = Projector::start(build, Partition(0), ports.clone()).await?;
            while projector.step(100).await? > 0 {}
            Ok(())
        }
        By::Replay => {
            let ends = ends(ports.log.as_ref(), Projection::Vectors, None).await?;
            let (plan, never) = ((build, &ends), || ready(Ok(false)).boxed());
            let filled = fill(ports, store, plan, Resources::default(), &never, &|_, _| {}).await?;
            assert!(filled.is_whole);
            Ok(())
        }
    }
}

/// Rows and skips after an owner lost its partition at the `at`-th reading of the clock,
/// and another one went on; whether it did lose it.
fn run(by: By, at: usize) -> (Vec<Row>, usize, bool) {
    let store = Arc::new(MemoryStore::new());
    let clock = Arc::new(TakesOver {
        store: Arc::clone(&store),
        partition: Mutex::new(None),
        read: AtomicUsize::new(0),
        at,
    });
    let log = Arc::new(MemoryLog::new(1, clock.clone()));
    let ports = fold_ports(&log, &store, clock.clone());
    block_on(async {
        let mut events: Vec<Event> = (0..EVENTS).map(computed).collect();
        ports.vault.seal(&mut events).await.expect("sealed");
        let records = events.into_iter().map(|event| NewRecord {
            topic: Topic::Vectors,
            event,
        });
        log.publish(records.collect()).await.expect("appended");
        let build: Generation = store.create(Projection::Vectors).await.expect("made");
        *clock.partition.lock().expect("not poisoned") = Some(Shard {
            group: build.group(),
            partition: Partition(0),
        });
        let first = fold(by, build, &ports, &store).await;
        *clock.partition.lock().expect("not poisoned") = None;
        if let Err(error) = &first {
            assert!(error.is_fenced(), "{error}");
        }
        let next = fold(by, build, &ports, &store).await;
        next.expect("folds the rest");
        let skipped: BTreeSet<_> = log
            .dump()
            .into_iter()
            .filter_map(|record| match record.body.expect("an event").body {
                Body::RecordSkipped(skip) => Some(skip.offset),
                _ => None,
            })
            .collect();
        (store.rows(build), skipped.len(), first.is_err())
    })
}

/// Loses the partition at every moment, one after another.
fn nothing_is_lost(by: By) {
    let (rows, skips, lost) = run(by, usize::MAX);
    assert!(!lost);
    assert_eq!((rows.len(), skips), (EVENTS as usize - 1, 1));
    let mut losses = 0;
    for at in 1.. {
        let (after, skips, lost) = run(by, at);
        assert_eq!((&after, skips), (&rows, 1), "{by:?}: lost at reading {at}");
        losses += usize::from(lost);
        if !lost && at > 2 * EVENTS as usize {
            break;
        }
    }
    assert!(losses > EVENTS as usize, "{by:?}: only {losses} moments");
}

#[test]
fn nothing_is_lost_when_the_partition_is_lost_while_events_are_folded_one_by_one() {
    nothing_is_lost(By::Live);
}

#[test]
fn a_replay_goes_on_that_was_cut_off_while_events_were_folded_one_by_one() {
    nothing_is_lost(By::Replay);
}

/// How many records each batch of a replay of 700 takes.
fn batches(is_live: bool) -> Vec<u64> {
    let store = Arc::new(MemoryStore::new());
    let log = Arc::new(MemoryLog::new(1, Arc::new(StoppedClock)));
    let ports = fold_ports(&log, &store, Arc::new(StoppedClock));
    if is_live {
        ports.traffic.note(ports.clock.now());
    }
    let folded = Mutex::new(vec![0]);
    block_on(async {
        let mut events: Vec<Event> = (0..700).map(|_| computed(1)).collect();
        ports.vault.seal(&mut events).await.expect("sealed");
        let records = events.into_iter().map(|event| NewRecord {
            topic: Topic::Vectors,
            event,
        });
        log.publish(records.collect()).await.expect("appended");
        let build = store.create(Projection::Vectors).await.expect("made");
        let ends = ends(ports.log.as_ref(), Projection::Vectors, None).await;
        let (ends, never) = (ends.expect("read"), || ready(Ok(false)).boxed());
        let progress = |done, _| folded.lock().expect("not poisoned").push(done);
        let (plan, resources) = ((build, &ends), Resources::default());
        let filled = fill(&ports, store.as_ref(), plan, resources, &never, &progress);
        assert!(filled.await.expect("fills").is_whole);
    });
    let folded = folded.into_inner().expect("not poisoned");
    folded.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

#[test]
fn a_replay_takes_small_batches_while_live_work_goes_on() {
    assert_eq!(batches(false), [700]);
    assert_eq!(batches(true), [100; 7]);
}
