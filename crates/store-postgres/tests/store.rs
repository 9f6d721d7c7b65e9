//! The store on a real PostgreSQL keeps what the ports promise.

mod support;

use support::database;
use threadlore_ports::conformance;

#[tokio::test]
async fn keeps_the_promises() {
    let database = database().await;
    conformance::store(&database.store).await;
    conformance::generations(&database.store).await;
    // Whoever starts again finds a migrated database.
    database.store.migrate().await.expect("nothing to do");
}
