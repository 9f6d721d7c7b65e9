//! The store in memory keeps what the ports promise.

use futures::executor::block_on;
use threadlore_testkit::MemoryStore;
use threadlore_testkit::conformance;

#[test]
fn keeps_the_promises_of_a_store() {
    block_on(conformance::store(&MemoryStore::new()));
}

#[test]
fn keeps_the_promises_of_builds() {
    block_on(conformance::generations(&MemoryStore::new()));
    block_on(conformance::index_source(&MemoryStore::new()));
}

#[test]
fn keeps_the_promises_of_a_reader() {
    block_on(conformance::reader(&MemoryStore::new()));
}
