//! The real loops of all roles on ports in memory, and history that comes in one go
//! or as it was written.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use threadlore_callers::ExtractCaller;
use threadlore_fold::fold_case;
use threadlore_gateways::{Bots, ImportOptions, Input, Summary, Target, end_history, import};
use threadlore_model::{
    Body, Case, CaseId, ChannelId, Event, Extraction, MessageId, Partition, PersonHasher, SpaceId,
    Timestamp, Topic, Window,
};
use threadlore_models::Builtin;
use threadlore_ports::{
    Clock, EventLog, ExtractEngine, Generations, NewRecord, Observer, PortError, Projection, Silent,
};
use threadlore_replay::Projector;
use threadlore_roles::{Buffer, Extractor, Intake, Processor};
use threadlore_roles::{BufferParams, ExtractorParams, IntakeParams};
use threadlore_runtime::{Caller, Limits, NoCaller, Worker};
use threadlore_stream::FoldPorts;
use threadlore_testkit::{MemoryBlobs, MemoryLog, MemoryStore, fold_ports};

/// When history is imported: 2026.
const IMPORTED: Timestamp = Timestamp::from_millis(1_790_000_000_000);
const MINUTE: Duration = Duration::from_secs(60);
const DAY: Duration = Duration::from_secs(24 * 3600);

/// A clock that a test turns.
struct Turned(Mutex<Timestamp>);

#[async_trait]
impl Clock for Turned {
    fn now(&self) -> Timestamp {
        *self.0.lock().expect("not poisoned")
    }
    async fn sleep(&self, _by: Duration) {}
}

impl Turned {
    fn to(&self, now: Timestamp) {
        *self.0.lock().expect("not poisoned") = now;
    }
    fn on(&self, by: Duration) {
        self.to(self.now().plus(by));
    }
}

/// The built-in engine, answered at once or, as a model is, later.
struct Rules {
    engine: Builtin,
    quick: bool,
}

#[async_trait]
impl ExtractEngine for Rules {
    fn version(&self) -> &str {
        self.engine.version()
    }
    fn is_quick(&self) -> bool {
        self.quick
    }
    async fn extract(&self, window: &Window) -> Result<Extraction, PortError> {
        self.engine.extract(window).await
    }
}

/// Settings that tests change.
#[derive(Clone, Default)]
pub(crate) struct Params {
    pub(crate) buffer: BufferParams,
    pub(crate) extractor: ExtractorParams,
}

pub(crate) type Cases = BTreeMap<CaseId, Case>;

/// All roles of one partition, in memory.
struct Roles {
    clock: Arc<Turned>,
    log: Arc<MemoryLog>,
    store: Arc<MemoryStore>,
    ports: FoldPorts,
    intake: Worker<Intake>,
    buffer: Worker<Buffer>,
    extractor: Worker<Extractor>,
}

impl Roles {
    async fn start(params: Params, quick: bool, now: Timestamp) -> Self {
        Self::told(params, quick, now, Arc::new(Silent)).await
    }

    async fn told(
        params: Params,
        quick: bool,
        now: Timestamp,
        observer: Arc<dyn Observer>,
    ) -> Self {
        async fn worker<P: Processor>(
            role: P,
            caller: impl Caller<P> + 'static,
            ports: &FoldPorts,
        ) -> Worker<P> {
            let (role, caller) = (Arc::new(role), Arc::new(caller));
            let (ports, limits) = (ports.clone(), Limits::default());
            let started = Worker::start(role, caller, Partition(0), ports, limits).await;
            started.expect("starts")
        }
        let clock = Arc::new(Turned(Mutex::new(now)));
        let log = Arc::new(MemoryLog::new(1, clock.clone()));
        let store = Arc::new(MemoryStore::new());
        let ports = fold_ports(&log, &store, clock.clone());
        let ports = FoldPorts { observer, ..ports };
        let rules = ExtractCaller(Arc::new(Rules {
            engine: Builtin::default(),
            quick,
        }));
        let intake = Intake(IntakeParams {
            hasher: PersonHasher::new(&[1; 32]),
            max_text_bytes: 65_536,
            case_link_base: String::new(),
        });
        Self {
            intake: worker(intake, NoCaller, &ports).await,
            buffer: worker(Buffer(params.buffer), NoCaller, &ports).await,
            extractor: worker(Extractor(params.extractor), rules, &ports).await,
            clock,
            log,
            store,
            ports,
        }
    }

    /// Takes history that comes in one go.
    async fn take(&mut self, history: &History) {
        append(&self.log, history).await;
        self.settle().await;
        self.clock.on(MINUTE);
        self.settle().await;
    }

    /// Works until nobody has anything to do now. The ones in front run as far
    /// ahead as they are let: an import is announced faster than it is looked at.
    async fn settle(&mut self) {
        loop {
            while self.intake.step().await.expect("works") {}
            while self.buffer.step().await.expect("works") {}
            if !self.extractor.step().await.expect("works") {
                return;
            }
        }
    }

