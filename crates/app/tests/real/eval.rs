//! `eval`: questions whose answers are known, against the live index, by words and by a model.

use std::fmt::Write as _;

use serde_json::Value;

use super::desk::{DESK, ISO, SHARE, WIFI, chat, desk};
use super::support::{Place, Ran};
use super::tiny_model as tiny;

/// Questions with an answer, and some that nothing answers.
fn questions(iso: &str) -> String {
    let lines = [
        serde_json::json!({ "question": "How do I mount an iso image?", "case": iso }),
        serde_json::json!({ "question": "What do I do when the printer prints stripes?",
            "text": ["clean the print head", "buy another"], "channel": DESK }),
        serde_json::json!({ "question": WIFI, "text": "rfkill" }),
        serde_json::json!({ "question": SHARE }),
        serde_json::json!({ "question": "who won the match on sunday", "case": null }),
    ];
    lines.iter().fold(String::from("\n"), |mut all, line| {
        writeln!(all, "{line}").expect("written to a text");
        all
    })
}

fn iso(place: &Place) -> String {
    let listed = place.json(&["cases", "list", "--order", "oldest", "--limit", "1"]);
    assert_eq!(listed["cases"][0]["title"], ISO, "{listed}");
    let link = listed["cases"][0]["link"].as_str().expect("a link");
    link.to_owned()
}

