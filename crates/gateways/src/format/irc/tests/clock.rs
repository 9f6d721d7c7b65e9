//! Times of whole logs: by which clock, on which day.

use super::*;

/// Times of the messages, without the year and the seconds.
fn times(log: &str) -> Vec<String> {
    let sent = |m: &PlatformMessage| m.sent_at.to_string()["2009-".len()..][..11].to_owned();
    messages(log).iter().map(sent).collect()
}

/// A log of these lines: a clock, or a line of its own.
fn log(lines: &[&str]) -> String {
    let line = |(n, line): (usize, &&str)| match line.len() {
        5 => format!("[{line}] <ann> {n}\n"),
        _ => format!("{line}\n"),
    };
    lines.iter().enumerate().map(line).collect()
}

fn check(lines: &[&str], expect: &[&str]) {
    assert_eq!(times(&log(lines)), expect, "{lines:?}");
}

#[test]
fn after_noon_a_clock_of_twelve_hours_is_told_from_a_new_day() {
    check(
        &["12:52", "12:59", "01:07"],
        &["07-02T12:52", "07-02T12:59", "07-02T13:07"],
    );
    // From 00 to 11, as some clients write it.
    check(
        &["11:37", "11:59", "00:00", "01:39"],
        &["07-02T11:37", "07-02T11:59", "07-02T12:00", "07-02T13:39"],
    );
    // Two days, each hour twice.
    check(
        &[
            "09:00", "12:30", "03:00", "11:59", "12:00", "08:00", "12:01",
        ],
        &[
            "07-02T09:00",
            "07-02T12:30",
            "07-02T15:00",
            "07-02T23:59",
            "07-03T00:00",
            "07-03T08:00",
            "07-03T12:01",
        ],
    );
    // A whole day begins at midnight, though it is written as noon.
    check(
        &["12:01", "01:00", "11:50", "12:10", "01:00", "11:58"],
        &[
            "07-02T00:01",
            "07-02T01:00",
            "07-02T11:50",
            "07-02T12:10",
            "07-02T13:00",
            "07-02T23:58",
        ],
    );
}

#[test]
fn a_clock_of_24_hours_begins_a_new_day_when_it_falls_back() {
    check(
        &["21:29", "23:59", "00:01", "03:26"],
        &["07-02T21:29", "07-02T23:59", "07-03T00:01", "07-03T03:26"],
    );
    // An hour from 13 on, anywhere in the log, tells the clock.
    check(
        &["12:59", "01:07", "13:00"],
        &["07-02T12:59", "07-03T01:07", "07-03T13:00"],
    );
    check(
        &["12:59", "01:07", "00:30"],
        &["07-02T12:59", "07-03T01:07", "07-03T00:30"],
    );
    // A channel that is silent for most of the day.
    check(
        &["14:03", "09:00", "10:00", "09:30", "08:00"],
        &[
            "07-02T14:03",
            "07-03T09:00",
            "07-03T10:00",
            "07-03T09:30",
            "07-04T08:00",
        ],
    );
    check(
        &["11:00", "09:00", "07:59"],
        &["07-02T11:00", "07-03T09:00", "07-04T07:59"],
    );
}

#[test]
fn a_clock_that_was_corrected_begins_no_new_day() {
    check(
        &[
            "23:58", "23:57", "00:01", "23:59", "00:02", "02:59", "02:00",
        ],
        &[
            "07-02T23:58",
            "07-02T23:57",
            "07-03T00:01",
            "07-02T23:59",
            "07-03T00:02",
            "07-03T02:59",
            "07-03T02:00",
        ],
    );
}

