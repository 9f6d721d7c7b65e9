//! The data directory is its owner's alone, and a redacted text does not stay in the log.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use threadlore_log_local::LocalKeystore;
use threadlore_model::Subject;
use threadlore_ports::{Keystore as _, Wrapping};

use super::support::{Place, look};

const SECRET: &str = "qx7-what-was-redacted-9zk";
const CHANNEL: &str = "web:c";

/// Files and directories below one, and itself.
fn all(dir: &Path) -> Vec<PathBuf> {
    let mut found = vec![dir.to_owned()];
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => found.extend(all(&entry.path())),
            _ => found.push(entry.path()),
        }
    }
    found
}

/// Those to which other users have rights. What PostgreSQL removes meanwhile has none.
fn open_to_others(dir: &Path) -> Vec<PathBuf> {
    let is_open = |path: &PathBuf| {
        let meta = fs::symlink_metadata(path);
        meta.is_ok_and(|meta| !meta.is_symlink() && meta.mode() & 0o077 != 0)
    };
    all(dir).into_iter().filter(is_open).collect()
}

/// Those with these bytes, but for what docs/privacy.md says of PostgreSQL and the index.
fn with_text(data: &Path, text: &str) -> Vec<PathBuf> {
    let has = |path: &PathBuf| {
        let bytes = fs::read(path).unwrap_or_default();
        bytes
            .windows(text.len())
            .any(|part| part == text.as_bytes())
    };
    let parts = ["postgres", "index"].map(|part| data.join(part));
    let is_ours = |path: &PathBuf| !parts.iter().any(|part| path.starts_with(part));
    all(data).into_iter().filter(is_ours).filter(has).collect()
}

fn line(kind: &str, id: &str, text: &str) -> String {
    let text = match text {
        "" => String::new(),
        text => format!("\"author\":\"ann\",\"text\":\"{text}\","),
    };
    format!("{{\"type\":\"{kind}\",\"id\":\"{id}\",{text}\"at\":\"2024-05-01T12:00:00Z\"}}\n")
}

#[test]
fn a_redacted_text_is_in_no_file_of_the_log_and_its_key_is_destroyed() {
    let place = Place::new();
    place.file("threadlore.toml", "[intake]\ntruncate_inbox_seconds = 1\n");
    let said = line("message", "1", SECRET) + &line("message", "2", "hello");
    place.file("a.jsonl", said);
    place.file("b.jsonl", line("redaction", "1", ""));
    let owner = place.standalone();
    let keys = place.data().join("log/inbox.keys");
    let number = || {
        let text = fs::read_to_string(&keys).expect("there");
        let lines: Vec<u32> = text
            .lines()
            .map(|line| {
                line.split(' ')
                    .next()
                    .and_then(|n| n.parse().ok())
                    .expect("a number")
            })
            .collect();
        lines
    };
    let before = number();
    place.json(&["import", "a.jsonl", "--channel", CHANNEL]);
    assert_eq!(with_text(&place.data(), SECRET), [] as [PathBuf; 0]);
    place.json(&["import", "b.jsonl", "--channel", CHANNEL]);
    let text = "SELECT count(*) FROM lore.messages WHERE text IS NOT NULL";
    assert_eq!(place.sql(text).as_deref(), Some("1"), "it was redacted");
    // A truncation that finds nothing waiting leaves one key, which sealed neither file.
    while number().iter().any(|key| before.contains(key)) {
        look();
    }
    assert_eq!(with_text(&place.data(), SECRET), [] as [PathBuf; 0]);
    let left = place.json(&["export", "--dry-run", "out"]);
    assert!(left["records"].get("chat.inbox").is_none(), "{left}");
    assert_eq!(
        open_to_others(&place.data()),
        [] as [PathBuf; 0],
        "while it runs"
    );
    owner.stop();
    // The search does find what is there.
    place.file("d/log/note", SECRET);
    assert_eq!(
        with_text(&place.data(), SECRET),
        [place.data().join("log/note")]
    );
}

