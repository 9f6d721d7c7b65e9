use jiff::civil::date;
use threadlore_model::{Body, ChannelId, PlatformMessage, SpaceId};

use super::*;
use crate::bots::Bots;
use crate::format::Format;

mod clock;

fn reader(log: &str) -> Irc {
    let target = Target {
        space: SpaceId::parse("s").expect("a space"),
        channel: ChannelId::parse("irc:#x").expect("a channel"),
        bots: Bots::parse("ubottu,FloodBot*").expect("bots"),
    };
    let style = ClockStyle::detect(log.as_bytes());
    Irc::new(target, date(2009, 7, 2), style)
}

fn of_number(text: &str) -> Line<'_> {
    Line {
        number: 1,
        text,
        ended: true,
    }
}

fn messages(log: &str) -> Vec<PlatformMessage> {
    let mut irc = reader(log);
    let parsed = log
        .lines()
        .map(|line| irc.read(of_number(line), &mut Vec::new()));
    parsed
        .filter_map(|parsed| match parsed {
            Parsed::Event(event) => match event.body {
                Body::PlatformMessage(message) => Some(message),
                other => panic!("{} from IRC", other.type_name()),
            },
            _ => None,
        })
        .collect()
}

/// The same four lines as four clients write them: who, what, and when.
#[test]
fn logs_of_irssi_weechat_mirc_and_znc_say_the_same() {
    let irssi = "--- Log opened Thu Jul 02 23:58:00 2009\n\
        23:58 -!- ann [~ann@host] has joined #help\n23:58 < ann> my sound is gone\n\
        23:59 <@bob> run alsamixer\n23:59 -ChanServ- be kind\n--- Day changed Fri Jul 03 2009\n\
        00:01  * ann hears it\n00:02 -!- mode/#help [+o bob] by ChanServ\n";
    let weechat = "2009-07-02 23:58:10\t-->\tann (~ann@host) has joined #help\n\
        2009-07-02 23:58:11\tann\tmy sound is gone\n2009-07-02 23:59:12\t@bob\trun alsamixer\n\
        2009-07-02 23:59:13\t--\tNotice(ChanServ): be kind\n2009-07-03 00:01:14\t *\tann hears it\n\
        2009-07-03 00:02:15\t<--\tbob has quit (bye)\n";
    let mirc = "Session Start: Thu Jul 02 23:58:00 2009\nSession Ident: #help\n\
        [23:58] * ann (~ann@host) has joined #help\n[23:58] <ann> \u{3}4,1my\u{3} sound is gone\n\
        [23:59] <@bob> \u{2}run\u{f} alsamixer\n[23:59] * bob sets mode: +v ann\n[00:01] * ann hears it\n\
        [00:02] * bob is now known as bobby\nSession Close: Fri Jul 03 00:10:00 2009\n";
    let znc = "[23:58:10] *** Joins: ann (~ann@host)\n[23:58:11] <ann> my sound is gone\n\
        [23:59:12] <bob> run alsamixer\n[23:59:13] -ChanServ- be kind\n[00:01:14] * ann hears it\n\
        [00:02:15] *** Quits: bob (~bob@host) (bye)\n";
    for (client, log, seconds) in [
        ("irssi", irssi, ["00", "00", "00"]),
        ("WeeChat", weechat, ["11", "12", "14"]),
        ("mIRC", mirc, ["00", "00", "00"]),
        ("ZNC", znc, ["11", "12", "14"]),
    ] {
        let said = messages(log);
        let lines: Vec<(&str, &str, String)> = said
            .iter()
            .map(|one| {
                (
                    one.author_id.as_str(),
                    one.text.trim(),
                    one.sent_at.to_string(),
                )
            })
            .collect();
        let at = |minute: &str, second: &str| format!("{minute}:{second}Z");
        assert_eq!(
            lines,
            [
                (
                    "ann",
                    "my sound is gone",
                    at("2009-07-02T23:58", seconds[0])
                ),
                ("bob", "run alsamixer", at("2009-07-02T23:59", seconds[1])),
                ("ann", "hears it", at("2009-07-03T00:01", seconds[2])),
            ],
            "{client}"
        );
        assert_eq!(
            Format::detect("a.log", log.as_bytes()),
            Some(Format::Irc),
            "{client}"
        );
        // A log with seconds gives a message the same id.
        assert_eq!(said[0].native_id, messages(znc)[0].native_id, "{client}");
        let unread = log
            .lines()
            .map(|line| reader(log).line(line, &mut Vec::new()));
        let unread = unread.filter(|parsed| matches!(parsed, Parsed::Skip(_)));
        assert_eq!(unread.count(), 0, "{client}");
    }
}

