//! A role whose keys are no channels: what it decides on a timer is published like anything else.

use std::sync::Arc;

use futures::executor::block_on;
use serde::{Deserialize, Serialize};
use threadlore_model::{
    ArchiveReason, Body, CaseArchived, CaseId, ChannelClock, ChannelId, Envelope, Event, EventId,
    Key, Offset, Partition, ReadyReason, Role, SpaceId, Topic, WindowReady,
};
use threadlore_ports::{Clock, EventLog, NewRecord};
use threadlore_roles::{Decision, Facts, Input, KeyState, NoCall, Processor, Refusal, WakeAt};
use threadlore_runtime::{Limits, NoCaller, Worker};
use threadlore_testkit::{MemoryLog, MemoryStore, StoppedClock, fold_ports};

/// Announces a window once, on a timer, for each record.
struct Announcer;

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Seen {
    clock: ChannelClock,
    records: i64,
    announced: i64,
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

fn channel() -> ChannelId {
    ChannelId::parse("test:help").expect("a valid channel")
}

impl Processor for Announcer {
    type State = Seen;
    type Call = NoCall;
    type Answer = NoCall;

    const ROLE: Role = Role::Buffer;
    const INPUTS: &'static [Topic] = &[Topic::KnowledgeCases];
    const OUTPUTS: &'static [Topic] = &[Topic::ChatTurns];
    const FOLDS_OUTPUT: bool = true;

    fn fold(&self, state: &mut Seen, input: &Input<'_>) {
        if let Input::Record { event, arrived, .. } = input {
            state.clock.observe(event.envelope.time, *arrived);
            state.records += 1;
        }
    }
    fn fold_decided(&self, state: &mut Seen, _: &Event) {
        state.announced += 1;
    }
    fn decide(&self, state: &Seen, input: &Input<'_>, facts: &Facts) -> Result<Decision, Refusal> {
        let mut decision = Decision::default();
        if matches!(input, Input::Wake { .. }) {
            let ready = WindowReady {
                channel: channel(),
                reason: ReadyReason::Pause,
                messages: 1,
                up_to: Offset(state.records),
                now: facts.now,
            };
            decision.events.push(Body::from(ready).into());
        }
        Ok(decision)
    }
    fn wake(&self, state: &Seen) -> WakeAt {
        WakeAt {
            channel: None,
            wall: (state.announced < state.records).then(|| StoppedClock.now()),
        }
    }
}

#[test]
fn what_is_decided_on_a_timer_of_a_key_that_is_a_space_is_published() {
    let log = Arc::new(MemoryLog::new(1, Arc::new(StoppedClock)));
    let store = Arc::new(MemoryStore::new());
    let ports = fold_ports(&log, &store, Arc::new(StoppedClock));
    let space = SpaceId::parse("a").expect("a valid space");
    let id = EventId::of_content("test", &["1"]);
    let record = NewRecord {
        topic: Topic::KnowledgeCases,
        event: Event {
            envelope: Envelope {
                id,
                key: Key::of_space(&space),
                space: space.clone(),
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
                now: StoppedClock.now(),
            }),
        },
    };
    block_on(async {
        log.publish(vec![record]).await.expect("appended");
        let limits = Limits::default();
        let started = Worker::start(
            Arc::new(Announcer),
            Arc::new(NoCaller),
            Partition(0),
            ports,
            limits,
        )
        .await;
        let mut worker = started.expect("starts");
        for _ in 0..4 {
            worker.step().await.expect("works");
        }
    });
    let announced: Vec<Event> = log
        .dump()
        .into_iter()
        .filter(|record| record.at.topic == Topic::ChatTurns)
        .map(|record| *record.body.expect("an event"))
        .collect();
    assert_eq!(announced.len(), 1, "{announced:?}");
    assert_eq!(announced[0].envelope.space, space);
    assert_eq!(announced[0].envelope.key, Key::of_space(&space));
}
