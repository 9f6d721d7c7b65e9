//! `optimise` waits for the servers, which do it by themselves.

use std::time::Duration;

use qdrant_client::qdrant::CollectionStatus::{self, Grey, Red, Yellow};
use threadlore_index_qdrant::ClusterOptions;
use threadlore_ports::{CaseIndex as _, PortError};

use super::double::Double;
use super::support::{BUILD, DENSE, connect, options, passes, told};

/// What it says, and how often it looked again.
async fn optimised(statuses: Vec<CollectionStatus>) -> (Result<(), PortError>, usize) {
    let double = Double::start();
    let (index, slept) = connect(ClusterOptions {
        optimise_wait: Duration::from_secs(10),
        ..options(&double)
    });
    index.open(BUILD, DENSE).await.expect("opens");
    double.engine(|engine| engine.statuses = statuses);
    let outcome = index.optimise(BUILD).await;
    let slept = slept.take();
    assert!(slept.iter().all(|by| *by == Duration::from_millis(500)));
    (outcome, slept.len())
}

#[tokio::test]
async fn it_waits_until_the_servers_are_done() {
    for (statuses, looks) in [
        (vec![], 0),
        (vec![Grey, Yellow, Yellow], 3),
        // Work that nobody begins is not waited for.
        (vec![Grey; 100], 9),
        // And no work longer than told.
        (vec![Yellow; 100], 21),
    ] {
        let (outcome, slept) = optimised(statuses.clone()).await;
        outcome.expect("searching works");
        assert_eq!(slept, looks, "{statuses:?}");
    }
}

#[tokio::test]
async fn what_the_servers_cannot_do_is_told() {
    let (outcome, _) = optimised(vec![Yellow, Red]).await;
    let error = outcome.expect_err("it failed");
    assert!(passes(&error), "{error:?}");
    assert!(told(&error).contains("no space left"), "{}", told(&error));
}
