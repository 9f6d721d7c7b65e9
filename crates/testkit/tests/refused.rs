//! What the log does not take is found out when it is decided: what led to it is put aside,
//! and the rest of the batch goes on.

use std::sync::Arc;

use async_trait::async_trait;
use futures::executor::block_on;
use serde::{Deserialize, Serialize};
use threadlore_model::{
    ArchiveReason, Body, CaseArchived, CaseId, Cause, ChannelClock, ChannelId, Envelope, Event,
    EventId, Group, Key, Offset, Partition, Producer, ReadyReason, RecordSkipped, Role, SpaceId,
    Timestamp, Topic, WindowReady,
};
use threadlore_ports::{Clock, EventLog, NewRecord, PortError, Shard, Store};
use threadlore_roles::{
    ChannelChange, Decided, Facts, KeyState, Processor, Queue, QueuedRecord, Refusal, WakeAt,
};
use threadlore_runtime::{Caller, Limits, Worker};
use threadlore_testkit::{MemoryLog, MemoryStore, StoppedClock, fold_ports};

/// Bytes of the largest event that the log takes.
const LARGEST: usize = 2000;

/// What a record asks the role for.
const SMALL: i64 = 0;
const LARGE: i64 = 1;
const CALL: i64 = 2;
const TIMER: i64 = 3;
/// The role refuses the record, the timer, the answer, or what follows from its own decision.
const REFUSED: i64 = 4;
const REFUSED_TIMER: i64 = 5;
const REFUSED_CALL: i64 = 6;
const REFUSED_DECISION: i64 = 7;

type Input<'a> = threadlore_roles::Input<'a, EmptyCall, Reply>;
type Decision = threadlore_roles::Decision<EmptyCall>;

/// A call about nothing.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct EmptyCall;

/// Its answer.
struct Reply;

/// Decides what a record asks for, at once or, where `QUEUED`, when its turn comes.
struct Obeying<const QUEUED: bool>;

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Seen {
    clock: ChannelClock,
    /// Records that were folded.
    asked: Vec<i64>,
    queue: Vec<QueuedRecord>,
    timer: bool,
}

impl KeyState for Seen {
    type Part = ();

    fn clock(&self) -> &ChannelClock {
        &self.clock
    }
    fn clock_mut(&mut self) -> &mut ChannelClock {
        &mut self.clock
    }
}

impl Seen {
    fn ask(&mut self, asked: i64) {
        self.asked.push(asked);
        self.timer |= asked == TIMER || asked == REFUSED_TIMER;
    }
}

fn asked(event: &Event) -> i64 {
    match &event.body {
        Body::CaseArchived(body) => body.now.as_millis(),
        other => panic!("{}", other.type_name()),
    }
}

fn small(facts: &Facts) -> Decided {
    let ready = WindowReady {
        channel: channel(),
        reason: ReadyReason::Pause,
        messages: 1,
        up_to: Offset(1),
        now: facts.now,
    };
    Body::from(ready).into()
}

fn large(facts: &Facts) -> Decided {
    let skipped = RecordSkipped {
        role: "nobody".to_owned(),
        topic: Topic::Settings,
        partition: 0,
        offset: Offset(0),
        reason: "x".repeat(LARGEST),
        now: facts.now,
    };
    Body::from(skipped).into()
}

impl<const QUEUED: bool> Processor for Obeying<QUEUED> {
    type State = Seen;
    type Call = EmptyCall;
    type Answer = Reply;

    const ROLE: Role = Role::Buffer;
    const INPUTS: &'static [Topic] = &[Topic::KnowledgeCases];
    const OUTPUTS: &'static [Topic] = &[Topic::ChatTurns];
    const FOLDS_OUTPUT: bool = true;

