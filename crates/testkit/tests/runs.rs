//! Builds of cases, each of one decision run, on a topic that all runs write to.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures::FutureExt;
use futures::executor::block_on;
use futures::future::ready;
use threadlore_fold::Row;
use threadlore_model::{Body, CaseId, Event, Partition, Producer, Run, Topic};
use threadlore_ports::{Generation, Generations, NewRecord, Projection};
use threadlore_replay::{FoldPorts, Projector, Resources, ends, fill};
use threadlore_testkit::conformance::samples::{case, opened};
use threadlore_testkit::{MemoryLog, MemoryStore, StoppedClock, fold_ports};

/// What a run decided about a case.
fn decided(run: u32, sequence: u64, name: &str) -> Event {
    let mut event = opened("a", name, "no sound", 1);
    event.envelope.producer = Some(Producer {
        group: Run::new(run).group(),
        partition: Partition(0),
        sequence,
    });
    event
}

/// Two runs that decide side by side, and decisions of a time before there were producers.
async fn written(ports: &FoldPorts) {
    let mut oldest = opened("a", "oldest", "no sound", 1);
    oldest.envelope.producer = None;
    let mut events = vec![
        oldest,
        decided(1, 1, "one"),
        decided(2, 1, "two"),
        decided(2, 2, "three"),
        decided(1, 2, "four"),
    ];
    ports.vault.seal(&mut events).await.expect("sealed");
    let topic = Topic::KnowledgeCases;
    let records = events.into_iter().map(|event| NewRecord { topic, event });
    ports
        .log
        .publish(records.collect())
        .await
        .expect("appended");
}

fn cases(store: &MemoryStore, build: Generation) -> BTreeSet<CaseId> {
    let rows = store.rows(build).into_iter();
    let cases = rows.filter_map(|row| match row {
        Row::Case(row) => Some(row.case),
        _ => None,
    });
    cases.collect()
}

#[test]
fn a_build_shows_the_cases_of_one_run_live_and_replayed() {
    let clock = Arc::new(StoppedClock);
    let store = Arc::new(MemoryStore::new());
    let log = Arc::new(MemoryLog::new(1, clock.clone()));
    let ports = fold_ports(&log, &store, clock);
    block_on(async {
        written(&ports).await;
        for (run, names) in [(1, &["oldest", "one", "four"][..]), (2, &["two", "three"])] {
            let (live, replayed) = (
                store.create(Projection::Cases).await.expect("made"),
                store.create(Projection::Cases).await.expect("made"),
            );
            for build in [live, replayed] {
                store.show(build, Run::new(run));
            }
            let started = Projector::start(live, Partition(0), ports.clone()).await;
            let mut projector = started.expect("starts");
            while projector.step(2).await.expect("folds") > 0 {}
            let ends = ends(log.as_ref(), Projection::Cases, None)
                .await
                .expect("there");
            let (plan, never) = ((replayed, &ends), || ready(Ok(false)).boxed());
            let filled = fill(
                &ports,
                store.as_ref(),
                plan,
                Resources::default(),
                &never,
                &|_, _| {},
            );
            assert!(filled.await.expect("folds").is_whole);
            let expected: BTreeSet<CaseId> = names.iter().map(|name| case(name)).collect();
            assert_eq!(cases(&store, live), expected);
            assert_eq!(cases(&store, replayed), expected);
            let digest = |build| store.digest(build);
            assert_eq!(
                digest(live).await.expect("there"),
                digest(replayed).await.expect("there")
            );
        }
    });
    assert!(log.dump().iter().all(|record| {
        !matches!(
            record.body.as_ref().map(|e| &e.body),
            Ok(Body::RecordSkipped(_))
        )
    }));
}
