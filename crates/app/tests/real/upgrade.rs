//! Another version made the tables: this one makes its own beside them, from the log, and goes back to
//! earlier ones of its own.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use serde_json::Value;
use threadlore_testkit::not_run_without;

use super::chat::parts;
use super::cluster::Cluster;
use super::desk::{self, DESK, desk};
use super::support::{Place, Ran, Running, Verified, look, look_until, messages};

const ASKED: &str = "bob: how do I mount an iso image to read its files?";
const ASKED_LATER: &str = "eve: @lore how do I stop my printer from printing stripes?";

/// The build that is live of a projection, and the layout of it.
const LIVE: &str = "SELECT l.projection || ' ' || g.number || ' ' || g.layout FROM lore.live l \
    JOIN lore.generations g ON g.projection = l.projection AND g.number = l.generation \
    ORDER BY l.projection";

fn live(place: &Place) -> Vec<(String, u32, String)> {
    let rows = place.with_database(|sql| sql(LIVE));
    let row = |line: &str| {
        let mut words = line.split(' ').map(str::to_owned);
        let mut next = || words.next().expect("three words");
        (next(), next().parse().expect("a number"), next())
    };
    rows.lines().map(row).collect()
}

fn numbers(live: &[(String, u32, String)]) -> Vec<u32> {
    live.iter().map(|(_, number, _)| *number).collect()
}

fn builds(place: &Place, other_version: bool) -> usize {
    let told = place.json(&["replay", "list"]);
    let builds = told["builds"].as_array().expect("a list").clone();
    let is = |build: &&Value| (build["other_version"] == true) == other_version;
    builds.iter().filter(is).count()
}

/// A desk that was asked once.
fn asked() -> Place {
    let place = desk();
    let ran = place.run_with(&["chat"], &[ASKED]);
    assert!(ran.out.contains("sudo mount -o loop"), "{}", ran.out);
    place
}

fn answers(verified: &Verified) -> u64 {
    verified.table("turns").0
}

