use threadlore_model::{Body, ChannelId, SpaceId};

use super::*;
use crate::bots::Bots;

fn target() -> Target {
    Target {
        space: SpaceId::parse("acme").expect("a space"),
        channel: ChannelId::parse("webhook:general").expect("a channel"),
        bots: Bots::default(),
    }
}

/// 2024-05-01T12:00:00Z.
const NOW: Timestamp = Timestamp::from_millis(1_714_564_800_000);
const HELLO: &str =
    r#"{"type":"message","id":"1","author":"u1","text":"hi","at":"2024-05-01T12:00:00Z"}"#;

fn taken(body: impl AsRef<[u8]>) -> Batch {
    read(body.as_ref(), target(), NOW).expect("taken")
}

fn refused(body: impl AsRef<[u8]>) -> String {
    read(body.as_ref(), target(), NOW)
        .expect_err("refused")
        .to_string()
}

/// A message with more fields, and without those of the same names.
fn with(more: &str) -> String {
    let mut line = HELLO.to_owned();
    let name = more.split(':').next().unwrap_or_default();
    for field in [
        r#""id":"1","#,
        r#""text":"hi","#,
        r#","at":"2024-05-01T12:00:00Z""#,
    ] {
        if field.contains(name) {
            line = line.replace(field, "");
        }
    }
    line.replace('}', &format!(",{more}}}"))
}

#[test]
fn given_lines_of_every_kind_when_they_are_read_then_events_and_admins_are_in_the_batch() {
    let body = [
        HELLO,
        "",
        r#"{"type":"admins","people":["u1"]}"#,
        r#"{"type":"edit","id":"1","author":"u1","text":"ho","at":"2024-05-01T12:00:00Z"}"#,
        r#"{"type":"redaction","id":"1","at":"2024-05-01T12:00:00Z"}"#,
        r#"{"type":"reaction_added","id":"1","author":"u1","emoji":"+","at":"2024-05-01T12:00:00Z"}"#,
        r#"{"type":"admins","people":[]}"#,
    ];
    let batch = taken(body.join("\r\n"));
    let kinds: Vec<_> = batch.events.iter().map(|e| e.body.type_name()).collect();
    let expect = [
        "PlatformMessage",
        "PlatformEdit",
        "PlatformRedaction",
        "PlatformReaction",
    ];
    assert_eq!(kinds, expect);
    assert_eq!(batch.admins, Some(vec![]));
}

