//! An assistant on the tools of `mcp`, in the protocol's own words.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use super::desk::desk;
use super::support::Place;

/// A client that was started with the server, as assistants do it.
struct Client {
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    next: u64,
}

impl Client {
    fn start(place: &Place, args: &[&str]) -> Self {
        let args = [&["mcp"], args].concat();
        let mut command = place.command(&args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let to = child.stdin.take();
        let from = BufReader::new(child.stdout.take().expect("an output"));
        let mut client = Self {
            child,
            to,
            from,
            next: 0,
        };
        let started = client.ask(
            "initialize",
            json!({
                "protocolVersion": "2025-06-18", "capabilities": {},
                "clientInfo": {"name": "a test", "version": "1"},
            }),
        );
        let result = &started["result"];
        assert_eq!(result["serverInfo"]["name"], "threadlore", "{started}");
        assert!(
            result["instructions"]
                .as_str()
                .is_some_and(|text| text.contains("never an instruction"))
        );
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn send(&mut self, message: &Value) {
        let to = self.to.as_mut().expect("it listens");
        writeln!(to, "{message}")
            .and_then(|()| to.flush())
            .expect("sent");
    }

    /// Sends a request: what is answered to it.
    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let mut line = String::new();
            let read = self.from.read_line(&mut line).expect("an answer");
            assert!(read > 0, "it ended without an answer to {method}");
            let answer: Value = serde_json::from_str(&line).expect("JSON, and nothing else");
            if answer["id"] == id {
                return answer;
            }
        }
    }

    /// Calls a tool: whether it is an error, and its text.
    fn call(&mut self, name: &str, arguments: Value) -> (bool, String) {
        let answer = self.ask("tools/call", json!({"name": name, "arguments": arguments}));
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str();
        let text = text.unwrap_or_else(|| panic!("no text in {answer}"));
        (result["isError"] == true, text.to_owned())
    }

    /// The result of a call, which is what the command prints with `--json`.
    fn result(&mut self, name: &str, arguments: Value) -> Value {
        let (is_error, text) = self.call(name, arguments);
        assert!(!is_error, "{name}: {text}");
        serde_json::from_str(&text).expect("JSON")
    }

    fn tools(&mut self) -> Vec<String> {
        let listed = self.ask("tools/list", json!({}));
        let tools = listed["result"]["tools"].as_array().expect("tools").iter();
        tools
            .map(|tool| {
                assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
                tool["name"].as_str().expect("a name").to_owned()
            })
            .collect()
    }

    /// The end of its input is the end of the server.
    fn end(mut self) {
        drop(self.to.take());
        let ended = self.child.wait().expect("it ends");
        assert!(ended.success(), "{ended:?}");
    }
}

#[test]
fn an_assistant_asks_and_looks_and_changes_nothing_unless_it_may() {
    let place = desk();
    let mut client = Client::start(&place, &[]);
    let tools = client.tools();
    assert!(
        tools.contains(&"ask".to_owned()) && !tools.contains(&"teach".to_owned()),
        "{tools:?}"
    );
    let asked = client.result("ask", json!({"question": "how do I mount an iso image?"}));
    assert!(
        asked["answer"]
            .as_str()
            .is_some_and(|text| text.contains("mount -o loop")),
        "{asked}"
    );
    let found = client.result("search_cases", json!({"words": "printer stripes"}));
    let case = found["cases"][0]["link"]
        .as_str()
        .expect("a case")
        .to_owned();
    let shown = client.result("show_case", json!({"case": case}));
    assert!(
        shown["solution"]
            .as_str()
            .is_some_and(|text| text.contains("print head")),
        "{shown}"
    );
    // Whoever else works on the data directory is let in meanwhile.
    let beside = place.json(&["cases", "list"]);
    assert_eq!(beside["fitting"], 4, "{beside}");
    // What is given is never an option, and never another space.
    let odd = client.result("ask", json!({"question": "--space=other"}));
    assert_eq!(odd["outcome"], "silent", "{odd}");
    for (name, arguments, words) in [
        (
            "show_case",
            json!({"case": "nothing"}),
            "neither the link nor the id",
        ),
        ("ask", json!({"question": ""}), "the question is empty"),
        ("ask", json!({}), "needs \"question\""),
        (
            "ask",
            json!({"question": "a", "space": "b"}),
            "takes no \"space\"",
        ),
    ] {
        let (is_error, text) = client.call(name, arguments);
        assert!(is_error && text.contains(words), "{name}: {text}");
    }
    let forbidden = client.ask(
        "tools/call",
        json!({"name": "remember", "arguments": {"text": "a", "channel": "a:b"}}),
    );
    assert!(
        forbidden["error"]["message"]
            .as_str()
            .is_some_and(|text| text.contains("no tool")),
        "{forbidden}"
    );
    client.end();
    place.verified();
}

#[test]
fn beside_a_running_process_it_teaches_where_it_may() {
    let place = desk();
    let ran = place.run_with(
        &["chat"],
        &[
            "good morning",
            "bob: @lore how do I brew coffee on the moon?",
        ],
    );
    assert!(ran.out.contains("I know nothing"), "{}", ran.out);
    let owner = place.standalone();
    let mut client = Client::start(&place, &["--write", "--space", "default"]);
    let waiting = client.result("unanswered_questions", json!({"limit": 5}));
    let turn = waiting["questions"][0]["turn"]
        .as_str()
        .expect("a question")
        .to_owned();
    let case = client.result(
        "teach",
        json!({"question": turn, "answer": "Take a thermos."}),
    );
    assert_eq!(case["solution"], "Take a thermos.", "{case}");
    let asked = client.result(
        "ask",
        json!({"question": "how do I brew coffee on the moon?"}),
    );
    assert!(
        asked["answer"]
            .as_str()
            .is_some_and(|text| text.contains("thermos")),
        "{asked}"
    );
    let why = client.result("why", json!({"question": turn}));
    assert_eq!(why["outcome"], "unknown", "{why}");
    let corrected = client.result(
        "correct_case",
        json!({"case": case["link"], "solution": "--space=other\nTake a kettle."}),
    );
    assert_eq!(
        corrected["solution"], "--space=other\nTake a kettle.",
        "{corrected}"
    );
    let kept = client.result(
        "remember",
        json!({"text": "the wiki moved to wiki.example.org", "channel": "console:room"}),
    );
    let listed = client.result("list_memories", json!({}));
    assert_eq!(listed["memories"][0]["memory"], kept["memory"], "{listed}");
    let gone = client.result("forget", json!({"memory": kept["memory"]}));
    assert!(gone["erased_at"].is_string(), "{gone}");
    let report = client.result("report", json!({"days": 1}));
    assert_eq!(report["unanswered"]["now"], 1, "{report}");
    owner.stop();
    let (is_error, text) = client.call("ask", json!({"question": "are you there?"}));
    assert!(
        is_error && text.contains("does not listen any more"),
        "{text}"
    );
    client.end();
    place.verified();
}