    fn fold(&self, state: &mut Seen, input: &Input<'_>) {
        match input {
            Input::Record {
                at,
                offset,
                event,
                arrived,
            } if QUEUED => state.queue.push(QueuedRecord {
                cause: Cause {
                    event: event.envelope.id,
                    at: *at,
                    offset: *offset,
                },
                time: event.envelope.time,
                arrived: *arrived,
                traceparent: None,
                change: ChannelChange::WindowReady(Offset(asked(event))),
            }),
            Input::Record { event, .. } => state.ask(asked(event)),
            Input::Queued { record, .. } => match record.change {
                ChannelChange::WindowReady(Offset(asked)) => state.ask(asked),
                ref other => panic!("{other:?}"),
            },
            _ => {}
        }
    }
    fn fold_decided(&self, state: &mut Seen, _: &Event) {
        state.timer = false;
    }
    fn decide(&self, state: &Seen, input: &Input<'_>, facts: &Facts) -> Result<Decision, Refusal> {
        let mut decision = Decision::default();
        let refused = match input {
            Input::Record { .. } | Input::Queued { .. } => REFUSED,
            Input::Answered { .. } => REFUSED_CALL,
            Input::Wake { .. } => REFUSED_TIMER,
            Input::Decided(_) => REFUSED_DECISION,
            Input::Resume => return Ok(decision),
        };
        if state.asked.last() == Some(&refused) {
            return Err(Refusal("it is refused".to_owned()));
        }
        match input {
            Input::Record { .. } | Input::Queued { .. } => match state.asked.last() {
                Some(&(SMALL | REFUSED_DECISION)) => decision.events.push(small(facts)),
                Some(&LARGE) => decision.events.push(large(facts)),
                Some(&(CALL | REFUSED_CALL)) => {
                    decision.calls.push((facts.cause.clone(), EmptyCall))
                }
                _ => {}
            },
            Input::Answered { answer, .. } => decision.events.push(match answer {
                Err(_) => small(facts),
                Ok(Reply) => large(facts),
            }),
            Input::Wake { .. } => decision.events.push(large(facts)),
            _ => {}
        }
        Ok(decision)
    }
    fn queue(&self) -> Option<&dyn Queue<Seen>> {
        QUEUED.then_some(self)
    }
    fn wake(&self, state: &Seen) -> WakeAt {
        WakeAt {
            channel: None,
            wall: state.timer.then(|| StoppedClock.now()),
        }
    }
}

impl<const QUEUED: bool> Queue<Seen> for Obeying<QUEUED> {
    fn next(&self, state: &mut Seen, _: bool, _: bool) -> Option<QueuedRecord> {
        (!state.queue.is_empty()).then(|| state.queue.remove(0))
    }
    fn postpone(&self, _: &mut Seen, _: QueuedRecord) {}
    fn is_taken(&self, _: &Seen, _: &Cause) -> bool {
        true
    }
    fn held_at_most(&self) -> usize {
        0
    }
}

/// Finds nothing.
struct Blind;

#[async_trait]
impl<const QUEUED: bool> Caller<Obeying<QUEUED>> for Blind {
    fn step(&self) -> &'static str {
        "ask"
    }
    async fn answer(&self, _: &Key, _: &EmptyCall) -> Result<Reply, PortError> {
        Ok(Reply)
    }
}

fn channel() -> ChannelId {
    ChannelId::parse("test:help").expect("a valid channel")
}

fn event(n: usize, asks: i64) -> Event {
    let space = SpaceId::parse("a").expect("a valid space");
    let id = EventId::of_content("test", &[&n.to_string()]);
    Event {
        envelope: Envelope {
            id,
            key: Key::of_channel(&space, &channel()),
            space,
            time: StoppedClock.now(),
            producer: None,
            cause: None,
            actor: None,
            traceparent: None,
        },
        body: Body::from(CaseArchived {
            case: CaseId::first_carried_by(id),
            channel: channel(),
            reason: ArchiveReason::Expired,
            now: Timestamp::from_millis(asks),
        }),
    }
}

fn shard() -> Shard {
    Shard {
        group: Group::of_role(Role::Buffer),
        partition: Partition(0),
    }
}

