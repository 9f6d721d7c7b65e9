//! The database is lost while an import is worked on: everything comes back from
//! the log, and nothing is decided a second time.

use std::fs;

use super::support::{Place, demo};

const CHANNEL: &str = "irc:#u";

/// Records that the extractor has folded: the work is under way above zero.
const EXTRACTED: &str = "SELECT count(*) FROM lore.cases";

/// Everything of ours in the database.
const DROP: &str = "DO $$ DECLARE s text; BEGIN \
    FOR s IN SELECT nspname FROM pg_namespace \
        WHERE nspname IN ('lore', 'lore_state') OR nspname ~ '_g[0-9]+$' \
    LOOP EXECUTE format('DROP SCHEMA %I CASCADE', s); END LOOP; END $$";

/// A pair of solved cases of one channel that rest on the same message.
const SHARED: &str = "SELECT count(*) FROM ( \
    SELECT e.message FROM lore.case_evidence e JOIN lore.cases c USING (space, case_id) \
    WHERE c.solved_at IS NOT NULL GROUP BY e.message \
    HAVING count(DISTINCT e.case_id) > 1) x";

/// Imports all bundled logs, ruins the database when the first cases are there,
/// runs to the end, and compares with the same import undisturbed.
fn lose(ruin: impl Fn(&Place), and_after_the_kill: impl Fn(&Place)) {
    let place = Place::new();
    let logs = demo();
    let logs = logs.to_str().expect("UTF-8");
    let args = [
        "standalone",
        "--import",
        logs,
        "--channel",
        CHANNEL,
        "--until-drained",
    ];
    let mut process = place.start(&mut place.command(&args));
    assert!(process.wait_for("running every role"), "{}", process.said());
    let cases_before = loop {
        assert!(
            !process.has_said("nothing is left to do"),
            "ended before it was hit"
        );
        match place.sql(EXTRACTED).and_then(|n| n.parse::<u64>().ok()) {
            Some(n) if n > 0 => break n,
            // A look costs a process; no need to wait between two.
            _ => {}
        }
    };
    ruin(&place);
    let done = process.has_said("nothing is left to do");
    process.kill();
    assert!(!done, "there was work left");
    and_after_the_kill(&place);

    let ended = place.start(&mut place.command(&args)).end();
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    let verified = place.verified();
    let other = Place::beside(&place);
    other.json(&["import", logs, "--channel", CHANNEL]);
    let undisturbed = other.verified();
    let (messages, cases) = (verified.table("messages"), verified.table("cases"));
    println!(
        "lost at {cases_before} cases; then {} messages, {} cases; undisturbed {} and {}",
        messages.0,
        cases.0,
        undisturbed.table("messages").0,
        undisturbed.table("cases").0
    );
    assert_eq!(messages, undisturbed.table("messages"));
    assert!(cases.0 >= cases_before, "cases are lost");
    place.with_database(|sql| {
        assert_eq!(sql(SHARED), "0", "a message in two solved cases");
        let ids = sql("SELECT count(*) = count(DISTINCT case_id) FROM lore.cases");
        assert_eq!(ids, "t", "a case id is there twice");
    });
    // Once more from the top: what came back is whole.
    let again = place.json(&["import", logs, "--channel", CHANNEL, "--again"]);
    assert_eq!(again["messages"], messages.0);
    assert_eq!(
        place.verified().table("messages"),
        messages,
        "repeats are dropped"
    );
}

#[test]
fn the_directory_of_the_server_is_deleted() {
    lose(
        |_| {},
        |place| fs::remove_dir_all(place.data().join("postgres")).expect("removed"),
    );
}

#[test]
fn the_schemas_are_dropped_under_load() {
    lose(|place| drop(place.sql(DROP).expect("dropped")), |_| {});
}

#[test]
fn the_state_is_of_another_version() {
    lose(
        |_| {},
        |place| {
            place.with_database(|sql| {
                sql("UPDATE lore_state.states SET body = '\\x00'");
                sql("UPDATE lore_state.shards SET layout = 7");
            });
        },
    );
}

#[test]
fn the_state_alone_is_dropped_between_two_runs() {
    lose(
        |_| {},
        |place| {
            place.with_database(|sql| sql("DROP SCHEMA lore_state CASCADE"));
        },
    );
}
