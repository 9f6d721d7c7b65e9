//! What analysts ask first, as views on the views of the live builds.

use std::collections::BTreeSet;

use sqlx::{Connection as _, Executor as _, PgConnection};
use threadlore_ports::{Generations as _, Projection};
use threadlore_store_postgres::PostgresStore;
use threadlore_testkit::conformance::samples;

use crate::support::Server;

/// All views that show several others.
const ROLLUPS: [&str; 7] = [
    "daily",
    "weekly",
    "monthly",
    "silences",
    "unanswered",
    "asked_cases",
    "helpers",
];

async fn fill(store: &PostgresStore) {
    for projection in Projection::ALL {
        let generation = store.live(projection).await.expect("makes");
        for space in ["a", "b"] {
            let rows = samples::rows(space, projection);
            samples::fold(store, generation, rows).await.expect("folds");
        }
    }
}

/// The rows of a view as text.
async fn shown(connection: &mut PgConnection, view: &str) -> Vec<String> {
    let statement = format!("SELECT row_to_json(v)::text FROM lore.{view} v ORDER BY 1");
    let rows = sqlx::query_scalar(&statement).fetch_all(connection).await;
    rows.expect("a reader may select")
}

#[tokio::test]
async fn every_view_and_column_says_what_it_means() {
    let server = Server::start();
    let store = server.database("comments").await;
    fill(&store).await;
    let mut connection = server.connection("comments").await;
    let silent: Vec<String> = sqlx::query_scalar(
        "SELECT c.relname || coalesce('.' || a.attname, '') FROM pg_class c \
         JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'lore' \
         LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 \
         WHERE c.relkind = 'v' AND (col_description(c.oid, a.attnum) IS NULL \
             OR obj_description(c.oid, 'pg_class') IS NULL) ORDER BY 1",
    )
    .fetch_all(&mut connection)
    .await
    .expect("reads");
    assert_eq!(
        silent,
        Vec::<String>::new(),
        "add it to docs/data-dictionary.md"
    );
}

#[tokio::test]
async fn rollups_show_one_space_and_outlive_a_switch() {
    let server = Server::start();
    let store = server.database("rollups").await;
    fill(&store).await;
    server
        .run("rollups", "CREATE ROLE reads LOGIN IN ROLE lore_reader")
        .await;
    let url = server.url("rollups");
    let mut analyst = PgConnection::connect(&url.replace("user=threadlore", "user=reads"))
        .await
        .expect("connects");
    let mut before = Vec::new();
    for view in ROLLUPS {
        analyst.execute("RESET lore.space").await.expect("runs");
        assert!(shown(&mut analyst, view).await.is_empty(), "{view}");
        analyst.execute("SET lore.space = 'a'").await.expect("runs");
        let rows = shown(&mut analyst, view).await;
        assert!(
            rows.iter().all(|row| row.contains("\"space\":\"a\"")),
            "{rows:?}"
        );
        before.push(rows);
    }
    let empty: BTreeSet<&str> = ROLLUPS
        .into_iter()
        .zip(&before)
        .filter_map(|(view, rows)| rows.is_empty().then_some(view))
        .collect();
    // The sample's answer was given, and its case's lines are of no message of the sample.
    assert_eq!(empty, ["helpers", "silences", "unanswered"].into());
    for projection in Projection::ALL {
        let rebuilt = store.create(projection).await.expect("makes");
        for space in ["a", "b"] {
            let rows = samples::rows(space, projection);
            samples::fold(&store, rebuilt, rows).await.expect("folds");
        }
        store.switch(rebuilt).await.expect("switches");
    }
    for (view, rows) in ROLLUPS.into_iter().zip(before) {
        assert_eq!(
            shown(&mut analyst, view).await,
            rows,
            "{view}: live = rebuilt"
        );
    }
    // A database of an earlier version has none.
    server.run("rollups", "DROP VIEW lore.daily").await;
    store.migrate().await.expect("it migrates");
    assert!(!shown(&mut analyst, "daily").await.is_empty());
}

#[tokio::test]
async fn processes_that_start_at_once_make_them_together() {
    let server = Server::start();
    for round in 0..5 {
        let name = format!("together{round}");
        let store = server.database(&name).await;
        let made = Projection::ALL.map(|projection| {
            let store = store.clone();
            tokio::spawn(async move { store.live(projection).await })
        });
        for made in made {
            made.await.expect("no panic").expect("makes");
        }
        let mut connection = server.connection(&name).await;
        for view in ROLLUPS {
            assert!(shown(&mut connection, view).await.is_empty(), "{view}");
        }
    }
}
