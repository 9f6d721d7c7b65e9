use threadlore_model::{Body, ChannelId, MessageId, SpaceId};

use super::*;
use crate::bots::Bots;

fn target() -> Target {
    Target {
        space: SpaceId::parse("s").expect("a space"),
        channel: ChannelId::parse("chat:general").expect("a channel"),
        bots: Bots::parse("helper*").expect("bots"),
    }
}

fn read(line: &str) -> (Parsed, Vec<Change>) {
    let mut changes = Vec::new();
    let parsed = JsonLines::new(target(), None).line(line, true, &mut changes);
    (parsed, changes)
}

fn body(line: &str) -> Body {
    match read(line).0 {
        Parsed::Event(event) => event.body,
        other => panic!("{line}: {other:?}"),
    }
}

fn message(line: &str) -> PlatformMessage {
    match body(line) {
        Body::PlatformMessage(message) => message,
        other => panic!("{line}: {}", other.type_name()),
    }
}

/// A message with one field set to a JSON value.
fn with(field: &str, value: &str) -> String {
    let fields = [
        ("id", "\"1\""),
        ("author", "\"u1\""),
        ("text", "\"hi\""),
        ("at", "\"2024-05-01T12:00:00Z\""),
    ];
    let mut line = String::from("{\"type\":\"message\"");
    for (name, default) in fields.into_iter().filter(|(name, _)| *name != field) {
        line += &format!(",\"{name}\":{default}");
    }
    line + &format!(",\"{field}\":{value}}}")
}