/// Cases in the keystore of a data directory, and whether each has its key.
fn keys_of_cases(place: &Place) -> Vec<(Subject, bool)> {
    let text = fs::read_to_string(place.data().join("secrets/master.key")).expect("there");
    let digits = text.trim().as_bytes().chunks(2);
    let bytes = digits.map(|two| std::str::from_utf8(two).expect("hexadecimal"));
    let bytes = bytes.map(|two| u8::from_str_radix(two, 16).expect("hexadecimal"));
    let master: [u8; 32] = bytes.collect::<Vec<u8>>().try_into().expect("32 bytes");
    let keys =
        LocalKeystore::open(&place.data().join("keys"), Wrapping::under(master)).expect("opens");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let found = runtime.block_on(keys.walk(None, 1000)).expect("reads");
    let cases = found.into_iter();
    let cases = cases.filter(|(subject, _)| matches!(subject, Subject::Case(..)));
    cases.map(|(case, key)| (case, key.is_some())).collect()
}

#[test]
fn a_case_that_quotes_a_redacted_message_loses_its_words_and_its_key() {
    let place = Place::new();
    let said = [
        ("1", "ann", "my sound is gone after the upgrade, any idea?"),
        ("2", "bob", "ann: run alsamixer and unmute Master"),
        ("3", "ann", "bob: that works, thanks"),
    ];
    let said = said.map(|(id, author, text)| {
        format!(
            "{{\"type\":\"message\",\"id\":\"{id}\",\"author\":\"{author}\",\"text\":\"{text}\",\
             \"at\":\"2024-05-01T12:0{id}:00Z\"}}\n"
        )
    });
    place.file("a.jsonl", said.concat());
    place.file("b.jsonl", line("redaction", "1", ""));
    place.json(&["import", "a.jsonl", "--channel", CHANNEL]);
    let before = keys_of_cases(&place);
    assert!(matches!(before[..], [(_, true)]), "{before:?}");
    place.json(&["import", "b.jsonl", "--channel", CHANNEL]);
    let after = keys_of_cases(&place);
    let erased = (before[0].0.clone(), false);
    assert!(after.contains(&erased), "{after:?}");
    // A build from the log, where it cannot be opened any more, has the same rows.
    let verified = place.verified();
    let rows = "SELECT count(*) FROM lore.cases WHERE status = 'erased' AND title IS NULL";
    assert_eq!(place.with_database(|ask| ask(rows)), "1");
    assert_eq!(verified.table("messages").0, 3);
}

#[test]
fn a_command_truncates_the_inbox_when_it_ends() {
    let place = Place::new();
    place.file("a.jsonl", line("message", "1", SECRET));
    place.json(&["import", "a.jsonl", "--channel", CHANNEL]);
    let keys = fs::read_to_string(place.data().join("log/inbox.keys")).expect("there");
    assert_eq!(keys.lines().count(), 1, "none but the next one");
    assert!(!keys.starts_with("1 "), "the first one sealed the message");
    assert_eq!(place.verified().table("messages").0, 1);
    // Nothing of the inbox is left to be folded, and nothing is lost with the tables.
    fs::remove_dir_all(place.data().join("postgres")).expect("removed");
    assert_eq!(place.verified().table("messages").0, 1);
    let again = ["import", "a.jsonl", "--channel", CHANNEL, "--again"];
    place.json(&again);
    assert_eq!(
        place.verified().table("messages").0,
        1,
        "it is known by its id"
    );
}

#[test]
fn the_data_directory_is_its_owners_alone() {
    let place = Place::new();
    place.file("a.jsonl", line("message", "1", "hello"));
    let import = ["import", "a.jsonl", "--channel", CHANNEL, "--again"];
    // Whatever the umask of the user's shell is.
    rustix::process::umask(rustix::fs::Mode::empty());
    let ran = place.run(&import);
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(open_to_others(&place.data()), [] as [PathBuf; 0]);

    let log = place.data().join("log/LAYOUT");
    fs::set_permissions(&log, Permissions::from_mode(0o604)).expect("opened");
    let ran = place.run(&import);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    let command = ran.err.split_once('(').expect("a command").1;
    let command = command.split_once(')').expect("a command").0;
    let mended = std::process::Command::new("sh")
        .args(["-c", command])
        .status();
    assert!(mended.expect("it starts").success(), "{command}");
    let ran = place.run(&import);
    assert_eq!(ran.code, Some(0), "{ran:?}");
}
