//! A question that is asked again.

use futures::executor::block_on;
use threadlore_ports::Readable;
use threadlore_retrieval::ask::CLOSE;
use threadlore_retrieval::{Inquiry, Retrieval};
use threadlore_testkit::conformance::samples::case;

use crate::desk::{Desk, scope};

/// Who had the answer a moment ago and asks the same again does not want it once more.
#[test]
fn the_answer_that_who_asks_had_already_is_no_answer() {
    block_on(async {
        let desk = Desk::new().await;
        let (scope, readable) = (scope("a"), Readable::all());
        let retrieval = Retrieval::new(desk.search());
        let asked = Inquiry::new(&scope, &readable, "no sound since the upgrade");
        let first = retrieval.search(asked, 3).await.record.found.remove(0);
        assert!(first.case == case("sound") && first.close >= CLOSE);
        let again = Inquiry {
            had: Some(case("sound")),
            ..asked
        };
        let found = retrieval.search(again, 3).await.record.found;
        let doubted = found.into_iter().find(|one| one.case == case("sound"));
        let doubted = doubted.expect("it is found");
        assert_eq!((doubted.chance, doubted.close), (first.chance, CLOSE - 1));
    });
}