#[test]
fn files_are_named_before_the_text() {
    let with = |files: &str, text: &str| {
        message(&with("text", &format!(r#"{text},"files":{files}"#))).text
    };
    assert_eq!(
        with(
            r#"[{"name":"a.log","type":"text/plain","bytes":2048},{"name":"b.png"}]"#,
            r#""what is this?""#
        ),
        "[file: a.log, text/plain, 2 kB]\n[file: b.png]\nwhat is this?"
    );
    assert_eq!(with(r#"[{"name":"a.log"}]"#, r#""""#), "[file: a.log]");
    assert_eq!(with("[]", r#""hi""#), "hi");
}

#[test]
fn every_field_arrives() {
    let line = r#"{"type":"message","id":"7","author":"u1","name":" Ann ","bot":true,
        "text":"look\nhere","at":"2024-05-01T14:00:00.250+02:00","reply_to":"6",
        "mentions":["u2","u3"],"thread":"5","to_bot":true}"#;
    let message = message(&line.replace('\n', " "));
    let expect = PlatformMessage {
        channel: target().channel,
        native_id: "7".to_owned(),
        author_id: "u1".to_owned(),
        author_name: Some("Ann".to_owned()),
        author_is_bot: true,
        text: "look\nhere".to_owned(),
        sent_at: Timestamp::from_millis(1_714_564_800_250),
        reply_to: Some("6".to_owned()),
        mentions: vec!["u2".to_owned(), "u3".to_owned()],
        thread_root: Some("5".to_owned()),
        to_bot: true,
    };
    assert_eq!(message, expect);
}

#[test]
fn edits_redactions_and_reactions_arrive() {
    let at = Timestamp::from_millis(1_714_564_800_000);
    let edit = r#"{"type":"edit","id":"7","author":"u1","text":"","at":"2024-05-01T12:00:00Z"}"#;
    let Body::PlatformEdit(edit) = body(edit) else {
        panic!("an edit");
    };
    assert_eq!((edit.revision, edit.edited_at), (at.as_millis(), at));
    let revised = r#"{"type":"edit","id":"7","author":"u1","revision":2,"text":"x","at":"2024-05-01T12:00:00Z"}"#;
    assert!(matches!(body(revised), Body::PlatformEdit(e) if e.revision == 2));
    let redaction = r#"{"type":"redaction","id":"7","at":"2024-05-01T12:00:00Z"}"#;
    assert!(matches!(body(redaction), Body::PlatformRedaction(r) if r.redacted_at == at));
    for (kind, added) in [("reaction_added", true), ("reaction_removed", false)] {
        let line = format!(
            r#"{{"type":"{kind}","id":"7","author":"u2","emoji":"✅","at":"2024-05-01T12:00:00Z"}}"#
        );
        assert!(
            matches!(body(&line), Body::PlatformReaction(r) if r.added == added && r.emoji == "✅")
        );
    }
}

#[test]
fn ids_are_those_of_live_capture() {
    let Parsed::Event(event) = read(&with("reply_to", "\"unknown\"")).0 else {
        panic!("a reply to the unknown is kept");
    };
    let (space, channel) = (target().space, target().channel);
    assert_eq!(
        event.envelope.id.as_uuid(),
        MessageId::of_native(&space, &channel, "1").as_uuid()
    );
    let line = |update: &str| {
        format!(
            r#"{{"type":"reaction_added","id":"1","author":"u","emoji":"+1","at":"2024-05-01T12:00:00Z"{update}}}"#
        )
    };
    let id = |line: &str| match read(line).0 {
        Parsed::Event(event) => event.envelope.id,
        other => panic!("{other:?}"),
    };
    let reaction = |occurrence| PlatformEvent::Reaction("1", "u", "+1", true, occurrence);
    assert_eq!(
        id(&line("")),
        reaction("1714564800000").id(&space, &channel)
    );
    assert_eq!(
        id(&line(",\"update\":\"9\"")),
        reaction("9").id(&space, &channel)
    );
}

#[test]
fn admins_are_no_event() {
    let (parsed, changes) = read(r#"{"type":"admins","people":["u1","u2"]}"#);
    let people = vec!["u1".to_owned(), "u2".to_owned()];
    assert_eq!((parsed, changes), (Parsed::Admins(people), vec![]));
}

#[test]
fn what_is_not_of_the_format_is_skipped() {
    fn check(line: &str, expect: SkipReason) {
        let Parsed::Skip(skip) = read(line).0 else {
            panic!("{line:.99} was taken");
        };
        assert_eq!(skip.reason, expect, "{line:.99}");
    }
    check("{", SkipReason::NotJson);
    check("hello", SkipReason::NotJson);
    check("{\"type\":\"message\"} trailing", SkipReason::NotOfFormat);
    check(
        r#"["redaction","1","2024-05-01T12:00:00Z"]"#,
        SkipReason::NotJson,
    );
    check(&(with("bot", "true") + " trailing"), SkipReason::NotJson);
    check("[1]", SkipReason::NotJson);
    check("null", SkipReason::NotJson);
    check("{}", SkipReason::NotOfFormat);
    check(r#"{"type":"join","id":"1"}"#, SkipReason::NotOfFormat);
    check(&with("subject", "\"x\""), SkipReason::NotOfFormat);
    check(&with("text", "5"), SkipReason::NotOfFormat);
    check(&with("mentions", "\"u2\""), SkipReason::NotOfFormat);
    check(&with("text", "\"\\ud800"), SkipReason::NotJson);
    check(&"[".repeat(100_000), SkipReason::NotJson);
    check(&with("subject", &"[".repeat(100_000)), SkipReason::NotJson);
    check(&with("text", "\"\""), SkipReason::NoText);
    check(&with("text", "\" \\u0000\\n\""), SkipReason::NoText);
    check(&with("at", "\"yesterday\""), SkipReason::BadTime);
    check(&with("at", "\"2024-05-01T12:00:00\""), SkipReason::BadTime);
    check(
        &with("at", "\"12024-05-01T12:00:00Z\""),
        SkipReason::BadTime,
    );
    check(&with("id", "\" \""), SkipReason::BadId);
    check(&with("id", "\"a\\u0000\""), SkipReason::BadId);
    check(
        &with("author", &format!("\"{}\"", "a".repeat(257))),
        SkipReason::BadId,
    );
    check(&with("mentions", "[\"\"]"), SkipReason::BadId);
    check(&with("reply_to", "\"\""), SkipReason::BadId);
    check(&with("thread", "\"\""), SkipReason::BadId);
    check(&with("to_bot", "null"), SkipReason::NotOfFormat);
    check(r#"{"type":"admins","people":["u1",""]}"#, SkipReason::BadId);
    check(
        r#"{"type":"admins","people":"u1"}"#,
        SkipReason::NotOfFormat,
    );
    check(r#"{"type":"admins"}"#, SkipReason::NotOfFormat);
    check(
        r#"{"type":"edit","id":"7","author":"u1","revision":0,"text":"x","at":"2024-05-01T12:00:00Z"}"#,
        SkipReason::NotOfFormat,
    );
    let reaction = r#"{"type":"reaction_added","id":"7","author":"u1","emoji":"E","at":"2024-05-01T12:00:00Z"}"#;
    check(&reaction.replace('E', &"e".repeat(65)), SkipReason::BadId);
}

#[test]
fn json_that_no_parser_reads_is_mended_and_says_so() {
    for (written, text) in [
        (r"flag \ud83c only", "flag \u{fffd} only"),
        (r"page \x0c end", r"page \x0c end"),
        ("a\u{0}b", "ab"),
    ] {
        let line = with("text", &format!("\"{written}\""));
        let (_, changes) = read(&line);
        assert_eq!(message(&line).text, text, "{line}");
        assert!(changes.contains(&Change::Mended), "{changes:?}");
    }
}

#[test]
fn a_file_that_stops_within_a_value_says_so() {
    let line = with("bot", "false");
    let json = JsonLines::new(target(), None);
    for end in 1..line.len() {
        let parsed = json.line(&line[..end], false, &mut Vec::new());
        assert_eq!(parsed, Parsed::skip(SkipReason::CutOff), "{}", &line[..end]);
    }
    let whole = json.line(&line, false, &mut Vec::new());
    assert!(matches!(whole, Parsed::Event(_)), "{whole:?}");
}

#[test]
fn texts_are_cleaned_and_cut() {
    let (parsed, changes) = read(&with("text", "\"a\\u0000b\\r\\nc\\u001b\""));
    let Parsed::Event(event) = parsed else {
        panic!("a message");
    };
    assert!(matches!(event.body, Body::PlatformMessage(m) if m.text == "ab\nc"));
    assert_eq!(changes, [Change::ControlsRemoved]);
    let (_, changes) = read(&with("text", "\"a\\r\\nb\""));
    assert_eq!(changes, []);
    let (_, changes) = read(&with("text", &format!("\"{}\"", "x".repeat(TEXT_MAX + 1))));
    assert_eq!(changes, [Change::TextCut]);
    let (_, changes) = read(&with("name", &format!("\"{}\"", "x".repeat(NAME_MAX + 1))));
    assert_eq!(changes, [Change::NameCut]);
}

#[test]
fn bots_are_marked_or_named() {
    for (field, value, bot) in [
        ("bot", "true", true),
        ("bot", "false", false),
        ("name", "\"Helper 2\"", true),
        ("name", "\"\"", false),
        ("author", "\"helper\"", true),
    ] {
        assert_eq!(
            message(&with(field, value)).author_is_bot,
            bot,
            "{field} {value}"
        );
    }
}

/// Seconds and milliseconds are told apart by their size, and a time without a zone has the one that the
/// import names.
#[test]
fn a_moment_may_be_a_number_or_have_its_zone_named_once() {
    let at = Timestamp::from_millis(1_714_564_800_000);
    let line =
        |at: &str| format!(r#"{{"type":"message","id":"1","author":"u","text":"hi","at":{at}}}"#);
    for written in [
        "1714564800",
        "1714564800.0",
        "1714564800000",
        "1714564800000000",
        "1714564800000000000",
        "\"1714564800\"",
        "\"1714564800.000\"",
        "\"2024-05-01 12:00:00Z\"",
    ] {
        assert_eq!(message(&line(written)).sent_at, at, "{written}");
    }
    let skipped = |written: &str, zone: Option<TimeZone>| {
        let lines = JsonLines::new(target(), zone);
        match lines.line(&line(written), true, &mut Vec::new()) {
            Parsed::Skip(skip) => Err(format!("{skip:?}")),
            Parsed::Event(event) => match event.body {
                Body::PlatformMessage(message) => Ok(message.sent_at),
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        }
    };
    for bad in ["12", "1e30", "-1", "\"yesterday\"", "\"12\""] {
        assert!(skipped(bad, None).is_err(), "{bad}");
    }
    let bare = "\"2024-05-01T14:00:00\"";
    let told = skipped(bare, None).expect_err("no zone");
    assert!(told.contains("--timezone"), "{told}");
    let berlin = TimeZone::get("Europe/Berlin").expect("a zone");
    assert_eq!(skipped(bare, Some(berlin.clone())), Ok(at));
    // What names its zone keeps it.
    assert_eq!(skipped("\"2024-05-01T12:00:00Z\"", Some(berlin)), Ok(at));
}
