//! Laws that hold for any input and any break.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::format::Format;
use crate::text::decode;

const NAME: &str = "2009-07-02.txt";

/// 1,730 messages in four batches, with repeats, lines of the system and noise.
fn log() -> String {
    let mut log = String::new();
    for n in 0..1730 {
        let minute = n / 3;
        let (hour, minute) = (minute / 60, minute % 60);
        log += &format!("[{hour:02}:{minute:02}] <ann{}> hi {}\n", n % 2, n % 5);
        if n % 7 == 0 {
            log += "=== bob has joined #x\nnoise\n\n";
        }
    }
    log
}

fn distinct(to: &Double) -> BTreeSet<threadlore_model::EventId> {
    to.ids().into_iter().collect()
}

#[test]
fn a_broken_import_goes_on_at_any_call() {
    let log = log();
    let whole = Double::default();
    let full = run(&whole, &options(), NAME, log.as_bytes()).expect("imports");
    assert_eq!(distinct(&whole).len(), 1730);
    // Each batch is one append and one checkpoint.
    let calls = whole.state.lock().expect("lock").batches.len() * 2;
    assert_eq!(calls, 8);
    for stop in 0..calls {
        let to = Double::default();
        to.stop_after(stop);
        let error = run(&to, &options(), NAME, log.as_bytes()).expect_err("stops");
        assert!(error.to_string().contains("run"), "{error}");
        to.state.lock().expect("lock").calls_left = None;
        let rest = run(&to, &options(), NAME, log.as_bytes()).expect("goes on");
        assert_eq!(
            distinct(&to),
            distinct(&whole),
            "stopped after {stop} calls"
        );
        // What was acknowledged before the break and noted is not appended again.
        let repeats = to.ids().len() - distinct(&to).len();
        let unnoted = if stop % 2 == 1 {
            (stop / 2 + 1) * 500
        } else {
            0
        };
        let expect = unnoted.min(1730).saturating_sub(stop / 2 * 500);
        assert_eq!(repeats, expect, "stopped after {stop} calls");
        assert_eq!(rest.lines, full.lines);
        assert_eq!(rest.earlier > 0, stop >= 2);
    }
}

#[test]
fn a_finished_import_appends_nothing_unless_told_to() {
    let (log, to) = (log(), Double::default());
    let first = run(&to, &options(), NAME, log.as_bytes()).expect("imports");
    let second = run(&to, &options(), NAME, log.as_bytes()).expect("imports");
    assert!(second.was_done() && !first.was_done());
    assert_eq!((second.lines, second.taken()), (first.lines, 0));
    assert!(second.to_string().starts_with("nothing new"), "{second}");
    assert_eq!(to.ids().len(), 1730);
    let again = ImportOptions {
        again: true,
        ..options()
    };
    assert_eq!(
        run(&to, &again, NAME, log.as_bytes()).expect("imports"),
        first
    );
    assert_eq!((to.ids().len(), distinct(&to).len()), (3460, 1730));
}

#[test]
fn a_checkpoint_is_of_one_file_and_one_channel() {
    let (log, to) = (log(), Double::default());
    run(&to, &options(), NAME, log.as_bytes()).expect("imports");
    let mut other = options();
    other.target.channel = threadlore_model::ChannelId::parse("irc:#y").expect("a channel");
    let taken = |options: &ImportOptions, name: &str, log: &str| {
        run(&to, options, name, log.as_bytes())
            .expect("imports")
            .taken()
    };
    assert_eq!(taken(&other, NAME, &log), 1730);
    assert_eq!(taken(&options(), "2009-07-03.txt", &log), 1730);
    assert_eq!(taken(&options(), NAME, &log), 0);
}

#[test]
fn a_file_that_has_grown_goes_on_where_it_ended() {
    let log = log();
    let whole = log.clone() + &"[10:00] <ann> more\n".repeat(700);
    let fresh = Double::default();
    let full = run(&fresh, &options(), NAME, whole.as_bytes()).expect("imports");
    let within = |text: &str| log.len() + text.len();
    // After a line, and within one that means nothing, or something else, when it is cut.
    for end in [
        log.len(),
        log.len() - "se\n\n".len(),
        within("[10:00] <"),
        within("[10:00] <ann> mo"),
    ] {
        let to = Double::default();
        run(&to, &options(), NAME, &whole.as_bytes()[..end]).expect("imports");
        let rest = run(&to, &options(), NAME, whole.as_bytes()).expect("goes on");
        assert_eq!(
            (rest.taken(), rest.lines),
            (700, full.lines),
            "cut at {end}"
        );
        assert!(rest.replaced.is_empty());
        assert!(distinct(&to).is_superset(&distinct(&fresh)), "cut at {end}");
        let last = run(&to, &options(), NAME, whole.as_bytes()).expect("reads");
        assert!(last.was_done(), "cut at {end}");
    }
}

