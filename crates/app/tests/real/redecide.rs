//! History that is decided anew, beside what was decided before.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use threadlore_testkit::{Asked, ModelDouble, Reply};

use super::cluster::{Cluster, ROLES};
use super::local_model::{pull_tiny, with_tiny};
use super::restore::exported;
use super::support::{Place, Ran, demo, look};

const RUN_OF_LIVE: &str = "SELECT g.run FROM lore.live l JOIN lore.generations g \
    ON g.projection = l.projection AND g.number = l.generation WHERE l.projection = 'cases'";
/// Makes another build of cases live, as if a switch had been cut off.
const SWITCH_BACK: &str = "UPDATE lore.live SET generation = (SELECT min(number) \
    FROM lore.generations WHERE projection = 'cases') WHERE projection = 'cases'";
const BUILDS: &str = "SELECT count(*) FROM lore.generations WHERE projection = 'cases'";
const SHARDS: &str = "SELECT count(*) FROM lore_state.shards WHERE consumer_group = 'extractor.r2'";
/// Everything of ours in the database.
const DROP: &str = "DO $$ DECLARE s text; BEGIN \
    FOR s IN SELECT nspname FROM pg_namespace \
        WHERE nspname IN ('lore', 'lore_state') OR nspname ~ '_g[0-9]+$' \
    LOOP EXECUTE format('DROP SCHEMA %I CASCADE', s); END LOOP; END $$";
const QUESTION: &str = "how do I mount an iso image in the terminal?";

/// A day of chat in a place that no process works on.
fn filled() -> Place {
    let place = Place::new();
    let log = demo().join("2008-03-01.txt");
    let log = log.to_str().expect("UTF-8");
    place.json(&["import", log, "--channel", "irc:#u"]);
    place
}

fn more(place: &Place, channel: &str) {
    let chat = "[10:00] <ann> how do I mount an iso image in the terminal?\n\
                [10:01] <bob> ann: sudo mount -o loop file.iso /mnt\n\
                [10:02] <ann> bob: thanks, that worked!\n";
    place.file("2020-01-02.txt", chat);
    place.json(&["import", "2020-01-02.txt", "--channel", channel]);
}

/// What a run of the same rules decided is what was decided before, in cases of its own.
fn is_same(output: &Value) {
    let counts = ["changed", "gone", "new"].map(|kind| output[kind].as_u64());
    assert_eq!(counts, [Some(0); 3], "{output}");
    assert!(output["same"].as_u64() > Some(10), "{output}");
}

/// The case behind the answer to the question.
fn answered(place: &Place) -> Value {
    let asked = place.json(&["ask", QUESTION]);
    assert_eq!(asked["outcome"], "answered", "{asked}");
    asked["citations"][0]["case"].clone()
}

fn run_of_live(place: &Place) -> String {
    place.with_database(|sql| sql(RUN_OF_LIVE))
}

fn refused(ran: &Ran, words: &str) {
    assert_eq!(ran.code, Some(3), "{}", ran.err);
    assert!(ran.err.contains(words), "{}", ran.err);
}