#[test]
fn the_day_is_in_the_name_or_on_each_line() {
    for (name, expect) in [
        ("/a/2024-05-01.log", Some(date(2024, 5, 1))),
        ("#help_20240501.log", Some(date(2024, 5, 1))),
        ("#help.20240501.log.gz", Some(date(2024, 5, 1))),
        ("20240501-2024-06-02.log", Some(date(2024, 6, 2))),
        ("12345678.log", None),
        ("202405011.log", None),
        ("#help.log", None),
    ] {
        assert_eq!(date_in(name), expect, "{name}");
    }
    let weechat = b"2009-07-02 23:58:11\tann\thi\n";
    assert_eq!(first_day(weechat), Some(date(2009, 7, 2)));
    assert_eq!(
        first_day(b"[10:00] <ann> hi\n--- Day changed Fri Jul 03 2009\n"),
        None
    );
}

#[test]
fn lines_have_these_shapes() {
    fn check(line: &str, expect: Shape<'_>) {
        assert_eq!(shape(line), expect, "{line:?}");
    }
    let said = |timed, nick, text| Shape::Said { timed, nick, text };
    check("[12:34] <ann> hi  there ", said(true, "ann", "hi  there"));
    check("[12:34] <ann> a > b <c>", said(true, "ann", "a > b <c>"));
    check(
        "[00:00]  * bob waves at ann",
        said(true, "bob", "waves at ann"),
    );
    check("[23:59] * bob", said(true, "bob", ""));
    check(" * bob waves", said(false, "bob", "waves"));
    check("<ann> no time", said(false, "ann", "no time"));
    check("[12:34] <@ann> op", said(true, "ann", "op"));
    check("[12:34] <\\`oot> hi", said(true, "\\`oot", "hi"));
    check("[12:34] <ann>", said(true, "ann", ""));
    check("=== ann has joined #x", Shape::System);
    check("--- Day changed Fri Jul 03 2009", Shape::System);
    check("[12:34] === mode/#x [+o ann]", Shape::System);
    check("[12:34] <> hi", Shape::Other(SkipReason::NoSender));
    check("[12:34] < > hi", Shape::Other(SkipReason::NoSender));
    check("[12:34] *  ", Shape::Other(SkipReason::NotIrc));
    check("[24:00] <ann> hi", Shape::Other(SkipReason::BadTime));
    check("[1:00] <ann> hi", Shape::Other(SkipReason::BadTime));
    check("[+1:+2] <ann> hi", Shape::Other(SkipReason::BadTime));
    check("[] <ann> hi", Shape::Other(SkipReason::BadTime));
    check("[12:34 <ann> hi", Shape::Other(SkipReason::NotIrc));
    check("[01:09] (ann/#x) bob: hi", Shape::Other(SkipReason::NotIrc));
    check("[12:34] <two words> hi", Shape::Other(SkipReason::NotIrc));
    check("[12:34] <ann", Shape::Other(SkipReason::NotIrc));
    check("=====", Shape::Other(SkipReason::NotIrc));
    check("***", Shape::Other(SkipReason::NotIrc));
    check("", Shape::Other(SkipReason::NotIrc));
}

#[test]
fn a_line_before_any_time_is_of_midnight() {
    assert_eq!(
        messages("<a> x\n")[0].sent_at.to_string(),
        "2009-07-02T00:00:00Z"
    );
}

