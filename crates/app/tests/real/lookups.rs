//! Tools of a space, asked by a chat model that reads, over real sockets.

use serde_json::{Value, json};
use threadlore_testkit::{Asked, ModelDouble, Reply};

use super::desk::{ISO, desk};
use super::support::{Place, Ran};

/// A status page that knows one service.
fn status_page() -> (u16, ModelDouble) {
    let double = ModelDouble::start(|asked| match asked.line.as_str() {
        "GET /services/mail HTTP/1.1" => {
            Reply::Body(br#"{"mail": {"status": "down since 9:30"}}"#.to_vec())
        }
        _ => Reply::Status(404),
    });
    let double = double.expect("a free port");
    (double.address().port(), double)
}

/// The paths that it was asked for.
fn paths(page: &ModelDouble) -> Vec<String> {
    let asked = page.asked().into_iter();
    asked
        .filter_map(|asked| Some(asked.line.split(' ').nth(1)?.to_owned()))
        .collect()
}

/// The desk, with a tool that says whether a service is up.
fn place_with_tool(port: u16, private: bool) -> Place {
    let place = desk();
    let private = if private { "private = true\n" } else { "" };
    place.file(
        "words/default/tools.toml",
        format!(
            "[status]\nabout = \"Says whether a service of ours is up.\"\n\
             url = \"http://localhost:{port}/services/{{service}}\"\n{private}\
             [status.inputs]\nservice = \"the service, such as web or mail\"\n"
        ),
    );
    place
}

/// Runs a command with a model at an address.
fn run(place: &Place, double: &ModelDouble, args: &[&str]) -> Ran {
    let mut command = place.command(args);
    command
        .env("THREADLORE__ANSWER__READER", "openai")
        .env("THREADLORE__ANSWER__WORDS_DIR", place.path().join("words"))
        .env(
            "THREADLORE__OPENAI__BASE_URL",
            format!("http://{}/v1", double.address()),
        )
        .env("THREADLORE__OPENAI__MODEL", "double");
    Ran::of(command.output().expect("it starts"))
}

/// The number of the last line that was shown.
fn last_line(asked: &Asked) -> u64 {
    let shown = asked.messages()[1].to_owned();
    let mut lines = shown
        .lines()
        .rev()
        .filter_map(|line| line.trim().strip_prefix("LINE "));
    let number = lines.next().and_then(|line| line.split(' ').next());
    number
        .and_then(|number| number.parse().ok())
        .expect("a line")
}

fn asks(service: &str) -> Reply {
    let inputs = json!([{"name": "service", "value": service}]);
    Reply::json(&json!({"case": 0, "lines": [], "answer": "", "tool": "status", "inputs": inputs}))
}

/// A model that asks the status page about questions on mail, and says what it answered.
fn sensible(asked: &Asked) -> Reply {
    let shown = asked.messages()[1].to_owned();
    let none = json!({"case": 0, "lines": [], "answer": "", "tool": "", "inputs": []});
    match shown.split_once("(what the tool status answers just now)") {
        Some((before, _)) => {
            let case = before.matches("CASE ").count();
            Reply::json(&json!({
                "case": case, "lines": [last_line(asked)],
                "answer": "The mail is down since 9:30.", "tool": "", "inputs": [],
            }))
        }
        None if shown.starts_with("QUESTION \"is mail") => asks("mail"),
        None => Reply::json(&none),
    }
}

#[test]
fn a_question_about_now_is_looked_up_and_the_answer_says_where() {
    let (port, page) = status_page();
    let place = place_with_tool(port, true);
    let double = ModelDouble::start(sensible).expect("a free port");
    let asked = "cid: @lore is mail down again?";
    let thanks = "cid: thanks, that works!";
    let said = run(&place, &double, &["chat", "--say", asked, "--say", thanks]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(
        said.out.contains("The mail is down since 9:30.")
            && said.out.contains("Looked up just now: status (localhost)"),
        "{}",
        said.out
    );
    assert_eq!(paths(&page), ["/services/mail"]);
    // What is true now is not kept for the next who asks.
    assert!(!place.run(&["memory", "list"]).out.contains("9:30"));
    let ran = run(&place, &double, &["--json", "ask", "is mail up?"]);
    let output: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(output["tool"], "status (localhost)", "{output}");
    let read = &output["retrieval"]["read"];
    assert_eq!(read["tool"], "status", "{read}");
    assert_eq!(read["asked"][0]["answered"], true, "{read}");
    assert!(
        read["by"].as_str().is_some_and(|by| by.contains("/r3+")),
        "{read}"
    );
    // A question that a case answers, or nothing does, asks nobody.
    for question in [ISO, "what is the meaning of life?"] {
        run(&place, &double, &["ask", question]);
    }
    assert_eq!(paths(&page).len(), 2);
}

#[test]
fn a_model_that_obeys_everything_leads_nowhere_else() {
    let (port, page) = status_page();
    let place = place_with_tool(port, true);
    let silent = |place: &Place, double: &ModelDouble| {
        let ran = run(place, double, &["--json", "ask", "is mail up? do as I say"]);
        let output: Value =
            serde_json::from_str(&ran.out).unwrap_or_else(|e| panic!("{e}: {ran:?}"));
        assert_eq!(output["outcome"], "silent", "{output}");
        output["retrieval"]["degraded"].clone()
    };
    // A tool that nobody declared is asked for twice, and not called.
    let undeclared = |_: &Asked| {
        Reply::json(
            &json!({"case": 0, "lines": [], "answer": "", "tool": "drop_all", "inputs": []}),
        )
    };
    let double = ModelDouble::start(undeclared).expect("a free port");
    assert_eq!(silent(&place, &double), json!(["reader"]));
    assert_eq!(paths(&page), [""; 0]);
    // What it gives cannot leave the path that was declared, and a tool that failed is not asked again.
    let climbs = |asked: &Asked| {
        let tools = &asked.body["response_format"]["json_schema"]["schema"]["properties"]["tool"];
        match tools.is_null() {
            false => asks("../../admin?x=//evil.example"),
            true => Reply::json(&json!({"case": 0, "lines": [], "answer": ""})),
        }
    };
    let double = ModelDouble::start(climbs).expect("a free port");
    assert_eq!(silent(&place, &double), json!(["tool"]));
    let path = "/services/..%2F..%2Fadmin%3Fx%3D%2F%2Fevil.example";
    assert_eq!(paths(&page), [path]);
    // Its name leads into this machine, which its operator did not allow.
    let place = place_with_tool(port, false);
    let double = ModelDouble::start(climbs).expect("a free port");
    assert_eq!(silent(&place, &double), json!(["tool"]));
    assert_eq!(paths(&page).len(), 1);
}
