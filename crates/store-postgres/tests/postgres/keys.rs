//! The keystore on a real PostgreSQL keeps what its port promises.

use std::sync::Arc;

use futures::future::join_all;
use threadlore_model::{CaseId, EventId, SpaceId, Subject};
use threadlore_ports::{Keystore, Wrapping};
use threadlore_store_postgres::PostgresKeystore;
use threadlore_testkit::conformance;

use crate::support::Server;

const MASTER: [u8; 32] = [7; 32];

async fn open(url: &str) -> PostgresKeystore {
    let opened = PostgresKeystore::connect(url, Wrapping::under(MASTER)).await;
    opened.expect("it opens")
}

#[tokio::test]
async fn keeps_the_promises() {
    let server = Server::start();
    let url = server.url("postgres");
    conformance::keystore(|| async { Arc::new(open(&url).await) as Arc<dyn Keystore> }).await;
}

#[tokio::test]
async fn another_master_key_is_refused() {
    let server = Server::start();
    let url = server.url("postgres");
    open(&url).await;
    let refused = PostgresKeystore::connect(&url, Wrapping::under([8; 32])).await;
    let said = refused.err().expect("refused").to_string();
    assert!(said.contains("master key is not the one"), "{said}");
    open(&url).await;
}

/// Several processes begin, and make keys of the same subjects, at the same time: each
/// subject has one.
#[tokio::test]
async fn of_many_that_make_a_key_one_does() {
    let server = Server::start();
    let url = server.url("postgres");
    let space = SpaceId::parse("keys").expect("a space");
    let subjects: Vec<Subject> = (0..50)
        .map(|n: u32| {
            let id = EventId::of_content("keys", &[&n.to_string()]);
            Subject::Case(space.clone(), CaseId::first_carried_by(id))
        })
        .collect();
    let stores = join_all((0..8).map(|_| open(&url))).await;
    let all = join_all(stores.iter().map(|store| store.ensure(&subjects))).await;
    let first = all[0].as_ref().expect("keys");
    assert_eq!(first.len(), subjects.len());
    for one in &all {
        assert_eq!(one.as_ref().expect("keys"), first);
    }
}

/// While one master key takes the place of another, keys under both are read; afterwards the old one opens nothing.
#[tokio::test]
async fn a_master_key_is_replaced() {
    let server = Server::start();
    let url = server.url("postgres");
    conformance::replaced_master_key(|wrapping| async {
        let opened = PostgresKeystore::connect(&url, wrapping).await;
        opened.map(|store| Arc::new(store) as Arc<dyn Keystore>)
    })
    .await;
}
