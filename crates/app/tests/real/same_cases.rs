//! The same chat always gives the same cases: however fast it is imported, whatever is
//! killed meanwhile, and whatever else is imported beside it.

use std::fs;
use std::time::{Duration, Instant};

use super::cluster::{Cluster, ROLES};
use super::numbers::Numbers;
use super::support::{Place, Verified, demo};

/// Runs that are compared with an undisturbed one.
const RUNS: usize = 2;
/// The same in `./dev soak same_cases`.
const SOAK_RUNS: usize = 10;
/// Lines of each log in the short form.
const LINES: usize = 400;
/// Lines of each log in the long form.
const SOAK_LINES: usize = 100_000;
const SEED: u64 = 20_261_123;

/// Where each bundled log goes: two channels, so that one import is beside another.
const CHANNELS: [&str; 2] = ["irc:#one", "irc:#two"];

/// The first lines of the bundled logs, in a directory per channel.
fn logs(place: &Place, lines: usize) {
    let mut paths: Vec<_> = fs::read_dir(demo())
        .expect("the logs")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|end| end == "txt"))
        .collect();
    paths.sort();
    for (n, path) in paths.iter().enumerate() {
        let text = fs::read(path).expect("a log");
        let first: Vec<&[u8]> = text.split_inclusive(|b| *b == b'\n').take(lines).collect();
        let name = path.file_name().expect("a name").to_string_lossy();
        place.file(&format!("{}/{name}", n % CHANNELS.len()), first.concat());
    }
}

/// Imports each channel on its own, one after the other, undisturbed.
fn undisturbed(place: &Place) -> Verified {
    for (n, channel) in CHANNELS.iter().enumerate() {
        let ran = place.run(&["import", &n.to_string(), "--channel", channel]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
    }
    place.verified()
}

#[expect(clippy::disallowed_methods, reason = "kills come at random moments")]
fn now() -> Instant {
    Instant::now()
}

/// Imports both channels beside each other into one owner, on Kafka one process with every
/// role. The owner is killed every few seconds until it had time enough to finish; then each
/// import is run to its end.
fn disturbed(place: &Place, cluster: Option<&Cluster>, numbers: &mut Numbers) -> usize {
    let owner = || cluster.map_or_else(|| place.standalone(), |cluster| cluster.run(&ROLES));
    let mut kills = 0;
    for life in 0..4 {
        let owner = owner();
        let mut imports: Vec<_> = CHANNELS
            .iter()
            .enumerate()
            .map(|(n, channel)| {
                let dir = n.to_string();
                place.start(&mut place.command(&["import", &dir, "--channel", channel]))
            })
            .collect();
        let until = now() + Duration::from_millis(200 + numbers.below(2500) * (life + 1));
        while now() < until && imports.iter_mut().any(|import| import.works()) {
            super::support::look();
        }
        kills += usize::from(owner.kill().is_none());
        for import in imports {
            import.kill();
        }
    }
    // A command is its own owner, but on Kafka.
    let rest = cluster.map(|cluster| cluster.run(&ROLES));
    for (n, channel) in CHANNELS.iter().enumerate() {
        let ran = place.run(&["import", &n.to_string(), "--channel", channel]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
    }
    if let Some(rest) = rest {
        rest.stop();
    }
    kills
}

fn compare(runs: usize, lines: usize, on_kafka: bool) {
    let first = Place::new();
    logs(&first, lines);
    let wanted = undisturbed(&first);
    let (messages, _) = wanted.table("messages");
    let (cases, _) = wanted.table("cases");
    assert!(
        messages > 1000 && cases > 20,
        "{messages} messages, {cases} cases"
    );
    let mut numbers = Numbers::from(SEED);
    for run in 0..runs {
        let place = Place::beside(&first);
        logs(&place, lines);
        let (kills, verified) = if on_kafka {
            let Some(cluster) = Cluster::start(place, "") else {
                return;
            };
            let kills = disturbed(&cluster.place, Some(&cluster), &mut numbers);
            (kills, cluster.place.verified())
        } else {
            (disturbed(&place, None, &mut numbers), place.verified())
        };
        wanted.is_same_as(&verified);
        println!("run {run}: {kills} kills, {messages} messages, {cases} cases, equal digests");
    }
}

#[test]
fn the_same_chat_gives_the_same_cases_whatever_is_killed() {
    compare(RUNS, LINES, false);
}

#[test]
#[ignore = "long form: ./dev soak same_cases"]
fn embedded_soak_same_cases() {
    compare(SOAK_RUNS, SOAK_LINES, false);
}

#[test]
#[ignore = "long form: ./dev soak same_cases"]
fn on_kafka_soak_same_cases() {
    compare(SOAK_RUNS, SOAK_LINES, true);
}
