//! Points follow their rows.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use futures::executor::block_on;
use threadlore_fold::point_of;
use threadlore_model::{CaseId, Found, Leg, Point};
use threadlore_ports::{Generations, IndexPorts, IndexSource, Observer, Projection, Query, Within};
use threadlore_replay::{Drift, Indexer};
use threadlore_testkit::conformance::samples::{
    archived, case, computed, confirmed, erased, fold, opened, space,
};

use crate::desk::{Desk, MODEL, scope};
use crate::doubles::Broken;

#[test]
fn a_point_follows_its_row() {
    block_on(async {
        let desk = Desk::new().await;
        let all = [case("sound"), case("wifi"), case("theirs")];
        assert_eq!(desk.cases().await, all.into());
        let change = vec![
            confirmed("a", "wifi", "ann", 40),
            erased("a", "sound", 50),
            archived("b", "theirs", 60),
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

/// The repairs of each comparison.
#[derive(Default)]
struct Repairs(Mutex<Vec<(u64, u64)>>);

impl Observer for Repairs {
    fn repaired(&self, missing: u64, strays: u64) {
        self.0.lock().expect("whole").push((missing, strays));
    }
}

#[test]
fn what_is_missing_is_made_and_what_is_a_stray_goes() {
    block_on(async {
        let mut desk = Desk::new().await;
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
        let repairs = Arc::new(Repairs::default());
        desk.ports.observer = Arc::clone(&repairs) as Arc<dyn Observer>;
        let mut indexer = desk.indexer().await;
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
        // It is counted once, for who runs it.
        assert_eq!(*repairs.0.lock().expect("whole"), [(2, 1)]);
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
        let text = threadlore_model::text_of_case(&wifi.expect("reads")[0]).expect("a text");
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
fn an_index_is_put_in_order_while_it_is_filled() {
    block_on(async {
        let desk = Desk::new().await;
        let many = (0..24_000).map(|n| opened("a", &format!("n{n}"), "a fault", 40));
        fold(desk.store.as_ref(), desk.build, many.collect())
            .await
            .expect("folds");
        let index = Arc::new(Broken::default());
        let ports = IndexPorts {
            index: index.clone(),
            ..desk.ports.clone()
        };
        let mut indexer = Indexer::start(desk.build, ports).await.expect("starts");
        let optimised = || index.optimised.load(Ordering::Relaxed);
        let mut seen = Vec::new();
        while indexer.step(6_000).await.expect("makes points") > 0 {
            seen.push(optimised());
        }
        // The fourth step passes twenty thousand.
        assert_eq!(seen, [0, 0, 0, 1, 1]);
    });
}
