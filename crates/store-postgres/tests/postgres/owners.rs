//! Owners that come too late, readers that hold a table, servers that go away,
//! and values that do not fit.

use crate::support::{CONNECTIONS, Server};
use sqlx::{Connection as _, Executor as _, PgConnection};
use threadlore_model::{Group, Key, MessageEdited, Offset, Partition, Private, Signal, Topic};
use threadlore_ports::{
    Changes, Class, FoldBatch, Generations as _, PortError, Projection, Shard, StateRow, Store as _,
};
use threadlore_store_postgres::PostgresStore;
use threadlore_testkit::conformance::samples;

fn shard() -> Shard {
    Shard {
        group: Group::from_name("intake"),
        partition: Partition(3),
    }
}

fn changes(body: &str) -> Changes {
    Changes {
        positions: [(Topic::ChatInbox, Offset(1))].into(),
        states: vec![StateRow {
            key: Key::parse("a/irc:x").expect("valid"),
            body: body.into(),
            wake: None,
            parts: Vec::new(),
        }],
        ..Changes::default()
    }
}

/// Returns once `count` sessions of the database wait for a lock.
async fn until_waiting(observer: &mut PgConnection, count: i64) {
    loop {
        let waiting: i64 = sqlx::query_scalar(
            "SELECT count(*) FROM pg_stat_activity \
             WHERE wait_event_type = 'Lock' AND datname = current_database()",
        )
        .fetch_one(&mut *observer)
        .await
        .expect("the server answers");
        if waiting == count {
            return;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_zombie_waits_for_the_new_owner_and_changes_nothing() {
    let server = Server::start();
    let store = server.database("owners").await;
    let mut observer = server.connection("owners").await;
    let old = store.acquire(&shard()).await.expect("acquires").epoch;

    // A new owner that has not committed its epoch yet.
    let mut taking = server.connection("owners").await;
    let mut tx = taking.begin().await.expect("begins");
    tx.execute("UPDATE lore_state.shards SET epoch = epoch + 1")
        .await
        .expect("runs");
    let zombie = {
        let store = store.clone();
        tokio::spawn(async move { store.commit(&shard(), old, changes("zombie")).await })
    };
    let publisher = {
        let store = store.clone();
        tokio::spawn(async move { store.published(&shard(), old, 9).await })
    };
    until_waiting(&mut observer, 2).await;
    tx.commit().await.expect("commits");
    for outcome in [zombie.await, publisher.await] {
        let refused = outcome.expect("no panic").expect_err("another took over");
        assert!(refused.is_fenced(), "{refused}");
    }
    let key = [Key::parse("a/irc:x").expect("valid")];
    assert_eq!(store.load(&shard(), &key).await.expect("loads"), []);

    // The other way round: who takes over waits for the batch that is on its way.
    let mut tx = taking.begin().await.expect("begins");
    tx.execute("UPDATE lore_state.shards SET sequence = 5")
        .await
        .expect("runs");
    let next = {
        let store = store.clone();
        tokio::spawn(async move { store.acquire(&shard()).await })
    };
    until_waiting(&mut observer, 1).await;
    tx.commit().await.expect("commits");
    let owner = next.await.expect("no panic").expect("acquires");
    assert_eq!((owner.epoch, owner.sequence), (old + 2, 5));
}

#[tokio::test]
async fn a_switch_waits_for_analysts() {
    let server = Server::start();
    let store = server.database("switch").await;
    let first = store.live(Projection::Cases).await.expect("makes");
    let second = store.create(Projection::Cases).await.expect("makes");
    let mut observer = server.connection("switch").await;
    let mut analyst = server.connection("switch").await;
    let mut tx = analyst.begin().await.expect("begins");
    tx.execute("SELECT FROM lore.cases").await.expect("runs");
    let switch = {
        let store = store.clone();
        tokio::spawn(async move { store.switch(second).await })
    };
    until_waiting(&mut observer, 1).await;
    assert_eq!(store.live(Projection::Cases).await.expect("reads"), first);
    // Until one attempt has given up and another waits.
    let waits = "SELECT xact_start::text FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
    let start = |rows: Vec<String>| rows.into_iter().next();
    let one = start(
        sqlx::query_scalar(waits)
            .fetch_all(&mut observer)
            .await
            .expect("reads"),
    );
    loop {
        let now = start(
            sqlx::query_scalar(waits)
                .fetch_all(&mut observer)
                .await
                .expect("reads"),
        );
        if now.is_some() && now != one {
            break;
        }
        tokio::task::yield_now().await;
    }
    tx.commit().await.expect("commits");
    switch.await.expect("no panic").expect("switches");
    assert_eq!(store.live(Projection::Cases).await.expect("reads"), second);
    let shown: String = sqlx::query_scalar("SELECT pg_get_viewdef('lore.cases'::regclass)")
        .fetch_one(&mut observer)
        .await
        .expect("the view is there");
    assert!(shown.contains("cases_g2"), "{shown}");
}

/// Rows of two tables of the live cases, in one statement.
async fn counts(reader: &mut PgConnection) -> (i64, i64) {
    let statement = "SELECT (SELECT count(*) FROM lore.cases), \
                     (SELECT count(*) FROM lore.case_evidence)";
    let counts = sqlx::query_as(statement).fetch_one(reader).await;
    counts.expect("a switch refuses no reader")
}

#[tokio::test]
async fn readers_see_one_build_or_the_other_while_builds_switch() {
    const EACH: usize = 50;
    let server = Server::start();
    let store = server.database("readers").await;
    let mut reader = server.connection("readers").await;
    let first = store.live(Projection::Cases).await.expect("makes");
    let second = store.create(Projection::Cases).await.expect("makes");
    for (build, spaces) in [(first, &["a"][..]), (second, &["a", "b"])] {
        for space in spaces {
            let rows = samples::rows(space, Projection::Cases);
            samples::fold(&store, build, rows).await.expect("folds");
        }
    }
    let of_first = counts(&mut reader).await;
    store.switch(second).await.expect("switches");
    let of_second = counts(&mut reader).await;
    assert!(of_first.0 < of_second.0 && of_first.1 < of_second.1);
    let switching = tokio::spawn(async move {
        loop {
            for build in [first, second] {
                store.switch(build).await.expect("switches");
            }
        }
    });
    let mut seen = [0; 2];
    while seen.iter().any(|reads| *reads < EACH) {
        let counts = counts(&mut reader).await;
        match counts {
            _ if counts == of_first => seen[0] += 1,
            _ if counts == of_second => seen[1] += 1,
            _ => panic!("a mix of both builds: {counts:?}"),
        }
        assert!(!switching.is_finished(), "a switch failed");
    }
    switching.abort();
}

#[tokio::test]
async fn extreme_values_fit_or_are_refused() {
    let server = Server::start();
    let store = server.database("values").await;
    let messages = store.live(Projection::Messages).await.expect("makes");
    let cases = store.live(Projection::Cases).await.expect("makes");
    let long = "wörd\\\" ".repeat(1_500_000);
    let edit = samples::event(
        "a",
        MessageEdited {
            message: samples::message("m1"),
            channel: samples::channel(),
            person: samples::person("ann"),
            revision: i64::MAX,
            text: Private::open(&long),
            edited_at: threadlore_model::Timestamp::from_millis(i64::MAX),
        },
    );
    let events = vec![edit, samples::posted("a", "m2", "\0")];
    let folded = samples::fold(&store, messages, events).await;
    folded.expect("folds");
    let unlike: String = (0..400_000_u32).map(|n| format!("w{n} ")).collect();
    let solved = samples::solved("a", "c1", &unlike, Signal::Thanks, 20);
    let folded = samples::fold(&store, cases, vec![solved]).await;
    folded.expect("folds");
    let stored: i32 = sqlx::query_scalar("SELECT max(length(text)) FROM messages_g1.messages")
        .fetch_one(&mut server.connection("values").await)
        .await
        .expect("reads");
    assert_eq!(usize::try_from(stored).ok(), Some(long.chars().count()));

    // What the server refuses because of a value is of one input, not of the server.
    let epoch = store.acquire(&shard()).await.expect("acquires").epoch;
    let above = Changes {
        sequence: u64::MAX,
        ..changes("x")
    };
    let refused = store
        .commit(&shard(), epoch, above)
        .await
        .expect_err("above bigint");
    assert!(matches!(refused, PortError::Broken { .. }), "{refused}");
    // A body that no bytea holds would need 1 GiB; a column made short stands in for it.
    for statement in [
        "DROP VIEW lore.messages",
        "ALTER TABLE messages_g1.messages ALTER native_id TYPE varchar(9)",
    ] {
        server.run("values", statement).await;
    }
    let store = crate::support::connect(&server.url("values")).await;
    let owner = Shard {
        group: messages.group(),
        partition: Partition(0),
    };
    let epoch = store.acquire(&owner).await.expect("acquires").epoch;
    let batch = Changes {
        positions: [(Topic::ChatEvents, Offset(9))].into(),
        fold: Some(FoldBatch::new(
            messages,
            vec![samples::posted("a", "ten letters", "text")],
        )),
        ..Changes::default()
    };
    let refused = store
        .commit(&owner, epoch, batch)
        .await
        .expect_err("too long");
    assert_eq!(refused.class(), Class::DeadLetter, "{refused}");
    assert!(!refused.to_string().contains("letters"), "{refused}");
    let positions = threadlore_ports::Store::positions(&store, &owner).await;
    assert!(positions.expect("reads").is_empty());
}

#[tokio::test]
async fn a_server_that_goes_away_is_worth_another_try() {
    let server = Server::start();
    let store = server.database("away").await;
    let epoch = store.acquire(&shard()).await.expect("acquires").epoch;
    // Every connection is cut, as when the server restarts.
    server
        .run(
            "postgres",
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'away'",
        )
        .await;
    let outcome = store.commit(&shard(), epoch, changes("x")).await;
    if let Err(e) = outcome {
        assert_eq!(e.class(), Class::Retry, "{e}");
    }
    // Each connection that was used a moment ago fails once, and is then made anew.
    for _ in 0..CONNECTIONS {
        if let Err(e) = store.ping().await {
            assert_eq!(e.class(), Class::Retry, "{e}");
        }
    }
    store.ping().await.expect("it connects again");
    let (url, missing) = (server.url("away"), server.url("nowhere"));
    let refused = PostgresStore::connect(&missing, 1).await;
    assert_eq!(refused.expect_err("no such database").class(), Class::Fatal);
    server.stop();
    let gone = store
        .commit(&shard(), epoch, changes("x"))
        .await
        .expect_err("it is down");
    assert_eq!(gone.class(), Class::Retry, "{gone}");
    let gone = PostgresStore::connect(&url, 1).await;
    assert_eq!(gone.expect_err("it is down").class(), Class::Retry);
}

/// A future that is ready after it was asked so many times.
async fn asked(times: usize) {
    for _ in 0..times {
        tokio::task::yield_now().await;
    }
}

/// Whoever gives up waiting at any moment leaves no transaction behind: what the
/// connection does next would be a part of it, and be lost.
#[tokio::test]
async fn what_is_cut_off_leaves_no_transaction() {
    /// A commit has fewer statements, and one of them ends between two looks.
    const TRIES: usize = 100;
    let server = Server::start();
    let migrated = server.database("cut").await;
    migrated.close().await;
    let store = PostgresStore::connect(&server.url("cut"), 1).await;
    let store = store.expect("it connects");
    let mut observer = server.connection("cut").await;
    let epoch = store.acquire(&shard()).await.expect("acquires").epoch;
    for times in 0..60 {
        let shard = shard();
        tokio::select! {
            biased;
            done = store.commit(&shard, epoch, changes("cut")) => done.expect("commits"),
            () = asked(times) => {}
        }
        // The commit goes on by itself. A transaction that it left open would stay open for as long
        // as the only connection is used, which it is each time it is free again.
        let mut open = vec![String::new()];
        for _ in 0..TRIES {
            store.ping().await.expect("answers");
            open = sqlx::query_scalar(
                "SELECT state FROM pg_stat_activity WHERE application_name = 'threadlore' \
                 AND datname = current_database() AND state LIKE 'idle in%'",
            )
            .fetch_all(&mut observer)
            .await
            .expect("reads");
            if open.is_empty() {
                break;
            }
        }
        assert_eq!(open, Vec::<String>::new(), "cut off after {times}");
    }
}