#[test]
fn history_is_decided_anew_compared_switched_to_and_left_again() {
    let place = filled();
    let before = place.verified().table("cases");
    let cost = place.json(&["redecide", "--dry-run"]);
    assert!(cost["calls"].as_u64() > Some(0), "{cost}");
    assert_eq!(cost["tokens"], 0, "the rules need none: {cost}");
    refused(&place.run(&["redecide", "switch"]), "no other run");
    refused(&place.run(&["redecide", "compare"]), "no other run");
    refused(
        &place.run(&["redecide", "switch", "2"]),
        "there is no run 2",
    );
    refused(&place.run(&["redecide", "switch", "1"]), "run 1 is live");
    refused(
        &place.run(&["redecide", "rollback"]),
        "no run to go back to",
    );
    refused(&place.run(&["redecide", "drop", "1"]), "run 1 is live");
    refused(&place.run(&["redecide", "drop", "7"]), "there is no run 7");

    is_same(&place.json(&["redecide"]));
    // What comes meanwhile is decided by both, and the first is live.
    more(&place, "irc:#v");
    is_same(&place.json(&["redecide", "compare", "--samples", "1"]));
    let first = place.verified().table("cases");
    assert!(first.0 > before.0);
    let by_first = answered(&place);
    let build = place.json(&["redecide", "list"])["runs"][1]["builds"][0].to_string();
    let only = place.run(&["replay", "drop", "--projection", "cases", &build]);
    refused(&only, "the only build of decision run 2");

    let switched = place.json(&["redecide", "switch"]);
    let kept = (&switched["live"], &switched["kept"]);
    assert_eq!(kept, (&2.into(), &1.into()));
    let second = place.verified().table("cases");
    assert_eq!(second.0, first.0);
    assert_ne!(second.1, first.1, "its cases are its own");
    let by_second = answered(&place);
    assert_ne!(by_first, by_second);
    let back = place.run(&["replay", "rollback", "--projection", "cases"]);
    refused(&back, "none to go back to");
    refused(&place.run(&["redecide"]), "there are two runs already");
    refused(&place.run(&["redecide", "switch", "2"]), "run 2 is live");

    // A replay is of the live run, and goes back within it.
    let replayed = place.json(&["replay", "--projection", "cases"]);
    assert_eq!(replayed["projections"][0]["equal"], true, "{replayed}");
    assert_eq!(run_of_live(&place), "2");
    place.json(&["replay", "rollback", "--projection", "cases"]);
    assert_eq!(run_of_live(&place), "2");
    assert_eq!(answered(&place), by_second);

    place.json(&["redecide", "rollback"]);
    assert_eq!(run_of_live(&place), "1");
    assert_eq!(answered(&place), by_first);
    assert_eq!(place.verified().table("cases"), first);
    let dropped = place.json(&["redecide", "drop", "2"]);
    assert_eq!(dropped["cases"].as_u64(), Some(second.0), "{dropped}");
    assert_eq!(place.verified().table("cases"), first);
    let runs = place.json(&["redecide", "list"]);
    assert_eq!(runs["runs"].as_array().map(Vec::len), Some(1), "{runs}");
    let left = place.with_database(|sql| [sql(BUILDS), sql(SHARDS)]);
    assert_eq!(left, ["1", "0"]);
    // No number is given twice.
    let next = place.json(&["redecide"]);
    assert_eq!(next["run"], 3, "{next}");
}

#[test]
fn the_live_run_outlives_the_database_and_a_switch_that_was_cut_off() {
    let place = filled();
    more(&place, "irc:#v");
    place.json(&["redecide"]);
    place.json(&["redecide", "switch"]);
    let second = place.verified();
    let by_second = answered(&place);
    // Which run is live is in the log, which is written first.
    place.with_database(|sql| sql(SWITCH_BACK));
    assert_eq!(run_of_live(&place), "1");
    place.json(&["redecide", "list"]);
    assert_eq!(run_of_live(&place), "2");

    place.with_database(|sql| sql(DROP));
    place.json(&["redecide", "list"]);
    place.verified().is_same_as(&second);
    assert_eq!(run_of_live(&place), "2");
    assert_eq!(answered(&place), by_second);

    // An export has the live run, as the first of another installation.
    let dir = place.path().join("out");
    exported(&place, "default", &dir);
    let other = Place::beside(&place);
    other.json(&["restore", dir.to_str().expect("UTF-8")]);
    assert_eq!(run_of_live(&other), "1");
    other.verified().is_same_as(&second);
    assert_eq!(answered(&other), by_second);

    // The database is lost once more, when the first run is dropped.
    place.json(&["redecide", "drop", "1"]);
    place.with_database(|sql| sql(DROP));
    place.verified().is_same_as(&second);
    let runs = place.json(&["redecide", "list"]);
    assert_eq!(runs["runs"].as_array().map(Vec::len), Some(1), "{runs}");
    assert_eq!(place.with_database(|sql| sql(BUILDS)), "1");
    assert_eq!(answered(&place), by_second);
}

#[test]
fn a_run_that_is_killed_goes_on_beside_a_process_that_works() {
    let place = filled();
    let mut process = place.start(&mut place.command(&["redecide"]));
    assert!(process.wait_for("would examine"), "{}", process.said());
    process.kill();
    place.json(&["redecide", "list"]);
    let owner = place.standalone();
    more(&place, "irc:#v");
    is_same(&place.json(&["redecide"]));
    let runs = place.json(&["redecide", "list"]);
    let count = runs["runs"].as_array().map(Vec::len);
    assert_eq!(count, Some(2), "{runs}");
    owner.kill();
    is_same(&place.json(&["redecide", "compare"]));
    place.verified();
    // A drop that is killed is ended by the next command.
    let mut process = place.start(&mut place.command(&["redecide", "drop", "2"]));
    process.wait_for("forgetting cases");
    process.kill();
    let runs = place.json(&["redecide", "list"]);
    if runs["runs"].as_array().map(Vec::len) == Some(2) {
        place.json(&["redecide", "drop", "2"]);
    }
    place.verified();
    let left = place.with_database(|sql| [sql(BUILDS), sql(SHARDS)]);
    assert_eq!(left, ["1", "0"]);
}

