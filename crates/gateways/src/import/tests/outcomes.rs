//! What comes of good, odd and hostile files.

use std::collections::BTreeMap;
use std::io::BufReader;

use super::*;
use crate::format::Format;
use crate::parsed::SkipReason;

fn check(name: &str, content: &[u8], taken: u64, skipped: &[(SkipReason, u64)]) -> Summary {
    let summary = run(&Double::default(), &options(), name, content).expect("imports");
    let expect: BTreeMap<_, _> = skipped.iter().map(|(r, n)| (r.text(), *n)).collect();
    let counts = summary.skipped.iter().map(|(r, t)| (*r, t.count));
    let found: BTreeMap<_, _> = counts.collect();
    assert_eq!((summary.taken(), found), (taken, expect), "{name}");
    summary
}

fn message(id: &str, at: &str) -> String {
    format!(r#"{{"type":"message","id":"{id}","author":"u","text":"hi","at":"{at}"}}"#)
}

#[test]
fn an_irc_log_is_taken_and_counted() {
    let log = b"=== ann has joined #x\n[10:00] <ann> hi\n\n[10:01]  * ann waves\nnoise\n[10:02] <bob> cut";
    let summary = check("2009-07-02.txt", log, 3, &[(SkipReason::NotIrc, 1)]);
    assert_eq!((summary.lines, summary.system, summary.blank), (6, 1, 1));
    assert_eq!(
        summary.to_string(),
        "6 lines: 3 messages, 1 system lines, 1 blank lines, 1 lines skipped\n  \
         skipped 1: not a line of an IRC log\n    2009-07-02.txt:5"
    );
}

#[test]
fn hostile_files_are_taken_as_far_as_they_go() {
    let jsonl = |lines: &[String]| lines.join("\n").into_bytes();
    let good = message("1", "2024-05-01T12:00:00Z");
    check("e.jsonl", b"", 0, &[]);
    check(
        "cut.jsonl",
        &jsonl(&[good.clone(), good[..40].to_owned()]),
        1,
        &[(SkipReason::CutOff, 1)],
    );
    check("same.jsonl", &jsonl(&[good.clone(), good.clone()]), 2, &[]);
    check(
        "far.jsonl",
        &jsonl(&[
            message("1", "1969-12-31T23:59:59.999Z"),
            message("2", "-000044-03-15T00:00:00Z"),
            message("3", "1970-01-01T00:00:00Z"),
            message("4", "2030-01-02T00:00:00Z"),
            message("5", "2030-01-02T00:00:00.001Z"),
            message("6", "9999-12-30T00:00:00Z"),
        ]),
        2,
        &[(SkipReason::OutOfRange, 2), (SkipReason::Future, 2)],
    );
    let mut huge = good.clone().into_bytes();
    huge.extend_from_slice(b"\n{\"type\":\"message\",\"text\":\"");
    huge.resize(10 << 20, b'x');
    huge.extend_from_slice(b"\"}\n");
    huge.extend_from_slice(good.as_bytes());
    let summary = check("huge.jsonl", &huge, 2, &[(SkipReason::LineTooLong, 1)]);
    assert_eq!(
        summary.skipped[SkipReason::LineTooLong.text()].first[0].to_string(),
        "huge.jsonl:2"
    );
    let mut latin = good.clone().into_bytes();
    latin.extend_from_slice(b"\n\"caf\xe9\"\n\0\0\n");
    check(
        "latin.jsonl",
        &latin,
        1,
        &[(SkipReason::NotJson, 1), (SkipReason::NotUtf8, 1)],
    );
    check(
        "2031-01-01.txt",
        b"[10:00] <ann> hi\n",
        0,
        &[(SkipReason::Future, 1)],
    );
    check(
        "1969-12-31.txt",
        b"[10:00] <ann> hi\n",
        0,
        &[(SkipReason::OutOfRange, 1)],
    );
    check(
        "2009-07-02.txt",
        b"[10:00] <ann>\n[10:00] <> x\n[99:00] <a> x\n",
        0,
        &[
            (SkipReason::NoSender, 1),
            (SkipReason::NoText, 1),
            (SkipReason::BadTime, 1),
        ],
    );
}

#[test]
fn the_first_three_lines_of_a_reason_are_named() {
    let log = b"[10:00] <ann> hi\nx\nx\nx\nx\n";
    let summary = check("2009-07-02.txt", log, 1, &[(SkipReason::NotIrc, 4)]);
    let named = "not a line of an IRC log\n    2009-07-02.txt:2\n    2009-07-02.txt:3\n    \
                 2009-07-02.txt:4\n    …";
    assert!(summary.to_string().ends_with(named), "{summary}");
}

#[test]
fn old_encodings_and_controls_are_read_and_counted() {
    let to = Double::default();
    let log = b"\xef\xbb\xbf[10:00] <ann> caf\xe9 \x93ok\x94\r\n[10:01] <ann> a\0b\x1b\n";
    let summary = run(&to, &options(), "2009-07-02.txt", log).expect("imports");
    let texts: Vec<_> = to
        .state
        .lock()
        .expect("lock")
        .events
        .iter()
        .map(text)
        .collect();
    // The mark of UTF-8 at the front is no character of the log.
    assert_eq!(texts, ["café “ok”", "ab"]);
    let changed: Vec<_> = summary.changed.iter().map(|(r, t)| (*r, t.count)).collect();
    assert_eq!(
        changed,
        [
            ("control characters removed", 1),
            ("not UTF-8, read as windows-1252", 1)
        ]
    );
}

fn text(event: &Event) -> String {
    match &event.body {
        threadlore_model::Body::PlatformMessage(m) => m.text.clone(),
        other => panic!("{}", other.type_name()),
    }
}

#[test]
fn an_empty_file_is_no_error() {
    for (name, content) in [
        ("a.txt", &b""[..]),
        ("b.log", b"\n \r\n\n"),
        ("c.jsonl", b""),
    ] {
        let mut options = options();
        for format in [None, Some(Format::Irc)] {
            options.format = format;
            let summary = run(&Double::default(), &options, name, content).expect("no error");
            assert!(summary.is_empty(), "{name}");
            assert_eq!(summary.to_string(), "nothing in it");
        }
    }
}

#[test]
fn what_cannot_be_imported_is_said_and_nothing_is_written() {
    for (name, content, words) in [
        (
            "a.txt",
            &b"1000 1000 -\n"[..],
            "not of a format that is known",
        ),
        ("a.gz", b"\x1f\x8b\x08\0\0", "a.gz: not of a format"),
        ("2009-07-02.txt", b"\xff\xfe[\x001\x00", "a binary file"),
        ("ubuntu.txt", b"[10:00] <ann> hi\n", "the day is not known"),
    ] {
        let to = Double::default();
        let error = run(&to, &options(), name, content).expect_err("refused");
        assert!(error.to_string().contains(words), "{error}");
        let state = to.state.lock().expect("lock");
        assert!(state.events.is_empty() && state.blobs.is_empty(), "{name}");
    }
    let dated = ImportOptions {
        date: Some(jiff::civil::date(2009, 7, 2)),
        ..options()
    };
    let summary = run(
        &Double::default(),
        &dated,
        "ubuntu.txt",
        b"[10:00] <ann> hi\n",
    );
    assert_eq!(summary.expect("a date was given").messages, 1);
}

#[test]
fn a_reader_that_breaks_is_reported_with_its_place() {
    /// A file whose end cannot be read.
    struct Broken(Cursor<Vec<u8>>);
    impl Read for Broken {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            match self.0.read(into)? {
                0 => Err(io::Error::other("disk on fire")),
                count => Ok(count),
            }
        }
    }
    impl Seek for Broken {
        fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
            self.0.seek(to)
        }
    }
    let head = "[10:00] <ann> hi\n".repeat(5000);
    assert!(head.len() as u64 > HEAD);
    let input = Input {
        name: "2009-07-02.txt".to_owned(),
        size: 1,
        reader: BufReader::new(Broken(Cursor::new(head.into_bytes()))),
    };
    let to = Double::default();
    let error = block_on(import(&to, &to, NOW, &options(), input, |_| ())).expect_err("breaks");
    assert!(error.to_string().contains("after line 5000"), "{error}");
    assert_eq!(to.ids().len(), 5000);
}