struct Ran {
    store: Arc<MemoryStore>,
    /// Type and cause of what was published, in the order of the producer.
    published: Vec<(&'static str, Option<Offset>)>,
    letters: Vec<String>,
}

/// Records that ask for these, taken in one batch, and what follows.
fn run<const QUEUED: bool>(asks: &[i64]) -> Ran {
    let log = MemoryLog::new(1, Arc::new(StoppedClock)).with_largest(LARGEST);
    let (log, store) = (Arc::new(log), Arc::new(MemoryStore::new()));
    let events = asks.iter().enumerate().map(|(n, asks)| event(n, *asks));
    let records = events.map(|event| NewRecord {
        topic: Topic::KnowledgeCases,
        event,
    });
    block_on(async {
        log.publish(records.collect()).await.expect("appended");
        work(Obeying::<QUEUED>, &log, &store).await;
    });
    let dump = log.dump().into_iter().filter_map(|record| record.body.ok());
    let mut decided: Vec<(Producer, Event)> = dump
        .filter_map(|event| Some((event.envelope.producer.clone()?, *event)))
        .collect();
    decided.sort_by_key(|(producer, _)| producer.sequence);
    let sequences: Vec<u64> = decided.iter().map(|(p, _)| p.sequence).collect();
    let expected: Vec<u64> = (1..=sequences.len() as u64).collect();
    assert_eq!(sequences, expected, "without gaps");
    let cause = |event: &Event| event.envelope.cause.as_ref().map(|cause| cause.offset);
    let letters = decided.iter().filter_map(|(_, event)| match &event.body {
        Body::DeadLetter(letter) => Some(letter.reason.clone()),
        _ => None,
    });
    Ran {
        store,
        letters: letters.collect(),
        published: decided
            .iter()
            .map(|(_, event)| (event.body.type_name(), cause(event)))
            .collect(),
    }
}

/// Works until there is nothing to do, which must not take long.
async fn work<P: Processor>(processor: P, log: &Arc<MemoryLog>, store: &Arc<MemoryStore>)
where
    Blind: Caller<P>,
{
    let ports = fold_ports(log, store, Arc::new(StoppedClock));
    let (processor, caller, limits) = (Arc::new(processor), Arc::new(Blind), Limits::default());
    let started = Worker::start(processor, caller, Partition(0), ports, limits).await;
    let mut worker = started.expect("starts");
    for _ in 0..10 {
        if !worker.step().await.expect("works") {
            return;
        }
    }
    panic!("it does not come to rest");
}

/// What a record asked for and was folded, in order.
fn folded(store: &MemoryStore) -> Vec<i64> {
    let states = store.states_of(&shard());
    let body = states.first().expect("a state").body.clone();
    #[derive(Deserialize)]
    struct Entry {
        state: Seen,
    }
    let entry: Entry = ciborium::from_reader(body.as_slice()).expect("a state");
    entry.state.asked
}

fn at(offset: i64) -> Option<Offset> {
    Some(Offset(offset))
}

#[test]
fn a_record_is_put_aside_and_the_rest_of_its_batch_goes_on() {
    for ran in [
        run::<false>(&[SMALL, LARGE, SMALL]),
        run::<true>(&[SMALL, LARGE, SMALL]),
    ] {
        let expected = [
            ("WindowReady", at(0)),
            ("RecordSkipped", at(1)),
            ("DeadLetter", at(1)),
            ("WindowReady", at(2)),
        ];
        assert_eq!(ran.published, expected);
        assert_eq!(folded(&ran.store), [SMALL, SMALL]);
        assert!(ran.letters[0].contains("too large"), "{:?}", ran.letters);
    }
}

#[test]
fn several_records_of_a_batch_are_put_aside() {
    let ran = run::<false>(&[LARGE, SMALL, LARGE]);
    let types: Vec<_> = ran.published.iter().map(|(name, _)| *name).collect();
    let skipped = ["RecordSkipped", "DeadLetter"];
    assert_eq!(types, [&skipped[..], &["WindowReady"], &skipped].concat());
}

#[test]
fn an_answer_that_nothing_can_be_made_of_is_a_failed_call() {
    let ran = run::<false>(&[CALL, SMALL]);
    let expected = [
        ("WindowReady", at(1)),
        ("DeadLetter", at(0)),
        ("WindowReady", at(0)),
    ];
    assert_eq!(ran.published, expected);
    let left = block_on(ran.store.effects(&shard())).expect("loads");
    assert_eq!(left, [], "nobody asks again");
}

#[test]
fn a_timer_waits_for_the_next_input() {
    let ran = run::<false>(&[TIMER]);
    assert_eq!(ran.published, [("DeadLetter", at(0))]);
    let wakes = block_on(ran.store.wakes(&shard())).expect("loads");
    assert_eq!(wakes, []);
}

#[test]
fn a_refusal_is_a_dead_letter_whatever_is_refused() {
    let dead = ("DeadLetter", at(0));
    let expected = [
        (REFUSED, vec![("RecordSkipped", at(0)), dead]),
        (REFUSED_TIMER, vec![dead]),
        (REFUSED_CALL, vec![dead]),
        (REFUSED_DECISION, vec![("WindowReady", at(0)), dead]),
    ];
    for (asks, published) in expected {
        for ran in [run::<false>(&[asks]), run::<true>(&[asks])] {
            assert_eq!(ran.published, published, "{asks}");
            assert_eq!(ran.letters, ["it is refused"], "{asks}");
        }
    }
}
