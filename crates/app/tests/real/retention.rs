//! Messages that are older than a space keeps them.

use reqwest::Method;
use serde_json::{Value, json};

use super::api::{Served, with};
use super::desk::{DESK, ISO, desk};
use super::support::look_until;

/// An old line that nothing rests on.
const SMALL_TALK: &str = r#"{"type":"message","id":"90","author":"gus","name":"gus","text":"the coffee machine hums again","at":"2024-05-05T09:00:00Z"}
{"type":"message","id":"91","author":"ann","name":"ann","text":"lovely weather by the sea","at":"2024-05-05T09:05:00Z"}
"#;

const LOBBY: &str = "chat:lobby";

/// The texts of all messages that can be read.
const TEXTS: &str =
    "SELECT string_agg(text, '|' ORDER BY sent_at) FROM lore.messages WHERE text IS NOT NULL";

#[test]
fn old_messages_are_redacted_but_for_those_that_something_rests_on() {
    let place = desk();
    place.file("talk.jsonl", SMALL_TALK);
    place.json(&["import", "talk.jsonl", "--channel", LOBBY]);
    let served = Served::on(place, &[]);
    let place = &served.place;
    let erase = |more: &[&str]| place.json(&[&["erase", "--older-than", "30"], more].concat());
    let texts = || place.sql(TEXTS).expect("texts");
    let before = texts();

    let would = erase(&["--dry-run"]);
    assert_eq!(would["messages"], 3, "{would}");
    // The thanks for a solution are none of its words.
    let channels = json!([
        { "channel": DESK, "messages": 1 },
        { "channel": LOBBY, "messages": 2 },
    ]);
    assert_eq!(would["channels"], channels);
    assert_eq!(would["kept"], 7, "{would}");
    assert_eq!(texts(), before);

    assert_eq!(erase(&[])["messages"], 3);
    let after = texts();
    assert!(
        !after.contains("coffee machine") && !after.contains("the sea"),
        "{after}"
    );
    let lines = |texts: &str| texts.split('|').count();
    assert_eq!(lines(&after), lines(&before) - 3, "{after}");
    // What was solved is told as before, with what it rests on.
    let told = place.json(&["ask", ISO]);
    assert_eq!(told["outcome"], "answered", "{told}");
    assert!(
        told["citations"].to_string().contains("sudo mount -o loop"),
        "{told}"
    );

    let again = erase(&[]);
    assert_eq!(
        (&again["messages"], &again["kept"]),
        (&json!(0), &json!(7)),
        "{again}"
    );
    let words = place.run(&["erase", "--older-than", "30"]);
    assert!(
        words.out.contains("0 messages of more than 30 days ago"),
        "{}",
        words.out
    );
    assert!(
        words.err.contains("7 messages of that age stay"),
        "{}",
        words.err
    );
}

/// The question of an exchange is found by its words for as long as that is kept.
#[test]
fn the_question_of_an_exchange_stays_while_that_is_remembered() {
    let place = desk();
    place.json(&["channel", "set", "--channel", DESK, "--audience", "public"]);
    place.json(&["channel", "set", "--channel", "web:help", "--admin", "ops"]);
    let served = Served::on(place, &[]);
    let (place, token) = (&served.place, served.token("default", "ingest,ask"));
    let asks = |author: &str, question: &str| -> Value {
        let question = json!({ "channel": "web:help", "author": author, "question": question });
        let told = served.send(Method::POST, "/spaces/default/questions", &token, &question);
        with(200, told)
    };
    let told = asks("v1", ISO);
    let turn = told["turn"].as_str().expect("an id");
    let helped = json!({ "author": "v1", "rating": "helped" });
    let path = format!("/spaces/default/questions/{turn}/rating");
    with(200, served.send(Method::PUT, &path, &token, &helped));
    let exchanges = "SELECT count(*)::text FROM lore.memories WHERE tier = 'working'";
    look_until(|| place.sql(exchanges).as_deref() == Some("1"));
    asks("v2", "how do I get the moon on a stick?");
    // As if both had been asked a month ago.
    let table = "SELECT 'messages_g' || generation || '.messages' FROM lore.live WHERE projection = 'messages'";
    let table = place.sql(table).expect("a build");
    place.sql(&format!(
        "UPDATE {table} SET sent_at = sent_at - interval '31 days' WHERE channel = 'web:help' RETURNING 1"
    ));
    let old = place.json(&["erase", "--older-than", "30"]);
    assert_eq!(
        old["channels"],
        json!([
            { "channel": DESK, "messages": 1 },
            { "channel": "web:help", "messages": 1 },
        ]),
        "{old}"
    );
    let texts = place.sql(TEXTS).expect("texts");
    assert!(!texts.contains("on a stick"), "{texts}");
    assert_eq!(texts.matches(ISO).count(), 2, "{texts}");
}

#[test]
fn it_is_said_what_is_to_be_erased() {
    let place = desk();
    for (more, words) in [
        (&[][..], "--older-than"),
        (&["--older-than", "0"], "0 is not in 1..=36500"),
        (
            &["--older-than", "30", "--person", "chat:ann"],
            "cannot be used with",
        ),
    ] {
        let ran = place.run(&[&["erase"], more].concat());
        assert_eq!(ran.code, Some(2), "{}", ran.err);
        assert!(ran.err.contains(words), "{more:?}: {}", ran.err);
    }
}
