//! A golden stream through the real loops of all roles: run whole, and with a
//! new owner after every single record, at one partition and at four, for one
//! space and for two that say the same.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::executor::block_on;
use threadlore_callers::ExtractCaller;
use threadlore_fold::Row;
use threadlore_model::{
    ChannelId, Envelope, Event, EventId, Key, Partition, PersonHasher, PlatformEvent,
    PlatformMessage, PlatformReaction, SpaceId, Timestamp, Topic,
};
use threadlore_models::Builtin;
use threadlore_ports::{Clock, EventLog, Generations, NewRecord, Projection};
use threadlore_replay::{FoldPorts, Projector};
use threadlore_roles::{Buffer, Extractor, Intake, Processor};
use threadlore_roles::{BufferParams, ExtractorParams, IntakeParams};
use threadlore_runtime::{Caller, Limits, NoCaller, Worker};
use threadlore_testkit::{MemoryLog, MemoryStore, fold_ports};

const NOW: Timestamp = Timestamp::from_millis(1_760_000_000_000);

/// Time stands still, so that two runs differ in nothing but their restarts.
struct Still;

#[async_trait]
impl Clock for Still {
    fn now(&self) -> Timestamp {
        NOW
    }
    async fn sleep(&self, _by: Duration) {}
}

/// Who says what, in answer to which line, minutes after the line before.
const CHAT: &[(&str, &str, Option<usize>, i64)] = &[
    ("ada", "hello everybody", None, 0),
    (
        "bo",
        "how do I mount a usb stick that shows no partition table?",
        None,
        1,
    ),
    (
        "cyd",
        "try sudo mount -o loop /dev/sdb /mnt, it has no table then",
        Some(1),
        1,
    ),
    ("bo", "that works, thanks a lot!", Some(2), 2),
    (
        "dov",
        "why does my wifi drop after every suspend on this laptop?",
        None,
        20,
    ),
    ("ada", "lunch time", None, 1),
    (
        "eli",
        "reload the driver with modprobe -r iwlwifi and modprobe iwlwifi",
        Some(4),
        2,
    ),
    ("dov", "thank you, it is fixed now", Some(6), 1),
    (
        "fay",
        "which package has the ifconfig command these days?",
        None,
        40,
    ),
    (
        "cyd",
        "it is in net-tools, sudo apt install net-tools",
        Some(8),
        1,
    ),
    ("fay", "perfect, thanks", Some(9), 1),
    (
        "gus",
        "my sound card is not found after the upgrade, any idea?",
        None,
        30,
    ),
];

fn inputs(spaces: &[&str]) -> Vec<Event> {
    let channel = ChannelId::parse("law:help").expect("a valid channel");
    let mut out = Vec::new();
    for name in spaces {
        let space = SpaceId::parse(name).expect("a valid space");
        let event = |id: PlatformEvent<'_>, time, body| Event {
            envelope: Envelope {
                id: id.id(&space, &channel),
                key: Key::of_channel(&space, &channel),
                space: space.clone(),
                time,
                producer: None,
                cause: None,
                actor: None,
                traceparent: None,
            },
            body,
        };
        let mut minutes = 0;
        for (n, (who, text, reply, later)) in CHAT.iter().enumerate() {
            minutes += later;
            let sent_at = NOW
                .minus(Duration::from_secs(86_400))
                .plus(Duration::from_secs(60 * minutes as u64));
            let native = n.to_string();
            let message = PlatformMessage {
                channel: channel.clone(),
                native_id: native.clone(),
                author_id: (*who).to_owned(),
                author_name: Some((*who).to_owned()),
                author_is_bot: false,
                text: (*text).to_owned(),
                sent_at,
                reply_to: reply.map(|n| n.to_string()),
                mentions: Vec::new(),
                thread_root: None,
                to_bot: false,
            };
            out.push(event(
                PlatformEvent::Message(&native),
                sent_at,
                message.into(),
            ));
            if n == 9 {
                let reaction = PlatformReaction {
                    channel: channel.clone(),
                    native_id: "2".to_owned(),
                    author_id: "ada".to_owned(),
                    emoji: "👍".to_owned(),
                    added: true,
                    at: sent_at,
                    update_id: Some("u1".to_owned()),
                };
                let id = PlatformEvent::Reaction("2", "ada", "👍", true, "u1");
                out.push(event(id, sent_at, reaction.into()));
            }
        }
    }
    out
}

