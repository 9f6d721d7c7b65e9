//! Laws of folding, over random streams of events: a replay gives what was
//! lived, a redelivered prefix changes nothing, a restart at any offset changes
//! nothing, the number of partitions does not matter, and spaces do not mix. The
//! points of the index are part of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::FutureExt as _;
use futures::executor::block_on;
use futures::future::ready;
use proptest::prelude::*;
use threadlore_model::{
    ArchiveReason, Audience, Body, CaseArchived, CaseConfirmed, CaseErased, CaseId, CaseMerged,
    CaseOpened, CaseSolved, CaseSplit, ChannelConfigured, ChannelId, ConfirmationWithdrawn,
    Envelope, EraseReason, Event, EventId, Evidence, Group, Key, MessageEdited, MessageId,
    MessagePosted, MessageRedacted, Mode, Part, Partition, PersonId, Private, Producer,
    ReactionAdded, ReactionRemoved, Signal, SpaceId, Timestamp, VectorComputed, partition_for,
    source_text, vector_source, vector_text,
};
use threadlore_ports::{
    DenseModel, Digests, EventLog, Generation, Generations, IndexPorts, NewRecord, Projection,
};
use threadlore_replay::{
    Drift, FoldPorts, Indexer, Projector, Resources, Verdict, compare, ends, fill, rebuild,
};
use threadlore_testkit::{MemoryLog, MemoryStore, StoppedClock, fold_ports, index_ports};
use uuid::Uuid;

/// What happens, without a place.
#[derive(Debug, Clone)]
struct Step {
    kind: u8,
    channel: u8,
    message: u8,
    person: u8,
    case: u8,
    number: i64,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = (0..14_u8, 0..2_u8, 0..5_u8, 0..3_u8, 0..3_u8, 0..4_i64).prop_map(
        |(kind, channel, message, person, case, number)| Step {
            kind,
            channel,
            message,
            person,
            case,
            number,
        },
    );
    proptest::collection::vec(step, 1..60)
}

fn space(name: &str) -> SpaceId {
    SpaceId::parse(name).expect("a valid space")
}

/// The text of a case that a step like this opens.
fn text_of(step: &Step) -> String {
    let n = step.message % 4;
    format!("title {n}\nproblem {n}\ntag {n}")
}

fn body(step: &Step, space: &SpaceId) -> Body {
    let channel = ChannelId::parse(&format!("law:c{}", step.channel)).expect("a valid channel");
    let id = |n: u8, of: u128| {
        Uuid::from_u128(
            of + u128::from(n) * 10
                + u128::from(step.channel)
                + 1000 * u128::from(space.as_str().len() as u64),
        )
    };
    let message = MessageId::from_uuid(id(step.message, 1_000_000));
    let person = PersonId::from_uuid(id(step.person, 2_000_000));
    let case = CaseId::from_uuid(id(step.case, 3_000_000));
    let now = Timestamp::from_millis(step.number * 1000);
    let text = |what: &str| Private::open(format!("{what} {}", step.number));
    let emoji = if step.number % 2 == 0 { "👍" } else { "🎉" }.to_owned();
    let evidence = vec![Evidence {
        message,
        part: Part::Problem,
        revision: 0,
    }];
    match step.kind {
        0 | 1 => MessagePosted {
            message,
            channel,
            person,
            native_id: step.message.to_string(),
            author_native: text("native"),
            author_name: Some(text("name")),
            text: text("post"),
            bot: false,
            reply_to: None,
            mentions: vec![person],
            sent_at: now,
            thread_root: None,
            to_bot: false,
        }
        .into(),
        2 => MessageEdited {
            message,
            channel,
            person,
            revision: step.number,
            text: text("edit"),
            edited_at: now,
        }
        .into(),
        3 => MessageRedacted {
            message,
            channel,
            redacted_at: now,
        }
        .into(),
        4 => ReactionAdded {
            message,
            channel,
            person,
            emoji,
            at: now,
        }
        .into(),
        5 => ReactionRemoved {
            message,
            channel,
            person,
            emoji,
            at: now,
        }
        .into(),
        6 => CaseOpened {
            case,
            channel,
            title: text("title"),
            problem: text("problem"),
            tags: vec![text("tag")],
            evidence,
            engine: "law-1".into(),
            now,
        }
        .into(),
        7 => CaseSolved {
            case,
            channel,
            title: text("title"),
            problem: text("problem"),
            solution: text("solution"),
            tags: vec![text("tag")],
            evidence,
            signal: Signal::Thanks,
            signal_message: None,
            engine: "law-1".into(),
            now,
        }
        .into(),
        8 => CaseConfirmed {
            case,
            channel,
            message,
            person,
            emoji,
            now,
        }
        .into(),
        9 if step.number == 0 => ChannelConfigured {
            channel,
            admins: vec![person],
            audience: Audience::Public,
            mode: Mode::Off,
            docs: Vec::new(),
            published: false,
            now,
        }
        .into(),
        9 => ConfirmationWithdrawn {
            case,
            channel,
            message,
            person,
            emoji,
            now,
        }
        .into(),
        11 if step.number == 0 => CaseSplit { case, channel, now }.into(),
        11 => CaseMerged {
            case,
            channel,
            into: CaseId::from_uuid(uuid::Uuid::from_u128(step.number.unsigned_abs().into())),
            similarity: 900,
            comparer: "terms-1".into(),
            now,
        }
        .into(),
        10 => CaseErased {
            case,
            channel,
            reason: EraseReason::Redacted,
            now,
        }
        .into(),
        12 => VectorComputed {
            case,
            channel,
            model: format!("m/{}", step.person),
            // Now of the text that the case may have, now of another.
            source: Private::open(source_text(&vector_source(&text_of(step)))),
            vector: Private::open(vector_text(&[step.number as f32])),
            now,
        }
        .into(),
        _ => CaseArchived {
            case,
            channel,
            reason: ArchiveReason::Expired,
            now,
        }
        .into(),
    }
}

