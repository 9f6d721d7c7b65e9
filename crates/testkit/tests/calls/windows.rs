//! Calls that fail: tried again where that may help, else kept as failed with
//! their reason; and the chat goes on.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use futures::executor::block_on;
use threadlore_callers::ExtractCaller;
use threadlore_model::{
    Body, DeadLetter, Envelope, Event, EventId, Extraction, MessageId, MessagePosted, Offset,
    Partition, PersonId, Private, ReadyReason, Topic, TopicPartition, Window, WindowReady,
};
use threadlore_ports::{Clock, EventLog, ExtractEngine, NewRecord, PortError};
use threadlore_roles::Extractor;
use threadlore_roles::ExtractorParams;
use threadlore_runtime::{Limits, Worker};
use threadlore_testkit::{MemoryLog, MemoryStore, fold_ports};

use crate::shared::{Still, channel, down, event, useless};

/// What comes of each call, in order; after the last one nothing is found.
struct Told {
    quick: bool,
    errors: Mutex<Vec<PortError>>,
    /// Lines of the windows that were asked about.
    asked: Mutex<Vec<usize>>,
}

#[async_trait]
impl ExtractEngine for Told {
    fn version(&self) -> &str {
        "told-1"
    }
    fn is_quick(&self) -> bool {
        self.quick
    }
    async fn extract(&self, window: &Window) -> Result<Extraction, PortError> {
        self.asked
            .lock()
            .expect("not poisoned")
            .push(window.lines.len());
        let mut errors = self.errors.lock().expect("not poisoned");
        match errors.is_empty() {
            true => Ok(Extraction::default()),
            false => Err(errors.remove(0)),
        }
    }
}

fn posted(n: usize) -> Event {
    let id = EventId::of_content("test", &["message", &n.to_string()]);
    let body = MessagePosted {
        message: MessageId::from_uuid(id.as_uuid()),
        channel: channel("c"),
        person: PersonId::from_uuid(id.as_uuid()),
        native_id: n.to_string(),
        author_native: Private::Erased,
        author_name: None,
        text: Private::Erased,
        bot: false,
        reply_to: None,
        mentions: Vec::new(),
        sent_at: Still::default().now(),
        thread_root: None,
        to_bot: false,
    };
    event("c", &format!("posted {n}"), body)
}

fn ready(up_to: i64) -> Event {
    let body = WindowReady {
        channel: channel("c"),
        reason: ReadyReason::Count,
        messages: 1,
        up_to: Offset(up_to),
        now: Still::default().now(),
    };
    event("c", &format!("ready {up_to}"), body)
}

/// What came of a run over two windows, of two and of four messages.
struct Ran {
    /// Lines of the windows that were asked about.
    asked: Vec<usize>,
    slept: Vec<Duration>,
    letters: Vec<(Envelope, DeadLetter)>,
}

fn run(errors: Vec<PortError>, quick: bool) -> Ran {
    let clock = Arc::new(Still::default());
    let log = Arc::new(MemoryLog::new(1, clock.clone()));
    let engine = Arc::new(Told {
        quick,
        errors: Mutex::new(errors),
        asked: Mutex::default(),
    });
    let ports = fold_ports(&log, &Arc::new(MemoryStore::new()), clock.clone());
    let caller = Arc::new(ExtractCaller(engine.clone()));
    let chat = (0..4).map(|n| (Topic::ChatEvents, posted(n)));
    let turns = [1, 3].map(|up_to| (Topic::ChatTurns, ready(up_to)));
    let records = chat
        .chain(turns)
        .map(|(topic, event)| NewRecord { topic, event });
    let at = TopicPartition {
        topic: Topic::ChatTurnsDlq,
        partition: Partition(0),
    };
    let letters = block_on(async {
        log.publish(records.collect()).await.expect("appends");
        let extractor = Arc::new(Extractor(ExtractorParams::default()));
        let limits = Limits::default();
        let worker = Worker::start(extractor, caller, Partition(0), ports, limits);
        let mut worker = worker.await.expect("starts");
        while !worker.is_idle().await.expect("tells") {
            worker.step().await.expect("works");
        }
        worker.step().await.expect("works");
        log.read(at, Offset(0), 100).await.expect("reads")
    });
    let letters = letters.into_iter().map(|record| {
        let event = *record.body.expect("an event");
        match event.body {
            Body::DeadLetter(letter) => (event.envelope, letter),
            other => panic!("a letter, not {other:?}"),
        }
    });
    let asked = engine.asked.lock().expect("not poisoned").clone();
    let slept = clock.0.lock().expect("not poisoned").clone();
    Ran {
        asked,
        slept,
        letters: letters.collect(),
    }
}

/// The only letter, which is about the first window.
fn only(ran: &Ran) -> &DeadLetter {
    assert_eq!(ran.letters.len(), 1);
    let (envelope, letter) = &ran.letters[0];
    let cause = envelope.cause.as_ref().expect("a cause");
    assert_eq!(cause.event, ready(1).envelope.id);
    assert_eq!(
        (cause.at.topic, cause.offset),
        (Topic::ChatTurns, Offset(0))
    );
    assert_eq!(envelope.key, ready(1).envelope.key);
    assert_eq!(letter.role, "extractor");
    assert_eq!((letter.topic, letter.offset), (Topic::ChatTurns, Offset(0)));
    letter
}

#[test]
fn a_failure_that_passes_leaves_nothing_behind() {
    for quick in [true, false] {
        let ran = run(vec![down(), down()], quick);
        assert_eq!(ran.asked, [2, 2, 2, 4]);
        assert_eq!(ran.slept, [1, 2].map(Duration::from_secs));
        assert!(ran.letters.is_empty());
    }
}

#[test]
fn what_fails_three_times_is_kept_with_its_reason() {
    for quick in [true, false] {
        let ran = run(vec![down(), down(), down()], quick);
        let letter = only(&ran);
        assert_eq!(letter.reason, "asking: the model is not available");
        assert_eq!(ran.asked, [2, 2, 2, 4], "the next window is looked at");
    }
}

#[test]
fn what_is_refused_is_kept_at_once() {
    for quick in [true, false] {
        let ran = run(vec![useless()], quick);
        assert_eq!(only(&ran).reason, "asking: the answer cannot be used");
        assert_eq!(ran.asked, [2, 4]);
        assert!(ran.slept.is_empty());
    }
}
