//! What the tests of this directory share.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use threadlore_index_qdrant::{ClusterIndex, ClusterOptions};
use threadlore_model::{Found, Leg, Point, PointRow, Timestamp, document_terms, query_terms};
use threadlore_ports::{
    Authority, CaseIndex as _, Clock, Dense, Generation, PortError, Projection, Query, Right,
    Scope, Within,
};
use threadlore_testkit::conformance::samples;

use super::double::Double;

pub(crate) const BUILD: Generation = Generation {
    projection: Projection::Cases,
    number: 1,
};
/// The name of its collection.
pub(crate) const NAME: &str = "threadlore_cases_g1";
pub(crate) const DENSE: Option<Dense> = Some(Dense {
    model: 7,
    dimensions: 2,
});

/// Time that passes when somebody sleeps.
#[derive(Default)]
pub(crate) struct Skipped(Mutex<Vec<Duration>>);

impl Skipped {
    /// Takes how long was slept since, each time.
    pub(crate) fn take(&self) -> Vec<Duration> {
        std::mem::take(&mut self.0.lock().expect("no panic"))
    }
}

#[async_trait]
impl Clock for Skipped {
    fn now(&self) -> Timestamp {
        samples::at(0)
    }

    async fn sleep(&self, by: Duration) {
        self.0.lock().expect("no panic").push(by);
        tokio::task::yield_now().await;
    }
}

pub(crate) fn options(double: &Double) -> ClusterOptions {
    ClusterOptions {
        // Long, so that no slow machine fails a test that is about something else.
        timeout: Duration::from_secs(60),
        ..ClusterOptions::new(double.url())
    }
}

pub(crate) fn connect(options: ClusterOptions) -> (ClusterIndex, Arc<Skipped>) {
    let clock = Arc::new(Skipped::default());
    let index = ClusterIndex::connect(options, clock.clone()).expect("connects");
    (index, clock)
}

/// With the build opened.
pub(crate) async fn opened(double: &Double) -> (ClusterIndex, Arc<Skipped>) {
    let (index, clock) = connect(options(double));
    index.open(BUILD, DENSE).await.expect("opens");
    double.asked("");
    (index, clock)
}

pub(crate) fn point(name: &str) -> Point {
    Point {
        row: PointRow {
            space: samples::space("a"),
            case: samples::case(name),
            channel: samples::channel(),
            solved: true,
            source: [7; 32],
        },
        terms: document_terms("no sound at all"),
        dense: Some(vec![1.0, 2.0]),
    }
}

pub(crate) fn scope() -> Scope {
    let authority = Authority::of_grants(vec![(samples::space("a"), Right::Read)]);
    authority
        .authorise(&samples::space("a"), Right::Read)
        .expect("granted")
}

pub(crate) async fn find(
    index: &ClusterIndex,
) -> Result<Vec<Found<threadlore_model::CaseId>>, PortError> {
    let query = Query {
        terms: query_terms("sound"),
        dense: Some(vec![1.0, 2.0]),
    };
    let within = Within::default();
    index.find(BUILD, &scope(), &within, &query, 10).await
}

/// How many points of the dense leg a search finds.
pub(crate) async fn found(index: &ClusterIndex) -> usize {
    let found = find(index).await.expect("searches");
    let dense = found.iter().find(|found| found.leg == Leg::Dense);
    dense.map_or(0, |found| found.candidates.len())
}

/// An error with all its causes.
pub(crate) fn told(error: &PortError) -> String {
    let mut told = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        told = format!("{told}: {error}");
        cause = error.source();
    }
    told
}

pub(crate) fn passes(error: &PortError) -> bool {
    matches!(error, PortError::Unavailable { .. })
}
