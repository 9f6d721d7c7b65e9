//! A few cases in memory, with their points.

use std::collections::BTreeSet;
use std::sync::Arc;

use threadlore_language::retrieve::Synonyms;
use threadlore_model::{CaseId, PointRow, Signal};
use threadlore_ports::{
    Authority, DenseModel, Generation, Generations, IndexPorts, Projection, Readable, Right, Scope,
};
use threadlore_replay::Indexer;
use threadlore_retrieval::closeness::WRONG_AT_MOST;
use threadlore_retrieval::{Inquiry, Retrieval, RetrievalPorts, Retrieved};
use threadlore_testkit::conformance::samples::{fold, opened, solved, space};
use threadlore_testkit::{MemoryStore, index_ports};

use crate::doubles::Still;

pub(crate) const MODEL: &str = "m/1";

pub(crate) fn model() -> Option<DenseModel> {
    Some(DenseModel {
        name: MODEL.to_owned(),
        dimensions: 2,
    })
}

pub(crate) struct Desk {
    pub(crate) store: Arc<MemoryStore>,
    pub(crate) ports: IndexPorts,
    pub(crate) build: Generation,
}

impl Desk {
    pub(crate) async fn new() -> Self {
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

    pub(crate) async fn indexer(&self) -> Indexer {
        Indexer::start(self.build, self.ports.clone())
            .await
            .expect("starts")
    }

    pub(crate) async fn index(&self) {
        self.indexer()
            .await
            .catch_up(2)
            .await
            .expect("makes points");
    }

    pub(crate) async fn points(&self) -> Vec<PointRow> {
        let rows = self.ports.index.rows(self.build, None, 99).await;
        rows.expect("reads")
    }

    pub(crate) async fn cases(&self) -> BTreeSet<CaseId> {
        self.points()
            .await
            .into_iter()
            .map(|row| row.case)
            .collect()
    }

    /// What a search uses, with no model.
    pub(crate) fn search(&self) -> RetrievalPorts {
        RetrievalPorts {
            index: Arc::clone(&self.ports.index),
            cases: self.store.clone(),
            builds: self.store.clone(),
            embedder: None,
            wrong_at_most: WRONG_AT_MOST,
            reranker: None,
            reader: None,
            clock: Arc::new(Still),
            synonyms: Arc::new(Synonyms::builtin()),
        }
    }
}

pub(crate) fn scope(name: &str) -> Scope {
    Authority::of_operator()
        .authorise(&space(name), Right::Ask)
        .expect("granted")
}

/// For three of each layer.
pub(crate) async fn ask(retrieval: &Retrieval, text: &str) -> Retrieved {
    let scope = scope("a");
    let readable = Readable::all();
    retrieval
        .search(Inquiry::new(&scope, &readable, text), 3)
        .await
}

pub(crate) fn names(found: &Retrieved) -> Vec<CaseId> {
    found.candidates.iter().map(|c| c.case.case).collect()
}
