//! Another version made the tables: this one makes its own beside them, from the log, and goes back to
//! earlier ones of its own.

use serde_json::Value;

use super::desk::desk;
use super::support::{Place, Verified};

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
