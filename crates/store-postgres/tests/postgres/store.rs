//! The store on a real PostgreSQL keeps what the ports promise.

use crate::support::{Server, connect};
use threadlore_ports::{PortError, conformance};

#[tokio::test]
async fn keeps_the_promises() {
    let server = Server::start();
    let store = server.database("store").await;
    conformance::store(&store).await;
    conformance::generations(&store).await;
    conformance::index_source(&store).await;
    // Whoever starts again finds a migrated database.
    store.migrate().await.expect("nothing to do");
    conformance::reader(&server.database("reader").await).await;
}

#[tokio::test]
async fn keeps_the_promises_to_an_owner_who_is_no_superuser() {
    let server = Server::start();
    for statement in [
        "CREATE ROLE plain LOGIN",
        "CREATE DATABASE store OWNER plain",
        "CREATE DATABASE reader OWNER plain",
    ] {
        server.run("postgres", statement).await;
    }
    let url = |name| server.url(name).replace("user=threadlore", "user=plain");
    let store = connect(&url("store")).await;
    let refused = store.migrate().await.expect_err("it may make no role");
    let PortError::Broken { source, .. } = &refused else {
        panic!("{refused}");
    };
    let reason = source.as_ref().map(ToString::to_string).unwrap_or_default();
    assert!(reason.contains("lore_reader"), "{reason}");

    server.run("postgres", "CREATE ROLE lore_reader").await;
    server.run("postgres", "GRANT lore_reader TO plain").await;
    store.migrate().await.expect("it may use the role");
    conformance::store(&store).await;
    conformance::generations(&store).await;
    let reader = connect(&url("reader")).await;
    reader.migrate().await.expect("it may use the role");
    conformance::reader(&reader).await;
}

#[tokio::test]
async fn needs_nobody_else_when_its_owner_may_make_roles() {
    let server = Server::start();
    for statement in [
        "CREATE ROLE plain LOGIN CREATEROLE",
        "CREATE DATABASE reader OWNER plain",
    ] {
        server.run("postgres", statement).await;
    }
    let url = server
        .url("reader")
        .replace("user=threadlore", "user=plain");
    let reader = connect(&url).await;
    reader.migrate().await.expect("it makes the role");
    conformance::reader(&reader).await;
}
