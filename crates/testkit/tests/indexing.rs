//! Points are as the rows are, whatever happened to the index; and a question is
//! answered as well as what still works allows.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use futures::executor::block_on;
use threadlore_fold::point_of;
use threadlore_model::{CaseId, Found, Leg, Point, PointRow, Signal, SpaceId, Timestamp};
use threadlore_ports::conformance::samples::{
    archived, case, computed, confirmed, erased, fold, opened, solved, space,
};
use threadlore_ports::{
    Authority, CaseIndex, Cell, Clock, Dense, DenseModel, Digests, EmbedEngine, EmbedFor,
    Generation, Generations, IndexPorts, IndexSource, Opened, PortError, Positions, Projection,
    Query, Right, Scope, Within,
};
use threadlore_replay::{Drift, Indexer};
use threadlore_runtime::{Asked, Degraded, Retrieval, RetrievalPorts, Retrieved};
use threadlore_testkit::{MemoryIndex, MemoryStore, index_ports};

/// No sleep but one of no length ever ends.
struct Still;

#[async_trait]
impl Clock for Still {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_000)
    }
    async fn sleep(&self, _by: Duration) {
        std::future::pending::<()>().await;
    }
}

/// Every wait is over at once.
struct Hasty;

#[async_trait]
impl Clock for Hasty {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_000)
    }
    async fn sleep(&self, _by: Duration) {}
}

const MODEL: &str = "m/1";

fn model() -> Option<DenseModel> {
    Some(DenseModel {
        name: MODEL.to_owned(),
        dimensions: 2,
    })
}

struct Desk {
    store: Arc<MemoryStore>,
    ports: IndexPorts,
    build: Generation,
}

impl Desk {
    async fn new() -> Self {
        let store = Arc::new(MemoryStore::new());
        let ports = index_ports(&store, Arc::new(Still), model());
        let build = store.live(Projection::Cases).await.expect("makes");
        let events = vec![
            solved(
                "a",
                "sound",
                "no sound after the upgrade",
                Signal::Thanks,
                10,
            ),
            opened("a", "wifi", "the wifi drops every hour", 20),
            solved(
                "b",
                "theirs",
                "no sound after the upgrade",
                Signal::Thanks,
                30,
            ),
        ];
        fold(store.as_ref(), build, events).await.expect("folds");
        let desk = Self {
            store,
            ports,
            build,
        };
        desk.index().await;
        desk
    }

    async fn indexer(&self) -> Indexer {
        Indexer::start(self.build, self.ports.clone())
            .await
            .expect("starts")
    }

    async fn index(&self) {
        self.indexer()
            .await
            .catch_up(2)
            .await
            .expect("makes points");
    }

    async fn points(&self) -> Vec<PointRow> {
        let rows = self.ports.index.rows(self.build, None, 99).await;
        rows.expect("reads")
    }

    async fn cases(&self) -> BTreeSet<CaseId> {
        self.points()
            .await
            .into_iter()
            .map(|row| row.case)
            .collect()
    }

    fn retrieval(
        &self,
        index: Arc<dyn CaseIndex>,
        embedder: Option<Arc<dyn EmbedEngine>>,
    ) -> Retrieval {
        self.retrieval_by(Arc::new(Still), index, embedder)
    }

    fn retrieval_by(
        &self,
        clock: Arc<dyn Clock>,
        index: Arc<dyn CaseIndex>,
        embedder: Option<Arc<dyn EmbedEngine>>,
    ) -> Retrieval {
        Retrieval::new(RetrievalPorts {
            index,
            cases: self.store.clone(),
            builds: self.store.clone(),
            embedder,
            clock,
        })
    }
}

fn scope(name: &str) -> Scope {
    Authority::of_operator()
        .authorise(&space(name), Right::Ask)
        .expect("granted")
}

async fn ask(retrieval: &Retrieval, text: &str) -> Retrieved {
    let scope = scope("a");
    let asked = Asked {
        scope: &scope,
        channel: None,
        text,
    };
    retrieval.search(asked, 3).await
}

fn names(found: &Retrieved) -> Vec<CaseId> {
    found.candidates.iter().map(|c| c.case.case).collect()
}

#[test]
fn a_point_follows_its_row() {
    block_on(async {
        let desk = Desk::new().await;
        let all = [case("sound"), case("wifi"), case("theirs")];
        assert_eq!(desk.cases().await, all.into());
        let change = vec![
            confirmed("a", "wifi", "ann", 40),
            erased("a", "sound", 50),
            archived("b", "theirs", 1, 60),
        ];
        fold(desk.store.as_ref(), desk.build, change)
            .await
            .expect("folds");
        desk.index().await;
        let left = desk.points().await;
        assert_eq!(left.len(), 1);
        assert!(left[0].case == case("wifi") && left[0].solved);
    });
}