#[test]
fn tables_of_another_version_are_made_anew_and_nobody_is_answered_twice() {
    let place = asked();
    let (before, first) = (place.verified(), live(&place));
    place.with_database(|sql| {
        sql("UPDATE lore.generations SET layout = 'older'");
        let schema = sql("SELECT 'turns_g' || generation FROM lore.live WHERE projection = 'turns'");
        sql(&format!("ALTER TABLE {schema}.turns DROP COLUMN composer CASCADE"));
        // A newer version had a migration that this one does not know.
        sql("INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
             VALUES (9999, 'newer', true, '\\x00', 0)");
    });
    let found = place.run(&["ask", "how do I mount an iso image?"]);
    assert_eq!(found.code, Some(0), "{}", found.err);
    assert!(found.out.contains("sudo mount -o loop"), "{}", found.out);
    assert!(
        found.err.contains("another version made these tables"),
        "{}",
        found.err
    );
    let after = place.verified();
    after.is_same_as(&before);
    assert_eq!(
        builds(&place, true),
        builds(&place, false),
        "the others are kept"
    );
    let again = place.run(&["migrate"]);
    assert_eq!(again.code, Some(0), "{}", again.err);
    assert!(again.err.contains("nothing to do"), "{}", again.err);
    // What others made is fed no more, is not gone back to, and goes when it is to go.
    let refused = place.run(&["replay", "rollback", "--projection", "cases"]);
    assert_eq!(refused.code, Some(3), "{}", refused.err);
    let of_turns = first.iter().find(|(name, ..)| name == "turns");
    let number = of_turns.expect("it was live").1;
    let dropped = place.run(&[
        "replay",
        "drop",
        "--projection",
        "turns",
        &number.to_string(),
    ]);
    assert_eq!(dropped.code, Some(0), "{}", dropped.err);
    let later = place.run_with(&["chat"], &[ASKED_LATER]);
    assert!(later.out.contains("clean the print head"), "{}", later.out);
    assert_eq!(answers(&place.verified()), answers(&before) + 1);
}

#[test]
fn who_goes_back_finds_the_tables_that_there_were_with_what_came_since() {
    let place = asked();
    place.verified();
    let first = live(&place);
    place.with_database(|sql| sql("UPDATE lore.generations SET layout = 'first'"));
    let later = place.run_with(&["chat"], &[ASKED_LATER]);
    assert!(later.out.contains("clean the print head"), "{}", later.out);
    let newer = place.verified();
    let second = live(&place);
    assert!(numbers(&second) > numbers(&first), "{second:?}");
    // As the version before finds it.
    place.with_database(|sql| {
        for (projection, _, layout) in &first {
            sql(&format!(
                "UPDATE lore.generations SET layout = CASE layout WHEN 'first' THEN '{layout}' \
                 ELSE 'newer' END WHERE projection = '{projection}'"
            ));
        }
    });
    let gone_back = place.run(&["migrate"]);
    assert_eq!(gone_back.code, Some(0), "{}", gone_back.err);
    assert_eq!(numbers(&live(&place)), numbers(&first), "none is made anew");
    place.verified().is_same_as(&newer);
}

#[test]
fn a_change_of_version_that_is_cut_off_goes_on() {
    let place = asked();
    let before = place.verified();
    place.with_database(|sql| sql("UPDATE lore.generations SET layout = 'older'"));
    let mut cut = place.start(&mut place.command(&["migrate"]));
    assert!(cut.wait_for("making tables"), "{}", cut.said());
    cut.kill();
    let found = place.run(&["ask", "how do I mount an iso image?"]);
    assert_eq!(found.code, Some(0), "{}", found.err);
    place.verified().is_same_as(&before);
    let left =
        place.with_database(|sql| sql("SELECT count(*) FROM lore.generations WHERE NOT fed"));
    assert_eq!(left, "0");
}

/// This program, and one of another version: its events are folded in another way, so that its tables are
/// others.
struct Versions<'p> {
    place: &'p Place,
    other: String,
    /// Whether the other one has the live tables.
    is_other: AtomicBool,
}

/// What processes do of the roles that decide, and of those that fill tables.
const WORKLOADS: [&[&str]; 2] = [
    &["projector", "indexer"],
    &[
        "intake",
        "buffer",
        "extractor",
        "responder",
        "learner",
        "promoter",
    ],
];

impl Versions<'_> {
    fn command(&self, is_other: bool, args: &[&str]) -> std::process::Command {
        let program = match is_other {
            true => &self.other,
            false => env!("CARGO_BIN_EXE_threadlore"),
        };
        self.place.command_of(program, "d", args)
    }

    /// A command of whichever version has the live tables: who asks while they change asks again.
    fn run(&self, args: &[&str]) -> Ran {
        let mut refused = 0;
        loop {
            let is_other = self.is_other.load(Ordering::SeqCst);
            let output = self.command(is_other, args).output();
            let ran = Ran::of(output.expect("it starts"));
            if ran.code == Some(6) && ran.err.contains("another version") && refused < 100 {
                refused += 1;
                look();
                continue;
            }
            assert_eq!(ran.code, Some(0), "{args:?}: {}", ran.err);
            return ran;
        }
    }

    /// Moves all processes to a version while they work; those of both work side by side meanwhile.
    fn roll_to(&self, is_other: bool, processes: &mut Vec<(&'static [&'static str], Running)>) {
        #[expect(clippy::disallowed_methods, reason = "the test's own wall time")]
        let started = Instant::now();
        let migrated = self.command(is_other, &["migrate"]).output();
        let migrated = Ran::of(migrated.expect("it starts"));
        assert_eq!(migrated.code, Some(0), "{}", migrated.err);
        self.is_other.store(is_other, Ordering::SeqCst);
        let tables = started.elapsed().as_secs_f64();
        for (roles, process) in processes.iter_mut() {
            let mut command = self.command(is_other, &[&["run"], *roles].concat());
            let mut next = self.place.start(&mut command);
            assert!(next.wait_for("running "), "{}", next.said());
            let last = std::mem::replace(process, next);
            last.signal("TERM");
            let ended = last.end();
            assert_eq!(ended.code, Some(0), "{}", ended.err);
        }
        let all = started.elapsed().as_secs_f64();
        println!("tables after {tables:.1} s, all processes after {all:.1} s");
    }
}

