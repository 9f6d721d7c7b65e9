//! Bad input and outages, as a user meets them: one clear sentence, the exit code
//! of `docs/commands.md`, no panic, nothing half-written. What the local log does
//! with damaged files is tested in `crates/log-local`.

use std::fs;

use super::support::{Place, Ran};

const CHANNEL: &str = "irc:#x";
const GOOD: &str =
    r#"{"type":"message","id":"good","author":"u","text":"fine","at":"2024-05-01T12:00:00Z"}"#;

/// Refused with this code, in one sentence with these words.
fn refused(ran: &Ran, code: i32, words: &[&str]) {
    println!("{code}: {}", ran.err.trim());
    assert_eq!(ran.code, Some(code), "{ran:?}");
    assert!(!ran.err.contains("panicked"), "{ran:?}");
    assert!(ran.out.is_empty(), "{ran:?}");
    let ours = ran
        .err
        .lines()
        .filter(|line| line.starts_with("threadlore: "));
    assert_eq!(ours.count(), 1, "{ran:?}");
    assert!(!ran.err.contains(" WARN "), "{ran:?}");
    for word in words {
        assert!(ran.err.contains(word), "{word:?} is missing: {ran:?}");
    }
}

fn import(place: &Place, path: &str) -> Ran {
    place.run(&["import", path, "--channel", CHANNEL])
}

