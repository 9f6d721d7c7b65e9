//! Several processes on one log and its tables: they come, go and are killed while chat
//! comes in, and nothing is lost, nothing is there twice.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::chat::{import, import_at, many_parts, parts};
use super::cluster::{Cluster, ROLES};
use super::numbers::Numbers;
use super::support::{PATIENCE, Place, Running, all_work, look, messages};
use super::throughput::now;

/// What makes runs comparable (see `kafka`), for as long as a run by hand takes.
pub(crate) const SAME: &str = "[buffer]\nidle_ms = 86400000\n";
/// Processes at most at a time.
const PROCESSES: usize = 8;
/// How long a process may finish what is in hand when it is to stop.
const GRACE: Duration = Duration::from_secs(30);

/// How long processes come and go, and how many end at least.
struct Length {
    seconds: u64,
    ended: usize,
}

const SHORT: Length = Length {
    seconds: 45,
    ended: 3,
};

/// What a process says of a transaction that another owner's epoch refused.
const REFUSED: &str = "another owner took over";

/// Stops a process; how many transactions of it were refused.
pub(crate) fn stopped(process: Running) -> usize {
    process.signal("TERM");
    let ended = process.end();
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    ended.err.matches(REFUSED).count()
}

/// Kills a process; how many transactions of it were refused.
fn killed(mut process: Running) -> usize {
    let refused = process.times_said(REFUSED);
    process.kill();
    refused
}

#[test]
fn processes_that_come_and_go_lose_and_double_nothing() {
    churn(20_261_122, &SHORT, stopped);
}

#[test]
#[ignore = "long form: ./dev soak kafka"]
fn rebalances_for_ten_minutes_soak_kafka() {
    let length = Length {
        seconds: 600,
        ended: 100,
    };
    churn(20_261_124, &length, stopped);
}

#[test]
fn processes_that_are_killed_lose_and_double_nothing() {
    churn(20_261_123, &SHORT, killed);
}

#[test]
#[ignore = "long form: ./dev soak kafka"]
fn a_hundred_kills_soak_kafka() {
    let length = Length {
        seconds: 0,
        ended: 100,
    };
    churn(20_261_125, &length, killed);
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
    let nobody = place.run(&["run", "reader"]);
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
    let Some(cluster) = Cluster::start(Place::new(), SAME) else {
        return;
    };
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
    // What was cut off goes away or stays for a resume, and its projection is fed again.
    const HELD: &str = "SELECT count(*) FROM lore.generations g WHERE NOT fed AND NOT EXISTS \
        (SELECT FROM lore_state.replays r WHERE r.projection = g.projection AND r.number = g.number)";
    let mut cut = cluster.place.start(&mut cluster.place.command(&["replay"]));
    while cluster.sql("SELECT count(*) FROM lore.generations WHERE NOT fed") == Some("0".into()) {
        assert!(cut.works(), "it ended before it could be cut off");
    }
    cut.kill();
    #[expect(clippy::disallowed_methods, reason = "the test's own wall time")]
    let killed = Instant::now();
    while cluster.sql(HELD) != Some("0".into()) {
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

fn churn(seed: u64, length: &Length, mut end: impl FnMut(Running) -> usize) {
    let Some(cluster) = Cluster::start(Place::new(), SAME) else {
        return;
    };
    // More than are imported in the time.
    let parts = many_parts(60 + length.seconds as usize + 4 * length.ended);
    let (mut numbers, stop) = (Numbers::from(seed), AtomicBool::new(false));
    let mut slots: [Option<Running>; PROCESSES] = Default::default();
    let (mut began, mut refused, mut took) = (0, 0, Vec::new());
    let imported = std::thread::scope(|scope| {
        let importer = scope.spawn(|| import(&cluster.place, &parts, &stop));
        #[expect(clippy::disallowed_methods, reason = "the test's own wall time")]
        let started = Instant::now();
        let too_short =
            |ended| started.elapsed() < Duration::from_secs(length.seconds) || ended < length.ended;
        while too_short(took.len()) && !importer.is_finished() {
            all_work(&mut slots);
            let slot = &mut slots[numbers.below(PROCESSES as u64) as usize];
            match slot.take() {
                Some(process) => {
                    let begun = now();
                    refused += end(process);
                    took.push(begun.elapsed());
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
        #[expect(clippy::disallowed_methods, reason = "the test's own wall time")]
        let stopped = Instant::now();
        while !importer.is_finished() {
            all_work(&mut slots);
            assert!(
                stopped.elapsed() < PATIENCE,
                "the imports do not come to their end"
            );
            look();
        }
        importer.join().expect("imports")
    });
    refused += slots.into_iter().flatten().map(stopped).sum::<usize>();
    took.sort_unstable();
    let ended = took.len();
    assert!(
        ended >= length.ended && imported >= 1,
        "too little happened"
    );
    let of = |hundredth: usize| took[ended * hundredth / 100];
    println!(
        "{began} processes began, {ended} ended, half within {:?}, 99 in 100 within {:?}; {imported} imports; \
         {refused} transactions of earlier owners, all refused; seed {seed}",
        of(50),
        of(99),
    );
    assert!(of(99) < GRACE, "{took:?}");
    let sent: usize = parts[..imported]
        .iter()
        .map(|(_, log)| messages(log).len())
        .sum();
    let here = cluster.place.verified();
    assert_eq!(here.table("messages").0, sent as u64, "lost or doubled");
    let counts = cluster.sql(
        "SELECT (SELECT count(*) FROM lore_state.accepted a \
              JOIN lore.messages m ON m.message = a.event), \
         (SELECT count(*) FROM lore_state.outbox), (SELECT count(*) FROM lore_state.effects)",
    );
    assert_eq!(
        counts,
        Some(format!("{sent}|0|0")),
        "accepted ids, what waits"
    );

    let alone = Place::beside(&cluster.place);
    alone.file("threadlore.toml", SAME);
    let owner = alone.standalone();
    import(&alone, &parts[..imported], &AtomicBool::new(false));
    stopped(owner);
    here.is_same_as(&alone.verified());
}