#[test]
#[ignore = "long form: ./dev soak upgrade"]
#[expect(clippy::disallowed_methods, reason = "as ./dev sets it")]
fn a_roll_out_under_load_and_back_loses_and_doubles_nothing_soak_upgrade() {
    const OTHER: &str = "THREADLORE_OTHER_VERSION";
    let Ok(other) = std::env::var(OTHER) else {
        return not_run_without(OTHER);
    };
    let Some(cluster) = Cluster::start(Place::new(), "") else {
        return;
    };
    let place = &cluster.place;
    let versions = Versions {
        place,
        other,
        is_other: AtomicBool::new(false),
    };
    let mut processes = Vec::new();
    for roles in WORKLOADS.iter().chain(&WORKLOADS) {
        let mut process = cluster.run(roles);
        assert!(process.wait_for("running "), "{}", process.said());
        processes.push((*roles, process));
    }
    place.file("desk.jsonl", desk::chat());
    versions.run(&["import", "desk.jsonl", "--channel", DESK]);
    let stop = AtomicBool::new(false);
    let (imported, asked) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let parts = parts();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for (number, (path, log)) in parts.iter().enumerate() {
                if stop.load(Ordering::SeqCst) {
                    break;
                }
                place.file(path, log);
                let channel = format!("irc:#u{number}");
                versions.run(&["import", path, "--channel", &channel]);
                imported.store(number + 1, Ordering::SeqCst);
            }
        });
        scope.spawn(|| {
            while !stop.load(Ordering::SeqCst) {
                let number = asked.load(Ordering::SeqCst);
                let channel = format!("console:room{number}");
                let said = versions.run(&["chat", "--channel", &channel, "--say", ASKED]);
                assert!(said.out.contains("sudo mount -o loop"), "{}", said.out);
                asked.store(number + 1, Ordering::SeqCst);
            }
        });
        let done = || {
            (
                imported.load(Ordering::SeqCst),
                asked.load(Ordering::SeqCst),
            )
        };
        for is_other in [true, false] {
            let before = done();
            look_until(|| done().0 > before.0 && done().1 > before.1);
            versions.roll_to(is_other, &mut processes);
        }
        let before = done();
        look_until(|| done().0 > before.0 && done().1 > before.1);
        stop.store(true, Ordering::SeqCst);
    });
    let (imported, asked) = (imported.into_inner(), asked.into_inner());
    place.verified();
    let sent: usize = parts[..imported]
        .iter()
        .map(|(_, log)| messages(log).len())
        .sum();
    let turns = cluster.sql("SELECT count(*) || ' ' || count(answer) FROM lore.turns");
    let records = cluster.sql(
        "SELECT sum((positions->>'answers')::bigint) FROM lore_state.shards WHERE consumer_group = \
         (SELECT 'projector.turns.g' || generation FROM lore.live WHERE projection = 'turns')",
    );
    println!("{imported} imports, {asked} questions, records of answers: {records:?}");
    assert_eq!(turns, Some(format!("{asked} {asked}")), "each is answered");
    let once = format!("{}", 2 * asked);
    assert_eq!(records, Some(once), "an outcome and an answer each");
    let kept = cluster.sql("SELECT count(*) FROM lore.messages WHERE NOT bot");
    let desk = desk::chat()
        .lines()
        .filter(|line| line.contains("\"message\""))
        .count();
    let all = format!("{}", sent + desk + asked);
    assert_eq!(kept, Some(all), "lost or doubled");
    for (_, process) in processes {
        process.signal("TERM");
        let ended = process.end();
        assert_eq!(ended.code, Some(0), "{}", ended.err);
    }
}
