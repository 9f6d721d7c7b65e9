//! Vectors of cases: the real loop of `embedder` on ports in memory, with a model that
//! is away, refuses, or is another one.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use futures::executor::block_on;
use threadlore_callers::EmbedCaller;
use threadlore_fold::Row;
use threadlore_model::{
    Body, CaseErased, CaseId, CaseOpened, EraseReason, Event, EventId, Offset, Partition, Private,
    Topic, TopicPartition, vector_of_bytes, vector_source,
};
use threadlore_ports::{
    Clock, EmbedEngine, EmbedFor, EventLog, Generations, NewRecord, PortError, Projection,
};
use threadlore_replay::Projector;
use threadlore_roles::Embedder;
use threadlore_roles::EmbedderParams;
use threadlore_runtime::{Limits, Worker};
use threadlore_testkit::{MemoryLog, MemoryStore, fold_ports};

use crate::shared::{Still, channel, down, event, useless};

/// A model: what comes of its first calls, in order; after them it answers.
struct Told {
    model: &'static str,
    outcomes: Mutex<Vec<PortError>>,
    /// Texts that it was asked about, call by call.
    asked: Mutex<Vec<Vec<String>>>,
}

fn vector(model: &str, text: &str) -> Vec<f32> {
    vec![model.len() as f32, text.len() as f32, 0.1]
}

#[async_trait]
impl EmbedEngine for Told {
    fn model(&self) -> &str {
        self.model
    }
    fn dimensions(&self) -> u32 {
        3
    }
    async fn embed(
        &self,
        texts: &[String],
        what_for: EmbedFor,
    ) -> Result<Vec<Vec<f32>>, PortError> {
        assert_eq!(what_for, EmbedFor::Passage);
        self.asked
            .lock()
            .expect("not poisoned")
            .push(texts.to_vec());
        let mut outcomes = self.outcomes.lock().expect("not poisoned");
        if outcomes.is_empty() {
            let vectors = texts.iter().map(|text| vector(self.model, text));
            return Ok(vectors.collect());
        }
        Err(outcomes.remove(0))
    }
}

impl Told {
    fn new(model: &'static str, outcomes: Vec<PortError>) -> Arc<Self> {
        Arc::new(Self {
            model,
            outcomes: Mutex::new(outcomes),
            asked: Mutex::default(),
        })
    }

    fn asked(&self) -> Vec<Vec<String>> {
        self.asked.lock().expect("not poisoned").clone()
    }
}

fn case(name: &str) -> CaseId {
    CaseId::from_uuid(EventId::of_content("case", &[name]).as_uuid())
}

/// A case whose text is its name.
fn opened(at: &str, name: &str) -> Event {
    let opened = CaseOpened {
        case: case(name),
        channel: channel(at),
        title: Private::open(name),
        problem: Private::Erased,
        tags: Vec::new(),
        evidence: Vec::new(),
        engine: "test-1".to_owned(),
        now: Still::default().now(),
    };
    event(at, name, opened)
}

fn erased(at: &str, name: &str) -> Event {
    let erased = CaseErased {
        case: case(name),
        channel: channel(at),
        reason: EraseReason::Redacted,
        now: Still::default().now(),
    };
    event(at, &format!("{name} is erased"), erased)
}

/// A log with a store that can be lost.
struct Site {
    clock: Arc<Still>,
    log: Arc<MemoryLog>,
    ports: threadlore_stream::FoldPorts,
    store: Arc<MemoryStore>,
}

impl Site {
    fn new() -> Self {
        let clock = Arc::new(Still::default());
        let log = Arc::new(MemoryLog::new(1, clock.clone()));
        let store = Arc::new(MemoryStore::new());
        Self {
            ports: fold_ports(&log, &store, clock.clone()),
            clock,
            log,
            store,
        }
    }

    fn lose_store(&self) {
        self.store.lose();
    }

