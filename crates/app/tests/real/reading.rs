//! A chat model that reads what was found, over a real socket: what `ask` says then.

use serde_json::{Value, json};
use threadlore_testkit::{ANSWER_TOKENS, Asked, ModelDouble, PROMPT_TOKENS, Reply};

use super::desk::{ISO, SHARE, desk};
use super::support::{Place, Ran};

/// What `ask` says, with a model at an address.
fn ask(place: &Place, address: &str, question: &str) -> Value {
    ask_with(place, address, question, &[])
}

/// The same, with more settings.
fn ask_with(place: &Place, address: &str, question: &str, more: &[(&str, &str)]) -> Value {
    let mut command = place.command(&["--json", "ask", question]);
    command
        .env("THREADLORE__ANSWER__READER", "openai")
        .env("THREADLORE__OPENAI__BASE_URL", address)
        .env("THREADLORE__OPENAI__MODEL", "double")
        .envs(more.iter().copied());
    let ran = Ran::of(command.output().expect("it starts"));
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

/// What is said in a room where a model at an address reads, with one more of its settings.
pub(crate) fn talk_with(
    place: &Place,
    url: &str,
    (key, value): (&str, &str),
    line: &str,
) -> String {
    let mut command = place.command(&["chat", "--say", line]);
    command
        .env("THREADLORE__ANSWER__READER", "openai")
        .env("THREADLORE__OPENAI__BASE_URL", url)
        .env("THREADLORE__OPENAI__MODEL", "double")
        .env(format!("THREADLORE__ANSWER__{key}"), value);
    let ran = Ran::of(command.output().expect("it starts"));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    ran.out
}

/// The number of the case that has a line with this text, and of that line.
fn place_of(asked: &Asked, text: &str) -> (u64, u64) {
    let shown = asked.messages()[1].to_owned();
    let number = |line: &str| {
        line.split(' ')
            .nth(1)
            .and_then(|number| number.parse().ok())
    };
    let mut case = 0;
    for line in shown.lines().map(str::trim) {
        match line.split(' ').next() {
            Some("CASE") => case = number(line).expect("a number"),
            Some("LINE") if line.contains(text) => return (case, number(line).expect("a number")),
            _ => {}
        }
    }
    panic!("no line has {text}: {shown}")
}

#[test]
fn a_model_says_which_case_answers_and_says_it_in_its_words() {
    let place = desk();
    let double = ModelDouble::start(|asked| {
        let (case, line) = place_of(asked, "mount -o loop");
        let said = json!({
            "case": case, "lines": [line],
            "answer": "Mount the image with `sudo mount -o loop image.iso /mnt`.",
        });
        Reply::Says(format!("<think>case {case}?</think>\n{said}"))
    });
    let double = double.expect("a free port");
    let url = format!("http://{}/v1", double.address());
    let output = ask(&place, &url, "where do i see what is in an image.iso?");
    assert_eq!(output["outcome"], "answered", "{output}");
    assert_eq!(
        output["answer"], "Mount the image with `sudo mount -o loop image.iso /mnt`.",
        "{output}"
    );
    assert_eq!(output["citations"][0]["title"], ISO, "{output}");
    assert_eq!(
        output["retrieval"]["read"]["by"], "openai/double/r3",
        "{output}"
    );
    assert_eq!(output["retrieval"]["read"]["composed"], true, "{output}");
    let asked = double.asked();
    assert_eq!(asked[0].format(), "reading");
    assert!(asked[0].messages()[1].starts_with("QUESTION \"where do i see"));
}

#[test]
fn a_model_is_told_what_the_operator_says_of_the_place() {
    let place = desk();
    place.file("words/read.md", "Nobody here knows Windows.");
    place.file("words/default/read.md", "We sell the X100.\n");
    let double = ModelDouble::start(|asked| {
        let (case, line) = place_of(asked, "mount -o loop");
        Reply::json(&json!({ "case": case, "lines": [line], "answer": "" }))
    });
    let double = double.expect("a free port");
    let url = format!("http://{}/v1", double.address());
    let words = place.path().join("words").display().to_string();
    let more = [("THREADLORE__ANSWER__WORDS_DIR", words.as_str())];
    let output = ask_with(&place, &url, ISO, &more);
    let by = output["retrieval"]["read"]["by"]
        .as_str()
        .unwrap_or_default();
    assert!(by.starts_with("openai/double/r3+"), "{output}");
    let system = double.asked()[0].messages()[0].to_owned();
    assert!(system.ends_with("We sell the X100."), "{system}");
    assert!(!system.contains("Windows"), "{system}");
}

#[test]
fn a_model_that_says_none_is_believed_and_one_that_fails_is_not() {
    let place = desk();
    let says = |said: &'static str| {
        let double = ModelDouble::start(move |_| Reply::Says(said.to_owned()));
        let double = double.expect("a free port");
        let url = format!("http://{}/v1", double.address());
        (ask(&place, &url, ISO), double)
    };
    let (output, _double) = says(r#"{"case": 0, "lines": [], "answer": ""}"#);
    assert_eq!(output["outcome"], "silent", "{output}");
    assert_eq!(output["nearest"][0]["title"], ISO, "{output}");
    for said in [
        "",
        "Use mount.",
        r#"{"case": 99, "lines": [1], "answer": "x"}"#,
        r#"{"case": 1, "lines": [99], "answer": "x"}"#,
    ] {
        let (output, double) = says(said);
        assert_eq!(output["outcome"], "answered", "{said}: {output}");
        assert_eq!(
            output["retrieval"]["degraded"],
            json!(["reader"]),
            "{output}"
        );
        // It is told what is wrong, once.
        assert_eq!(double.asked().len(), 2, "{said}");
    }
    // What it invents is not said; the line is.
    let double = ModelDouble::start(|asked| {
        let (case, line) = place_of(asked, "mount -o loop");
        Reply::json(&json!({
            "case": case, "lines": [line], "answer": "Run sudo mount -o loop image.iso /media/cd9.",
        }))
    });
    let double = double.expect("a free port");
    let output = ask(&place, &format!("http://{}/v1", double.address()), ISO);
    assert_eq!(
        output["answer"], "sudo mount -o loop image.iso /mnt",
        "{output}"
    );
    // Nobody is there: the rules answer, and what is worth nothing costs no call.
    let output = ask(&place, "http://127.0.0.1:1/v1", ISO);
    assert_eq!(output["outcome"], "answered", "{output}");
    let output = ask(&place, "http://127.0.0.1:1/v1", "🎉");
    assert_eq!(output["outcome"], "silent", "{output}");
    assert_eq!(output["retrieval"]["degraded"], json!([]), "{output}");
    drop(double);
}

#[test]
fn a_reader_without_a_model_is_refused_at_the_start() {
    let place = desk();
    let mut command = place.command(&["ask", SHARE]);
    command.env("THREADLORE__ANSWER__READER", "openai");
    let ran = Ran::of(command.output().expect("it starts"));
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(
        ran.err.contains("openai.base_url") && ran.err.contains("answer.reader"),
        "{ran:?}"
    );
}

#[test]
fn what_is_remembered_is_read_and_is_no_answer_by_itself() {
    let place = desk();
    let fact = "the iso images are on images.example.org";
    let added = place.run(&["memory", "add", fact, "--channel", super::desk::DESK]);
    assert_eq!(added.code, Some(0), "{}", added.err);
    let double = ModelDouble::start(|asked| {
        let (case, line) = place_of(asked, "mount -o loop");
        Reply::json(&json!({
            "case": case, "lines": [line],
            "answer": "Run sudo mount -o loop image.iso /mnt, they are on images.example.org.",
        }))
    });
    let double = double.expect("a free port");
    let url = format!("http://{}/v1", double.address());
    let output = ask(&place, &url, "where do i see what is in an iso image?");
    assert_eq!(
        output["answer"], "sudo mount -o loop image.iso /mnt",
        "{output}"
    );
    assert_eq!(output["retrieval"]["read"]["facts"], 1, "{output}");
    let asked = double.asked();
    let shown = asked[0].messages()[1];
    assert!(shown.contains(&format!("PLACE \"{fact}\"")), "{shown}");
}

#[test]
fn what_reading_costs_is_in_the_report_and_in_the_tables() {
    let place = desk();
    let double =
        ModelDouble::start(|_| Reply::json(&json!({"case": 0, "lines": [], "answer": ""})));
    let double = double.expect("a free port");
    let mut command = place.command(&["chat"]);
    command
        .env("THREADLORE__ANSWER__READER", "openai")
        .env(
            "THREADLORE__OPENAI__BASE_URL",
            format!("http://{}/v1", double.address()),
        )
        .env("THREADLORE__OPENAI__MODEL", "double");
    let (first, second) = (format!("eve: @lore {ISO}"), format!("bob: @lore {SHARE}"));
    let ran = Place::fed(&mut command, &["good morning", &first, &second]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let calls = double.asked().len() as u64;
    assert!(calls > 0, "{}", ran.out);
    let cost = calls * (PROMPT_TOKENS + ANSWER_TOKENS);
    let report = place.json(&["report"]);
    assert_eq!(report["model_tokens"]["now"], cost, "{report}");
    let text = place.run(&["report", "--format", "text"]).out;
    assert!(text.contains("tokens of the model"), "{text}");
    place.with_database(|sql| {
        let weekly = "SET lore.space = 'default'; SET ROLE lore_reader; \
                      SELECT sum(model_tokens) FROM lore.weekly";
        assert_eq!(sql(weekly), cost.to_string());
    });
    // Without such a model nothing of it is shown.
    assert!(
        !desk()
            .run(&["report", "--format", "text"])
            .out
            .contains("tokens")
    );
}

/// A model that reads each case with the question decides for most of how close it is; where it does not
/// answer, cases are as close as without it.
#[test]
fn a_model_that_ranks_is_asked_over_a_socket() {
    let place = desk();
    let ask = |address: &str| {
        let mut command = place.command(&["--json", "ask", ISO]);
        command
            .env("THREADLORE__RERANKER__ENGINE", "documents")
            .env("THREADLORE__RERANKER__BASE_URL", address);
        let ran = Ran::of(command.output().expect("it starts"));
        let output: Value = serde_json::from_str(&ran.out).expect("JSON");
        output
    };
    let double = ModelDouble::start(|asked| {
        let texts = asked.body["documents"].as_array().expect("texts");
        let none = |index| json!({ "index": index, "relevance_score": 0.01 });
        let results: Vec<Value> = (0..texts.len()).map(none).collect();
        Reply::Body(json!({ "results": results }).to_string().into_bytes())
    });
    let double = double.expect("a free port");
    let url = format!("http://{}/v1", double.address());
    let output = ask(&url);
    let close = |output: &Value| output["retrieval"]["found"][0]["close"].as_u64();
    let doubted = close(&output);
    assert_eq!(
        output["retrieval"]["reranked_by"], "rerank/unnamed",
        "{output}"
    );
    assert_eq!(output["retrieval"]["found"][0]["reranked"], 10, "{output}");
    assert_eq!(double.asked()[0].body["query"], ISO);
    let output = ask("http://127.0.0.1:1/v1");
    assert_eq!(output["outcome"], "answered", "{output}");
    assert_eq!(
        output["retrieval"]["degraded"],
        json!(["reranker"]),
        "{output}"
    );
    assert!(doubted < close(&output), "{doubted:?}: {output}");
    let refused = place
        .command(&["config", "check"])
        .env("THREADLORE__RERANKER__ENGINE", "texts")
        .output();
    let refused = Ran::of(refused.expect("it starts"));
    assert_eq!(refused.code, Some(3), "{}", refused.err);
    assert!(refused.err.contains("reranker.base_url"), "{}", refused.err);
}

/// A question that says "them" is looked up as the model writes it, with the lines before it.
#[test]
fn a_model_writes_a_question_so_that_it_stands_alone() {
    let place = desk();
    let double = ModelDouble::start(|asked| {
        if asked.format() == "rewriting" {
            return match asked.messages()[1].contains("EARLIER \"bob: i got an image.iso") {
                true => Reply::json(&json!({ "question": ISO })),
                false => Reply::Says("which one?".to_owned()),
            };
        }
        let question = asked.messages()[1].lines().next().unwrap_or_default();
        if !question.contains("iso") {
            return Reply::json(&json!({ "case": 0, "lines": [], "answer": "" }));
        }
        let (case, line) = place_of(asked, "mount -o loop");
        Reply::json(&json!({ "case": case, "lines": [line], "answer": "" }))
    });
    let double = double.expect("a free port");
    let url = format!("http://{}/v1", double.address());
    let talk = |line: &str, rewrite: &str| talk_with(&place, &url, ("REWRITE", rewrite), line);
    talk("bob: i got an image.iso from work", "true");
    let asked = "cid: @lore whatever would anybody do to see them?";
    let said = talk(asked, "false");
    assert!(!said.contains("mount -o loop"), "{said}");
    let said = talk(asked, "true");
    assert!(said.contains("mount -o loop"), "{said}");
    // A model that fails has the question looked up as it stands.
    drop(double);
    let said = talk(
        "dan: @lore how do I mount an iso image to read its files?",
        "true",
    );
    assert!(said.contains("mount -o loop"), "{said}");
}

/// A model says of what is to nobody by name whether it asks for an answer; where it fails, the rules do.
#[test]
fn a_model_says_what_asks_for_an_answer() {
    let place = desk();
    let double = ModelDouble::start(|asked| {
        let shown = asked.messages()[1].to_owned();
        if asked.format() == "gating" {
            let tag = match shown.contains("MESSAGE \"reading the files of an iso image") {
                true => "new_question",
                false => "noise",
            };
            return Reply::json(&json!({ "tag": tag }));
        }
        let (case, line) = place_of(asked, "mount -o loop");
        Reply::json(&json!({ "case": case, "lines": [line], "answer": "" }))
    });
    let double = double.expect("a free port");
    let url = format!("http://{}/v1", double.address());
    let talk = |line: &str, gate: &str| talk_with(&place, &url, ("GATE", gate), line);
    // Without the model the rules decide, and answer.
    let nowhere = "http://127.0.0.1:1/v1";
    let said = talk_with(&place, nowhere, ("GATE", "true"), &format!("fay: {ISO}"));
    assert!(said.contains("mount -o loop"), "{said}");
    let statement = "cid: reading the files of an iso image today";
    let said = talk(statement, "false");
    assert!(said.contains("silent"), "{said}");
    let said = talk(statement, "true");
    assert!(
        said.contains("(silent: the same answer was given here"),
        "{said}"
    );
    let said = talk(
        "dan: how do I mount an iso image to read its files?",
        "true",
    );
    assert!(said.contains("silent"), "{said}");
    // Who asks by name is asked about nothing.
    let gated = |double: &ModelDouble| {
        let asked = double.asked();
        asked
            .iter()
            .filter(|asked| asked.format() == "gating")
            .count()
    };
    assert_eq!(gated(&double), 2);
    talk(
        "eve: @lore how do I mount an iso image to read its files?",
        "true",
    );
    assert_eq!(gated(&double), 2);
    let refused = place
        .command(&["config", "check"])
        .env("THREADLORE__ANSWER__GATE", "true")
        .output();
    let refused = Ran::of(refused.expect("it starts"));
    assert_eq!(refused.code, Some(3), "{}", refused.err);
    assert!(
        refused.err.contains("answer.reader") && refused.err.contains("answer.gate"),
        "{}",
        refused.err
    );
}

/// A model says of what is said after an answer whether it helped, where the rules see nothing in it.
#[test]
fn a_model_says_what_an_answer_was_worth() {
    let place = desk();
    let double = ModelDouble::start(|asked| {
        let shown = asked.messages()[1].to_owned();
        if asked.format() == "judging" {
            assert!(shown.starts_with("QUESTION \"cid: "), "{shown}");
            assert!(
                shown.contains("\nANSWER ") && shown.contains("mount -o loop"),
                "{shown}"
            );
            let (outcome, words) = match shown.contains("MESSAGE \"all of it shows up") {
                true => ("worked", "shows up"),
                false => ("unknown", "soup"),
            };
            return Reply::json(&json!({
                "outcome": outcome, "confidence": 0.9, "indicators": [words], "reasoning": "so it says",
            }));
        }
        let (case, line) = place_of(asked, "mount -o loop");
        Reply::json(&json!({ "case": case, "lines": [line], "answer": "" }))
    });
    let double = double.expect("a free port");
    let url = format!("http://{}/v1", double.address());
    let talk = |line: &str, judge: &str| talk_with(&place, &url, ("JUDGE", judge), line);
    let said = talk(&format!("cid: @lore {ISO}"), "true");
    assert!(said.contains("mount -o loop"), "{said}");
    let listed = place.json(&["answers", "list", "--outcome", "answered"]);
    let answer = listed["questions"][0]["answer"].as_str().expect("an id");
    let why = || place.json(&["answers", "why", answer]);
    let words = "cid: all of it shows up in the folder";
    talk("cid: I had soup today", "true");
    talk(words, "false");
    assert_eq!(why()["answer"]["outcome"], serde_json::Value::Null);
    let said = talk(words, "true");
    assert!(said.contains("it says whether an answer helped"), "{said}");
    let why = why();
    assert_eq!(why["answer"]["outcome"], "worked", "{why:#}");
    let refused = place
        .command(&["config", "check"])
        .env("THREADLORE__ANSWER__JUDGE", "true")
        .output();
    let refused = Ran::of(refused.expect("it starts"));
    assert_eq!(refused.code, Some(3), "{}", refused.err);
    assert!(refused.err.contains("answer.judge"), "{}", refused.err);
}
