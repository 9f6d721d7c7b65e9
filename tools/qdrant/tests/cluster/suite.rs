//! The suite of the port.

use std::sync::Arc;

use threadlore_ports::CaseIndex;
use threadlore_testkit::conformance;

use super::double::Double;
use super::support::{BUILD, connect, found, opened, options, point};

#[tokio::test]
async fn the_index() {
    let double = Double::start();
    let (index, slept) = connect(options(&double));
    conformance::index(&index).await;
    assert!(slept.take().is_empty(), "nothing failed");
    assert!(double.engine(|engine| engine.names().is_empty()));
}

#[tokio::test]
async fn the_index_opened_again() {
    let double = Double::start();
    conformance::index_reopened(|| async {
        Arc::new(connect(options(&double)).0) as Arc<dyn CaseIndex>
    })
    .await;
}

#[tokio::test]
async fn what_points_away_is_no_candidate() {
    let double = Double::start();
    let (index, _) = opened(&double).await;
    let mut away = point("away");
    away.dense = Some(vec![-1.0, -2.0]);
    index
        .put(BUILD, vec![point("near"), away])
        .await
        .expect("puts");
    assert_eq!(found(&index).await, 1);
}