    /// Appends with sealed texts, as the extractor does.
    fn append(&self, events: impl IntoIterator<Item = Event>) {
        let mut events: Vec<Event> = events.into_iter().collect();
        block_on(async {
            self.ports.vault.seal(&mut events).await.expect("seals");
            let records = events.into_iter().map(|event| NewRecord {
                topic: Topic::KnowledgeCases,
                event,
            });
            self.log.publish(records.collect()).await.expect("appends");
        });
    }

    async fn worker(&self, model: &Arc<Told>) -> Worker<Embedder> {
        let caller = Arc::new(EmbedCaller(model.clone()));
        let embedder = Arc::new(Embedder(EmbedderParams::of_model(model.model)));
        let (ports, limits) = (self.ports.clone(), Limits::default());
        let started = Worker::start(embedder, caller, Partition(0), ports, limits);
        started.await.expect("starts")
    }

    /// Works until nothing waits.
    fn work(&self, model: &Arc<Told>) {
        block_on(async {
            let mut worker = self.worker(model).await;
            while !worker.is_idle().await.expect("tells") {
                worker.step().await.expect("works");
            }
            worker.step().await.expect("works");
        });
    }

    fn read(&self, topic: Topic) -> Vec<Event> {
        let at = TopicPartition {
            topic,
            partition: Partition(0),
        };
        let records = block_on(self.log.read(at, Offset(0), 1000)).expect("reads");
        let events = records.into_iter().map(|r| *r.body.expect("an event"));
        events.collect()
    }

    /// The rows that readers find: model, source, vector.
    fn rows(&self) -> Vec<(String, [u8; 32], Vec<f32>)> {
        let rows = block_on(async {
            let live = self.store.live(Projection::Vectors).await.expect("makes");
            let projector = Projector::start(live, Partition(0), self.ports.clone());
            let mut projector = projector.await.expect("starts");
            while projector.step(7).await.expect("folds") > 0 {}
            self.store.rows(live)
        });
        let rows = rows.into_iter().map(|row| match row {
            Row::Vector(row) => {
                let vector = vector_of_bytes(&row.vector).expect("a vector");
                (row.model, row.source, vector)
            }
            other => panic!("no row of vectors: {other:?}"),
        });
        rows.collect()
    }
}

fn row(model: &str, text: &str) -> (String, [u8; 32], Vec<f32>) {
    (model.to_owned(), vector_source(text), vector(model, text))
}

fn sorted(mut rows: Vec<(String, [u8; 32], Vec<f32>)>) -> Vec<(String, [u8; 32], Vec<f32>)> {
    rows.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
    rows
}

#[test]
fn every_case_gets_its_vector_in_calls_of_32() {
    let site = Site::new();
    let names: Vec<String> = (0..40).map(|n| format!("case {n}")).collect();
    site.append(names.iter().map(|name| opened("c", name)));
    let model = Told::new("m/1", Vec::new());
    site.work(&model);
    let calls: Vec<usize> = model.asked().iter().map(Vec::len).collect();
    assert_eq!(calls.iter().sum::<usize>(), 40);
    assert!(calls.iter().all(|texts| *texts <= 32), "{calls:?}");
    let expected = names.iter().map(|name| row("m/1", name)).collect();
    assert_eq!(sorted(site.rows()), sorted(expected));
    let ids: std::collections::BTreeSet<_> = site
        .read(Topic::Vectors)
        .iter()
        .map(|event| event.envelope.id)
        .collect();
    assert_eq!(ids.len(), 40);
}

#[test]
fn neither_text_nor_hash_nor_vector_stands_readable_in_the_log() {
    let site = Site::new();
    site.append([opened("c", "a")]);
    site.work(&Told::new("m/1", Vec::new()));
    let events = site.read(Topic::Vectors);
    let Body::VectorComputed(computed) = &events[0].body else {
        panic!("a vector");
    };
    assert!(matches!(computed.source, Private::Sealed(_)));
    assert!(matches!(computed.vector, Private::Sealed(_)));
}