fn message(id: &str, text: &str, at: &str) -> String {
    format!(r#"{{"type":"message","id":"{id}","author":"u","text":"{text}","at":"{at}"}}"#) + "\n"
}

#[test]
fn files_that_cannot_be_imported() {
    let place = Place::new();
    place.file("empty/NOTES.md", "");
    place.file("unknown.txt", "hello there\nnothing\n");
    place.file("noday.txt", "[10:00] <ann> hi\n");
    place.file("cut.log.gz", b"\x1f\x8b\x08\0\0");
    for (path, words) in [
        ("nofile", "does not exist"),
        ("empty", "has no logs"),
        ("unknown.txt", "not of a format that is known"),
        ("noday.txt", "the day is not known"),
        ("cut.log.gz", "cannot be unpacked"),
        ("/dev/null", "neither a file nor a directory"),
    ] {
        refused(&import(&place, path), 3, &[words]);
    }
    place.file("good.jsonl", GOOD);
    assert_eq!(import(&place, "good.jsonl").code, Some(0));
    // Among others a damaged one is passed over, and named.
    place.file("many/2009-07-02.log", "[10:00] <ann> hi\n");
    place.file("many/cut.log.gz", b"\x1f\x8b\x08\0\0");
    let many = import(&place, "many");
    assert_eq!(many.code, Some(0), "{}", many.err);
    assert!(
        many.out.contains("cut.log.gz: it cannot be unpacked"),
        "{}",
        many.out
    );
    assert_eq!(place.verified().table("messages").0, 2);
}

/// A file: name, content, lines taken, lines skipped, messages of the database
/// afterwards, a reason that is given.
type Case = (&'static str, Vec<u8>, u64, u64, u64, &'static str);

#[test]
fn hostile_lines_are_skipped_and_counted() {
    let (at, place) = ("2024-05-01T12:00:00Z", Place::new());
    let ok = message("ok", "ok", at);
    let long = message("long", &"x".repeat(10 << 20), at);
    let far =
        message("a", "a", "1601-01-01T00:00:00Z") + &message("b", "b", "9998-01-01T00:00:00Z");
    let twice = message("t", "first", at) + &message("t", "second", at);
    let stray = GOOD.replace(r#""id":"good""#, r#""id":"re","reply_to":"nowhere""#)
        + "\n"
        + r#"{"type":"reaction_added","id":"nowhere","author":"u","emoji":"+","at":"2024-05-01T12:00:00Z"}"#;
    let cases: [Case; 8] = [
        ("empty.txt", Vec::new(), 0, 0, 0, ""),
        (
            "cut.jsonl",
            (ok.clone() + r#"{"type":"mess"#).into(),
            1,
            1,
            1,
            "cut off at the end",
        ),
        (
            "long.jsonl",
            (long + &message("l", "l", at)).into(),
            1,
            1,
            2,
            "longer than 1 MiB",
        ),
        (
            "nul.jsonl",
            (message("n", "a\\u0000b\\u0007", at) + "\0\0\n").into(),
            1,
            1,
            3,
            "not a JSON object",
        ),
        (
            "2001-01-01.txt",
            b"[10:00] <ann> caf\xe9\n".to_vec(),
            1,
            0,
            4,
            "windows-1252",
        ),
        (
            "far.jsonl",
            far.into(),
            0,
            2,
            4,
            "more than a day in the future",
        ),
        ("twice.jsonl", twice.into(), 2, 0, 5, ""),
        ("stray.jsonl", stray.into(), 2, 0, 6, ""),
    ];
    for (name, bytes, taken, skipped, messages, reason) in cases {
        place.file(name, bytes);
        let ran = place.run(&["--json", "import", name, "--channel", CHANNEL]);
        let code = if taken == 0 && skipped > 0 { 3 } else { 0 };
        assert_eq!(ran.code, Some(code), "{name}: {}", ran.err);
        let told: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
        println!("{name}: {told}");
        let sum = |part: &str| -> u64 {
            let tallies = told[part].as_object().expect("reasons").values();
            tallies
                .map(|tally| tally["count"].as_u64().expect("a count"))
                .sum()
        };
        let count = |part: &str| told[part].as_u64().expect("a count");
        assert_eq!(
            (count("messages") + count("reactions"), sum("skipped")),
            (taken, skipped)
        );
        assert!(told.to_string().contains(reason), "{reason:?}: {told}");
        assert_eq!(place.verified().table("messages").0, messages, "{name}");
    }
}

#[test]
fn settings_and_options_that_do_not_fit() {
    let place = Place::new();
    for (toml, words) in [
        (
            "[buffer]\nwindow_cuont = 3\n",
            "did you mean `buffer.window_count`",
        ),
        ("[buffer]\nwindow_count = 0\n", "a whole number from 1 to"),
        ("[buffer\n", "not valid TOML at line 1"),
        (
            "[telemetry]\nlevel = \"inof\"\n",
            "`telemetry.level` is \"inof\"",
        ),
    ] {
        place.file("threadlore.toml", toml);
        refused(&place.run(&["replay", "list"]), 3, &[words]);
    }
    fs::remove_file(place.path().join("threadlore.toml")).expect("removed");
    refused(
        &place.run(&["--config", "none.toml", "config", "check"]),
        3,
        &["none.toml cannot be read"],
    );
    refused(&place.run(&["ask", ""]), 3, &["the question is empty"]);
    refused(
        &place.run(&["ask", &"x".repeat(2001)]),
        3,
        &["2000 are allowed"],
    );
    refused(&place.run(&["import", "."]), 3, &["--channel"]);
    assert!(!place.data().exists(), "nothing was made");
}

#[test]
fn data_directories_that_cannot_be_used() {
    let place = Place::new();
    place.file("d", "a file");
    refused(
        &place.run(&["replay", "list"]),
        3,
        &["data directory d", "--data-dir"],
    );
    fs::remove_file(place.data()).expect("removed");
    // Not even root may make a directory there.
    place.file("good.jsonl", GOOD);
    let good = place.path().join("good.jsonl");
    let good = good.to_str().expect("UTF-8");
    let ran = Place::run_in("/proc/threadlore", &["import", good, "--channel", CHANNEL]);
    refused(&ran, 3, &["/proc/threadlore", "permissions"]);

    let owner = place.standalone();
    let pid = format!("process {}:", owner.pid());
    refused(&place.run(&["standalone"]), 4, &["is in use by", &pid]);
    owner.signal("TERM");
    assert_eq!(owner.end().code, Some(0));

    let format = fs::read(place.data().join("FORMAT")).expect("written");
    place.file("d/FORMAT", "99");
    refused(&place.run(&["replay", "list"]), 3, &["has format \"99\""]);
    place.file("d/FORMAT", format);

    let secret = place.data().join("secrets/master.key");
    fs::rename(&secret, place.path().join("kept")).expect("moved");
    refused(
        &place.run(&["replay", "list"]),
        3,
        &["master.key", "keystore.master_key_file"],
    );
    assert!(!secret.exists(), "none is made in its place");
    fs::rename(place.path().join("kept"), &secret).expect("moved back");

    let mut command = place.command(&["replay", "list"]);
    command.env("PG_BIN", place.path());
    let output = command.output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    println!("{:?}: {}", output.status.code(), said.trim());
    assert_eq!(output.status.code(), Some(6), "{said}");
    assert!(said.contains("no PostgreSQL 15 or newer found"), "{said}");

    let good = place.run(&["replay", "list"]);
    assert_eq!(good.code, Some(0), "{}", good.err);
}