#[test]
fn given_a_message_of_a_live_channel_when_it_is_read_then_thread_and_addressee_are_kept() {
    let batch = taken(with(r#""thread":"0","to_bot":true"#));
    let [event] = batch.events.as_slice() else {
        panic!("{batch:?}");
    };
    let Body::PlatformMessage(message) = &event.body else {
        panic!("{event:?}");
    };
    assert_eq!(message.thread_root.as_deref(), Some("0"));
    assert!(message.to_bot);
    assert_eq!(event.envelope.key.as_str(), "acme/webhook:general");
}

#[test]
fn given_the_same_body_when_it_is_read_again_then_its_ids_are_the_same() {
    let id = |batch: &Batch| batch.events[0].envelope.id;
    let again = read(
        HELLO.as_bytes(),
        target(),
        NOW.plus(std::time::Duration::from_secs(60)),
    );
    assert_eq!(id(&taken(HELLO)), id(&again.expect("taken")));
}

#[test]
fn given_nothing_but_blanks_when_it_is_read_then_it_is_refused() {
    for body in ["", "\n", "\r\n \n\t\n", "\u{feff}", "\u{feff}\n"] {
        assert_eq!(
            refused(body),
            "The body has no event. Write one JSON object a line.",
            "{body:?}"
        );
    }
}

#[test]
fn given_one_bad_line_when_it_is_read_then_all_is_refused_and_the_line_is_named() {
    let body = format!("{HELLO}\n\n{}\n{HELLO}", with(r#""at":"today""#));
    assert_eq!(
        refused(&body),
        "Line 3 cannot be taken: field \"at\": not a time such as 2024-05-01T12:00:00Z. Nothing of \
         the body was taken: correct the line, and send the whole body again."
    );
    let bad = read(body.as_bytes(), target(), NOW).expect_err("refused");
    assert_eq!((bad.line(), BadBody::Empty.line()), (Some(3), None));
}

#[test]
fn given_each_kind_of_bad_line_when_it_is_read_then_the_sentence_says_what_is_wrong() {
    for (line, expect) in [
        ("hello".to_owned(), "not a JSON object that is on one line"),
        ("[1]".to_owned(), "not a JSON object that is on one line"),
        (
            "{\n\"type\":\"admins\"}".to_owned(),
            "not a JSON object that is on one line",
        ),
        (HELLO[..40].to_owned(), "the body ends within a JSON value"),
        ("{}".to_owned(), "field \"type\": missing"),
        (
            r#"{"type":"join"}"#.to_owned(),
            "not one of message, edit, redaction, reaction_added, reaction_removed or admins",
        ),
        (
            with(r#""id":7"#),
            "field \"id\": a number where text is needed",
        ),
        (with(r#""id":" ""#), "field \"id\": empty"),
        (with(r#""text":" ""#), "field \"text\": empty"),
        (with(r#""subject":"x""#), "field \"subject\": unknown"),
        (
            with(r#""to_bot":"yes""#),
            "field \"to_bot\": text where true or false is needed",
        ),
        (
            with(r#""thread":"a\u0007""#),
            "field \"thread\": has control characters",
        ),
        (with(r#""at":"1969-12-31T23:59:59Z""#), "dated before 1970"),
        (
            with(r#""at":"2024-05-02T12:00:01Z""#),
            "more than a day in the future",
        ),
        (
            r#"{"type":"admins","people":"u1"}"#.to_owned(),
            "field \"people\": text where a list of texts is needed",
        ),
        (
            r#"{"type":"admins"}"#.to_owned(),
            "field \"people\": missing",
        ),
        (
            r#"{"type":"admins","people":[""]}"#.to_owned(),
            "field \"people\": empty",
        ),
    ] {
        let text = refused(&line);
        assert!(
            text.starts_with("Line 1 ") && text.contains(expect),
            "{text}"
        );
    }
}

#[test]
fn given_hostile_bytes_when_they_are_read_then_they_are_refused_without_their_values() {
    let deep = "[".repeat(200_000);
    let nested = with(&format!(r#""x":{}1{}"#, "[".repeat(100), "]".repeat(100)));
    let objects = r#"{"type":"#.repeat(50_000);
    let refusals = [
        (b"\xff\xfe{\x00}\x00".to_vec(), "not UTF-8"),
        (
            [HELLO.as_bytes(), b"\n{\"secret\xc3\x28\":1}"].concat(),
            "not UTF-8",
        ),
        (deep.into_bytes(), "not a JSON object"),
        (objects.into_bytes(), "cannot be taken"),
        (nested.into_bytes(), "field \"x\": unknown"),
        (vec![0; 1000], "not a JSON object"),
        (with(r#""secret\u202e\u0000":1"#).into_bytes(), "unknown"),
    ];
    for (body, expect) in refusals {
        let text = refused(&body);
        assert!(text.contains(expect) && text.len() < 300, "{text}");
        assert!(!text.contains(char::is_control), "{text:?}");
    }
}

#[test]
fn given_odd_but_sound_bytes_when_they_are_read_then_they_are_taken() {
    let mentions: Vec<String> = (0..500).map(|n| format!("\"u{n}\"")).collect();
    let mentions = with(&format!(r#""mentions":[{}]"#, mentions.join(",")));
    let override_ = with("\"text\":\"\u{202e}evil\u{2066} and so on\"");
    let soon = with(r#""at":"2024-05-02T11:59:59Z""#);
    let marked = format!("\u{feff}{HELLO}");
    let long = with(&format!(r#""text":"{}""#, "x".repeat(900_000)));
    for body in [mentions, override_, soon, marked, long] {
        assert_eq!(taken(&body).events.len(), 1, "{body:.99}");
    }
    let many = format!("{HELLO}\n").repeat(10_000);
    assert_eq!(taken(many).events.len(), 10_000);
}
