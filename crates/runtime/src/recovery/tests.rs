use std::sync::Arc;

use futures::executor::block_on;
use threadlore_model::{
    Body, ChannelId, Envelope, EventId, Group, HistoryEnded, Offset, Partition, PersonHasher,
    Producer, ReadyReason, Role, SpaceId, WindowReady,
};
use threadlore_ports::{Clock, EventLog, NewRecord, Ownership, Store};
use threadlore_roles::{Buffer, BufferParams, Intake, IntakeParams};
use threadlore_testkit::{MemoryLog, MemoryStore, StoppedClock, fold_ports};

use super::outputs::EVENTS;
use super::own_events::PAGE;
use super::*;

/// A log with what `buffer` published, and its store, which is empty.
struct Lost {
    log: Arc<MemoryLog>,
    store: Arc<MemoryStore>,
    ports: FoldPorts,
    processor: Buffer,
    shard: Shard,
    sequence: u64,
}

impl Lost {
    fn new() -> Self {
        let log = Arc::new(MemoryLog::new(1, Arc::new(StoppedClock)));
        let store = Arc::new(MemoryStore::new());
        Self {
            ports: fold_ports(&log, &store, Arc::new(StoppedClock)),
            log,
            store,
            processor: Buffer(BufferParams::default()),
            shard: shard(Role::Buffer),
            sequence: 0,
        }
    }

    /// `buffer` published a window of each channel, with that offset of `chat.events` as cause.
    fn with(mut self, windows: impl IntoIterator<Item = (i64, i64)>) -> Self {
        for (channel, cause) in windows {
            self.sequence += 1;
            let mut window = window(channel, self.sequence);
            window.envelope.cause = Some(caused_by(cause));
            publish(&self.log, Topic::ChatTurns, window);
        }
        self
    }

    /// `chat.events` has this many records.
    fn and_events(self, count: i64) -> Self {
        for n in 0..count {
            let ended = HistoryEnded {
                channel: channel(1),
                ended_at: StoppedClock.now(),
            };
            publish(&self.log, Topic::ChatEvents, event(1, n, ended.into()));
        }
        self
    }

    /// A recovery by an owner whose next record of `chat.events` has this offset.
    fn recovery(&self, next: i64) -> Recovery {
        let owned = Ownership {
            positions: Positions::from([(Topic::ChatEvents, Offset(next))]),
            ..Ownership::default()
        };
        self.begin(&self.processor, &owned).0
    }

    fn begin<P: Processor>(&self, processor: &P, owned: &Ownership) -> (Recovery, Counters) {
        let (log, vault) = (Arc::clone(&self.ports.log), self.ports.vault.clone());
        let mut counters = Counters {
            sequence: 0,
            next_call: 0,
        };
        let shard = shard(P::ROLE);
        let begun = block_on(async {
            let epoch = self.store.acquire(&shard).await?.epoch;
            let mut consumer = Consumer::start(log, vault, &shard, P::INPUTS, owned).await?;
            let place = (&shard, epoch, &mut counters);
            let settled = Positions::new();
            Recovery::begin(&self.ports, processor, place, settled, &mut consumer).await
        });
        (begun.expect("the ports work"), counters)
    }

    fn own(&self) -> Own<'_, Buffer> {
        Own {
            ports: &self.ports,
            processor: &self.processor,
            shard: &self.shard,
        }
    }

    /// Reads what inputs before this offset had led to.
    fn read_on(&self, recovery: &mut Recovery, next: i64) {
        let positions = Positions::from([(Topic::ChatEvents, Offset(next))]);
        block_on(recovery.read_on(self.own(), &positions)).expect("the ports work");
    }

    /// Sequences of what is folded after the channel's record at that offset.
    fn folded(&self, recovery: &mut Recovery, channel: i64, offset: i64) -> Vec<u64> {
        let (key, mut sequences) = (key(channel), Vec::new());
        loop {
            match recovery.next(&key, None, |cause| cause.offset <= Offset(offset)) {
                Next::Output(event) => {
                    let producer = event.envelope.producer.as_ref();
                    sequences.push(producer.map_or(0, |producer| producer.sequence));
                }
                Next::ToLoad => {
                    block_on(recovery.load(self.own(), (&key, None))).expect("the ports work");
                }
                Next::Nothing => return sequences,
            }
        }
    }
}

fn shard(role: Role) -> Shard {
    Shard {
        group: Group::of_role(role),
        partition: Partition(0),
    }
}

fn channel(n: i64) -> ChannelId {
    ChannelId::parse(&format!("test:{n}")).expect("a channel")
}

