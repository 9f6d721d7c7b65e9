//! Row security holds where a query forgets its filter, and `verify` sees what
//! was altered by hand.

use crate::support::Server;
use sqlx::{Connection as _, Executor as _, PgConnection};
use threadlore_model::SpaceId;
use threadlore_ports::{Cell, Generation, Generations as _, Projection};
use threadlore_store_postgres::{AnalystChange, PostgresStore};
use threadlore_testkit::conformance::samples;

async fn fill(store: &PostgresStore) -> Vec<Generation> {
    let mut live = Vec::new();
    for projection in Projection::ALL {
        let generation = store.live(projection).await.expect("makes");
        for space in ["a", "b"] {
            let rows = samples::rows(space, projection);
            samples::fold(store, generation, rows).await.expect("folds");
        }
        live.push(generation);
    }
    live
}

const TABLES: [&str; 7] = [
    "messages",
    "reactions",
    "cases",
    "case_evidence",
    "case_confirmations",
    "channels",
    "vectors",
];

fn table(name: &str) -> String {
    let schema = match name {
        "messages" | "reactions" => "messages_g1",
        "channels" => "channels_g1",
        "vectors" => "vectors_g1",
        _ => "cases_g1",
    };
    format!("{schema}.{name}")
}

/// Spaces whose rows a reader sees.
async fn visible(connection: &mut PgConnection, relation: &str) -> Vec<String> {
    let statement = format!("SELECT DISTINCT space::text FROM {relation} ORDER BY 1");
    let rows = sqlx::query_scalar(&statement).fetch_all(connection).await;
    rows.expect("a reader may select")
}

#[tokio::test]
async fn a_reader_sees_the_space_that_is_set_and_changes_nothing() {
    let server = Server::start();
    let store = server.database("spaces").await;
    fill(&store).await;
    for statement in [
        "CREATE ROLE analyst LOGIN IN ROLE lore_reader",
        "CREATE ROLE stranger LOGIN",
    ] {
        server.run("spaces", statement).await;
    }
    let url = server.url("spaces");
    let as_user = |name: &str| url.replace("user=threadlore", &format!("user={name}"));
    let mut analyst = PgConnection::connect(&as_user("analyst"))
        .await
        .expect("connects");
    let mut stranger = PgConnection::connect(&as_user("stranger"))
        .await
        .expect("connects");
    for name in TABLES {
        for relation in [table(name), format!("lore.{name}")] {
            analyst.execute("RESET lore.space").await.expect("runs");
            assert!(
                visible(&mut analyst, &relation).await.is_empty(),
                "{relation}"
            );
            for space in ["a", "b"] {
                let set = format!("SET lore.space = '{space}'");
                analyst.execute(set.as_str()).await.expect("runs");
                assert_eq!(
                    visible(&mut analyst, &relation).await,
                    [space],
                    "{relation}"
                );
            }
            let delete = format!("DELETE FROM {relation}");
            analyst
                .execute(delete.as_str())
                .await
                .expect_err("readers only read");
            let select = format!("SELECT FROM {relation}");
            stranger
                .execute(select.as_str())
                .await
                .expect_err("strangers read nothing");
        }
    }
    analyst
        .execute("SELECT FROM lore_state.states")
        .await
        .expect_err("the state of processors is nobody's");
}

#[tokio::test]
async fn a_sign_in_of_an_analyst_reads_its_space_whatever_it_sets() {
    let server = Server::start();
    let store = server.database("analysts").await;
    fill(&store).await;
    let space = |name: &str| SpaceId::parse(name).expect("a space");
    let make = |name: &'static str, of: &str| {
        let (store, of) = (store.clone(), space(of));
        async move {
            store
                .make_analyst(name, &of, "secret")
                .await
                .expect("asked")
        }
    };
    assert_eq!(make("ann", "b").await, AnalystChange::Made);
    assert_eq!(make("ann", "a").await, AnalystChange::Made, "another space");
    assert_eq!(make("bob", "b").await, AnalystChange::Made);
    server.run("analysts", "CREATE ROLE other LOGIN").await;
    assert_eq!(make("other", "a").await, AnalystChange::Foreign);
    for name in [
        "",
        "Ann",
        "9a",
        "lore_reader",
        "pg_x",
        "a;b",
        "public",
        "a-b",
    ] {
        let made = store.make_analyst(name, &space("a"), "secret").await;
        assert_eq!(made.expect("asked"), AnalystChange::BadName, "{name}");
    }
    let listed = store.analysts().await.expect("reads");
    let listed: Vec<(&str, &str)> = listed
        .iter()
        .map(|one| (one.name.as_str(), one.space.as_str()))
        .collect();
    assert_eq!(listed, [("ann", "a"), ("bob", "b")]);
    let kept: String =
        sqlx::query_scalar("SELECT rolpassword FROM pg_authid WHERE rolname = 'ann'")
            .fetch_one(&mut server.connection("analysts").await)
            .await
            .expect("reads");
    assert!(kept.starts_with("SCRAM-SHA-256$4096:"), "{kept}");

    let url = server
        .url("analysts")
        .replace("user=threadlore", "user=ann");
    let mut ann = PgConnection::connect(&url).await.expect("connects");
    for set in [
        "RESET lore.space",
        "SET lore.space = 'b'",
        "SET ROLE lore_reader",
        "SET search_path = pg_temp, lore",
        "SET default_transaction_read_only = off",
    ] {
        ann.execute(set).await.expect("runs");
        for view in ["messages", "cases", "turns", "daily", "asked_cases"] {
            assert_eq!(
                visible(&mut ann, &format!("lore.{view}")).await,
                ["a"],
                "{set}"
            );
        }
    }
    for refused in [
        "COMMENT ON ROLE ann IS 'threadlore reads the space b'",
        "CREATE OR REPLACE FUNCTION lore.space() RETURNS text LANGUAGE sql AS $$ SELECT 'b' $$",
        "SET ROLE bob",
        "SET SESSION AUTHORIZATION bob",
        "DELETE FROM lore.messages",
        "SELECT FROM lore_state.states",
    ] {
        ann.execute("RESET ROLE").await.expect("runs");
        ann.execute(refused).await.expect_err(refused);
    }
    ann.close().await.expect("closes");
    assert_eq!(
        store.remove_analyst("ann").await.expect("asked"),
        AnalystChange::Removed
    );
    assert_eq!(
        store.remove_analyst("ann").await.expect("asked"),
        AnalystChange::Absent
    );
    assert_eq!(
        store.remove_analyst("other").await.expect("asked"),
        AnalystChange::Foreign
    );
    PgConnection::connect(&url).await.expect_err("it is gone");
}

