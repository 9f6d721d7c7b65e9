//! Assistants over HTTP: each sees and may what its token may.

use reqwest::header;
use serde_json::{Value, json};

use super::api::{Served, board, problem, unanswered, with};
use super::desk::{DESK, desk};
use super::interop::{packages, run};
use super::support::look_until;

/// What an assistant sends, and what it is answered.
struct Assistant<'a> {
    served: &'a Served,
    token: Value,
}

impl Assistant<'_> {
    fn post(&self, body: &Value) -> reqwest::blocking::RequestBuilder {
        let base = self.served.base.trim_end_matches("/api/v1");
        let request = self.served.client.post(format!("{base}/mcp"));
        request
            .header(header::ACCEPT, "application/json, text/event-stream")
            .header(header::CONTENT_TYPE, "application/json")
            .body(body.to_string())
    }

    fn says(&self, method: &str, params: &Value) -> Value {
        let body = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
        let request = self.post(&body);
        let token = self.token["token"].as_str().expect("a token");
        let answer = request.bearer_auth(token).send().expect("an answer");
        let answer = with(200, answer);
        assert_eq!(answer["id"], 7, "{answer}");
        answer
    }

    fn tools(&self) -> Vec<String> {
        let listed = self.says("tools/list", &json!({}));
        let tools = listed["result"]["tools"].as_array().expect("tools").iter();
        let name = |tool: &Value| tool["name"].as_str().expect("a name").to_owned();
        tools.map(name).collect()
    }

    fn call(&self, name: &str, arguments: &Value) -> Value {
        let called = self.says("tools/call", &json!({"name": name, "arguments": arguments}));
        called["result"].clone()
    }

    fn result(&self, name: &str, arguments: &Value) -> Value {
        let result = self.call(name, arguments);
        assert_eq!(result["isError"], false, "{name}: {result}");
        result["structuredContent"].clone()
    }

    fn refused(&self, name: &str, arguments: &Value) -> String {
        let result = self.call(name, arguments);
        assert_eq!(result["isError"], true, "{name}: {result}");
        result["content"][0]["text"]
            .as_str()
            .expect("a sentence")
            .to_owned()
    }
}

/// The desk with a question that nobody could answer, and a space beside it.
fn served() -> Served {
    let place = desk();
    board(&place);
    unanswered(&place);
    Served::on(place, &[])
}

#[test]
fn an_assistant_over_http_has_the_tools_of_its_token() {
    let served = served();
    let of = |space: &str, may: &str| Assistant {
        served: &served,
        token: served.token(space, may),
    };
    let all = of("default", "ingest,ask,read,admin");
    let info = all.says(
        "initialize",
        &json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}),
    );
    assert_eq!(info["result"]["serverInfo"]["name"], "threadlore", "{info}");
    assert!(
        info["result"]["instructions"]
            .as_str()
            .is_some_and(|text| text.contains("never an instruction"))
    );
    assert_eq!(all.tools().len(), 13);
    assert_eq!(of("default", "ask").tools(), ["ask"]);
    let reads = of("default", "read");
    assert_eq!(
        reads.tools(),
        [
            "search_cases",
            "show_case",
            "unanswered_questions",
            "why",
            "insights",
            "report"
        ]
    );

    let answer = all.result("ask", &json!({"question": "How do I mount an iso image?"}));
    assert_eq!(answer["outcome"], "answered", "{answer}");
    let found = all.result("search_cases", &json!({"words": "mount an iso image"}));
    let case = &found["cases"][0];
    // By its link as well as by its id.
    for name in ["case", "link"] {
        let shown = reads.result("show_case", &json!({"case": case[name]}));
        assert_eq!(shown["case"], case["case"], "{shown}");
    }
    let open = all.result("unanswered_questions", &json!({"limit": 1}));
    let turn = open["questions"][0]["turn"].as_str().expect("an id");
    let why = all.result("why", &json!({"question": turn}));
    assert_eq!(why["outcome"], "unknown", "{why}");
    for (rating, failed) in [("failed", 1), ("none", 0)] {
        let rated = json!({"question": turn, "rating": rating});
        let rated = all.result("rate_answer", &rated);
        assert_eq!(rated["failed"], failed, "{rated}");
    }
    let taught = json!({"question": turn, "answer": "Take a thermos: it never boils up there."});
    all.result("teach", &taught);
    // The index follows the tables.
    look_until(|| {
        let asked = json!({"question": "how do I brew coffee on the moon?"});
        let answer = &all.result("ask", &asked)["answer"];
        answer.as_str().is_some_and(|text| text.contains("thermos"))
    });
    let hostile = "/../../board/cases?q=x&space=board\n--space=board";
    let corrected = json!({"case": case["case"], "solution": hostile});
    assert_eq!(all.result("correct_case", &corrected)["solution"], hostile);
    let kept = json!({"text": "the wiki moved to wiki.example.org", "channel": DESK});
    let kept = all.result("remember", &kept);
    let listed = all.result("list_memories", &json!({}));
    assert_eq!(listed["memories"][0]["memory"], kept["memory"], "{listed}");
    all.result("forget", &json!({"memory": kept["memory"]}));
    assert_eq!(all.result("report", &json!({"days": 1}))["asked"]["now"], 1);

    // What is asked for wrongly is said as a sentence, and nothing leads out of the space.
    assert!(all.refused("report", &json!({"days": 0})).contains("days"));
    assert!(
        all.refused("show_case", &json!({"case": hostile}))
            .contains("no such case")
    );
    for case in ["..", "../../board/cases", "%2e%2e"] {
        let said = all.refused("show_case", &json!({ "case": case }));
        assert!(
            said.contains("no such case") || said.contains("no such route"),
            "{said}"
        );
    }
    let zanzibar = all.result("search_cases", &json!({"words": "zanzibar vault"}));
    assert!(
        !zanzibar.to_string().contains("zanzibar vault?"),
        "{zanzibar}"
    );
    let board = of("board", "ask,read,admin");
    let theirs = board.result("search_cases", &json!({"words": "zanzibar vault"}));
    assert!(theirs.to_string().contains("zanzibar vault"), "{theirs}");
    assert!(
        board
            .refused("show_case", &json!({"case": case["case"]}))
            .contains("no such case")
    );
    let lacks = reads.says("tools/call", &json!({"name": "teach", "arguments": taught}));
    assert!(
        lacks["error"]["message"]
            .as_str()
            .is_some_and(|text| text.contains("no tool")),
        "{lacks}"
    );
}

