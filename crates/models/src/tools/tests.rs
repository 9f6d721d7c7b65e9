//! Tools against a real socket.

use std::sync::Mutex;

use threadlore_testkit::{ModelDouble, Reply, StoppedClock};

use super::*;

/// A server that answers each request by its path.
fn server(answer: impl Fn(&str) -> Reply + Send + 'static) -> (u16, ModelDouble) {
    let double = ModelDouble::start(move |asked| {
        let path = asked.line.split(' ').nth(1).unwrap_or_default();
        answer(path)
    });
    let double = double.expect("a port");
    (double.address().port(), double)
}

fn ok(kind: &str, body: &str) -> Reply {
    let length = body.len();
    Reply::Raw(format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n{body}"
    ))
}

fn moved(to: &str) -> Reply {
    Reply::Raw(format!(
        "HTTP/1.1 302 Found\r\nlocation: {to}\r\ncontent-length: 0\r\n\r\n"
    ))
}

fn tool(url: &str, private: bool, token: Option<&str>) -> HttpTool {
    let declared = serde_json::json!({
        "about": "Says whether a service is up.",
        "url": url,
        "inputs": {"service": "the service"},
        "private": private,
        "seconds": 1,
    });
    let declared = serde_json::from_value(declared).expect("settings");
    HttpTool::new("status", declared, token).expect("a tool")
}

fn call(name: &str, service: &str) -> ToolCall {
    ToolCall {
        tool: name.to_owned(),
        inputs: BTreeMap::from([("service".to_owned(), service.to_owned())]),
    }
}

type Calls = Arc<Mutex<Vec<bool>>>;

fn tools(tool: HttpTool) -> (HttpTools, Calls) {
    let calls = Calls::default();
    let seen = Arc::clone(&calls);
    let meter = move |is_ok: bool| seen.lock().expect("no panic").push(is_ok);
    let clock = Arc::new(StoppedClock);
    let tools = HttpTools::new(
        vec![Arc::new(tool)],
        BTreeMap::new(),
        clock,
        Arc::new(meter),
    );
    (tools, calls)
}

async fn asked(tools: &HttpTools, name: &str, service: &str) -> Result<Vec<String>, String> {
    let space = SpaceId::parse("acme").expect("a space");
    let answer = tools.call(&space, &call(name, service)).await;
    answer.map_err(|e| e.to_string())
}

#[tokio::test]
async fn a_tool_is_asked_at_its_address_with_its_token_and_counted() {
    let (port, seen) = server(|path| match path {
        "/v1/web" => ok("application/json", r#"{"web": "up"}"#),
        "/v1/old" => moved("/v1/web"),
        _ => Reply::Status(404),
    });
    let url = format!("http://localhost:{port}/v1/{{service}}");
    let (tools, calls) = tools(tool(&url, true, Some("t0ken")));
    let shown = tools.tools(&SpaceId::parse("acme").expect("a space"));
    assert_eq!(
        (shown[0].name.as_str(), shown[0].host.as_str()),
        ("status", "localhost")
    );
    assert_eq!(
        asked(&tools, "status", "web").await,
        Ok(vec!["web: up".to_owned()])
    );
    let seen = seen.asked();
    assert_eq!(seen[0].line, "GET /v1/web HTTP/1.1");
    assert_eq!(seen[0].authorization.as_deref(), Some("Bearer t0ken"));
    assert_eq!(
        asked(&tools, "status", "old").await,
        Ok(vec!["web: up".to_owned()])
    );
    let told = asked(&tools, "status", "fax").await.expect_err("404");
    assert!(told.contains("404"), "{told}");
    let told = asked(&tools, "drop_all", "web")
        .await
        .expect_err("undeclared");
    assert!(told.contains("no such tool"), "{told}");
    let calls = calls.lock().expect("no panic").clone();
    assert_eq!(calls, [true, true, false]);
}

#[tokio::test]
async fn a_private_address_and_another_host_are_not_asked() {
    let (elsewhere, seen_elsewhere) = server(|_| ok("text/plain", "secret"));
    let (port, seen) = server(move |path| match path {
        "/loop" => moved("/loop"),
        "/port" => moved(&format!("http://127.0.0.1:{elsewhere}/")),
        _ => moved(&format!("http://localhost:{elsewhere}/")),
    });
    // The name is not private by itself: what it leads to is.
    let url = format!("http://localhost:{port}/{{service}}");
    let (outside, _) = tools(tool(&url, false, None));
    let told = asked(&outside, "status", "web").await.expect_err("private");
    assert!(told.contains("private address"), "{told}");
    assert!(seen.asked().is_empty());
    let (inside, _) = tools(tool(&url, true, None));
    for service in ["loop", "port", "web"] {
        let told = asked(&inside, "status", service)
            .await
            .expect_err("elsewhere");
        assert!(told.contains("redirects to another host"), "{told}");
    }
    assert!(seen_elsewhere.asked().is_empty());
}

#[tokio::test]
async fn what_a_tool_does_wrong_is_an_error() {
    let (port, _seen) = server(|path| match path {
        "/huge" => ok("text/plain", &"x".repeat(MOST_BYTES + 1)),
        "/html" => ok("text/html", "<p>up</p>"),
        "/busy" => Reply::Status(503),
        "/slow" => Reply::Hangs,
        _ => Reply::Closes,
    });
    let url = format!("http://127.0.0.1:{port}/{{service}}");
    let (tools, _) = tools(tool(&url, true, None));
    for (service, words) in [
        ("huge", "longer than"),
        ("html", "neither JSON nor plain text"),
        ("busy", "429 or 5xx"),
        ("slow", "in time"),
        ("gone", "broke off"),
        ("gone", "broke off"),
        ("gone", "broke off"),
        // Five failures in a row, and then it is left alone.
        ("web", "left alone"),
    ] {
        let told = asked(&tools, "status", service).await.expect_err(service);
        assert!(told.contains(words), "{service}: {told}");
    }
}