#[test]
fn a_model_that_is_away_for_an_hour_is_waited_for() {
    let site = Site::new();
    site.append([opened("c", "a"), opened("d", "b")]);
    let outcomes = (0..120).map(|_| down()).collect();
    let model = Told::new("m/1", outcomes);
    site.work(&model);
    assert_eq!(
        sorted(site.rows()),
        sorted(vec![row("m/1", "a"), row("m/1", "b")])
    );
    assert_eq!(site.read(Topic::KnowledgeCasesDlq), []);
    let slept = site.clock.0.lock().expect("not poisoned").clone();
    assert_eq!(slept.len(), 120);
    assert_eq!(slept.iter().max(), Some(&Duration::from_secs(32)));
}

#[test]
fn what_was_asked_for_survives_a_restart() {
    let site = Site::new();
    site.append([opened("c", "a")]);
    let model = Told::new("m/1", Vec::new());
    block_on(async {
        let mut worker = site.worker(&model).await;
        // The record is taken and the call committed; what it answers is not taken.
        worker.step().await.expect("works");
    });
    assert_eq!(site.read(Topic::Vectors), []);
    site.work(&model);
    assert_eq!(site.rows(), [row("m/1", "a")]);
}

#[test]
fn what_is_refused_is_kept_with_its_cases_and_the_rest_goes_on() {
    let site = Site::new();
    site.append([opened("c", "a"), opened("d", "b")]);
    let model = Told::new("m/1", vec![useless()]);
    site.work(&model);
    assert_eq!(site.rows().len(), 1, "that of the other channel");
    let letters = site.read(Topic::KnowledgeCasesDlq);
    assert_eq!(letters.len(), 1);
    let Body::DeadLetter(letter) = &letters[0].body else {
        panic!("a letter");
    };
    assert_eq!(letter.role, "embedder");
    assert!(
        letter
            .reason
            .contains("the answer cannot be used; without a vector")
    );
    let named = ["a", "b"].map(|name| letter.reason.contains(&case(name).to_string()));
    assert!(named[0] != named[1], "the one case: {}", letter.reason);
    site.append([opened("c", "e")]);
    site.work(&model);
    assert_eq!(site.rows().len(), 2);
    assert_eq!(model.asked().len(), 3, "it is not asked about again");
}

#[test]
fn a_lost_store_asks_the_model_for_nothing_that_the_log_has() {
    let site = Site::new();
    let model = Told::new("m/1", Vec::new());
    // One by one, so that most texts wait while a call runs.
    site.append([opened("c", "a"), opened("d", "x")]);
    site.work(&model);
    let more = ["b", "e", "f"].map(|name| opened("c", name));
    site.append(more);
    site.append([erased("c", "e"), opened("d", "y")]);
    site.work(&model);
    let (rows, events) = (sorted(site.rows()), site.read(Topic::Vectors));
    site.lose_store();
    let after = Told::new("m/1", Vec::new());
    site.work(&after);
    assert_eq!(after.asked(), Vec::<Vec<String>>::new());
    assert_eq!(site.read(Topic::Vectors), events);
    assert_eq!(sorted(site.rows()), rows);
    site.append([opened("c", "z")]);
    site.work(&after);
    assert_eq!(after.asked(), [["z".to_owned()]]);
}

#[test]
fn another_model_computes_everything_by_itself_and_the_old_vectors_stay() {
    let site = Site::new();
    site.append([opened("c", "a"), opened("c", "b")]);
    site.work(&Told::new("m/1", Vec::new()));
    let other = Told::new("model/2", Vec::new());
    site.work(&other);
    let expected = ["a", "b"].map(|text| [row("m/1", text), row("model/2", text)]);
    assert_eq!(sorted(site.rows()), sorted(expected.concat()));
    let events = site.read(Topic::Vectors);
    let ids: std::collections::BTreeSet<_> = events.iter().map(|e| e.envelope.id).collect();
    assert_eq!(ids.len(), 4, "no two events have one id");
    let again = Told::new("m/1", Vec::new());
    site.work(&again);
    assert_eq!(again.asked().len(), 0, "going back costs nothing");
}