#[test]
fn nobody_reaches_the_tools_without_a_token_or_from_a_page() {
    let served = served();
    let mut assistant = Assistant {
        served: &served,
        token: served.token("default", "ask,read"),
    };
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let nobody = assistant.post(&list).send().expect("an answer");
    assert_eq!(nobody.headers()[header::WWW_AUTHENTICATE], "Bearer");
    problem(401, "token", nobody);
    let wrong = assistant
        .post(&list)
        .bearer_auth("tl_x.y")
        .send()
        .expect("an answer");
    problem(401, "token", wrong);
    let token = assistant.token["token"]
        .as_str()
        .expect("a token")
        .to_owned();
    for (name, value) in [
        (header::ORIGIN, "https://evil.example.org"),
        (header::HOST, "evil.example.org"),
    ] {
        let request = assistant
            .post(&list)
            .bearer_auth(&token)
            .header(name, value);
        let answer = request.send().expect("an answer");
        assert_eq!(answer.status(), 403, "{value}");
    }
    let large = json!({"jsonrpc": "2.0", "id": 1, "method": "x".repeat(3 << 20)});
    let answer = assistant.post(&large).bearer_auth(&token).send();
    // The server hangs up while it is still being sent, or is heard saying why.
    if let Ok(answer) = answer {
        problem(413, "shorten", answer);
    }
    for body in ["", "[", "7", "{\"jsonrpc\": \"2.0\"}"] {
        let request = assistant
            .post(&list)
            .bearer_auth(&token)
            .body(body.to_owned());
        let answer = request.send().expect("an answer");
        assert!(
            answer.status().is_client_error(),
            "{body}: {}",
            answer.status()
        );
    }
    assistant.token = served.token("board", "ask");
    assert_eq!(assistant.tools(), ["ask"]);
}

/// The client of the protocol's own SDK runs each tool.
#[test]
fn the_protocols_own_client_runs_each_tool() {
    let Some(packages) = packages() else { return };
    let served = served();
    let token = served.token("default", "ingest,ask,read,admin");
    let token = token["token"].as_str().expect("a token");
    let url = format!("{}/mcp", served.base.trim_end_matches("/api/v1"));
    let told = run(&packages, "assistant.py", &[&url, token, DESK]);
    assert_eq!(told[0]["failed"], json!([]), "{}", told[0]);
    assert_eq!(
        told[0]["called"].as_array().map(Vec::len),
        Some(13),
        "{}",
        told[0]
    );
}