/// The events of a stream, as one producer per partition publishes them.
fn events(steps: &[Step], spaces: &[&str], partitions: u32) -> Vec<Event> {
    let mut sequences = std::collections::HashMap::new();
    let mut out = Vec::new();
    for (n, step) in steps.iter().enumerate() {
        for name in spaces {
            let space = space(name);
            let body = body(step, &space);
            let key = Key::of_channel(&space, body.channel().expect("all are of a channel"));
            let partition = partition_for(key.as_str().as_bytes(), partitions);
            let sequence: &mut u64 = sequences.entry(partition).or_default();
            *sequence += 1;
            let envelope = Envelope {
                id: EventId::of_content("law", &[name, &n.to_string()]),
                space,
                key,
                time: Timestamp::from_millis(n as i64),
                producer: Some(Producer {
                    group: Group::from_name("law"),
                    partition,
                    sequence: *sequence,
                }),
                cause: None,
                actor: None,
                traceparent: None,
            };
            out.push(Event { envelope, body });
        }
    }
    out
}

/// One of those whose vectors the steps bring.
fn model() -> DenseModel {
    DenseModel {
        name: "m/0".to_owned(),
        dimensions: 1,
    }
}

struct Fixture {
    log: Arc<MemoryLog>,
    store: Arc<MemoryStore>,
    ports: FoldPorts,
    index: IndexPorts,
    partitions: u32,
}

impl Fixture {
    fn new(partitions: u32) -> Self {
        let log = Arc::new(MemoryLog::new(partitions, Arc::new(StoppedClock)));
        let store = Arc::new(MemoryStore::new());
        let ports = fold_ports(&log, &store, Arc::new(StoppedClock));
        let index = index_ports(&store, Arc::new(StoppedClock), Some(model()));
        Self {
            log,
            store,
            ports,
            index,
            partitions,
        }
    }

    fn append(&self, events: &[Event]) {
        block_on(async {
            let mut events = events.to_vec();
            self.ports.vault.seal(&mut events).await.expect("seals");
            let records = events.into_iter().map(|event| NewRecord {
                topic: event.body.topic().expect("all have one"),
                event,
            });
            self.log.publish(records.collect()).await.expect("appends");
        });
    }

    /// Folds all there is, `max` records at a time, with a new owner after each
    /// batch where `restart` says so.
    fn fold(&self, max: usize, restart: bool) {
        block_on(async {
            for projection in Projection::ALL {
                let generation = self.store.live(projection).await.expect("there is one");
                for n in 0..self.partitions {
                    let start =
                        || Projector::start(generation, Partition(n as i32), self.ports.clone());
                    let mut projector = start().await.expect("starts");
                    while projector.step(max).await.expect("folds") > 0 {
                        if restart {
                            projector = start().await.expect("starts");
                        }
                    }
                }
            }
            let build = self
                .store
                .live(Projection::Cases)
                .await
                .expect("there is one");
            let mut indexer = Indexer::start(build, self.index.clone())
                .await
                .expect("starts");
            indexer.catch_up(max).await.expect("makes points");
            // Whatever was changed was marked, so there is nothing to mend.
            let drift = indexer.reconcile().await.expect("compares");
            assert_eq!(drift, Drift::default());
        });
    }

    fn digests(&self) -> Vec<Digests> {
        block_on(async {
            let mut all = Vec::new();
            for projection in Projection::ALL {
                let live = self.store.live(projection).await.expect("there is one");
                all.push(self.store.digest(live).await.expect("digests"));
            }
            all
        })
    }