const REACTED: &str = r#"{"type":"message","id":"1","author":"ann","text":"how do I mount an iso image in the terminal?","at":"2024-05-01T12:00:00Z"}
{"type":"message","id":"2","author":"bob","text":"sudo mount -o loop file.iso /mnt","at":"2024-05-01T12:01:00Z","reply_to":"1"}
{"type":"reaction_added","id":"2","author":"ann","emoji":"✅","at":"2024-05-01T12:02:00Z"}
"#;

/// Runs a command with a model as the engine.
fn with_model(place: &Place, double: &ModelDouble, args: &[&str]) -> Ran {
    Ran::of(
        model_command(place, double, args)
            .output()
            .expect("it starts"),
    )
}

fn model_command(place: &Place, double: &ModelDouble, args: &[&str]) -> Command {
    let mut command = place.command(&[&["--json"], args].concat());
    command
        .env("THREADLORE__EXTRACTOR__ENGINE", "openai")
        .env("THREADLORE__OPENAI__BASE_URL", double.base_url())
        .env("THREADLORE__OPENAI__MODEL", "double")
        .env("THREADLORE__OPENAI__API_KEY", "s3cret");
    command
}

#[test]
fn a_run_that_would_lose_a_confirmation_is_not_made_live_unasked() {
    let place = Place::new();
    place.file("chat.jsonl", REACTED);
    place.json(&["import", "chat.jsonl", "--channel", "irc:#u"]);
    let by_rules = answered(&place);
    // A model that finds nothing.
    let nothing = |_: &Asked| Reply::json(&json!({"spans": [], "resolved": []}));
    let double = ModelDouble::start(nothing).expect("a double");
    let cost = with_model(&place, &double, &["redecide", "--dry-run"]);
    let cost: Value = serde_json::from_str(&cost.out).expect("JSON");
    assert_eq!(cost["asks_a_model"], true, "{cost}");
    assert!(cost["tokens"].as_u64() > Some(0), "{cost}");
    refused(&with_model(&place, &double, &["redecide"]), "--yes");
    let decided = with_model(&place, &double, &["redecide", "--yes"]);
    assert_eq!(decided.code, Some(0), "{}", decided.err);
    let output: Value = serde_json::from_str(&decided.out).expect("JSON");
    assert_eq!(
        (&output["gone"], &output["new"]),
        (&1.into(), &0.into()),
        "{output}"
    );
    assert_eq!(output["confirmations"]["cases_that_lose"], 1, "{output}");

    let asked = double.asked().len();
    let switch = with_model(&place, &double, &["redecide", "switch"]);
    refused(&switch, "have a confirmation by a person");
    assert_eq!(run_of_live(&place), "1");
    let switch = with_model(&place, &double, &["redecide", "switch", "--anyway"]);
    assert_eq!(switch.code, Some(0), "{}", switch.err);
    let ask = with_model(&place, &double, &["ask", QUESTION]);
    assert!(!ask.out.contains("/mnt"), "{}", ask.out);
    // A switch, a replay and a way back ask no model.
    for args in [
        &["verify"][..],
        &["replay", "--projection", "cases"],
        &["redecide", "rollback"],
    ] {
        let ran = with_model(&place, &double, args);
        assert_eq!(ran.code, Some(0), "{args:?}: {}", ran.err);
    }
    assert_eq!(double.asked().len(), asked);
    assert_eq!(answered(&place), by_rules);
}

#[test]
fn a_run_that_is_not_through_is_not_compared_or_made_live() {
    let place = Place::new();
    place.file("chat.jsonl", REACTED);
    place.json(&["import", "chat.jsonl", "--channel", "irc:#u"]);
    // A model that answers once, about the cost, and then no more until it is mended.
    let mended = Arc::new(AtomicBool::new(false));
    let (is_mended, mut asked) = (Arc::clone(&mended), 0);
    let double = ModelDouble::start(move |_| {
        asked += 1;
        match asked == 1 || is_mended.load(Ordering::SeqCst) {
            true => Reply::json(&json!({"spans": [], "resolved": []})),
            false => Reply::Hangs,
        }
    });
    let double = double.expect("a double");
    let mut process = place.start(&mut model_command(&place, &double, &["redecide", "--yes"]));
    while double.asked().len() < 2 {
        assert!(process.works(), "{}", process.end().err);
        look();
    }
    process.kill();
    for verb in ["compare", "switch"] {
        refused(
            &with_model(&place, &double, &["redecide", verb]),
            "run 2 is under way",
        );
    }
    assert_eq!(run_of_live(&place), "1");
    mended.store(true, Ordering::SeqCst);
    let decided = with_model(&place, &double, &["redecide"]);
    assert_eq!(decided.code, Some(0), "{}", decided.err);
    assert!(
        decided.err.contains("going on with run 2"),
        "{}",
        decided.err
    );
    let compared = with_model(&place, &double, &["redecide", "compare"]);
    assert_eq!(compared.code, Some(0), "{}", compared.err);
}