#[test]
fn ids_tell_equal_lines_apart_and_repeat() {
    let log = "[10:00] <a> hi\n[10:00] <a> hi\n[10:00] <b> hi\n[10:01] <a> hi\n[10:00] <a> hi\n\
               [10:00] <A> hi\n[09:00] <a> x\n";
    let ids: Vec<String> = messages(log).into_iter().map(|m| m.native_id).collect();
    let mut distinct = ids.clone();
    distinct.sort();
    distinct.dedup();
    assert_eq!(distinct.len(), ids.len(), "{ids:?}");
    let again: Vec<String> = messages(log).into_iter().map(|m| m.native_id).collect();
    assert_eq!(ids, again);
    // What precedes a minute does not change its ids.
    let later = "[10:01] <a> hi\n";
    assert_eq!(messages(later)[0].native_id, ids[3]);
    // The same words a day later are another message.
    let next_day = messages("[23:00] <z> 1\n[10:00] <a> hi\n");
    assert!(!ids.contains(&next_day[1].native_id));
}

#[test]
fn a_nick_keeps_its_spelling_and_has_one_id() {
    let both = messages("[10:00] <Ann[w]> hi\n[10:00] <ann{W}> ho\n[10:00] <FloodBOT9> no\n");
    assert_eq!(both[0].author_name.as_deref(), Some("Ann[w]"));
    assert_eq!(both[0].author_id, "ann{w}");
    assert_eq!(both[1].author_id, "ann{w}");
    assert!(!both[0].author_is_bot && both[2].author_is_bot);
}

#[test]
fn long_texts_are_cut_and_long_nicks_refused() {
    let mut changes = Vec::new();
    let line = format!("[10:00] <a> x{}", "é".repeat(TEXT_MAX));
    let Parsed::Event(event) = reader(&line).line(&line, &mut changes) else {
        panic!("a message");
    };
    let Body::PlatformMessage(message) = event.body else {
        panic!("a message");
    };
    assert_eq!(message.text.len(), TEXT_MAX - 1);
    assert_eq!(changes, [Change::TextCut]);
    let line = format!("[10:00] <{}> x", "a".repeat(NAME_MAX + 1));
    let refused = reader(&line).line(&line, &mut changes);
    assert_eq!(refused, Parsed::skip(SkipReason::BadId));
}

#[test]
fn the_date_stands_in_the_file_name() {
    for (name, expect) in [
        ("2009-07-02.txt", Some(date(2009, 7, 2))),
        (
            "/a/2001-01-01/2009-07-02.train-c.ascii.txt",
            Some(date(2009, 7, 2)),
        ),
        ("#ubuntu-2009-07-02.log", Some(date(2009, 7, 2))),
        ("2009-13-02 2010-01-31", Some(date(2010, 1, 31))),
        ("12009-07-02.txt", None),
        ("2009-07-021", None),
        ("/2009-07-02/ubuntu.txt", None),
        ("ünï-2009-07-02", Some(date(2009, 7, 2))),
        ("", None),
    ] {
        assert_eq!(date_in(name), expect, "{name}");
    }
}

#[test]
fn a_clock_is_that_of_the_zone_that_is_named() {
    let log = "[23:30] <ann> hi\n[01:30] <bob> hello\n[02:30] <ann> in summer\n";
    let mut irc = reader(log);
    irc.clock = Clock::new(irc.style, date(2009, 3, 28));
    irc.zone = TimeZone::get("Europe/Berlin").expect("a zone");
    let mut at = Vec::new();
    for line in log.lines() {
        match irc.line(line, &mut Vec::new()) {
            Parsed::Event(event) => at.push(event.envelope.time.to_string()),
            other => panic!("{other:?}"),
        }
    }
    // The second day's clock has no 02:30: it went from 02:00 to 03:00.
    let expect = [
        "2009-03-28T22:30:00Z",
        "2009-03-29T00:30:00Z",
        "2009-03-29T01:30:00Z",
    ];
    assert_eq!(at, expect);
}