#[test]
fn batches_are_of_bounded_size() {
    let to = Double::default();
    let mut log: String = (0..1201).map(|n| format!("[10:00] <ann> {n}\n")).collect();
    for _ in 0..9 {
        log += &format!("[10:00] <ann> {}\n", "x".repeat(1 << 19));
    }
    let mut seen = Vec::new();
    let input = Input {
        name: "2009-07-02.txt".to_owned(),
        size: log.len() as u64,
        reader: Cursor::new(log.as_bytes()),
    };
    let summary = block_on(import(&to, &to, NOW, &options(), input, |p| seen.push(p)));
    assert_eq!(summary.expect("imports").messages, 1210);
    assert_eq!(to.state.lock().expect("lock").batches, [500, 500, 209, 1]);
    let last = seen.last().expect("progress");
    assert_eq!(
        (last.read.bytes, last.size, last.events),
        (log.len() as u64, log.len() as u64, 1210)
    );
    assert!(seen.len() > 1);
}

#[test]
fn a_file_of_which_nothing_can_be_taken_is_refused_again() {
    let log = b"{\"user\":\"u\",\"ts\":1}\n{\"user\":\"v\",\"ts\":2}\n";
    let to = Double::default();
    for _ in 0..2 {
        let summary = run(&to, &options(), "slack.jsonl", log).expect("reads");
        assert!(summary.took_nothing() && !summary.was_done(), "{summary}");
        let said = summary.to_string();
        assert!(
            said.contains("JSON lines with the fields user, ts"),
            "{said}"
        );
    }
    assert!(to.state.lock().expect("lock").blobs.is_empty());
    // One that is of the format, but not of its time, is not taken for another format.
    let future = message("1", "2031-01-01T00:00:00Z");
    let summary = run(&to, &options(), "a.jsonl", future.as_bytes()).expect("reads");
    assert!(summary.took_nothing(), "{summary}");
    assert!(!summary.to_string().contains("looks like"), "{summary}");
    // Nothing, and what the log says about itself, is no reason to refuse.
    for log in [&b""[..], b"=== ann has joined #x\n"] {
        let summary = run(&to, &options(), "2009-07-02.txt", log).expect("reads");
        assert!(!summary.took_nothing(), "{summary}");
    }
}

