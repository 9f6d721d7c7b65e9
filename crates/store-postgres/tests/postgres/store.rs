//! The store on a real PostgreSQL keeps what the ports promise.

use crate::support::{Server, connect};
use threadlore_model::vector_source;
use threadlore_ports::{Generations as _, IndexSource as _, PortError, Projection};
use threadlore_testkit::conformance;
use threadlore_testkit::conformance::samples::{case, computed, fold, space};

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

#[tokio::test]
async fn vectors_are_those_of_the_model_and_the_cases_asked_for() {
    let server = Server::start();
    let store = server.database("vectors").await;
    let live = store.live(Projection::Vectors).await.expect("makes");
    let events = vec![
        computed("a", "c1", "m/1", "no sound", &[0.5, -1.25]),
        computed("a", "c1", "m/1", "no sound, mute", &[1.0]),
        computed("a", "c1", "m/2", "no sound", &[2.0]),
        computed("a", "c2", "m/1", "no sound", &[3.0]),
        computed("b", "c1", "m/1", "no sound", &[4.0]),
    ];
    fold(&store, live, events).await.expect("folds");
    let of = |space_name: &str, name: &str| (space(space_name), case(name));
    let vectors = store.vectors("m/1", &[of("a", "c1"), of("a", "c9")]).await;
    let mut found: Vec<_> = vectors
        .expect("reads")
        .into_iter()
        .map(|v| (v.key, v.source, v.vector))
        .collect();
    found.sort_by(|a, b| a.2.partial_cmp(&b.2).expect("numbers"));
    let expected = [
        (of("a", "c1"), vector_source("no sound"), vec![0.5, -1.25]),
        (of("a", "c1"), vector_source("no sound, mute"), vec![1.0]),
    ];
    assert_eq!(found, expected);
    let none = store.vectors("m/3", &[of("a", "c1")]).await;
    assert_eq!(none.expect("reads"), []);
}

/// What one commit adds is one row, and changes of parts are merged from time to time.
#[tokio::test]
async fn a_commit_writes_few_rows() {
    let server = Server::start();
    let store = server.database("rows").await;
    conformance::store(&store).await;
    let mut connection = server.connection("rows").await;
    let count = "SELECT count(*), sum(number)::bigint FROM lore_state.part_changes \
                 WHERE consumer_group LIKE '%many%'";
    let (rows, numbers): (i64, Option<i64>) = sqlx::query_as(count)
        .fetch_one(&mut connection)
        .await
        .expect("counts");
    assert!(rows > 0 && rows < 40, "60 commits left {rows} rows");
    assert!(numbers.is_some_and(|sum| sum > 0), "the first is row 0");
    let counted = "SELECT s.changes = (SELECT count(*) FROM lore_state.part_changes p \
                   WHERE (p.consumer_group, p.partition, p.key) = \
                         (s.consumer_group, s.partition, s.key) AND p.number > 0) \
                   FROM lore_state.states s WHERE consumer_group LIKE '%many%'";
    let counted: bool = sqlx::query_scalar(counted)
        .fetch_one(&mut connection)
        .await
        .expect("compares");
    assert!(counted, "the state knows how many changes it has");
}