    fn verdicts(&self) -> Vec<Verdict> {
        block_on(async {
            let mut all = Vec::new();
            for projection in Projection::ALL {
                let live = self.store.live(projection).await.expect("there is one");
                let store = self.store.as_ref();
                let rebuilt = rebuild(&self.ports, Some(&self.index), store, projection)
                    .await
                    .expect("rebuilds");
                let pair = (live, rebuilt.generation);
                all.push(
                    compare(
                        store,
                        Some(self.index.index.as_ref()),
                        pair,
                        self.partitions,
                        5,
                    )
                    .await
                    .expect("compares")
                    .verdict,
                );
            }
            all
        })
    }
}

/// Fills a new build of a projection with so little memory that each record is a batch, stopped
/// after every `every` batches and taken up again.
fn filled_in_pieces(
    fixture: &Fixture,
    projection: Projection,
    memory: usize,
    every: usize,
) -> Generation {
    let store = fixture.store.as_ref();
    block_on(async {
        let ends = ends(fixture.log.as_ref(), projection, None)
            .await
            .expect("reads");
        let build = store.create(projection).await.expect("makes");
        loop {
            let batches = AtomicUsize::new(1);
            let stop = || {
                let stops = batches
                    .fetch_add(1, Ordering::Relaxed)
                    .is_multiple_of(every);
                ready(Ok(stops)).boxed()
            };
            let progress = |done: u64, total: u64| assert!(done <= total, "{done} of {total}");
            let plan = (build, &ends);
            let resources = Resources {
                memory,
                ..Resources::default()
            };
            let filled = fill(&fixture.ports, store, plan, resources, &stop, &progress).await;
            if filled.expect("fills").is_whole {
                return build;
            }
        }
    })
}

fn folded(events: &[Event], partitions: u32) -> Fixture {
    let fixture = Fixture::new(partitions);
    fixture.append(events);
    fixture.fold(1000, false);
    fixture
}

const BOTH: [&str; 2] = ["north", "southern"];

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn a_replay_gives_what_was_lived(steps in steps(), cut in 0..60_usize, max in 1..9_usize) {
        let events = events(&steps, &BOTH, 2);
        let fixture = Fixture::new(2);
        // Lived: some events are folded before the others exist.
        let (first, rest) = events.split_at(cut.min(events.len()));
        for part in [first, rest] {
            fixture.append(part);
            fixture.fold(max, false);
        }
        prop_assert_eq!(fixture.verdicts(), vec![Verdict::Equal; Projection::ALL.len()]);
    }

    #[test]
    fn a_replay_in_pieces_gives_the_same(
        steps in steps(), memory in prop_oneof![Just(1_usize), Just(40_000), Just(10_000_000)],
        every in 1..20_usize,
    ) {
        let fixture = folded(&events(&steps, &BOTH, 2), 2);
        for (projection, live) in Projection::ALL.into_iter().zip(fixture.digests()) {
            let build = filled_in_pieces(&fixture, projection, memory, every);
            let digest = block_on(fixture.store.digest(build)).expect("digests");
            prop_assert_eq!(digest, live);
        }
    }

    #[test]
    fn a_redelivered_prefix_changes_nothing(steps in steps(), cut in 1..60_usize) {
        let events = events(&steps, &BOTH, 2);
        let fixture = folded(&events, 2);
        let before = fixture.digests();
        fixture.append(&events[..cut.min(events.len())]);
        fixture.fold(7, false);
        prop_assert_eq!(fixture.digests(), before);
        prop_assert_eq!(fixture.verdicts(), vec![Verdict::Equal; Projection::ALL.len()]);
    }

    #[test]
    fn a_restart_at_every_offset_changes_nothing(steps in steps()) {
        let events = events(&steps, &BOTH, 2);
        let restarted = Fixture::new(2);
        restarted.append(&events);
        restarted.fold(1, true);
        prop_assert_eq!(restarted.digests(), folded(&events, 2).digests());
    }

    #[test]
    fn the_number_of_partitions_does_not_matter(steps in steps()) {
        let one = folded(&events(&steps, &BOTH, 1), 1).digests();
        prop_assert_eq!(folded(&events(&steps, &BOTH, 4), 4).digests(), one);
    }

    #[test]
    fn two_spaces_with_the_same_text_never_see_each_other(steps in steps()) {
        let both = folded(&events(&steps, &BOTH, 2), 2);
        let alone = BOTH.map(|name| folded(&events(&steps, &[name], 2), 2));
        for projection in Projection::ALL {
            let rows = |fixture: &Fixture| {
                let live = block_on(fixture.store.live(projection)).expect("there is one");
                fixture.store.rows(live)
            };
            let apart: Vec<_> = alone.iter().flat_map(&rows).collect();
            let mut together = rows(&both);
            together.retain(|row| !apart.contains(row));
            prop_assert!(together.is_empty(), "rows that no space has alone: {:?}", together);
            prop_assert_eq!(rows(&both).len(), apart.len());
        }
    }
}
