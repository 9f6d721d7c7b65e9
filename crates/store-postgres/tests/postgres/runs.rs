//! Decision runs: which builds show which run, and what stays of one that is ended.

use std::collections::{BTreeMap, BTreeSet};

use threadlore_model::{Key, Offset, Partition, Run, Timestamp, Topic};
use threadlore_ports::{Changes, Generations as _, PortError, Projection, Shard, StateRow, Store};
use threadlore_store_postgres::PostgresStore;

use crate::support::Server;

fn shard(run: Run) -> Shard {
    Shard {
        group: run.group(),
        partition: Partition(0),
    }
}

fn changes(sequence: u64) -> Changes {
    Changes {
        positions: BTreeMap::from([(Topic::ChatEvents, Offset(7))]),
        sequence,
        recovered: true,
        states: vec![StateRow {
            key: Key::parse("s/irc:#a").expect("a key"),
            body: vec![1],
            wake: None,
            parts: Vec::new(),
        }],
        ..Changes::default()
    }
}

async fn runs(store: &PostgresStore) -> BTreeSet<u32> {
    let runs = store.runs().await.expect("lists");
    runs.into_iter().map(Run::number).collect()
}

#[tokio::test]
async fn a_build_shows_one_run_and_a_replay_that_of_the_live_one() {
    let server = Server::start();
    let store = server.database("runs").await;
    assert_eq!(runs(&store).await, BTreeSet::new());
    let first = store.live(Projection::Cases).await.expect("makes");
    let messages = store.live(Projection::Messages).await.expect("makes");
    let second = store.create_of_run(Run::new(2)).await.expect("makes");
    assert_eq!(runs(&store).await, BTreeSet::from([1, 2]));
    let fed = store.fed().await.expect("lists");
    assert!(fed.contains(&second), "{fed:?}");
    let shown = [first, second, messages].map(|build| store.run_of(build));
    let shown = futures::future::join_all(shown).await;
    let shown: Vec<_> = shown.into_iter().map(Result::ok).collect();
    assert_eq!(shown, [1, 2, 1].map(|run| Some(Run::new(run))));
    // when: the second is live
    let replayed = store.create(Projection::Cases).await.expect("makes");
    store.switch(second).await.expect("is there");
    let after = store.create(Projection::Cases).await.expect("makes");
    // then
    let run_of = |build| store.run_of(build);
    assert_eq!(run_of(replayed).await.expect("is there"), Run::FIRST);
    assert_eq!(run_of(after).await.expect("is there"), Run::new(2));
    store.drop_generation(after).await.expect("is not live");
    let gone = run_of(after).await.expect_err("it is dropped");
    assert!(matches!(gone, PortError::Broken { .. }), "{gone}");
}

#[tokio::test]
async fn nobody_decides_a_run_that_is_ended_and_nothing_is_known_of_it() {
    let server = Server::start();
    let store = server.database("ended").await;
    store.live(Projection::Cases).await.expect("makes");
    let second = store.create_of_run(Run::new(2)).await.expect("makes");
    let mut epochs = Vec::new();
    for run in [Run::FIRST, Run::new(2)] {
        let owned = store.acquire(&shard(run)).await.expect("acquired");
        let done = store.commit(&shard(run), owned.epoch, changes(1)).await;
        done.expect("committed");
        epochs.push(owned.epoch);
    }
    // when
    let now = Timestamp::from_millis(1_760_000_000_000);
    store.end_run(Run::new(2), now).await.expect("ended");
    store
        .end_run(Run::new(2), now)
        .await
        .expect("twice is once");
    // then
    assert_eq!(runs(&store).await, BTreeSet::from([1]));
    assert!(!store.fed().await.expect("lists").contains(&second));
    let late = store
        .commit(&shard(Run::new(2)), epochs[1], changes(2))
        .await;
    assert!(late.expect_err("shut out").is_fenced());
    let refused = store.acquire(&shard(Run::new(2))).await;
    let refused = refused.expect_err("a dropped run has no owner").to_string();
    assert!(refused.contains("dropped"), "{refused}");
    let ours = store
        .commit(&shard(Run::FIRST), epochs[0], changes(2))
        .await;
    ours.expect("the other run goes on");
    let ended = shard(Run::new(2));
    let positions = Store::positions(&store, &ended).await;
    assert!(positions.expect("answers").is_empty());
    let stands = store.stands().await.expect("lists");
    let groups: Vec<_> = stands.iter().map(|stand| &stand.shard.group).collect();
    assert_eq!(groups, [&Run::FIRST.group()]);
    store.drop_generation(second).await.expect("is not live");
}
