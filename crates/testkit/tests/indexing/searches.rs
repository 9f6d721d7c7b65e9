//! Searches, whole and degraded.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures::executor::block_on;
use threadlore_ports::conformance::samples::case;
use threadlore_runtime::{Degraded, Retrieval, RetrievalPorts};
use threadlore_testkit::MemoryIndex;

use crate::desk::{Desk, ask, names};
use crate::doubles::{Broken, Hasty, Model, NoTables, Still};

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
