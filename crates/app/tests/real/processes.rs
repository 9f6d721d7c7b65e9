//! Several processes on one log and its tables: they come, go and are killed while chat
//! comes in, and nothing is lost, nothing is there twice.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::chat::{import, import_at, parts};
use super::cluster::{Cluster, ROLES};
use super::numbers::Numbers;
use super::support::{PATIENCE, Place, Running, all_work, look, messages};

/// What makes runs comparable (see `kafka`), for as long as a run by hand takes.
const SAME: &str = "[buffer]\nidle_ms = 86400000\n[promoter]\nopen_case_days = 3650\n";
/// Processes at most at a time.
const PROCESSES: usize = 8;
/// How long they come and go; `THREADLORE_CHURN_SECONDS` sets another time.
const SECONDS: u64 = 45;

/// What a process says of a transaction that another owner's epoch refused.
const REFUSED: &str = "another owner took over";

/// Stops a process; how many transactions of it were refused.
fn stopped(process: Running) -> usize {
    process.signal("TERM");
    let ended = process.end();
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    ended.err.matches(REFUSED).count()
}

#[test]
fn processes_that_come_and_go_lose_and_double_nothing() {
    churn(20_261_122, stopped);
}

#[test]
fn processes_that_are_killed_lose_and_double_nothing() {
    churn(20_261_123, |mut process| {
        let refused = process.times_said(REFUSED);
        process.kill();
        refused
    });
}

#[test]
fn what_run_lacks_is_named() {
    let place = Place::new();
    let lacks = place.run(&["run", "intake"]);
    assert_eq!(lacks.code, Some(3), "{}", lacks.err);
    let named =
        "set log.engine, postgres.url, index.engine, keystore.url, keystore.master_key_file,";
    assert!(lacks.err.contains(named), "{}", lacks.err);
    assert!(!place.data().exists(), "nothing is made");
    let nobody = place.run(&["run", "api"]);
    assert_eq!(nobody.code, Some(2), "{}", nobody.err);
    assert!(nobody.err.contains("intake, buffer,"), "{}", nobody.err);
    let url = "url = \"postgres://somewhere/one\"";
    place.file(
        "threadlore.toml",
        format!("[postgres]\n{url}\n[keystore]\n{url}\n"),
    );
    let one = place.run(&["run", "intake"]);
    assert_eq!(one.code, Some(3), "{}", one.err);
    assert!(
        one.err.contains("must not be `postgres.url`"),
        "{}",
        one.err
    );
}

/// `replay` beside processes that work: builds are made, compared and switched in another
/// process than those that feed them.
#[test]
fn a_replay_beside_processes_that_work_is_exact() {
    let cluster = Cluster::start(Place::new(), SAME);
    let parts = parts();
    let stop = AtomicBool::new(false);
    let mut processes = [cluster.run(&ROLES), cluster.run(&["projector", "indexer"])];
    for process in &mut processes {
        assert!(process.wait_for("running "), "{}", process.said());
    }
    import(&cluster.place, &parts[..1], &stop);
    std::thread::scope(|scope| {
        let importer = scope.spawn(|| import_at(&cluster.place, &parts[..3], 1, &stop));
        for _ in 0..2 {
            let told = cluster.place.json(&["replay", "--projection", "messages"]);
            assert_eq!(told["projections"][0]["equal"], true, "{told}");
            let told = cluster.place.json(&["replay", "--projection", "cases"]);
            assert_eq!(told["projections"][0]["equal"], true, "{told}");
        }
        importer.join().expect("imports");
    });
    // What was cut off goes away, and its projection is fed again.
    let mut cut = cluster.place.start(&mut cluster.place.command(&["replay"]));
    while cluster.sql("SELECT count(*) FROM lore.generations WHERE NOT fed") == Some("0".into()) {
        assert!(cut.works(), "it ended before it could be cut off");
    }
    cut.kill();
    #[expect(clippy::disallowed_methods, reason = "the test's own wall time")]
    let killed = Instant::now();
    while cluster.sql("SELECT count(*) FROM lore.generations WHERE NOT fed") != Some("0".into()) {
        assert!(killed.elapsed() < PATIENCE, "a build is held back for ever");
        look();
    }
    import_at(&cluster.place, &parts[..4], 3, &stop);
    let sent: usize = parts[..4].iter().map(|(_, log)| messages(log).len()).sum();
    let verified = cluster.place.verified();
    assert_eq!(verified.table("messages").0, sent as u64, "lost or doubled");
    for mut process in processes {
        assert!(process.works(), "{:?}", process.end().err);
        stopped(process);
    }
}

fn churn(seed: u64, mut end: impl FnMut(Running) -> usize) {
    #[expect(clippy::disallowed_methods, reason = "a number for a run by hand")]
    let seconds =
        std::env::var("THREADLORE_CHURN_SECONDS").map_or(SECONDS, |n| n.parse().expect("a number"));
    let cluster = Cluster::start(Place::new(), SAME);
    let (parts, mut numbers, stop) = (parts(), Numbers::from(seed), AtomicBool::new(false));
    let mut slots: [Option<Running>; PROCESSES] = Default::default();
    let longest = Duration::from_secs(seconds) + PATIENCE;
    let (mut began, mut ended, mut refused) = (0, 0, 0);
    let imported = std::thread::scope(|scope| {
        let importer = scope.spawn(|| import(&cluster.place, &parts, &stop));
        #[expect(clippy::disallowed_methods, reason = "the test's own wall time")]
        let started = Instant::now();
        while started.elapsed() < Duration::from_secs(seconds) && !importer.is_finished() {
            all_work(&mut slots);
            let slot = &mut slots[numbers.below(PROCESSES as u64) as usize];
            match slot.take() {
                Some(process) => {
                    refused += end(process);
                    ended += 1;
                }
                None => {
                    *slot = Some(cluster.run(&ROLES));
                    began += 1;
                }
            }
            let delay = 300 + numbers.below(2500);
            #[expect(clippy::disallowed_methods, reason = "any moment will do")]
            std::thread::sleep(Duration::from_millis(delay));
        }
        stop.store(true, Ordering::SeqCst);
        // Somebody has to do what is left.
        slots[0].get_or_insert_with(|| cluster.run(&ROLES));
        while !importer.is_finished() {
            all_work(&mut slots);
            assert!(
                started.elapsed() < longest,
                "the imports do not come to their end"
            );
            look();
        }
        importer.join().expect("imports")
    });
    refused += slots.into_iter().flatten().map(stopped).sum::<usize>();
    println!(
        "{began} processes began, {ended} ended; {imported} imports; {refused} transactions of \
         earlier owners, all refused; seed {seed}"
    );
    assert!(ended >= 3 && imported >= 1, "too little happened");
    let sent: usize = parts[..imported]
        .iter()
        .map(|(_, log)| messages(log).len())
        .sum();
    let here = cluster.place.verified();
    assert_eq!(here.table("messages").0, sent as u64, "lost or doubled");
    let counts = cluster.sql(
        "SELECT (SELECT count(*) FROM lore_state.accepted), \
         (SELECT count(*) FROM lore_state.outbox), (SELECT count(*) FROM lore_state.effects)",
    );
    assert_eq!(
        counts,
        Some(format!("{sent}|0|0")),
        "accepted ids, what waits"
    );

    let alone = Place::beside(&cluster.place);
    alone.file("threadlore.toml", SAME);
    import(&alone, &parts[..imported], &AtomicBool::new(false));
    let there = alone.verified();
    here.is_same_as(&there);
}
