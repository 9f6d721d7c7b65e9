//! A database that lost a schema is begun anew, and nothing else is touched.

use crate::support::{Server, connect};
use threadlore_ports::{Generations as _, PortError, Projection};
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
    let refused = again.migrate().await.expect_err("another program's record");
    assert!(matches!(refused, PortError::Broken { .. }), "{refused}");
    let kept = ["cases_g1x", "channels_g7", "messages_g8", "other"];
    assert_eq!(schemas(&server, "lost").await, kept);

    let theirs = "DELETE FROM _sqlx_migrations WHERE version = 99";
    server.run("lost", theirs).await;
    again.migrate().await.expect("it begins anew");
    let all = schemas(&server, "lost").await;
    assert_eq!(all.len(), kept.len() + 2, "{all:?}");
    let live = again.live(Projection::Cases).await.expect("makes");
    let rows = samples::rows("a", Projection::Cases);
    samples::fold(&again, live, rows).await.expect("folds");
}

#[tokio::test]
async fn tables_of_another_version_are_named_with_what_to_do() {
    let server = Server::start();
    let store = server.database("old").await;
    store.live(Projection::Cases).await.expect("makes");
    store.migrate().await.expect("of this version");
    let drop = "ALTER TABLE cases_g1.cases DROP COLUMN worded_in CASCADE";
    server.run("old", drop).await;
    let refused = store.migrate().await.expect_err("a column is missing");
    let said = refused.to_string();
    for part in [
        "cases_g1.cases",
        "no column worded_in",
        "rebuilt from the log",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
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
