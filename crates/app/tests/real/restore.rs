//! A space leaves an installation, and comes back somewhere else.

use std::fs::Permissions;
use std::ops::Range;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::Value;

use super::cluster::{Cluster, ROLES};
use super::desk::desk;
use super::support::{PEOPLE_KEY, Place, Ran, Running, demo, look};

const CHANNELS: [&str; 2] = ["irc:#u", "irc:#v"];

/// Lines of a bundled log, in a directory of the place.
fn part(place: &Place, lines: Range<usize>) {
    let log = std::fs::read_to_string(demo().join("2008-03-01.txt")).expect("the log");
    let lines: Vec<&str> = log.lines().collect::<Vec<_>>()[lines].to_vec();
    place.file("part/2008-03-01.txt", lines.join("\n"));
}

/// Lines of a bundled log into a channel of a space.
fn import(place: &Place, space: &str, channel: &str, lines: Range<usize>) {
    part(place, lines);
    let into = ["--space", space, "--channel", channel];
    let again = ["--again"];
    place.json(&[&["import", "part"], &into[..], &again].concat());
}

/// A space with two channels, one of them set up.
pub(crate) fn grow(place: &Place, space: &str) {
    import(place, space, CHANNELS[0], 0..250);
    import(place, space, CHANNELS[1], 250..500);
    let of = ["--space", space, "--channel", CHANNELS[0]];
    let ran = place.run(&[&["channel", "set"], &of[..], &["--admin", "ann"]].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
}

pub(crate) fn exported(place: &Place, space: &str, dir: &Path) -> Value {
    let dir = dir.to_str().expect("UTF-8");
    place.json(&["export", "--space", space, dir])
}

fn total(told: &Value) -> u64 {
    let records = told["records"].as_object().expect("by topic");
    records.values().filter_map(Value::as_u64).sum()
}

fn same(a: &Place, b: &Place) {
    let (a, b) = (a.verified(), b.verified());
    a.is_same_as(&b);
    // They were set up at another time.
    assert_eq!(a.table("channels").0, b.table("channels").0);
}

#[test]
fn a_space_comes_back_beside_others_and_goes_on() {
    let both = Place::new();
    let (alone, beside) = (Place::beside(&both), Place::beside(&both));
    grow(&both, "one");
    grow(&both, "two");
    let dir = both.path().join("out");
    let path = dir.to_str().expect("UTF-8");
    let planned = both.json(&["export", "--space", "one", "--dry-run", path]);
    assert!(!dir.exists(), "a dry run writes nothing");
    let told = exported(&both, "one", &dir);
    assert_eq!(planned["records"], told["records"]);
    assert!(told["keys"].as_u64() > Some(10), "{told}");
    assert!(
        told["records"].get("chat.inbox").is_none(),
        "all were taken: {told}"
    );
    for file in ["records.avro", "keys.jsonl", "manifest.json"] {
        let mode = std::fs::metadata(dir.join(file)).expect("written");
        assert_eq!(mode.permissions().mode() & 0o77, 0, "{file}");
    }

    // Into a new installation: what it would have been, had nothing else been there.
    let only = Place::beside(&both);
    grow(&only, "one");
    let planned = alone.json(&["restore", "--dry-run", path]);
    assert_eq!(total(&planned), total(&told));
    let back = alone.json(&["restore", path]);
    assert_eq!(back["appended"].as_u64(), Some(total(&told)), "{back}");
    same(&only, &alone);

    // Beside another space, which stays as it is. Its roles are shut out meanwhile, which is
    // no reason for a warning.
    grow(&beside, "two");
    let ran = beside.run(&["restore", path]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(
        ran.err.contains("a restore shut this role out"),
        "{}",
        ran.err
    );
    assert!(!ran.err.contains("another owner took over"), "{}", ran.err);
    same(&both, &beside);

    // Roles go on where they were: nothing is decided twice, and new chat finds its cases.
    let before = beside.verified().table("messages").0;
    for place in [&both, &beside] {
        import(place, "one", CHANNELS[0], 500..700);
        import(place, "two", CHANNELS[1], 500..700);
    }
    let (there, here) = (both.verified(), beside.verified());
    assert!(here.table("messages").0 > before);
    assert_eq!(there.table("messages"), here.table("messages"));
    for table in ["cases", "case_evidence", "case_confirmations"] {
        assert_eq!(there.table(table).0, here.table(table).0, "{table}");
    }
    let again = beside.run(&["restore", path]);
    assert_eq!(again.code, Some(3), "{again:?}");
    assert!(again.err.contains("here already"), "{again:?}");
}

/// Nothing but the export, and what was printed when it was made.
#[test]
fn a_backup_comes_back_on_an_empty_machine_as_it_was_printed() {
    let from = Place::new();
    let without_key = |place: &Place, args: &[&str]| {
        let mut command = place.command(args);
        Ran::of(command.env_remove(PEOPLE_KEY).output().expect("it starts"))
    };
    part(&from, 0..250);
    let import = ["import", "part", "--channel", CHANNELS[0], "--space", "one"];
    assert_eq!(without_key(&from, &import).code, Some(0));
    let backup = from.path().join("backup");
    let export = ["export", "--space", "one", backup.to_str().expect("UTF-8")];
    let told = without_key(&from, &export);
    assert_eq!(told.code, Some(0), "{told:?}");
    let before = rows(&without_key(&from, &["--json", "verify"]));
    let printed: Vec<&str> = told.out.lines().map(str::trim).collect();
    let copy = printed.iter().find(|line| line.starts_with("cp "));
    let restore = printed
        .iter()
        .find_map(|line| line.strip_prefix("threadlore restore "));
    let (copy, restore) = (copy.expect("printed"), restore.expect("printed"));
    let saved = from.path().join("saved.key");
    let saved = saved.to_str().expect("UTF-8");
    let copied = std::process::Command::new("sh")
        .args(["-c", &copy.replace("COPY", saved)])
        .status();
    assert!(copied.expect("it starts").success());
    std::fs::remove_dir_all(from.data()).expect("the machine is gone");

    let empty = Place::new();
    let restore = restore.replace("COPY", saved).replace('\'', "");
    let args: Vec<&str> = restore.split(' ').collect();
    // Without the key the error names the option, and no other key is made.
    let refused = without_key(&empty, &["restore", args[0]]);
    assert_eq!(refused.code, Some(3), "{refused:?}");
    assert!(refused.err.contains("--people-key FILE"), "{refused:?}");
    assert!(!empty.data().exists(), "nothing is made");
    let other = empty.file("other.key", "07".repeat(32));
    std::fs::set_permissions(&other, Permissions::from_mode(0o600)).expect("closed");
    let refused = without_key(&empty, &["restore", args[0], "--people-key", "other.key"]);
    assert_eq!(refused.code, Some(3), "{refused:?}");
    assert!(refused.err.contains("is not the key"), "{refused:?}");
    assert!(!empty.data().exists(), "nothing is made");
    let back = without_key(&empty, &[&["restore"], &args[..]].concat());
    assert_eq!(back.code, Some(0), "{back:?}");
    assert_eq!(rows(&without_key(&empty, &["--json", "verify"])), before);
}

/// Rows and digests of all tables, by `verify`.
fn rows(verified: &Ran) -> Vec<Value> {
    assert_eq!(verified.code, Some(0), "{verified:?}");
    let told: Value = serde_json::from_str(&verified.out).expect("one JSON object");
    let projections = told["projections"].as_array().expect("a list");
    projections.iter().map(|p| p["digests"].clone()).collect()
}

#[test]
fn a_restore_that_is_killed_goes_on() {
    let from = Place::new();
    let (target, only) = (Place::beside(&from), Place::beside(&from));
    grow(&from, "one");
    grow(&only, "two");
    grow(&only, "one");
    let dir = from.path().join("out");
    let told = exported(&from, "one", &dir);
    let path = dir.to_str().expect("UTF-8");
    grow(&target, "two");
    // Before anything was appended, before the roles are let in again, and in the try after.
    let begun = "threadlore restore";
    for (moment, words) in [
        ("UPDATE", "the roles work again"),
        ("DELETE", begun),
        ("UPDATE", begun),
    ] {
        cut_off_at(&target, moment, path);
        // Nothing works on a part of a space.
        let mut roles = target.start(&mut target.command(&["standalone"]));
        assert!(roles.wait_for(words), "{}", roles.said());
        roles.stop();
    }
    let back = target.json(&["restore", path]);
    assert_eq!(back["earlier"].as_u64(), Some(total(&told)), "{back}");
    assert_eq!(back["appended"], 0, "{back}");
    same(&only, &target);
}

/// Kills a restore that waits for this change of what it notes of itself.
fn cut_off_at(target: &Place, change: &str, path: &str) {
    let when = match change {
        "DELETE" => "WHEN (OLD.begun)",
        _ => "",
    };
    target.with_database(|ask| {
        ask(&format!(
            "CREATE FUNCTION stuck() RETURNS trigger LANGUAGE plpgsql \
             AS 'BEGIN PERFORM pg_sleep(600); RETURN NULL; END'; \
             CREATE TRIGGER stuck BEFORE {change} ON lore_state.restores \
             FOR EACH ROW {when} EXECUTE FUNCTION stuck()"
        ))
    });
    let mut process = target.start(&mut target.command(&["restore", path]));
    let stuck = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'";
    while target.sql(stuck).as_deref() != Some("1") {
        assert!(process.works(), "it ended: {:?}", process.end().err);
        look();
    }
    // Nobody else goes on with it meanwhile.
    let second = target.run(&["restore", path]);
    assert_eq!(second.code, Some(6), "{second:?}");
    assert!(
        second.err.contains("another command is restoring"),
        "{second:?}"
    );
    process.kill();
    target.with_database(|ask| ask("DROP FUNCTION stuck() CASCADE"));
}

#[test]
fn what_is_no_export_is_refused_and_changes_nothing() {
    let from = Place::new();
    let (target, strange) = (Place::beside(&from), Place::new());
    import(&from, "one", CHANNELS[0], 0..60);
    let dir = from.path().join("out");
    let owner = from.standalone();
    exported(&from, "one", Path::new("out"));
    owner.stop();
    let refused = |place: &Place, dir: &Path, words: &str| {
        let path = dir.to_str().expect("UTF-8");
        let ran = place.run(&["restore", path]);
        assert_eq!(ran.code, Some(3), "{ran:?}");
        assert!(ran.err.contains(words), "{words}: {}", ran.err);
    };
    refused(&target, &from.path().join("nothing"), "is no export");
    refused(&strange, &dir, "--people-key FILE");
    import(&strange, "another", CHANNELS[0], 0..1);
    refused(&strange, &dir, "hashed with another key");
    let changed = |name: &str, change: &dyn Fn(Vec<u8>) -> Vec<u8>| {
        let copy = from.path().join(format!("changed-{name}"));
        std::fs::create_dir_all(&copy).expect("made");
        for file in ["records.avro", "keys.jsonl", "manifest.json"] {
            let bytes = std::fs::read(dir.join(file)).expect("written");
            let bytes = if file == name { change(bytes) } else { bytes };
            std::fs::write(copy.join(file), bytes).expect("written");
        }
        copy
    };
    let half = |bytes: Vec<u8>| bytes[..bytes.len() / 2].to_vec();
    refused(&target, &changed("records.avro", &half), "records.avro");
    let less = |bytes: Vec<u8>| {
        let text = String::from_utf8(bytes).expect("UTF-8");
        let lines: Vec<&str> = text.lines().skip(1).collect();
        (lines.join("\n") + "\n").into_bytes()
    };
    refused(&target, &changed("keys.jsonl", &less), "not the keys");
    let other = |bytes: Vec<u8>| {
        let text = String::from_utf8(bytes).expect("UTF-8");
        text.replace("\"format\": 1", "\"format\": 9").into_bytes()
    };
    refused(
        &target,
        &changed("manifest.json", &other),
        "its format is 9",
    );
    let space = |bytes: Vec<u8>| {
        let text = String::from_utf8(bytes).expect("UTF-8");
        text.replace("\"space\": \"one\"", "\"space\": \"two\"")
            .into_bytes()
    };
    let renamed = changed("manifest.json", &space);
    refused(&target, &renamed, "hashed with another key");

    let path = dir.to_str().expect("UTF-8");
    let full = from.run(&["export", "--space", "one", path]);
    assert_eq!(full.code, Some(3), "{full:?}");
    assert!(full.err.contains("is not empty"), "{full:?}");
    let none = from.path().join("none");
    let nobody = from.run(&["export", "--space", "nobody", none.to_str().expect("UTF-8")]);
    assert_eq!(nobody.code, Some(3), "{nobody:?}");
    assert!(nobody.err.contains("has no records"), "{nobody:?}");
    assert!(!none.exists(), "nothing is left");
    // After all that the target takes it, in the process that owns it.
    let owner = target.standalone();
    target.json(&["restore", path]);
    owner.stop();
    same(&from, &target);
}

/// From one machine to a cluster on which another space is alive, and back.
#[test]
fn a_space_moves_to_a_cluster_beside_processes_that_work() {
    let local = Place::new();
    grow(&local, "one");
    let dir = local.path().join("out");
    exported(&local, "one", &dir);
    let path = dir.to_str().expect("UTF-8");
    let Some(cluster) = Cluster::start(Place::new(), "") else {
        return;
    };
    // The cluster's processes hash people as the machine did.
    std::fs::copy(
        local.path().join("people.key"),
        cluster.place.path().join("people.key"),
    )
    .expect("copied");
    let mut processes = [cluster.run(&ROLES), cluster.run(&ROLES)];
    for process in &mut processes {
        assert!(process.wait_for("running "), "{}", process.said());
    }
    grow(&cluster.place, "two");
    cluster.place.json(&["restore", path]);
    grow(&local, "two");
    same(&local, &cluster.place);
    let out = cluster.place.path().join("out");
    let moved = exported(&cluster.place, "one", &out);
    let again = Place::beside(&local);
    again.json(&["restore", out.to_str().expect("UTF-8")]);
    let only = Place::beside(&local);
    grow(&only, "one");
    same(&only, &again);
    assert!(total(&moved) > 500, "{moved}");
    processes.into_iter().for_each(Running::stop);

    // What nobody took yet goes along, and is taken where it comes to.
    part(&cluster.place, 500..600);
    let into = ["import", "part", "--space", "one", "--channel", CHANNELS[0]];
    let mut waits = cluster.place.start(&mut cluster.place.command(&into));
    assert!(
        waits.wait_for("waiting for the processes"),
        "{}",
        waits.said()
    );
    waits.signal("INT");
    waits.end();
    let out = cluster.place.path().join("more");
    let moved = exported(&cluster.place, "one", &out);
    assert!(
        moved["records"]["chat.inbox"].as_u64() > Some(50),
        "{moved}"
    );
    let again = Place::beside(&local);
    again.json(&["restore", out.to_str().expect("UTF-8")]);
    import(&only, "one", CHANNELS[0], 500..600);
    same(&only, &again);
}

/// A space in which people talked: what the bot said, what that was worth and what it was told comes back, and
/// it goes on from there.
#[test]
fn a_room_comes_back_with_what_it_was_told_and_what_answers_were_worth() {
    let from = desk();
    let ask = "@lore how do I mount an iso image to read its files?";
    let lines = [
        "good morning",
        &format!("bob: {ask}"),
        "bob: thanks, that works!",
        "@lore remember that we deploy on Fridays",
        "eve: @lore is there coffee on the moon?",
    ];
    let ran = from.run_with(&["chat"], &lines);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let dir = from.path().join("out");
    let told = exported(&from, "default", &dir);
    for topic in ["answers", "outcomes", "knowledge.memories"] {
        let records = told["records"][topic].as_u64();
        assert!(records > Some(0), "{topic}: {told}");
    }

    let to = Place::beside(&from);
    let back = to.json(&["restore", dir.to_str().expect("UTF-8")]);
    assert_eq!(back["appended"].as_u64(), Some(total(&told)), "{back}");
    let (there, here) = (from.verified(), to.verified());
    there.is_same_as(&here);
    // What it was told and what worked is known there.
    let more = [
        &format!("fay: {ask}"),
        "fay: @lore when do we deploy?",
        "fay: that works, thanks",
    ];
    let said = to.run_with(&["chat"], &more.map(|line| line as &str));
    assert!(said.out.contains("sudo mount -o loop"), "{}", said.out);
    assert!(said.out.contains("we deploy on Fridays"), "{}", said.out);
    let owner = to.standalone();
    let turns = to.sql("SELECT count(*) FROM lore.turns").expect("a row");
    let before = there.table("turns").0;
    assert_eq!(turns.trim(), (before + 3).to_string());
    owner.stop();
    to.verified();
}
