//! Many imports at once beside `standalone`, which is killed in the middle: every line is
//! a row, whatever their number and however often the owner dies.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use super::chat::parts;
use super::numbers::Numbers;
use super::support::{Place, Running, demo, messages};

/// How much is done. Two files go into each channel.
struct Form {
    files: usize,
    rounds: usize,
    /// Lines of a file: more than one batch, so that an import notes how far it came midway.
    lines: usize,
    /// Kills of the owner in a round, before everything is left to come to its end.
    kills: usize,
}

#[test]
fn imports_side_by_side_lose_nothing_when_their_owner_is_killed() {
    import_side_by_side(&Form {
        files: 6,
        rounds: 2,
        lines: 600,
        kills: 2,
    });
}

#[test]
#[ignore = "long form: ./dev soak imports"]
fn soak_imports() {
    import_side_by_side(&Form {
        files: 20,
        rounds: 50,
        lines: 600,
        kills: 1,
    });
}

#[test]
fn the_same_file_imported_twice_at_once_is_there_once() {
    let form = Form {
        files: 1,
        rounds: 1,
        lines: 600,
        kills: 0,
    };
    let place = Place::new();
    let owner = place.standalone();
    let file = write(&place, &form, 0, 0);
    let mut taken = 0;
    for import in start(&place, &[file.clone(), file.clone()]) {
        let ended = import.end();
        taken += usize::from(ended.code == Some(0));
        if ended.code != Some(0) {
            assert_eq!(ended.code, Some(6), "{}", ended.err);
            let words = "is being imported into web:channel-0 by another command";
            assert!(ended.err.contains(words), "{}", ended.err);
        }
    }
    assert!(taken > 0, "one of them does it");
    owner.stop();
    assert_eq!(place.verified().table("messages").0, form.lines as u64);
}

/// A log of a day that is still written: its rest is imported when it is there, and what is
/// found depends on the two parts alone.
#[test]
fn a_history_that_ends_in_the_middle_of_a_day_goes_on_where_it_ended() {
    let (path, log) = parts().swap_remove(0);
    let lines: Vec<&[u8]> = log.split_inclusive(|byte| *byte == b'\n').collect();
    let half = lines[..lines.len() / 2].concat();
    let imported = |place: &Place| {
        for log in [&half, &log] {
            place.file(&path, log);
            place.json(&["import", &path, "--channel", "irc:#day"]);
            let (rows, _) = place.verified().table("messages");
            assert_eq!(rows, messages(log).len() as u64);
        }
    };
    let place = Place::new();
    imported(&place);
    let again = Place::beside(&place);
    imported(&again);
    place.verified().is_same_as(&again.verified());
}

fn import_side_by_side(form: &Form) {
    let place = Place::new();
    let mut numbers = Numbers::from(20_261_123);
    let (mut kills, mut cut_off) = (0, 0);
    for round in 0..form.rounds {
        let files: Vec<PathBuf> = (0..form.files)
            .map(|file| write(&place, form, round, file))
            .collect();
        for _ in 0..form.kills {
            let owner = place.standalone();
            let imports = start(&place, &files);
            let delay = Duration::from_millis(50 + numbers.below(1500));
            #[expect(clippy::disallowed_methods, reason = "any moment will do")]
            std::thread::sleep(delay);
            owner.kill();
            kills += 1;
            for import in imports {
                // Done before the kill or cut off by it; or it came too late, and one of those
                // that did owns the directory now.
                let ended = import.end();
                assert!(matches!(ended.code, Some(0 | 4 | 6)), "{ended:?}");
                cut_off += usize::from(ended.code != Some(0));
            }
        }
        let owner = place.standalone();
        for import in start(&place, &files) {
            let ended = import.end();
            assert_eq!(ended.code, Some(0), "{}", ended.err);
        }
        check(&place, form, round);
        owner.stop();
        for file in files {
            std::fs::remove_file(file).expect("removed");
        }
    }
    let (rows, _) = place.verified().table("messages");
    println!(
        "{} imports of {} lines, {kills} kills of their owner, which cut off {cut_off} of them: \
         {rows} rows",
        form.files * form.rounds,
        form.lines
    );
    assert_eq!(rows, (form.files * form.rounds * form.lines) as u64);
    assert!(cut_off > 0, "no kill met an import");
}

fn channel(file: usize) -> String {
    format!("web:channel-{}", file / 2)
}