#[tokio::test]
async fn an_altered_cell_is_named() {
    let server = Server::start();
    let store = server.database("altered").await;
    for live in fill(&store).await {
        let rebuilt = store.create(live.projection).await.expect("makes");
        for space in ["a", "b"] {
            let rows = samples::rows(space, live.projection);
            samples::fold(&store, rebuilt, rows).await.expect("folds");
        }
    }
    let digests = |number| {
        let store = &store;
        async move {
            let mut all = Vec::new();
            for projection in Projection::ALL {
                let generation = Generation { projection, number };
                all.push(store.digest(generation).await.expect("digests"));
            }
            all
        }
    };
    let before = digests(1).await;
    assert_eq!(before, digests(2).await);
    for (projection, change, table, column) in [
        (
            "messages",
            "UPDATE messages_g1.messages SET text = 'x' WHERE space = 'a'",
            "messages",
            "text",
        ),
        (
            "messages",
            "UPDATE messages_g1.messages SET sent_at = sent_at + interval '1 ms' WHERE space = 'a'",
            "messages",
            "sent_at",
        ),
        (
            "messages",
            "DELETE FROM messages_g1.reactions WHERE space = 'a'",
            "reactions",
            "*",
        ),
        (
            "cases",
            "UPDATE cases_g1.cases SET tags = '{}' WHERE space = 'a'",
            "cases",
            "tags",
        ),
        (
            "cases",
            "UPDATE cases_g1.case_evidence SET part = 'context' WHERE space = 'a' AND part = 'problem'",
            "case_evidence",
            "part",
        ),
        (
            "cases",
            "DELETE FROM cases_g1.cases WHERE space = 'a'",
            "cases",
            "*",
        ),
        (
            "channels",
            "UPDATE channels_g1.channels SET admins = '{}' WHERE space = 'a'",
            "channels",
            "admins",
        ),
        (
            "vectors",
            "UPDATE vectors_g1.vectors SET vector = vector || vector WHERE space = 'a'",
            "vectors",
            "vector",
        ),
    ] {
        let projection: Projection = projection.parse().expect("a projection");
        let (one, two) = (
            Generation {
                projection,
                number: 1,
            },
            Generation {
                projection,
                number: 2,
            },
        );
        assert_eq!(store.differences(one, two, 9).await.expect("compares"), []);
        server.run("altered", "CREATE SCHEMA saved").await;
        for name in TABLES {
            let save = format!("CREATE TABLE saved.{name} AS TABLE {}", self::table(name));
            server.run("altered", &save).await;
        }
        server.run("altered", change).await;
        assert_ne!(digests(1).await, before, "{change}");
        let cells = store.differences(one, two, 9).await.expect("compares");
        let [
            Cell {
                table: t,
                row,
                column: c,
            },
        ] = &cells[..]
        else {
            panic!("{change}: {cells:?}");
        };
        assert_eq!((t.as_str(), c.as_str()), (table, column), "{change}");
        assert!(row.starts_with("a/"), "{row}");
        restore(&server).await;
    }
}

/// Puts back what was saved; the generated column is no part of it.
async fn restore(server: &Server) {
    for name in TABLES {
        let table = table(name);
        let columns = "SELECT string_agg(quote_ident(attname), ',') FROM pg_attribute \
             WHERE attrelid = $1::regclass AND attnum > 0 AND attgenerated = ''";
        let mut connection = server.connection("altered").await;
        let columns: String = sqlx::query_scalar(columns)
            .bind(&table)
            .fetch_one(&mut connection)
            .await
            .expect("the table is there");
        for statement in [
            format!("TRUNCATE {table}"),
            format!("INSERT INTO {table} ({columns}) SELECT {columns} FROM saved.{name}"),
        ] {
            server.run("altered", &statement).await;
        }
    }
    server.run("altered", "DROP SCHEMA saved CASCADE").await;
}