#[test]
fn own_questions_are_counted_by_what_became_of_them() {
    let place = desk();
    place.file("q.jsonl", questions(&iso(&place)));
    let output = place.json(&["eval", "q.jsonl"]);
    assert_eq!(output["questions"], 5, "{output}");
    assert_eq!(output["model"], Value::Null, "{output}");
    assert_eq!(
        output["suggestion"],
        Value::Null,
        "words have no threshold: {output}"
    );
    let ways = output["ways"].as_object().expect("ways");
    assert_eq!(ways.keys().collect::<Vec<_>>(), ["words"], "{output}");
    let words = &ways["words"];
    for (name, count) in [
        ("with_answer", 3),
        ("right", 2),
        ("suggested", 0),
        ("wrong", 0),
        ("silent", 1),
        ("without_answer", 2),
        ("rightly_silent", 2),
        ("wrongly_answered", 0),
        ("top_1", 667),
        ("mrr", 667),
    ] {
        assert_eq!(words[name], count, "{name}: {output}");
    }
    assert_eq!(words["recall_at"]["5"], 667, "{output}");
    assert_eq!(words["degraded"], serde_json::json!({}), "{output}");
    // The file begins with an empty line.
    assert_eq!(output["each"][0]["line"], 2, "{output}");
    assert_eq!(output["each"][0]["place"]["words"], 1, "{output}");

    let ran = place.run(&["eval", "q.jsonl", "--each"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for words in [
        "line 2: words right #1  How do I mount an iso image?",
        "words silent  who won the match on sunday (silence is right)",
        "5 questions of ",
        "3 with an answer, 2 where silence is right",
        "no model makes vectors here",
    ] {
        assert!(ran.out.contains(words), "{words:?} is missing: {ran:?}");
    }
}

#[test]
fn beside_a_running_process_cases_and_questions_give_the_same() {
    let place = desk();
    let link = iso(&place);
    place.file("q.jsonl", questions(&link));
    place.file("bad.jsonl", "{}\n");
    let commands = [
        &["ask", SHARE][..],
        &["cases", "list"],
        &["cases", "show", &link],
        &["cases", "why", &link],
        &["eval", "bad.jsonl"],
    ];
    let counted = || place.json(&["eval", "q.jsonl"])["ways"]["words"]["right"].clone();
    let run = |args: &[&str]| {
        let ran = place.run(args);
        (ran.code, ran.out, ran.err)
    };
    let alone = commands.map(run);
    assert_eq!(alone[4].0, Some(3), "{alone:?}");
    assert_eq!(counted(), 2);
    let owner = place.standalone();
    assert_eq!(commands.map(run), alone);
    assert_eq!(counted(), 2);
    owner.stop();
}

/// Runs a command with the tiny model chosen.
fn with_model(place: &Place, args: &[&str]) -> Ran {
    let mut command = place.command(args);
    command
        .env("THREADLORE__EMBEDDER__ENGINE", "local")
        .env("THREADLORE__EMBEDDER__MODEL", "tiny")
        .env("THREADLORE__ANSWER__WRONG_AT_MOST", "60");
    Ran::of(command.output().expect("it starts"))
}

#[test]
fn with_a_model_all_ways_are_measured_and_a_better_threshold_is_suggested() {
    let place = Place::new();
    let hub = place.path().join("hub");
    std::fs::create_dir(&hub).expect("made");
    tiny::write_huggingface(&hub, &tiny::tensors());
    place.json(&["models", "pull", "tiny", "--from", "hub"]);
    place.file("desk.jsonl", chat());
    let ran = with_model(&place, &["import", "desk.jsonl", "--channel", DESK]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    place.file("q.jsonl", questions(&iso(&place)));
    let ran = with_model(&place, &["--json", "eval", "q.jsonl"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let output: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert!(
        output["model"]
            .as_str()
            .is_some_and(|m| m.starts_with("local/tiny/")),
        "{output}"
    );
    for way in ["words", "vectors", "both"] {
        assert_eq!(output["ways"][way]["with_answer"], 3, "{output}");
    }
    assert_eq!(output["wrong_at_most"], 60, "{output}");
    // A model that knows nothing has whatever is nearest stand out a little, and where that is
    // enough, what nothing answers is answered.
    let both = &output["ways"]["both"];
    assert!(both["wrongly_answered"].as_u64() > Some(0), "{output}");
    let better = &output["suggestion"];
    assert!(
        better["would_give"]["wrongly_answered"].as_u64() < both["wrongly_answered"].as_u64(),
        "{output}"
    );
    // The suggestion keeps its word where it is set.
    let value = better["wrong_at_most"].to_string();
    let mut command = place.command(&["--json", "eval", "q.jsonl"]);
    command
        .env("THREADLORE__EMBEDDER__ENGINE", "local")
        .env("THREADLORE__EMBEDDER__MODEL", "tiny")
        .env("THREADLORE__ANSWER__WRONG_AT_MOST", value);
    let again = Ran::of(command.output().expect("it starts"));
    let again: Value = serde_json::from_str(&again.out).expect("JSON");
    for name in ["right", "wrong", "rightly_silent", "wrongly_answered"] {
        assert_eq!(
            again["ways"]["both"][name], better["would_give"][name],
            "{name}: {output} {again}"
        );
    }
}

#[test]
fn bad_lines_are_named_with_what_to_do_and_nothing_is_asked() {
    let place = desk();
    let bad = [
        &b"how do I mount it?\n"[..],
        br#"{"question": "q", "answer": "a"}"#,
        b"\n",
        br#"{"question": "q", "case": "x"}"#,
        b"\n",
        br#"{"question": "q", "channel": "irc:#no"}"#,
        b"\n",
        br#"{"question": "q", "space": "zz"}"#,
        b"\n\xff\xfe\n",
        br#"{"question": "q", "case": "0736391e-46af-58f2-8c90-46757a90b90d"}"#,
    ]
    .concat();
    place.file("bad.jsonl", bad);
    let ran = place.run(&["eval", "bad.jsonl"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(3), ""), "{ran:?}");
    for words in [
        "nothing was asked, because 7 lines of bad.jsonl cannot be used",
        "bad.jsonl, line 1: it is no JSON",
        "line 2: unknown field `answer`",
        "line 3: \"x\" is neither the link nor the id of a case",
        "line 4: there is no channel irc:#no",
        "line 5: the space zz has no message",
        "line 6: it is not UTF-8",
        "line 7: there is no case 0736391e",
    ] {
        assert!(ran.err.contains(words), "{words:?} is missing: {ran:?}");
    }
    place.file("empty.jsonl", "\n\n");
    for (file, words) in [
        ("empty.jsonl", "has no questions"),
        ("nofile.jsonl", "cannot be read"),
        (".", "is no file"),
        ("/dev/zero", "is no file"),
    ] {
        let ran = place.run(&["eval", file]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(3), ""), "{ran:?}");
        assert!(ran.err.contains(words), "{ran:?}");
        assert!(!ran.err.contains("panicked"), "{ran:?}");
    }
}