fn key(n: i64) -> Key {
    Key::parse(&format!("a/test:{n}")).expect("a key")
}

fn event(of: i64, n: i64, body: Body) -> Event {
    Event {
        envelope: Envelope {
            id: EventId::of_content("test", &[&n.to_string()]),
            space: SpaceId::parse("a").expect("a space"),
            key: key(of),
            time: StoppedClock.now(),
            producer: None,
            cause: None,
            actor: None,
            traceparent: None,
        },
        body,
    }
}

fn window(of: i64, sequence: u64) -> Event {
    let body = WindowReady {
        channel: channel(of),
        reason: ReadyReason::Count,
        messages: 1,
        up_to: Offset(0),
        now: StoppedClock.now(),
    };
    let mut event = event(of, sequence.cast_signed(), body.into());
    event.envelope.producer = Some(Producer {
        group: Group::of_role(Role::Buffer),
        partition: Partition(0),
        sequence,
    });
    event
}

fn caused_by(offset: i64) -> Cause {
    Cause {
        event: EventId::of_content("cause", &[&offset.to_string()]),
        at: TopicPartition {
            topic: Topic::ChatEvents,
            partition: Partition(0),
        },
        offset: Offset(offset),
    }
}

fn publish(log: &MemoryLog, topic: Topic, event: Event) {
    block_on(log.publish(vec![NewRecord { topic, event }])).expect("it fits");
}

#[test]
fn what_a_record_led_to_is_folded_after_it_in_the_order_of_the_log() {
    // given
    let lost = Lost::new().with([(1, 3), (2, 4), (1, 7), (1, 7)]);
    let mut recovery = lost.recovery(0);
    // when
    lost.read_on(&mut recovery, 8);
    // then
    assert_eq!(lost.folded(&mut recovery, 1, 2), [] as [u64; 0]);
    assert_eq!(lost.folded(&mut recovery, 1, 3), [1]);
    assert_eq!(lost.folded(&mut recovery, 2, 4), [2]);
    assert_eq!(lost.folded(&mut recovery, 1, 7), [3, 4]);
    assert_eq!(recovery.left(), 0);
}

#[test]
fn the_result_of_a_slow_call_is_folded_after_its_cause_and_before_what_follows() {
    // given: channel 1 waited for an answer while the others went on
    let others = (6..3000).map(|cause| (2, cause));
    let lost = Lost::new().with(others.chain([(1, 5), (1, 3000)]));
    let mut recovery = lost.recovery(0);
    // when
    lost.read_on(&mut recovery, 6);
    // then
    assert_eq!(lost.folded(&mut recovery, 1, 5), [2995]);
    assert!(recovery.has_outputs(&key(1)));
    lost.read_on(&mut recovery, 3001);
    assert_eq!(lost.folded(&mut recovery, 2, 2999).len(), 2994);
    assert_eq!(lost.folded(&mut recovery, 1, 3000), [2996]);
}

#[test]
fn a_late_result_behind_a_later_cause_keeps_its_place_in_the_key() {
    // given
    let lost = Lost::new().with([(1, 10), (1, 5), (1, 11)]);
    let mut recovery = lost.recovery(0);
    // when
    lost.read_on(&mut recovery, 6);
    // then
    assert_eq!(lost.folded(&mut recovery, 1, 5), [] as [u64; 0]);
    lost.read_on(&mut recovery, 11);
    assert_eq!(lost.folded(&mut recovery, 1, 10), [1, 2]);
}

#[test]
fn outputs_stream_by_and_few_are_in_memory() {
    // given
    let all: i64 = 50_000;
    let lost = Lost::new().with((0..all).map(|n| (n % 7, n)));
    let mut recovery = lost.recovery(0);
    let (mut most, mut folded) = (0, 0);
    // when
    for next in (500..=all).step_by(500) {
        lost.read_on(&mut recovery, next);
        most = most.max(recovery.outputs.waiting());
        for channel in 0..7 {
            folded += lost.folded(&mut recovery, channel, next - 1).len();
        }
        recovery.finished();
    }
    // then
    assert!(most <= 2 * PAGE, "{most} outputs waited");
    assert_eq!((folded, recovery.left()), (50_000, 0));
}