struct Outcome {
    /// Ids of all decided events, in no order.
    decided: BTreeSet<(Topic, EventId)>,
    rows: Vec<Row>,
}

/// Works one record at a time until nothing is left; with a new owner after each
/// one where `restart` says so.
async fn work<P: Processor>(
    processor: &Arc<P>,
    caller: Arc<dyn Caller<P>>,
    (partition, ports): (Partition, &FoldPorts),
    restart: bool,
) -> bool {
    let limits = Limits {
        batch: 1,
        ..Limits::default()
    };
    let start = || {
        let (processor, caller) = (Arc::clone(processor), Arc::clone(&caller));
        Worker::start(processor, caller, partition, ports.clone(), limits)
    };
    let mut worker = start().await.expect("starts");
    let mut worked = false;
    // An owner that just started may need a round to take up a call.
    let mut quiet = 0;
    while quiet < 2 {
        if worker.step().await.expect("works") {
            (worked, quiet) = (true, 0);
            if restart {
                worker = start().await.expect("starts");
            }
        } else {
            quiet += 1;
        }
    }
    worked
}

fn run(spaces: &[&str], partitions: u32, restart: bool) -> Outcome {
    block_on(async {
        let log = Arc::new(MemoryLog::new(partitions, Arc::new(Still)));
        let store = Arc::new(MemoryStore::new());
        let folds = fold_ports(&log, &store, Arc::new(Still));
        let records = inputs(spaces).into_iter();
        let records = records.map(|event| NewRecord {
            topic: Topic::ChatInbox,
            event,
        });
        log.publish(records.collect()).await.expect("appends");
        let intake = Arc::new(Intake(IntakeParams {
            hasher: PersonHasher::new(&[1; 32]),
            max_text_bytes: 1000,
            case_link_base: String::new(),
        }));
        let buffer = Arc::new(Buffer(BufferParams {
            window_count: 4,
            ..BufferParams::default()
        }));
        let extractor = Arc::new(Extractor(ExtractorParams::default()));
        let mut worked = true;
        while worked {
            worked = false;
            for n in 0..partitions {
                let at = (Partition(n as i32), &folds);
                worked |= work(&intake, Arc::new(NoCaller), at, restart).await;
                worked |= work(&buffer, Arc::new(NoCaller), at, restart).await;
                let rules = Arc::new(ExtractCaller(Arc::new(Builtin::default())));
                worked |= work(&extractor, rules, at, restart).await;
            }
        }
        let mut rows = Vec::new();
        for projection in Projection::ALL {
            let live = store.live(projection).await.expect("there is one");
            for n in 0..partitions {
                let start = || Projector::start(live, Partition(n as i32), folds.clone());
                let mut projector = start().await.expect("starts");
                while projector.step(1).await.expect("folds") > 0 {
                    if restart {
                        projector = start().await.expect("starts");
                    }
                }
            }
            rows.extend(store.rows(live));
        }
        let dump = log.dump();
        let decided = dump
            .iter()
            .filter_map(|r| {
                r.body
                    .as_ref()
                    .ok()
                    .map(|event| (r.at.topic, event.envelope.id))
            })
            .collect();
        Outcome { decided, rows }
    })
}

fn cases(rows: &[Row]) -> usize {
    rows.iter()
        .filter(|row| matches!(row, Row::Case(_)))
        .count()
}

#[test]
fn a_restart_after_every_record_changes_nothing() {
    for partitions in [1, 4] {
        let whole = run(&["north", "south"], partitions, false);
        let restarted = run(&["north", "south"], partitions, true);
        assert!(
            cases(&whole.rows) >= 2,
            "the stream has cases: {}",
            cases(&whole.rows)
        );
        assert_eq!(restarted.decided, whole.decided);
        assert_eq!(restarted.rows, whole.rows);
    }
}

#[test]
fn two_spaces_with_the_same_text_decide_as_if_alone() {
    let both = run(&["north", "south"], 2, false);
    let mut alone = run(&["north"], 2, false).rows;
    assert!(cases(&alone) >= 1, "the stream has a case");
    alone.extend(run(&["south"], 2, false).rows);
    assert_eq!(both.rows.len(), alone.len());
    assert!(both.rows.iter().all(|row| alone.contains(row)));
}