    /// The cases at the end.
    async fn cases(&self) -> Cases {
        let records = self.log.dump().into_iter();
        let records = records.filter(|record| record.at.topic == Topic::KnowledgeCases);
        let events: Vec<Event> = records.map(|r| *r.body.expect("an event")).collect();
        let opened = self.ports.vault.open(events).await.expect("opens");
        let mut cases: BTreeMap<CaseId, Option<Case>> = BTreeMap::new();
        for event in opened {
            let event = event.expect("opens");
            if let Some(id) = event.body.case() {
                fold_case(cases.entry(id).or_default(), &event);
            }
        }
        let cases = cases.into_iter();
        cases.filter_map(|(id, case)| Some((id, case?))).collect()
    }
}

fn target() -> Target {
    Target {
        space: SpaceId::parse("s").expect("a space"),
        channel: ChannelId::parse("irc:#ubuntu").expect("a channel"),
        bots: Bots::parse("ubottu,FloodBot*").expect("bots"),
    }
}

/// Files, by name, with their text.
pub(crate) type History = [(String, String)];

/// Appends the files to `chat.inbox`, as `threadlore import` does.
async fn append(log: &MemoryLog, history: &History) {
    let blobs = MemoryBlobs::default();
    let mut all = Summary::default();
    for (name, text) in history {
        let options = ImportOptions {
            target: target(),
            format: None,
            date: None,
            timezone: None,
            again: false,
        };
        let input = Input {
            name: name.clone(),
            size: text.len() as u64,
            reader: std::io::Cursor::new(text.as_bytes()),
        };
        let taken = import(log, &blobs, IMPORTED, &options, input, |_| {}).await;
        all.merge(taken.expect("imports"));
    }
    let ended = end_history(log, &target(), &all).await;
    ended.expect("appends");
}

/// The cases when all of it comes in one go.
pub(crate) async fn in_one_go(history: &History, params: Params, quick: bool) -> Cases {
    let mut roles = Roles::start(params, quick, IMPORTED).await;
    roles.take(history).await;
    roles.cases().await
}

/// The same, watched, and folded for readers: the cases, and what is on the log.
pub(crate) async fn watched(
    history: &History,
    quick: bool,
    observer: Arc<dyn Observer>,
) -> (Cases, Vec<Event>) {
    let mut roles = Roles::told(Params::default(), quick, IMPORTED, observer).await;
    roles.take(history).await;
    for projection in [Projection::Messages, Projection::Cases] {
        let build = roles.store.live(projection).await.expect("there is one");
        let ports = roles.ports.clone();
        let started = Projector::start(build, Partition(0), ports).await;
        let mut projector = started.expect("starts");
        while projector.step(500).await.expect("folds") > 0 {}
    }
    let records = roles.log.dump().into_iter();
    let events = records.map(|record| *record.body.expect("an event"));
    (roles.cases().await, events.collect())
}

/// The cases when each message comes as it was written, and after the last one
/// nothing for as long as a pause lasts.
pub(crate) async fn as_it_came(history: &History, params: Params) -> Cases {
    let clock = Arc::new(Turned(Mutex::new(IMPORTED)));
    let log = MemoryLog::new(1, clock);
    append(&log, history).await;
    let records = log.dump().into_iter();
    let inbox = records.filter(|record| record.at.topic == Topic::ChatInbox);
    let inbox = inbox.map(|r| *r.body.expect("an event"));
    let inbox: Vec<Event> = inbox
        .filter(|event| !matches!(event.body, Body::PlatformHistoryEnded(_)))
        .collect();
    let begin = inbox.first().expect("messages").envelope.time;
    let mut roles = Roles::start(params, true, begin).await;
    for event in inbox {
        until(&mut roles, event.envelope.time).await;
        let topic = Topic::ChatInbox;
        let appended = roles.log.publish(vec![NewRecord { topic, event }]).await;
        appended.expect("appends");
        roles.settle().await;
    }
    let end = roles.clock.now().plus(11 * MINUTE);
    until(&mut roles, end).await;
    roles.cases().await
}

/// Time goes by: by the minute while a window may be due, then by the day.
async fn until(roles: &mut Roles, end: Timestamp) {
    let mut passed = Duration::ZERO;
    while roles.clock.now() < end {
        let left = end.since(roles.clock.now());
        let by = match passed {
            _ if passed > 20 * DAY => left,
            _ if passed > 11 * MINUTE => DAY.min(left),
            _ => MINUTE.min(left),
        };
        passed += by;
        roles.clock.on(by);
        roles.settle().await;
    }
}

/// The message with this id of the platform.
pub(crate) fn message(native: &str) -> MessageId {
    let Target { space, channel, .. } = target();
    MessageId::of_native(&space, &channel, native)
}
