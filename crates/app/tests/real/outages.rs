//! What processes need goes away and comes back: they wait, and go on.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::chat::{import_at, parts};
use super::cluster::{Cluster, ROLES};
use super::support::{PATIENCE, Place, Running, all_work, look, messages, signal};

/// How long each of them is away.
const SECONDS: u64 = 12;

#[derive(Debug, Clone, Copy)]
enum Part {
    Broker,
    Databases,
    Index,
}

impl Part {
    fn set(self, cluster: &mut Cluster, up: bool) {
        match (self, up) {
            (Self::Broker, false) => cluster.kafka.kill(),
            (Self::Broker, true) => cluster.kafka.start_again(),
            (Self::Databases, _) => cluster.databases(up),
            // Connections stand, and nothing answers.
            (Self::Index, false) => signal(cluster.index.pid(), "STOP"),
            (Self::Index, true) => signal(cluster.index.pid(), "CONT"),
        }
    }
}

#[test]
fn what_is_needed_goes_away_and_comes_back() {
    each_is_away_for(SECONDS);
}

#[test]
#[ignore = "long form: ./dev soak kafka"]
fn each_is_away_for_five_minutes_soak_kafka() {
    each_is_away_for(300);
}

fn each_is_away_for(seconds: u64) {
    let Some(mut cluster) = Cluster::start(Place::new(), "") else {
        return;
    };
    let parts = parts();
    let mut processes = [Some(cluster.run(&ROLES)), Some(cluster.run(&ROLES))];
    import_at(&cluster.place, &parts[..1], 0, &AtomicBool::new(false));
    for (n, part) in [Part::Broker, Part::Databases, Part::Index]
        .into_iter()
        .enumerate()
    {
        let number = n + 1;
        let (path, log) = &parts[number];
        cluster.place.file(path, log);
        let channel = format!("irc:#u{number}");
        let args = ["import", path, "--channel", &channel];
        let during = cluster.place.start(&mut cluster.place.command(&args));
        #[expect(clippy::disallowed_methods, reason = "the test's own wall time")]
        let away = Instant::now();
        part.set(&mut cluster, false);
        while away.elapsed() < Duration::from_secs(seconds) {
            all_work(&mut processes);
            look();
        }
        part.set(&mut cluster, true);
        #[expect(clippy::disallowed_methods, reason = "the test's own wall time")]
        let back = Instant::now();
        let during = during.end();
        assert!(
            matches!(during.code, Some(0 | 6)),
            "{part:?}: {:?} {}",
            during.code,
            during.err
        );
        // The same command goes on from where it was, once everything answers again.
        loop {
            all_work(&mut processes);
            let ran = cluster.place.run(&args);
            if ran.code == Some(0) {
                break;
            }
            assert_eq!(ran.code, Some(6), "{part:?}: {}", ran.err);
            assert!(back.elapsed() < PATIENCE, "{part:?}: {}", ran.err);
        }
        println!(
            "{part:?} away for {seconds} s: nothing left to do {:.1} s after it came back; most \
             memory of a process {} MB",
            back.elapsed().as_secs_f64(),
            processes.iter().flatten().map(memory).max().expect("one"),
        );
    }
    let sent: usize = parts[..4].iter().map(|(_, log)| messages(log).len()).sum();
    let verified = cluster.place.verified();
    assert_eq!(verified.table("messages").0, sent as u64, "lost or doubled");
    for process in processes.into_iter().flatten() {
        process.signal("TERM");
        let ended = process.end();
        assert_eq!(ended.code, Some(0), "{}", ended.err);
    }
}

/// The most memory that a process ever had, in MB.
pub(crate) fn memory(process: &Running) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.pid()));
    let status = status.expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    number.expect("a number").parse::<u64>().expect("KiB") / 1024
}