#[test]
fn m63_what_is_missing_is_made_and_what_is_a_stray_goes() {
    block_on(async {
        let desk = Desk::new().await;
        let index = &desk.ports.index;
        let mut stray = desk
            .store
            .cases_after(desk.build, None, 1)
            .await
            .expect("reads");
        stray[0].case = case("nobody's");
        let points: Vec<Point> = stray.iter().filter_map(point_of).collect();
        index.put(desk.build, points).await.expect("puts");
        let mut other = desk.points().await;
        other.retain(|row| row.case == case("wifi"));
        other[0].solved = true;
        let changed = Point {
            row: other.remove(0),
            terms: threadlore_model::Terms::default(),
            dense: None,
        };
        index.put(desk.build, vec![changed]).await.expect("puts");
        let gone = [(space("a"), case("sound"))];
        index.remove(desk.build, &gone).await.expect("removes");
        let before = {
            let fresh = Desk::new().await;
            fresh.points().await
        };
        let indexer = desk.indexer().await;
        let drift = indexer.reconcile().await.expect("compares");
        let expected = Drift {
            missing: 2,
            strays: 1,
        };
        assert_eq!(drift, expected);
        indexer.catch_up(9).await.expect("makes points");
        assert_eq!(desk.points().await, before);
        let drift = indexer.reconcile().await.expect("compares");
        assert_eq!(drift, Drift::default());
    });
}

#[test]
fn an_index_that_is_gone_is_made_from_the_rows() {
    block_on(async {
        let desk = Desk::new().await;
        let before = desk.points().await;
        desk.ports
            .index
            .drop_build(desk.build)
            .await
            .expect("drops");
        desk.index().await;
        assert_eq!(desk.points().await, before);
    });
}

#[test]
fn a_vector_that_comes_later_is_taken_if_it_is_of_the_text() {
    block_on(async {
        let desk = Desk::new().await;
        let wifi = desk
            .store
            .cases_of(desk.build, &[(space("a"), case("wifi"))])
            .await;
        let text = threadlore_fold::text_of_case(&wifi.expect("reads")[0]).expect("a text");
        let vectors = desk.store.live(Projection::Vectors).await.expect("makes");
        let events = vec![
            computed("a", "wifi", MODEL, &text, &[1.0, 0.0]),
            computed("a", "sound", MODEL, "an older text", &[0.0, 1.0]),
        ];
        fold(desk.store.as_ref(), vectors, events)
            .await
            .expect("folds");
        desk.index().await;
        let query = Query {
            dense: Some(vec![1.0, 0.0]),
            ..Query::default()
        };
        let found = desk
            .ports
            .index
            .find(desk.build, &scope("a"), &Within::default(), &query, 9)
            .await
            .expect("finds");
        let dense: Vec<&Found<CaseId>> = found.iter().filter(|f| f.leg == Leg::Dense).collect();
        assert_eq!(dense[0].candidates, [(case("wifi"), 1.0)]);
    });
}

#[test]
fn v20_what_is_asked_is_found_by_every_leg_and_the_record_says_so() {
    block_on(async {
        let desk = Desk::new().await;
        let retrieval = desk.retrieval(Arc::clone(&desk.ports.index), None);
        let found = ask(&retrieval, "no sound since the upgrade").await;
        assert_eq!(names(&found)[0], case("sound"));
        assert!(!names(&found).contains(&case("theirs")), "another space");
        let record = &found.record;
        assert_eq!(record.degraded, []);
        assert_eq!(record.build.as_deref(), Some("cases g1"));
        let legs: Vec<&str> = record.found[0].legs.keys().copied().collect();
        assert_eq!(legs, ["grams", "stems", "words"]);
        assert_eq!(record.found[0].close, found.candidates[0].close);
        assert!(record.found[0].close >= 450, "{record:?}");
    });
}

/// An index that fails, or never answers, while it is told to; it counts searches.
#[derive(Default)]
struct Broken {
    inner: MemoryIndex,
    hangs: AtomicBool,
    searches: AtomicUsize,
}

#[async_trait]
impl CaseIndex for Broken {
    async fn open(&self, build: Generation, dense: Option<Dense>) -> Result<Opened, PortError> {
        self.inner.open(build, dense).await
    }
    async fn put(&self, build: Generation, points: Vec<Point>) -> Result<(), PortError> {
        self.inner.put(build, points).await
    }
    async fn remove(
        &self,
        build: Generation,
        points: &[(SpaceId, CaseId)],
    ) -> Result<(), PortError> {
        self.inner.remove(build, points).await
    }
    async fn find(
        &self,
        _build: Generation,
        _scope: &Scope,
        _within: &Within,
        _query: &Query,
        _limit: usize,
    ) -> Result<Vec<Found<CaseId>>, PortError> {
        self.searches.fetch_add(1, Ordering::Relaxed);
        if self.hangs.load(Ordering::Relaxed) {
            return std::future::pending().await;
        }
        Err(PortError::Unavailable {
            doing: "searching",
            what: "the index",
            source: None,
        })
    }
    async fn rows(
        &self,
        build: Generation,
        after: Option<&(SpaceId, CaseId)>,
        max: usize,
    ) -> Result<Vec<PointRow>, PortError> {
        self.inner.rows(build, after, max).await
    }
    async fn rows_of(
        &self,
        build: Generation,
        points: &[(SpaceId, CaseId)],
    ) -> Result<Vec<PointRow>, PortError> {
        self.inner.rows_of(build, points).await
    }
    async fn flush(&self) -> Result<(), PortError> {
        Ok(())
    }
    async fn optimise(&self, _build: Generation) -> Result<(), PortError> {
        Ok(())
    }
    async fn drop_build(&self, build: Generation) -> Result<(), PortError> {
        self.inner.drop_build(build).await
    }
}

