//! Messages that a program sends by the HTTP API, and how many requests it may make.

use reqwest::Method;
use reqwest::blocking::Response;
use reqwest::header;
use serde_json::{Value, json};

use super::api::{Served, problem, with};
use super::browser::said;
use super::desk::desk;
use super::support::look_until;

const TO: &str = "/spaces/forum/messages?channel=forum:help&history=true";
const LINES: &str = r#"{"type":"message","id":"1","author":"u1","name":"Zoe","text":"How do I reset the modem of the boat?","at":"2024-05-01T12:00:00Z"}
{"type":"message","id":"2","author":"u2","name":"Yan","text":"hold the red button for ten seconds","reply_to":"1","at":"2024-05-01T12:01:00Z"}
{"type":"message","id":"3","author":"u1","name":"Zoe","text":"thanks Yan, that works!","reply_to":"2","at":"2024-05-01T12:02:00Z"}
"#;

fn send(served: &Served, to: &str, token: &Value, kind: &str, body: impl Into<String>) -> Response {
    let request = served.request(Method::POST, to, token);
    let request = request.header(header::CONTENT_TYPE, kind).body(body.into());
    request.send().expect("an answer")
}

const NDJSON: &str = "application/x-ndjson";
const JSON: &str = "application/json; charset=utf-8";

#[test]
fn a_program_sends_messages_and_asks_what_they_solved() {
    let served = Served::on(desk(), &[]);
    let token = served.token("forum", "ingest,ask,read");
    // The space begins with them; sent again they count once.
    let taken = with(202, send(&served, TO, &token, NDJSON, LINES));
    assert_eq!(taken["taken"], 3, "{taken}");
    let again = with(202, send(&served, TO, &token, NDJSON, LINES));
    assert_eq!(again, taken);
    let one: Value = serde_json::from_str(LINES.lines().next().expect("a line")).expect("JSON");
    let pretty = serde_json::to_string_pretty(&one).expect("JSON");
    let once = with(202, send(&served, TO, &token, JSON, pretty));
    assert_eq!(once["events"], json!([taken["events"][0]]), "{once}");
    let ask = || {
        let question = json!({ "question": "reset the modem of the boat" });
        let asked = served.send(Method::POST, "/spaces/forum/ask", &token, &question);
        // Until the first message is in the tables there is no such space.
        asked.text().expect("text")
    };
    look_until(|| ask().contains("red button"));
    let listed = with(200, served.get("/spaces/forum/channels", &token));
    assert_eq!(listed["channels"][0]["messages"], 3, "{listed}");

    // What is wrong is said, and nothing of the body is taken.
    let next =
        r#"{"type":"message","id":"4","author":"u3","text":"hello","at":"2024-05-02T12:00:00Z"}"#;
    let broken = format!("{next}\n{{\"type\":\"message\",\"id\":\"5\"}}\n");
    let admins = format!("{next}\n{{\"type\":\"admins\",\"people\":[\"u1\"]}}\n");
    for (status, words, to, kind, body) in [
        (400, "Line 2", TO, NDJSON, broken.as_str()),
        (400, "admins", TO, NDJSON, admins.as_str()),
        (400, "not JSON", TO, JSON, "{"),
        (400, "no event", TO, JSON, "[]"),
        (400, "Content-Type", TO, "text/plain", next),
        (400, "channel", "/spaces/forum/messages", NDJSON, next),
        (
            400,
            "forum:help",
            "/spaces/forum/messages?channel=help",
            NDJSON,
            next,
        ),
        (
            404,
            "no space",
            "/spaces/default/messages?channel=forum:help",
            NDJSON,
            next,
        ),
        (413, "less at once", TO, NDJSON, &"x".repeat(2 << 20)),
    ] {
        problem(status, words, send(&served, to, &token, kind, body));
    }
    let reads = served.token("forum", "read");
    problem(403, "`ingest`", send(&served, TO, &reads, NDJSON, next));
    let listed = with(200, served.get("/spaces/forum/channels", &token));
    assert_eq!(listed["channels"][0]["messages"], 3, "{listed}");
}

#[test]
fn a_token_that_asks_too_often_is_told_when_to_ask_again() {
    let limit = ("THREADLORE__API__REQUESTS_PER_MINUTE", "2");
    let served = Served::on(desk(), &[limit]);
    let (busy, other) = (
        served.token("default", "read"),
        served.token("default", "read"),
    );
    let get = |token: &Value| served.get("/spaces/default/channels", token);
    for left in ["1", "0"] {
        let answered = get(&busy);
        assert_eq!(
            said(&answered, "ratelimit-remaining".parse().expect("a name")),
            left
        );
        with(200, answered);
    }
    let refused = get(&busy);
    let wait: u64 = said(&refused, header::RETRY_AFTER)
        .parse()
        .expect("seconds");
    assert!((1..=31).contains(&wait), "{wait}");
    problem(429, "api.requests_per_minute", refused);
    with(200, get(&other));
}
