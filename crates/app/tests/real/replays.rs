//! Replays that are killed, paused, given up, or end at a time.

use std::sync::atomic::AtomicBool;

use super::chat::{import, many_parts};
use super::numbers::Numbers;
use super::support::{Place, Running, demo};

const SEED: u64 = 20_261_123;
/// So little memory that a replay of the bundled logs has dozens of checkpoints.
const SETTINGS: &str = "[replay]\nmemory_mb = 1\n";
pub(crate) const REPLAY: [&str; 3] = ["replay", "--projection", "messages"];
const RESUME: [&str; 4] = ["replay", "resume", "--projection", "messages"];

/// A place with the bundled logs in it, which no process works on.
pub(crate) fn filled() -> Place {
    let place = Place::new();
    place.file("threadlore.toml", SETTINGS);
    let logs = demo();
    let logs = logs.to_str().expect("a path");
    place.json(&["import", logs, "--channel", "irc:#u"]);
    place
}

/// Records of `chat.events` that the second build of messages has folded, while a process works.
fn folded(place: &Place) -> u64 {
    let statement = "SELECT coalesce(sum((positions->>'chat.events')::bigint), 0) \
        FROM lore_state.shards WHERE consumer_group = 'projector.messages.g2'";
    let folded = place.sql(statement);
    folded.and_then(|folded| folded.parse().ok()).unwrap_or(0)
}

/// Waits until the replay of a process has folded so many records, and kills the process;
/// whether it was not done before.
pub(crate) fn killed_at(place: &Place, mut process: Running, target: u64) -> bool {
    while folded(place) < target {
        if !process.works() {
            return false;
        }
    }
    process.kill().is_none()
}

/// Kills a replay so often; what was folded before a kill is not folded again.
fn kills(place: &Place, count: u64) {
    let before = place.json(&["replay", "--projection", "messages", "--dry-run"]);
    let total = before["projections"][0]["events"]
        .as_u64()
        .expect("a number");
    let (mut numbers, mut killed) = (Numbers::from(SEED), 0);
    for n in 0..count {
        // Within its own part of the history, so that there is something left for the next one.
        let part = total / (count + 2);
        let target = n * part + 1 + numbers.below(part);
        let process = place.start(&mut place.command(&REPLAY));
        if !killed_at(place, process, target) {
            break;
        }
        killed += 1;
        let plan = place.json(&["replay", "--projection", "messages", "--dry-run"]);
        let there = plan["projections"][0]["folded"].as_u64();
        assert!(
            there >= Some(target),
            "{there:?} of {total}, killed after {target}"
        );
    }
    println!("{killed} kills of {count}, {total} events");
    assert!(killed * 2 >= count, "it was done after {killed} kills");
    let done = place.json(&RESUME);
    let done = &done["projections"][0];
    assert_eq!(
        (&done["number"], &done["equal"]),
        (&2.into(), &true.into()),
        "{done}"
    );
    assert!(
        done["events"].as_u64() < Some(total),
        "it began anew: {done}"
    );
    place.verified();
}

#[test]
fn a_replay_that_is_killed_goes_on_from_its_checkpoint() {
    kills(&filled(), 3);
}

#[test]
#[ignore = "long form: ./dev soak replays"]
fn soak_replays() {
    let place = filled();
    import(&place, &many_parts(60), &AtomicBool::new(false));
    kills(&place, 20);
}