#[test]
fn m35_without_the_index_words_in_the_tables_are_searched() {
    block_on(async {
        let desk = Desk::new().await;
        let broken = Arc::new(Broken::default());
        let retrieval = desk.retrieval(broken.clone(), None);
        for asked in 1..=9 {
            let found = ask(&retrieval, "no sound after the upgrade").await;
            assert_eq!(found.record.degraded, [Degraded::Index]);
            assert_eq!(names(&found)[0], case("sound"));
            // M34: after three failures it is left alone.
            assert_eq!(broken.searches.load(Ordering::Relaxed), asked.min(3));
        }
    });
}

#[test]
fn m33_an_index_that_does_not_answer_in_time_is_not_waited_for() {
    block_on(async {
        let desk = Desk::new().await;
        let broken = Arc::new(Broken::default());
        broken.hangs.store(true, Ordering::Relaxed);
        let retrieval = desk.retrieval_by(Arc::new(Hasty), broken, None);
        let found = ask(&retrieval, "no sound after the upgrade").await;
        assert_eq!(found.record.degraded, [Degraded::Index]);
        assert_eq!(names(&found)[0], case("sound"));
    });
}

#[test]
fn a_build_that_is_not_in_the_index_is_searched_by_words() {
    block_on(async {
        let desk = Desk::new().await;
        let retrieval = desk.retrieval(Arc::new(MemoryIndex::default()), None);
        let found = ask(&retrieval, "no sound after the upgrade").await;
        assert_eq!(found.record.degraded, [Degraded::Index]);
        assert_eq!(names(&found)[0], case("sound"));
    });
}

/// A model that makes one vector of everything, or none.
struct Model {
    works: bool,
}

#[async_trait]
impl EmbedEngine for Model {
    fn model(&self) -> &str {
        MODEL
    }
    fn dimensions(&self) -> u32 {
        2
    }
    async fn embed(
        &self,
        texts: &[String],
        what_for: EmbedFor,
    ) -> Result<Vec<Vec<f32>>, PortError> {
        assert_eq!(what_for, EmbedFor::Query);
        if self.works {
            return Ok(vec![vec![1.0, 0.0]; texts.len()]);
        }
        Err(PortError::Unavailable {
            doing: "asking",
            what: "the model",
            source: None,
        })
    }
}

#[test]
fn m35_without_the_model_the_other_legs_go_on() {
    block_on(async {
        let desk = Desk::new().await;
        for (works, degraded) in [(true, vec![]), (false, vec![Degraded::Model])] {
            let model = Arc::new(Model { works });
            let retrieval = desk.retrieval(Arc::clone(&desk.ports.index), Some(model));
            let found = ask(&retrieval, "no sound after the upgrade").await;
            assert_eq!(found.record.degraded, degraded);
            assert_eq!(names(&found)[0], case("sound"));
        }
    });
}

/// Tables that do not answer.
struct NoTables;

fn no_tables<T>() -> Result<T, PortError> {
    Err(PortError::Unavailable {
        doing: "reading",
        what: "the database",
        source: None,
    })
}

#[async_trait]
impl Generations for NoTables {
    async fn generations(&self) -> Result<Vec<Generation>, PortError> {
        no_tables()
    }
    async fn live(&self, _projection: Projection) -> Result<Generation, PortError> {
        no_tables()
    }
    async fn create(&self, _projection: Projection) -> Result<Generation, PortError> {
        no_tables()
    }
    async fn switch(&self, _to: Generation) -> Result<(), PortError> {
        no_tables()
    }
    async fn drop_generation(&self, _generation: Generation) -> Result<(), PortError> {
        no_tables()
    }
    async fn positions(
        &self,
        _generation: Generation,
        _partitions: u32,
    ) -> Result<Vec<Positions>, PortError> {
        no_tables()
    }
    async fn digest(&self, _generation: Generation) -> Result<Digests, PortError> {
        no_tables()
    }
    async fn differences(
        &self,
        _a: Generation,
        _b: Generation,
        _max: usize,
    ) -> Result<Vec<Cell>, PortError> {
        no_tables()
    }
}

#[test]
fn m35_without_the_tables_nothing_is_found_and_it_says_so() {
    block_on(async {
        let desk = Desk::new().await;
        let retrieval = Retrieval::new(RetrievalPorts {
            index: Arc::clone(&desk.ports.index),
            cases: desk.store.clone(),
            builds: Arc::new(NoTables),
            embedder: None,
            clock: Arc::new(Still),
        });
        let found = ask(&retrieval, "no sound after the upgrade").await;
        assert_eq!(found.record.degraded, [Degraded::Tables]);
        assert!(found.candidates.is_empty());
    });
}