#[test]
fn few_events_are_in_memory_however_late_an_output_is() {
    // given: the last output belongs to the first record
    let all: i64 = 20_000;
    let lost = Lost::new().with((0..all).map(|n| (n % 7, n)).chain([(9, 0)]));
    let mut recovery = lost.recovery(0);
    let (mut most, mut folded) = (0, Vec::new());
    // when
    for next in (500..=all).step_by(500) {
        lost.read_on(&mut recovery, next);
        for channel in (0..7).chain([9]) {
            folded.extend(lost.folded(&mut recovery, channel, next - 1));
            most = most.max(recovery.outputs.events());
        }
        recovery.finished();
        if next == 500 {
            assert_eq!(folded.last(), Some(&20_001), "the late one is folded first");
        }
    }
    // then
    assert!(most <= EVENTS + 1, "{most} events were in memory");
    folded.sort_unstable();
    assert_eq!(folded, (1..=20_001).collect::<Vec<u64>>());
}

#[test]
fn an_attempt_that_is_undone_takes_out_the_same_again() {
    // given
    let lost = Lost::new().with([(1, 1), (1, 2), (1, 3)]);
    let mut recovery = lost.recovery(0);
    lost.read_on(&mut recovery, 4);
    assert_eq!(lost.folded(&mut recovery, 1, 1), [1]);
    recovery.finished();
    assert_eq!(lost.folded(&mut recovery, 1, 3), [2, 3]);
    // when
    recovery.undo();
    // then
    assert_eq!(recovery.left(), 2);
    assert_eq!(lost.folded(&mut recovery, 1, 3), [2, 3]);
}

#[test]
fn after_a_crash_what_the_states_have_is_left_out() {
    // given: records up to offset 6 were folded; the result for 5 waits behind what 10 led to
    let windows = [(1, 3), (2, 6), (1, 10), (1, 5), (2, 7)];
    let lost = Lost::new().with(windows).and_events(11);
    // when
    let mut recovery = lost.recovery(7);
    // then
    assert_eq!(recovery.left(), 3);
    lost.read_on(&mut recovery, 11);
    assert_eq!(lost.folded(&mut recovery, 2, 7), [5]);
    assert_eq!(lost.folded(&mut recovery, 1, 10), [3, 4]);
}

#[test]
fn a_recovery_is_through_after_the_highest_cause() {
    // given
    let lost = Lost::new().with([(1, 9), (2, 4)]);
    // when
    let recovery = lost.recovery(0);
    // then
    let at = |next| Positions::from([(Topic::ChatEvents, Offset(next))]);
    assert!(!recovery.is_through(&at(9)));
    assert!(recovery.is_through(&at(10)));
}

#[test]
fn what_others_published_and_what_was_published_twice_counts_once() {
    // given
    let mut lost = Lost::new().with([(1, 1), (1, 2)]);
    let mut other = window(1, 7);
    other.envelope.cause = Some(caused_by(90));
    other.envelope.producer.as_mut().expect("has one").partition = Partition(1);
    publish(&lost.log, Topic::ChatTurns, other);
    lost.sequence = 0;
    let lost = lost.with([(1, 1), (1, 2), (1, 3)]);
    // when
    let (mut recovery, counters) = lost.begin(&lost.processor, &Ownership::default());
    // then
    assert_eq!((recovery.left(), counters.sequence), (3, 3));
    lost.read_on(&mut recovery, 100);
    assert_eq!(lost.folded(&mut recovery, 1, 100), [1, 2, 3]);
}

#[test]
fn accepted_ids_are_stored_and_nothing_is_kept() {
    // given
    let lost = Lost::new();
    let count = 12_000;
    for n in 1..=count {
        let ended = HistoryEnded {
            channel: channel(1),
            ended_at: StoppedClock.now(),
        };
        let mut event = event(1, n % 11_000, ended.into());
        event.envelope.cause = Some(caused_by(n));
        event.envelope.producer = Some(Producer {
            group: Group::of_role(Role::Intake),
            partition: Partition(0),
            sequence: n.cast_unsigned(),
        });
        publish(&lost.log, Topic::ChatEvents, event);
    }
    let intake = Intake(IntakeParams {
        hasher: PersonHasher::new(&[1; 32]),
        max_text_bytes: 1000,
        case_link_base: String::new(),
    });
    // when
    let (recovery, counters) = lost.begin(&intake, &Ownership::default());
    // then
    assert_eq!((recovery.left(), counters.sequence), (0, 12_000));
    let ids: Vec<EventId> = (0..11_000)
        .map(|n: i64| EventId::of_content("test", &[&n.to_string()]))
        .collect();
    let have = block_on(lost.store.accepted(&shard(Role::Intake), &ids));
    assert_eq!(have.expect("the ports work").len(), 11_000);
}
