//! As many partitions as the settings say, and others later.

use serde_json::Value;
use threadlore_testkit::Kafka;

use super::desk;
use super::restore::{exported, grow};
use super::support::Place;

/// Channels of the desk's chat, beside those of [`grow`].
const DESKS: [&str; 4] = ["a", "b", "c", "d"];

/// A place whose topics have so many partitions.
fn wide(beside: &Place, partitions: u32) -> Place {
    let place = Place::beside(beside);
    place.file(
        "threadlore.toml",
        format!("[log]\npartitions = {partitions}\n"),
    );
    place
}

fn channel(of: &str) -> String {
    format!("chat:{of}")
}

/// Imports lines of a chat into a channel of the space `one`.
fn import(place: &Place, into: &str, lines: &str) {
    place.file("more.jsonl", lines);
    let into = channel(into);
    place.json(&[
        "import",
        "more.jsonl",
        "--space",
        "one",
        "--channel",
        &into,
        "--again",
    ]);
}

/// Somebody who was not there before says that the open case of the desk is solved.
fn goes_on(place: &Place) {
    for of in DESKS {
        let line = |id: &str, author: &str, text: &str, reply: &str, at: &str| {
            serde_json::json!({
                "type": "message", "id": id, "author": author, "name": author, "text": text,
                "reply_to": reply, "at": at,
            })
            .to_string()
        };
        let lines = [
            line(
                "41",
                "bob",
                "update the firmware of the card",
                "31",
                "2024-05-04T09:10:00Z",
            ),
            line(
                "42",
                "fay",
                "thanks bob, that works!",
                "41",
                "2024-05-04T09:20:00Z",
            ),
        ];
        import(place, of, &lines.join("\n"));
    }
}

fn count(place: &Place, state: &str) -> usize {
    let listed = place.json(&[
        "cases", "list", "--space", "one", "--state", state, "--limit", "1000",
    ]);
    listed["cases"].as_array().map_or(0, Vec::len)
}

#[test]
fn every_space_moves_into_a_log_with_other_partitions_and_goes_on() {
    let four = Place::new();
    for space in ["one", "two"] {
        grow(&four, space);
    }
    for of in DESKS {
        import(&four, of, &desk::chat());
    }
    let remember = [
        "memory",
        "add",
        "we deploy on Fridays",
        "--space",
        "one",
        "--channel",
        "chat:a",
    ];
    let ran = four.run(&remember);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    // Answered, and not: what was said to people is there too.
    let said = [desk::ISO, "bob: @lore how do I brew coffee on the moon?"];
    let ran = four.run_with(&["chat", "--space", "one"], &said);
    assert!(ran.out.contains("loop"), "{ran:?}");
    let before = four.verified();
    assert!(before.table("cases").0 > 20 && before.table("memories").0 >= 1);
    assert!(before.table("turns").0 >= 2);
    let exports = ["one", "two"].map(|space| {
        let dir = four.path().join(space);
        exported(&four, space, &dir);
        dir
    });
    let places: Vec<Place> = [9, 1].map(|count| wide(&four, count)).into();
    for place in &places {
        for export in &exports {
            let told = place.json(&["restore", export.to_str().expect("UTF-8")]);
            assert!(told["appended"].as_u64() > Some(100), "{told}");
        }
        place.verified().is_same_as(&before);
    }
    // Of an export that was made while something was left to decide nobody could tell what.
    let [one, _] = &exports;
    let manifest = one.join("manifest.json");
    let told = std::fs::read_to_string(&manifest).expect("written");
    let whole: Value = serde_json::from_str(&told).expect("JSON");
    assert_eq!(whole["undecided"], 0, "{told}");
    for (undecided, said) in [
        (Value::from(3), "3 of its records were not"),
        (Value::Null, "an older version"),
    ] {
        let mut changed = whole.clone();
        changed["undecided"] = undecided;
        std::fs::write(&manifest, changed.to_string()).expect("written");
        let place = wide(&four, 2);
        let ran = place.run(&["restore", one.to_str().expect("UTF-8")]);
        assert_eq!(ran.code, Some(3), "{ran:?}");
        assert!(
            ran.err.contains(said) && ran.err.contains("export it again"),
            "{ran:?}"
        );
    }
    // Nothing is decided twice there, and what is said next is decided as it would have been.
    let solved = count(&four, "solved");
    for place in places.iter().chain([&four]) {
        goes_on(place);
        assert_eq!(count(place, "solved"), solved + DESKS.len());
    }
    let after = four.verified();
    for place in &places {
        place.verified().is_same_as(&after);
    }
}

#[test]
fn a_log_keeps_the_partitions_that_it_began_with() {
    let place = Place::new();
    let place = wide(&place, 7);
    import(&place, "a", &desk::chat());
    let refused = |said: &str, partitions: &str| {
        let mut command = place.command(&["verify"]);
        command.env("THREADLORE__LOG__PARTITIONS", partitions);
        let ran = place.start(&mut command).end();
        assert!(ran.code != Some(0) && ran.err.contains(said), "{ran:?}");
    };
    refused("set `log.partitions` to 7", "8");
    refused("set `log.partitions` to 7", "4");
    refused("log.partitions", "0");
    place.verified();
    let rendered: Value = place.json(&["topics", "render", "strimzi-topics"]);
    let rendered = rendered["rendered"].as_str().expect("text");
    assert!(
        rendered.contains("partitions: 7") && rendered.contains("partitions: 1\n"),
        "{rendered}"
    );
    assert!(!rendered.contains("partitions: 4"), "{rendered}");
}

#[test]
fn a_space_moves_to_a_cluster_that_has_more_partitions() {
    let place = Place::new();
    let cluster = wide(&place, 6);
    let Some(node) = Kafka::start(&cluster.path().join("kafka")) else {
        return;
    };
    for of in DESKS {
        import(&place, of, &desk::chat());
    }
    let export = place.path().join("one");
    exported(&place, "one", &export);
    let kafka = format!(
        "[log]\nengine = \"kafka\"\npartitions = 6\n[kafka]\nbootstrap_servers = \"{}\"\n",
        node.bootstrap()
    );
    cluster.file("threadlore.toml", kafka);
    let made = cluster.run(&["topics", "apply", "--replicas", "1"]);
    assert_eq!(made.code, Some(0), "{}", made.err);
    cluster.json(&["restore", export.to_str().expect("UTF-8")]);
    cluster.verified().is_same_as(&place.verified());
    for place in [&place, &cluster] {
        goes_on(place);
    }
    cluster.verified().is_same_as(&place.verified());
    // Where the settings say something else, nothing is done.
    let mut command = cluster.command(&["topics", "plan"]);
    command.env("THREADLORE__LOG__PARTITIONS", "4");
    let planned = cluster.start(&mut command).end();
    assert_eq!(planned.code, Some(5), "{planned:?}");
    assert!(planned.err.contains("log.partitions"), "{planned:?}");
}