#[test]
fn a_replay_pauses_at_a_checkpoint_and_goes_on() {
    let place = filled();
    let owner = place.standalone();
    let client = place.start(&mut place.command(&REPLAY));
    assert!(killed_at(&place, client, 1), "{}", owner.said());

    // While its tables take nothing, it is asked to pause.
    let locked = place.locked("messages_g2.messages");
    let mut client = place.start(&mut place.command(&RESUME));
    assert!(
        client.wait_for("going on with messages g2"),
        "{}",
        client.said()
    );
    let asked = place.run(&["replay", "pause", "--projection", "messages"]);
    assert_eq!(asked.code, Some(0), "{}", asked.err);
    drop(locked);
    assert!(
        client.wait_for("messages g2 is paused"),
        "{}",
        client.said()
    );
    assert_eq!(client.end().code, Some(0));
    let listed = place.run(&["replay", "list"]).out;
    assert!(listed.contains("messages g2  replay paused, "), "{listed}");

    // The live build is fed meanwhile, and the paused one is not.
    place.file("more.txt", "[10:00] <ann> hello\n");
    let more = [
        "import",
        "more.txt",
        "--channel",
        "irc:#v",
        "--date",
        "2020-01-02",
    ];
    assert_eq!(place.json(&more)["messages"], 1);
    let before = folded(&place);
    let other = [
        "replay",
        "--until",
        "2026-01-01T00:00:00Z",
        "--projection",
        "messages",
    ];
    let other = place.run(&other);
    assert_eq!(other.code, Some(3), "{}", other.err);
    assert!(
        other.err.contains("replay resume --projection messages"),
        "{}",
        other.err
    );
    assert_eq!(folded(&place), before);

    let done = place.json(&RESUME);
    assert_eq!(done["projections"][0]["equal"], true, "{done}");
    let nothing = place.run(&RESUME);
    assert_eq!(nothing.code, Some(3), "{}", nothing.err);
    owner.stop();
}

#[test]
fn a_replay_that_is_given_up_leaves_nothing() {
    let place = filled();
    let process = place.start(&mut place.command(&REPLAY));
    assert!(killed_at(&place, process, 1), "it was done before");
    let live = place.run(&["replay", "drop", "--projection", "messages", "1"]);
    assert_eq!(live.code, Some(3), "{}", live.err);
    let dropped = place.run(&["replay", "drop", "--projection", "messages", "2"]);
    assert_eq!(dropped.code, Some(0), "{}", dropped.err);
    let none = place.run(&["replay", "drop", "--projection", "messages", "2"]);
    assert_eq!(none.code, Some(3), "{}", none.err);
    assert!(none.err.contains("replay list"), "{}", none.err);
    assert_eq!(place.run(&RESUME).code, Some(3));
    let next = place.json(&REPLAY);
    assert_eq!(next["projections"][0]["number"], 3, "{next}");
}

#[test]
fn a_replay_whose_tables_somebody_dropped_begins_anew() {
    let place = filled();
    let process = place.start(&mut place.command(&REPLAY));
    assert!(killed_at(&place, process, 1), "it was done before");
    place.with_database(|sql| sql("DROP SCHEMA messages_g2 CASCADE"));
    let again = place.run(&["--json", "replay", "--projection", "messages"]);
    assert_eq!(again.code, Some(0), "{}", again.err);
    assert!(
        again.err.contains("the tables of messages g2 are gone"),
        "{}",
        again.err
    );
    place.verified();
}

#[test]
fn a_build_up_to_a_time_has_what_was_appended_before_and_never_goes_live() {
    let place = filled();
    let first = place.json(&["replay", "--dry-run", "--projection", "messages"]);
    let first = first["projections"][0]["events"].clone();
    let owner = place.standalone();
    let between =
        place.sql("SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')");
    let between = between.expect("a time");
    place.file("more.txt", "[10:00] <ann> hello\n");
    place.json(&[
        "import",
        "more.txt",
        "--channel",
        "irc:#v",
        "--date",
        "2020-01-02",
    ]);
    let built = place.json(&["replay", "--until", &between, "--projection", "messages"]);
    let built = &built["projections"][0];
    assert_eq!(
        (&built["events"], &built["schema"]),
        (&first, &"messages_g2".into()),
        "{built}"
    );
    assert!(built["digests"][0]["rows"].as_u64() > Some(1000), "{built}");
    let listed = place.json(&["replay", "list"]);
    let listed = listed["builds"].as_array().expect("a list");
    let of = |number: u64| {
        listed
            .iter()
            .find(|b| b["projection"] == "messages" && b["number"] == number)
    };
    assert_eq!(of(1).expect("it is there")["live"], true);
    let until = of(2).expect("it is there");
    assert!(
        until["live"] == false && until["until"].is_string(),
        "{until}"
    );
    // Nothing feeds it, and a replay of everything goes beside it.
    let next = place.json(&REPLAY);
    assert_eq!(next["projections"][0]["number"], 3, "{next}");
    let rows = "SELECT count(*) FROM messages_g2.messages WHERE channel = 'irc:#v'";
    assert_eq!(place.sql(rows), Some("0".to_owned()));
    owner.stop();
}
