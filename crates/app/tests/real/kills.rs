//! SIGKILL at any moment of import and extraction: nothing is lost, nothing is
//! there twice, and the tables are what the log says.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::numbers::Numbers;
use super::support::{Place, demo, messages};

const CHANNEL: &str = "irc:#u";
/// Kills; `THREADLORE_KILLS` sets another number.
const KILLS: usize = 50;
/// Longest time in which kills are made, so that a slow machine ends too.
const TIME: Duration = Duration::from_secs(180);
/// What must be there when `TIME` ends the test before `KILLS` does.
const LEAST: usize = 10;
const SEED: u64 = 20_261_121;

/// Lines that are added for each life of the process: more than it can finish.
const LINES: usize = 300;

/// Parts of the bundled logs again and again, each time as another day.
struct Logs {
    days: Vec<Vec<u8>>,
    written: usize,
    messages: Vec<(String, String)>,
}

impl Logs {
    fn new() -> Self {
        let mut paths: Vec<_> = std::fs::read_dir(demo())
            .expect("the logs")
            .map(|entry| entry.expect("an entry").path())
            .collect();
        paths.sort();
        let read = |path: &std::path::PathBuf| std::fs::read(path).expect("a log");
        Self {
            days: paths
                .iter()
                .map(read)
                .flat_map(|log| {
                    let lines: Vec<&[u8]> = log.split_inclusive(|b| *b == b'\n').collect();
                    let parts = lines.chunks(LINES).map(<[_]>::concat);
                    parts.collect::<Vec<_>>()
                })
                .collect(),
            written: 0,
            messages: Vec::new(),
        }
    }

    /// Writes one more day; returns the messages of all days.
    fn add(&mut self, place: &Place) -> usize {
        let n = self.written;
        let day = &self.days[n % self.days.len()];
        let name = format!(
            "in/{}-{:02}-{:02}.txt",
            2001 + n / 300,
            1 + n % 300 / 25,
            1 + n % 25
        );
        // Whole at once: a file that grows while it is read would be another file.
        place.file("day.new", day);
        std::fs::create_dir_all(place.path().join("in")).expect("made");
        std::fs::rename(place.path().join("day.new"), place.path().join(name)).expect("named");
        self.messages.extend(messages(day));
        self.written += 1;
        self.messages.len()
    }
}

/// What the database knew to be unfinished just before a kill.
#[derive(Debug, Default)]
struct Unfinished {
    import: usize,
    extraction: usize,
}

/// Messages folded; events in outboxes and calls without answer; records that the
/// extractor has not read of those that the projector has.
const STATE: &str = "SELECT (SELECT count(*) FROM lore.messages), \
    (SELECT count(*) FROM lore_state.outbox) + (SELECT count(*) FROM lore_state.effects), \
    (SELECT coalesce(sum((p.positions->>'chat.events')::bigint \
        - coalesce((e.positions->>'chat.events')::bigint, 0)), 0) \
     FROM lore_state.shards p LEFT JOIN lore_state.shards e \
        ON e.partition = p.partition AND e.consumer_group = 'extractor' \
     WHERE p.consumer_group LIKE '%messages%')";

fn number(text: Option<&str>) -> usize {
    text.and_then(|n| n.parse().ok()).unwrap_or(0)
}

#[test]
fn killed_again_and_again_nothing_is_lost_or_doubled() {
    #[expect(clippy::disallowed_methods, reason = "a number for a run by hand")]
    let kills = std::env::var("THREADLORE_KILLS").map_or(KILLS, |n| n.parse().expect("a number"));
    let place = Place::new();
    let mut logs = Logs::new();
    let (mut numbers, mut counted, mut idle) = (Numbers::from(SEED), Unfinished::default(), 0);
    let args = [
        "standalone",
        "--import",
        "in",
        "--channel",
        CHANNEL,
        "--until-drained",
    ];
    let work = |place: &Place| place.start(&mut place.command(&args));
    #[expect(clippy::disallowed_methods, reason = "the test's own wall time")]
    let started = Instant::now();
    while counted.import + counted.extraction < kills && started.elapsed() < TIME {
        let expected = logs.add(&place);
        let mut process = work(&place);
        assert!(process.wait_for("running every role"), "{}", process.said());
        let delay = 20 + numbers.below(1000);
        #[expect(clippy::disallowed_methods, reason = "any moment will do")]
        std::thread::sleep(Duration::from_millis(delay));
        let state = place.sql(STATE).unwrap_or_default();
        let done = process.has_said("nothing is left to do");
        process.kill();
        let mut state = state.split('|');
        let folded = number(state.next());
        let (waiting, unread) = (number(state.next()), number(state.next()));
        match done {
            true => idle += 1,
            false if folded < expected => counted.import += 1,
            false if waiting + unread > 0 => counted.extraction += 1,
            false => idle += 1,
        }
    }
    let seconds = started.elapsed().as_secs();
    let all = counted.import + counted.extraction;
    println!(
        "{all} kills in {seconds} s, seed {SEED}: {counted:?}; {idle} not counted, nothing was left to do"
    );
    assert!(all >= kills.min(LEAST), "enough kills within {TIME:?}");

    let ended = work(&place).end();
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    let verified = place.verified();
    let (rows, digest) = verified.table("messages");
    println!(
        "{rows} messages, {} cases afterwards",
        verified.table("cases").0
    );
    assert_eq!(rows, logs.messages.len() as u64, "lost or doubled");
    place.with_database(|sql| {
        let counts = sql("SELECT count(*), count(DISTINCT message), \
             (SELECT count(*) FROM lore_state.accepted a \
              JOIN lore.messages m ON m.message = a.event) FROM lore.messages");
        assert_eq!(
            counts,
            format!("{rows}|{rows}|{rows}"),
            "rows, ids, accepted ids"
        );
        let cases = sql("SELECT count(*) = count(DISTINCT case_id) FROM lore.cases");
        assert_eq!(cases, "t", "a case id is there twice");
        let nicks = sql("SELECT name, count(*) FROM lore.messages GROUP BY name");
        assert_eq!(
            per_nick(&nicks),
            per_nick_of(&logs.messages),
            "messages of each nick"
        );
    });
    let other = Place::beside(&place);
    let input = place.path().join("in");
    let input = input.to_str().expect("UTF-8");
    other.json(&["import", input, "--channel", CHANNEL]);
    let undisturbed = other.verified().table("messages");
    assert_eq!(undisturbed, (rows, digest), "as if nothing had happened");
}

fn per_nick(rows: &str) -> BTreeMap<String, usize> {
    let split = |row: &str| {
        let (nick, count) = row.rsplit_once('|').expect("two columns");
        (nick.to_owned(), count.parse().expect("a count"))
    };
    rows.lines().map(split).collect()
}

fn per_nick_of(messages: &[(String, String)]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for (nick, _) in messages {
        *counts.entry(nick.clone()).or_default() += 1;
    }
    counts
}
