//! A database that lost a schema is begun anew, and nothing else is touched.

use crate::support::{Server, connect};
use threadlore_ports::{Generations as _, Projection};
use threadlore_testkit::conformance::samples;

const SCHEMAS: &str = "SELECT nspname::text FROM pg_namespace \
     WHERE nspname !~ '^pg_' AND nspname NOT IN ('public', 'information_schema') ORDER BY 1";

async fn schemas(server: &Server, database: &str) -> Vec<String> {
    let mut connection = server.connection(database).await;
    let names = sqlx::query_scalar(SCHEMAS).fetch_all(&mut connection).await;
    names.expect("the server answers")
}

#[tokio::test]
async fn what_is_left_of_a_lost_layout_is_dropped_and_strangers_stay() {
    let server = Server::start();
    let store = server.database("lost").await;
    let live = store.live(Projection::Cases).await.expect("makes");
    let rows = samples::rows("a", Projection::Cases);
    samples::fold(&store, live, rows).await.expect("folds");
    for statement in [
        // They only look like builds: one has a table more, one has none of ours.
        "CREATE SCHEMA channels_g7",
        "CREATE TABLE channels_g7.channels (n int)",
        "CREATE TABLE channels_g7.payments (n int)",
        "CREATE SCHEMA messages_g8",
        "CREATE SCHEMA cases_g1x",
        "CREATE SCHEMA other",
        "INSERT INTO _sqlx_migrations VALUES (99, 'of another program', now(), true, 'x', 1)",
        "DROP SCHEMA lore CASCADE",
    ] {
        server.run("lost", statement).await;
    }
    let again = connect(&server.url("lost")).await;
    again.migrate().await.expect("it begins anew");
    let kept = ["cases_g1x", "channels_g7", "messages_g8", "other"];
    let all = schemas(&server, "lost").await;
    assert_eq!(all.len(), kept.len() + 2, "{all:?}");
    let theirs = "SELECT count(*) FROM _sqlx_migrations WHERE version = 99";
    let mut connection = server.connection("lost").await;
    let theirs: i64 = sqlx::query_scalar(theirs)
        .fetch_one(&mut connection)
        .await
        .expect("the server answers");
    assert_eq!(theirs, 1);
    let live = again.live(Projection::Cases).await.expect("makes");
    let rows = samples::rows("a", Projection::Cases);
    samples::fold(&again, live, rows).await.expect("folds");
}

#[tokio::test]
async fn builds_of_another_version_are_listed_and_not_fed() {
    let server = Server::start();
    let store = server.database("old").await;
    let theirs = store.live(Projection::Cases).await.expect("makes");
    let change = "UPDATE lore.generations SET layout = 'older'";
    server.run("old", change).await;
    store.migrate().await.expect("of this version");
    let own = store.create(Projection::Cases).await.expect("makes");
    store.feed(own, true).await.expect("is there");
    assert_eq!(store.fed().await.expect("lists"), [own]);
    let listed = store.builds().await.expect("lists");
    let listed: Vec<_> = listed.iter().map(|b| (b.build, b.is_own)).collect();
    assert_eq!(listed, [(theirs, false), (own, true)]);
}

#[tokio::test]
async fn a_table_of_somebody_else_in_our_schema_is_not_dropped() {
    let server = Server::start();
    let store = server.database("shared").await;
    for statement in [
        "CREATE TABLE lore.notes (n int)",
        "DROP SCHEMA lore_state CASCADE",
    ] {
        server.run("shared", statement).await;
    }
    let refused = store.migrate().await.expect_err("there are notes");
    assert!(
        refused.to_string().contains("lore_state is gone"),
        "{refused}"
    );
    assert!(refused.to_string().contains("notes"), "{refused}");
    server
        .run("shared", "ALTER TABLE lore.notes SET SCHEMA public")
        .await;
    store.migrate().await.expect("it begins anew");
    let kept = server.run("shared", "SELECT n FROM public.notes");
    kept.await;
}