/// One file of JSON lines.
fn write(place: &Place, form: &Form, round: usize, file: usize) -> PathBuf {
    let line = |n: usize| {
        let (minute, second) = (n / 60, n % 60);
        format!(
            "{{\"type\":\"message\",\"id\":\"{round}-{file}-{n}\",\"author\":\"u{}\",\
             \"text\":\"round {round}, file {file}, line {n}\",\
             \"at\":\"2024-05-01T{:02}:{minute:02}:{second:02}Z\"}}\n",
            n % 7,
            round % 24,
        )
    };
    let text: String = (0..form.lines).map(line).collect();
    place.file(&format!("in/{round}-{file}.jsonl"), text)
}

/// An import of each file, all at once.
fn start(place: &Place, files: &[PathBuf]) -> Vec<Running> {
    let import = |(number, path): (usize, &PathBuf)| {
        let (path, channel) = (path.to_str().expect("UTF-8"), channel(number));
        place.start(&mut place.command(&["import", path, "--channel", &channel]))
    };
    files.iter().enumerate().map(import).collect()
}

/// Every line of every file so far is one row.
fn check(place: &Place, form: &Form, round: usize) {
    let counted = place.sql(
        "SELECT channel, count(*), count(DISTINCT message) FROM lore.messages \
         GROUP BY channel ORDER BY channel",
    );
    let rows = (round + 1) * form.lines * 2;
    let mut expected: Vec<String> = (0..form.files / 2)
        .map(|pair| format!("{}|{rows}|{rows}", channel(2 * pair)))
        .collect();
    expected.sort();
    assert_eq!(
        counted.expect("the database answers"),
        expected.join("\n"),
        "round {round}"
    );
}

/// Messages of a chat as Telegram Desktop writes them, the first at this hour of a day.
fn talk(hour: u32) -> Value {
    let line = |id: u32, from: &str, text: &str, reply: Option<u32>| {
        let mut line = json!({
            "id": id, "type": "message", "date": format!("2024-05-01T{hour}:0{id}:00"),
            "from": from, "from_id": format!("user{}", from.len()), "text": text,
        });
        if let Some(reply) = reply {
            line["reply_to_message_id"] = reply.into();
        }
        line
    };
    json!([
        line(
            1,
            "Ann",
            "How do I mount an iso image to read its files? \u{1F3B5}",
            None
        ),
        line(2, "Robert", "sudo mount -o loop image.iso /mnt", Some(1)),
        line(3, "Ann", "thanks Robert, that works!", Some(2)),
    ])
}

#[test]
fn an_export_of_a_chat_program_is_imported_with_one_command() {
    let place = Place::new();
    let with = |name: &str, kind: &str, id: u32, messages: Value| json!({"name": name, "type": kind, "id": id, "messages": messages});
    let chat = |name: &str, kind: &str, id: u32, hour: u32| with(name, kind, id, talk(hour));
    // As a program writes a symbol that it cut in two, and an escape that is none.
    let written = |chat: Value| {
        let parts = ["name", "type", "id", "messages"];
        let parts = parts.map(|name| format!("{name:?}:{}", chat[name]));
        let text = format!("{{{}}}", parts.join(","));
        text.replace('\u{1F3B5}', r"\ud83c \x0c")
    };
    let one = written(chat("Help desk", "public_supergroup", 7, 10));
    place.file("result.json", &one);
    let told = place.json(&["import", "result.json"]);
    assert_eq!(told["channels"], json!(["telegram:Help-desk"]), "{told}");
    assert_eq!(
        (&told["messages"], &told["skipped"]),
        (&3.into(), &json!({})),
        "{told}"
    );
    let asked = place.json(&["ask", "how do I mount an iso image?"]);
    assert!(
        asked["answer"]
            .as_str()
            .is_some_and(|text| text.contains("mount -o loop")),
        "{asked}"
    );

    // Again it adds nothing, and what was said since is added.
    let again = place.json(&["import", "result.json", "--again"]);
    assert_eq!(again["new_messages"], 0, "{again}");
    let mut more = talk(10);
    let last = json!({
        "id": 4, "type": "message", "date": "2024-05-01T11:00:00", "from": "Eve", "from_id": "user9",
        "text": "good to know",
    });
    more.as_array_mut().expect("a list").push(last);
    let more = written(with("Help desk", "public_supergroup", 7, more));
    place.file("result.json", &more);
    let grown = place.json(&["import", "result.json"]);
    assert_eq!(grown["messages"], 1, "{grown}");

    // An account has many chats, and what two people say stays theirs.
    let account = json!({
        "about": "…",
        "chats": {"about": "…", "list": [
            chat("Help desk", "public_supergroup", 7, 10),
            chat("Office", "private_group", 8, 12),
            chat("Carl", "personal_chat", 9, 14),
        ]},
    });
    place.file("account.json", account.to_string());
    let refused = place.run(&["import", "account.json", "--channel", "telegram:Nobody"]);
    assert_eq!(refused.code, Some(3), "{}", refused.err);
    assert!(
        refused.err.contains("telegram:Office  3 messages"),
        "{}",
        refused.err
    );
    assert!(
        refused
            .err
            .contains("1 conversation of a few people left out"),
        "{}",
        refused.err
    );
    let told = place.json(&["import", "account.json"]);
    assert_eq!(
        told["channels"],
        json!(["telegram:Help-desk", "telegram:Office"]),
        "{told}"
    );
    let channels = place.json(&["channel", "show"]);
    let counts = channels["channels"].as_array().expect("channels").iter();
    let counts: Vec<(&str, u64)> = counts
        .map(|one| {
            (
                one["channel"].as_str().expect("a name"),
                one["messages"].as_u64().expect("a count"),
            )
        })
        .collect();
    assert_eq!(counts, [("telegram:Help-desk", 4), ("telegram:Office", 3)]);

    place.file("cut.json", &one[..one.len() - 20]);
    let refused = place.run(&["import", "cut.json"]);
    assert_eq!(refused.code, Some(3), "{}", refused.err);
    assert!(refused.err.contains("cut off at line 1"), "{}", refused.err);
    place.verified();
}