#[test]
fn lines_that_name_the_day_set_it() {
    // Before midnight's first message, and after it.
    for lines in [
        ["23:59", "--- Day changed Fri Jul 03 2009", "00:00", "00:01"],
        ["23:59", "00:00", "--- Day changed Fri Jul 03 2009", "00:01"],
        ["23:59", "00:00", "--- Day changed", "00:01"],
        ["23:59", "--- Day changed", "00:00", "00:01"],
    ] {
        check(&lines, &["07-02T23:59", "07-03T00:00", "07-03T00:01"]);
    }
    // Days without any message.
    check(
        &[
            "10:00",
            "--- Day changed Fri Jul 03 2009",
            "--- Day changed Sat Jul 04 2009",
            "10:30",
        ],
        &["07-02T10:00", "07-04T10:30"],
    );
    // A clock of 12 hours that begins in the afternoon.
    check(
        &[
            "03:00",
            "11:59",
            "--- Day changed Fri Jul 03 2009",
            "12:01",
            "12:59",
            "01:05",
        ],
        &[
            "07-02T15:00",
            "07-02T23:59",
            "07-03T00:01",
            "07-03T00:59",
            "07-03T01:05",
        ],
    );
    check(
        &[
            "--- Log opened Thu Jul 02 15:00:10 2009",
            "03:00",
            "11:59",
            "12:00",
            "12:59",
            "01:00",
        ],
        &[
            "07-02T15:00",
            "07-02T23:59",
            "07-03T00:00",
            "07-03T00:59",
            "07-03T01:00",
        ],
    );
    // One that was opened again on the same day.
    check(
        &["14:00", "--- Log opened Thu Jul 02 14:30:00 2009", "14:31"],
        &["07-02T14:00", "07-02T14:31"],
    );
}

#[test]
fn every_line_with_a_time_tells_the_time() {
    let log = "[23:00] <a> 1\n[00:30] === b has joined #x\n[23:30] <a> 2\n";
    assert_eq!(times(log), ["07-02T23:00", "07-03T23:30"]);
    let log = "[23:00] <a> 1\n[00:30] noise\n * a 2\n";
    assert_eq!(times(log), ["07-02T23:00", "07-03T00:30"]);
}

#[test]
fn the_day_is_named_by_the_log_itself() {
    let day = |head: &str| first_day(head.as_bytes());
    let opened = "--- Log opened Thu Jul 02 14:03:11 2009\n[14:03] <ann> hi\n";
    assert_eq!(day(opened), Some(date(2009, 7, 2)));
    // The first line is of the day before.
    let changed = "[14:03] <ann> hi\n--- Day changed Fri Jul 03 2009\n";
    assert_eq!(day(changed), None);
}

#[test]
fn a_clock_is_told_by_much_of_a_log() {
    let quiet = "[12:59] <ann> a\n[01:00] <ann> b\n".repeat(20_000);
    let style = |log: &str| ClockStyle::detect(log.as_bytes()).hours;
    assert_eq!(style(&quiet), ClockHours::HalfDay);
    assert_eq!(style(&(quiet + "[13:00] <ann> c\n")), ClockHours::Day);
    let hostile = format!(
        "[12:59] <a> b\n{}\n[01:00] <a> c\n\0[13:00]",
        "x".repeat(20 << 20)
    );
    assert_eq!(
        style(&hostile),
        ClockHours::Day,
        "nothing behind 16 MiB is looked at"
    );
}

/// Whatever a log has in it, its times never run back by more than a correction.
mod laws {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn times_never_run_back_by_hours(clocks in prop::collection::vec((0..24_u32, 0..60_u32), 1..60)) {
            let lines: Vec<String> = clocks.iter().map(|(h, m)| format!("{h:02}:{m:02}")).collect();
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            let sent: Vec<i64> = messages(&log(&lines)).iter().map(|m| m.sent_at.as_millis()).collect();
            prop_assert_eq!(sent.len(), clocks.len());
            for pair in sent.windows(2) {
                prop_assert!(pair[1] - pair[0] >= -60 * 60_000, "{:?}", lines);
                prop_assert!(pair[1] - pair[0] <= 24 * 60 * 60_000, "{:?}", lines);
            }
        }
    }
}
