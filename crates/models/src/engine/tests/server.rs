//! A server that does not answer, or not with an answer.

use super::*;
use crate::ClientError;

fn unavailable(found: Result<Extraction, PortError>) -> String {
    match found {
        Err(error @ PortError::Unavailable { .. }) => error.to_string(),
        other => panic!("unavailable, not {other:?}"),
    }
}

#[test]
fn too_busy_and_failing_servers_are_tried_again_later() {
    for (status, words) in [(429, "429"), (408, "408"), (500, "5xx"), (503, "5xx")] {
        let (found, asked) = extract(&chat(), move |_| Reply::Status(status));
        let said = unavailable(found);
        assert!(said.contains(words), "{said}");
        assert_eq!(asked.len(), 1);
    }
}

#[test]
fn other_statuses_are_refused_and_say_what_to_look_at() {
    for (status, words) in [
        (401, "API key"),
        (403, "API key"),
        (404, "base URL"),
        (400, "400"),
        (307, "307"),
    ] {
        let (found, asked) = extract(&chat(), move |_| Reply::Status(status));
        let reason = refused(found);
        assert!(reason.contains(words), "{reason}");
        assert_eq!(asked.len(), 1, "and not asked elsewhere");
    }
}

#[test]
fn a_refused_connection_is_unavailable() {
    let gone = double(|_| Reply::Closes);
    let url = gone.base_url();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let free = listener.local_addr().expect("an address");
    drop((gone, listener));
    let said = unavailable(run(engine(format!("http://{free}/v1")).extract(&chat())));
    assert!(said.contains("cannot be reached"), "{said}");
    assert!(!said.contains(&url), "{said}");
}

#[test]
fn a_closed_connection_is_unavailable() {
    let (found, _) = extract(&chat(), |_| Reply::Closes);
    assert!(unavailable(found).contains("broke off"));
}

#[test]
fn silence_ends_at_the_time_limit() {
    let double = double(|_| Reply::Hangs);
    let settings = ChatSettings {
        timeout: Duration::from_millis(50),
        ..settings(double.base_url())
    };
    let engine = ChatEngine::new(settings, 60_000, Arc::new(Turned::default()));
    let said = unavailable(run(engine.expect("an engine").extract(&chat())));
    assert!(said.contains("in time"), "{said}");
}

#[test]
fn after_five_failures_the_server_is_left_alone_for_half_a_minute() {
    let mut calls = 0;
    let double = double(move |_| {
        calls += 1;
        match calls {
            1..=5 => Reply::Status(500),
            _ => Reply::json(&spans(&[])),
        }
    });
    let clock = Arc::new(Turned::default());
    let engine = ChatEngine::new(settings(double.base_url()), 60_000, clock.clone());
    let engine = engine.expect("an engine");
    run(async {
        for _ in 0..5 {
            unavailable(engine.extract(&chat()).await);
        }
        let said = unavailable(engine.extract(&chat()).await);
        assert!(said.contains("left alone"), "{said}");
        assert_eq!(double.asked().len(), 5, "not asked");
        clock.turn(30);
        engine.extract(&chat()).await.expect("it answers again");
        engine.extract(&chat()).await.expect("and again");
        assert_eq!(double.asked().len(), 7);
    });
}

#[test]
fn answers_that_cannot_be_used_do_not_open_the_breaker() {
    let double = double(|_| Reply::Says("no".to_owned()));
    let engine = engine(double.base_url());
    run(async {
        for _ in 0..10 {
            refused(engine.extract(&chat()).await);
        }
    });
    assert_eq!(double.asked().len(), 20);
}

#[test]
fn settings_that_make_no_client_are_refused() {
    let made = |settings| ChatEngine::new(settings, 60_000, Arc::new(Turned::default())).err();
    for url in ["not a url", "ftp://example.com", ""] {
        let error = made(settings(url.to_owned()));
        assert!(matches!(error, Some(ClientError::Url)), "{url}");
    }
    let settings = ChatSettings {
        api_key: Some("two\nlines".to_owned()),
        ..settings("http://127.0.0.1:1".to_owned())
    };
    assert!(matches!(made(settings), Some(ClientError::Key)));
}

#[test]
fn what_a_model_refuses_is_not_sent() {
    let double = double(|_| Reply::json(&spans(&[])));
    let settings = ChatSettings {
        temperature_zero: false,
        meter: None,
        api_key: None,
        ..settings(double.base_url() + "/")
    };
    let engine = ChatEngine::new(settings, 60_000, Arc::new(Turned::default()));
    run(engine.expect("an engine").extract(&chat())).expect("an answer");
    let asked = double.asked();
    assert!(asked[0].body.get("temperature").is_none());
    assert_eq!(asked[0].authorization, None);
    assert_eq!(asked[0].line, "POST /v1/chat/completions HTTP/1.1");
}