/// From a chat on a phone to an answer in two commands, the first of which takes nothing.
#[test]
fn a_chat_of_whatsapp_is_looked_at_then_imported_and_answers() {
    let place = Place::new();
    let chat = "5/1/24, 9:00\u{202f}AM - Messages and calls are end-to-end encrypted.\n\
                5/1/24, 9:01\u{202f}AM - Ann: How do I mount an iso image?\n\
                5/1/24, 9:02\u{202f}AM - Bob: sudo mount -o loop image.iso /mnt\n\
                5/13/24, 9:03\u{202f}PM - Ann: thanks Bob, that works!\n";
    let file = "WhatsApp Chat with Help desk.txt";
    place.file(file, chat);
    let would = place.json(&["import", file, "--dry-run"]);
    assert_eq!(would["dry_run"], true, "{would}");
    let channel = &would["channels"][0];
    assert_eq!(channel["channel"], "whatsapp:Help-desk", "{would}");
    assert_eq!(channel["until"], "2024-05-13T21:03:00Z", "{would}");
    assert_eq!(
        (&channel["messages"], &channel["system"]),
        (&3.into(), &1.into()),
        "{would}"
    );
    let zone = |zone: &str| place.run(&["--json", "import", file, "--dry-run", "--timezone", zone]);
    let berlin = zone("Europe/Berlin");
    assert!(
        berlin.out.contains("2024-05-13T19:03:00Z"),
        "{}{}",
        berlin.out,
        berlin.err
    );
    assert!(zone("+02:00").out.contains("2024-05-13T19:03:00Z"));
    let nowhere = zone("Europe/Atlantis");
    assert_eq!(nowhere.code, Some(3), "{}", nowhere.err);
    assert!(nowhere.err.contains("Europe/Berlin"), "{}", nowhere.err);
    let none = place.run(&["space", "list"]);
    assert!(
        !none.out.contains("default"),
        "nothing was taken: {}",
        none.out
    );
    let told = place.json(&["import", file]);
    assert_eq!(told["messages"], 3, "{told}");
    let asked = place.json(&["ask", "how do I mount an iso image?"]);
    let answer = asked["answer"].as_str().expect("a text");
    assert!(answer.contains("mount -o loop"), "{asked}");
    // Logs are looked at as well, and what cannot be read is said of them, too.
    let logs = place.run(&[
        "import",
        &demo().display().to_string(),
        "--dry-run",
        "--channel",
        "irc:#u",
    ]);
    assert_eq!(logs.code, Some(0), "{}", logs.err);
    assert!(
        logs.out.contains("irc:#u, until 2014-08-14"),
        "{}",
        logs.out
    );
    assert!(logs.err.contains("nothing was taken"), "{}", logs.err);
    place.file("notes.txt", "dear diary\n");
    let notes = place.run(&["import", "notes.txt", "--dry-run", "--channel", "irc:#u"]);
    assert_eq!(notes.code, Some(3), "{}", notes.err);
}