#[test]
fn a_file_that_was_replaced_is_imported_from_its_beginning() {
    let log = log().repeat(3);
    assert!(
        log.len() as u64 > HEAD,
        "a change behind the head counts, too"
    );
    let same_size = log[..log.len() - 100].to_owned() + &"[10:00] <ann> 23456\n".repeat(5);
    assert_eq!(same_size.len(), log.len());
    let other = "[10:00] <bob> another day\n".to_owned();
    let before = "[00:00] <bob> first\n".to_owned() + &log;
    // Whether it differs in what an import that was broken off had read, too.
    for (content, early) in [
        (same_size, false),
        (log[..log.len() / 2].to_owned(), false),
        (other, true),
        (before, true),
    ] {
        // Replaced after the import, and after it was broken off.
        for calls in [None, Some(4)] {
            let (to, fresh) = (Double::default(), Double::default());
            run(&fresh, &options(), NAME, content.as_bytes()).expect("imports");
            to.state.lock().expect("lock").calls_left = calls;
            let ended = run(&to, &options(), NAME, log.as_bytes());
            assert_eq!(ended.is_ok(), calls.is_none());
            to.state.lock().expect("lock").calls_left = None;
            let summary = run(&to, &options(), NAME, content.as_bytes()).expect("imports");
            if calls.is_some() && !early {
                assert!(summary.earlier > 0 && summary.replaced.is_empty());
            } else {
                assert_eq!(
                    (summary.earlier, &summary.replaced[..]),
                    (0, &[NAME.to_owned()][..])
                );
                assert!(summary.to_string().contains("from its beginning"));
            }
            assert!(
                distinct(&to).is_superset(&distinct(&fresh)),
                "none is missing"
            );
            let last = run(&to, &options(), NAME, content.as_bytes()).expect("reads");
            assert!(last.was_done() && last.replaced.is_empty());
        }
    }
}

#[test]
fn a_checkpoint_of_another_file_is_not_followed() {
    let (log, to) = (log(), Double::default());
    run(&to, &options(), "2009-07-03.txt", log.as_bytes()).expect("imports");
    let mut state = to.state.lock().expect("lock");
    let finished = state.blobs.values().next().expect("a checkpoint").clone();
    let name = Checkpoint::name(&options(), NAME);
    state.blobs.insert(name, finished);
    drop(state);
    let summary = run(&to, &options(), NAME, log.as_bytes()).expect("imports");
    assert_eq!((summary.taken(), summary.earlier), (1730, 0));
    assert_eq!(summary.replaced, [NAME]);
}

#[test]
fn a_checkpoint_that_is_garbage_starts_the_import_afresh() {
    let (log, to) = (log(), Double::default());
    run(&to, &options(), NAME, log.as_bytes()).expect("imports");
    for blob in to.state.lock().expect("lock").blobs.values_mut() {
        *blob = b"{\"lines\":".to_vec();
    }
    let summary = run(&to, &options(), NAME, log.as_bytes()).expect("imports");
    assert_eq!((summary.taken(), distinct(&to).len()), (1730, 1730));
}

/// Bytes that look like chat now and then.
fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..12),
        prop::sample::select(vec![
            "\n", "\r\n", "[10:00] ", "[23:59] ", "<ann> ", "<> ", "* bob ", "=== ", "hi", "\0",
            "\u{feff}", "{", "}", "\"", "\\u0000", "é", " ",
            "{\"type\":\"message\",\"id\":\"1\",\"author\":\"u\",\"text\":\"hi\",\"at\":\"2024-05-01T12:00:00Z\"}",
            "{\"type\":\"redaction\",\"id\":\"1\",\"at\":\"1960-05-01T12:00:00Z\"}",
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn every_line_is_accounted_for_once(content in pieces(), irc in any::<bool>()) {
        let mut options = options();
        options.format = Some(if irc { Format::Irc } else { Format::JsonLines });
        let to = Double::default();
        let summary = run(&to, &options, NAME, &content).expect("imported");
        let lines = content.split(|b| *b == b'\n').count() - usize::from(content.is_empty() || content.ends_with(b"\n"));
        prop_assert_eq!(summary.lines, lines as u64);
        prop_assert_eq!(
            summary.lines,
            summary.taken() + summary.system + summary.blank + summary.skipped_lines()
        );
        prop_assert_eq!(summary.taken(), to.ids().len() as u64);
        // Nothing but blanks is ever passed over in silence. A no-break space of windows-1252 is one.
        let bom = "\u{feff}".as_bytes();
        let blank = content
            .split(|b| *b == b'\n')
            .filter(|line| decode(line.strip_prefix(bom).unwrap_or(line)).0.trim().is_empty())
            .count();
        prop_assert!(summary.blank <= blank as u64);
    }

    #[test]
    fn chunks_do_not_matter(content in pieces(), size in 1..9usize) {
        let mut options = options();
        options.format = Some(Format::Irc);
        let (whole, chunked) = (Double::default(), Double::default());
        let expect = run(&whole, &options, NAME, &content);
        let input = Input {
            name: NAME.to_owned(),
            size: content.len() as u64,
            reader: std::io::BufReader::with_capacity(size, Cursor::new(&content[..])),
        };
        let found = block_on(import(&chunked, &chunked, NOW, &options, input, |_| ()));
        prop_assert_eq!(expect.ok(), found.ok());
        prop_assert_eq!(whole.ids(), chunked.ids());
    }
}