#[test]
fn the_cases_of_a_dropped_run_cannot_be_opened() {
    /// Keys of cases, and how many of them are destroyed.
    fn keys(place: &Place, dir: &str) -> (usize, usize) {
        let dir = place.path().join(dir);
        exported(place, "default", &dir);
        let keys = std::fs::read_to_string(dir.join("keys.jsonl")).expect("written");
        let cases = keys.lines().filter(|line| line.contains("case"));
        let cases: Vec<&str> = cases.collect();
        let destroyed = cases.iter().filter(|line| line.contains("null")).count();
        (cases.len(), destroyed)
    }
    let place = filled();
    let (cases, destroyed) = keys(&place, "before");
    assert_eq!(destroyed, 0);
    place.json(&["redecide"]);
    place.json(&["redecide", "switch"]);
    assert_eq!(keys(&place, "both"), (2 * cases, 0));
    place.json(&["redecide", "drop", "1"]);
    assert_eq!(keys(&place, "one"), (2 * cases, cases));
    place.verified();
    refused(
        &place.run(&["redecide", "rollback"]),
        "no run to go back to",
    );
}

#[test]
fn vectors_of_a_dropped_run_are_gone() {
    const VECTORS: &str = "SELECT count(*) FROM lore.vectors";
    let place = Place::new();
    pull_tiny(&place);
    let tiny = |args: &[&str]| {
        let ran = with_tiny(&place, args);
        assert_eq!(ran.code, Some(0), "{args:?}: {}", ran.err);
        serde_json::from_str::<Value>(&ran.out).expect("JSON")
    };
    place.file("chat.jsonl", REACTED);
    tiny(&["import", "chat.jsonl", "--channel", "irc:#u"]);
    let one = place.with_database(|sql| sql(VECTORS));
    assert_ne!(one, "0");
    let output = tiny(&["redecide"]);
    assert_eq!(
        (&output["same"], &output["gone"]),
        (&1.into(), &0.into()),
        "{output}"
    );
    assert_eq!(output["confirmations"]["carried"], 1, "{output}");
    let two = place.with_database(|sql| sql(VECTORS)).parse::<u64>();
    assert_eq!(two, one.parse::<u64>().map(|one| 2 * one));
    tiny(&["redecide", "switch"]);
    let found = tiny(&["ask", QUESTION]);
    let legs = &found["retrieval"]["found"][0]["legs"];
    assert!(legs["dense"].is_number(), "{found}");
    tiny(&["verify"]);
    tiny(&["redecide", "drop", "1"]);
    assert_eq!(place.with_database(|sql| sql(VECTORS)), one);
    tiny(&["verify"]);
    assert_eq!(tiny(&["ask", QUESTION])["outcome"], "answered");
}

/// The command has no role of its own: the processes of the cluster decide the run, and drop it.
#[test]
fn a_run_is_decided_by_processes_that_come_and_go_on_a_cluster() {
    let settings = "[buffer]\nidle_ms = 86400000\n";
    let Some(cluster) = Cluster::start(Place::new(), settings) else {
        return;
    };
    let place = &cluster.place;
    let mut first = cluster.run(&ROLES);
    assert!(first.wait_for("running "), "{}", first.said());
    let log = demo().join("2008-03-01.txt");
    let log = log.to_str().expect("UTF-8");
    place.json(&["import", log, "--channel", "irc:#u"]);
    let mut command = place.start(&mut place.command(&["redecide"]));
    assert!(command.wait_for("deciding run 2"), "{}", command.said());
    first.kill();
    let mut second = cluster.run(&ROLES);
    let ended = command.end();
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    more(place, "irc:#v");
    is_same(&place.json(&["redecide", "compare"]));
    let by_first = answered(place);
    place.json(&["redecide", "switch"]);
    assert_eq!(cluster.sql(RUN_OF_LIVE).as_deref(), Some("2"));
    assert_ne!(answered(place), by_first);
    place.verified();
    place.json(&["redecide", "rollback"]);
    assert_eq!(answered(place), by_first);
    place.json(&["redecide", "drop", "2"]);
    assert_eq!(cluster.sql(SHARDS).as_deref(), Some("0"));
    place.verified();
    assert!(second.works(), "{}", second.end().err);
    second.stop();
}