#[test]
fn a_skipped_line_is_named_with_its_file_and_field() {
    let good = message("1", "2024-05-01T12:00:00Z");
    let bad = |field: &str| good.replace("\"id\":\"1\"", field);
    let lines = [
        good.clone(),
        bad("\"id\":\"2\",\"reply_to\":7"),
        bad("\"id\":\"\""),
        good.replace("2024", "in 2024"),
    ];
    let summary = check(
        "/logs/chat.jsonl",
        lines.join("\n").as_bytes(),
        1,
        &[
            (SkipReason::NotOfFormat, 1),
            (SkipReason::BadId, 1),
            (SkipReason::BadTime, 1),
        ],
    );
    for place in [
        "chat.jsonl:2: field \"reply_to\": a number where text is needed",
        "chat.jsonl:3: field \"id\": empty",
        "chat.jsonl:4: field \"at\": not a time such as 2024-05-01T12:00:00Z",
    ] {
        assert!(
            summary.to_string().contains(&format!("\n    {place}")),
            "{summary}"
        );
    }
    let json = serde_json::to_value(&summary).expect("JSON");
    let first = &json["skipped"][SkipReason::BadId.text()]["first"][0];
    assert_eq!(
        *first,
        serde_json::json!({ "file": "chat.jsonl", "line": 3, "detail": "field \"id\": empty" })
    );
}

#[test]
fn what_a_clock_was_taken_for_is_said_once_per_file() {
    let to = Double::default();
    let mut all = Summary::default();
    for (name, log) in [
        (
            "2009-07-02.txt",
            &b"[12:59] <ann> hi\n[01:07] <ann> ho\n"[..],
        ),
        ("2009-07-03.txt", b"[23:59] <ann> hi\n\n[00:01] <ann> ho\n"),
        ("2009-07-05.txt", b"[10:00] <ann> hi\n[10:01] <ann> ho\n"),
    ] {
        all.merge(run(&to, &options(), name, log).expect("imports"));
    }
    assert!(
        all.to_string().ends_with(
            "\n  2009-07-02.txt: read as a 12-hour clock, from the afternoon\n  \
             2009-07-03.txt: read as a 24-hour clock; a new day begins at line 3"
        ),
        "{all}"
    );
}

#[test]
fn an_import_that_was_broken_off_reads_the_same_times() {
    // More than a batch before the line at which noon passes.
    let mut log: String = (0..700)
        .map(|n| format!("[{:02}:{:02}] <ann> {n}\n", 9 + n / 200, n % 60))
        .collect();
    log += "[12:59] <ann> x\n[01:07] <ann> y\n";
    let whole = Double::default();
    run(&whole, &options(), "2009-07-02.txt", log.as_bytes()).expect("imports");
    let to = Double::default();
    to.stop_after(2);
    run(&to, &options(), "2009-07-02.txt", log.as_bytes()).expect_err("stops");
    to.state.lock().expect("lock").calls_left = None;
    run(&to, &options(), "2009-07-02.txt", log.as_bytes()).expect("goes on");
    assert_eq!(to.ids(), whole.ids());
}
