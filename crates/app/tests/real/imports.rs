//! Many imports at once beside `standalone`, which is killed in the middle: every line is
//! a row, whatever their number and however often the owner dies.

use std::path::PathBuf;
use std::time::Duration;

use super::chat::parts;
use super::numbers::Numbers;
use super::support::{Place, Running, messages};

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
