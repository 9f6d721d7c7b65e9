//! Calls with events.

use std::time::Duration;

use serde_json::json;
use threadlore_gateways::WebhookFormat;
use threadlore_model::Body;
use threadlore_ports::{Class, Gateway as _};

use crate::support::{
    Answer, GENERAL, NOW, Running, Trouble, answer, gateway, limited, message, receiving, signature,
};

const LONG: Duration = Duration::from_secs(60);

async fn started() -> Running {
    receiving(LONG).await
}

#[tokio::test]
async fn given_signed_lines_when_they_are_sent_then_they_are_in_the_inbox_before_the_answer() {
    let to = started().await;
    let body = format!("{}\n{}\n", message(1), message(2));
    let answer = to.send(GENERAL, body).await;
    assert_eq!((answer.status, answer.json), (202, json!({"taken": 2})));
    assert_eq!(answer.kind, "application/json");
    let events = to.inbox.events.lock().expect("no panic").clone();
    assert_eq!(events.len(), 2);
    assert_eq!(events[0].envelope.key.as_str(), "acme/webhook:general");
    // History has an end; what is live has none.
    assert!(
        events
            .iter()
            .all(|e| matches!(e.body, Body::PlatformMessage(_)))
    );
}

#[tokio::test]
async fn given_a_line_of_admins_when_it_is_sent_then_the_channel_has_them() {
    let to = started().await;
    let admins = r#"{"type":"admins","people":["u1","u2"]}"#;
    let alone = to.send(GENERAL, admins).await;
    assert_eq!((alone.status, alone.json), (202, json!({"taken": 0})));
    let with_event = to.send(GENERAL, format!("{admins}\n{}", message(1))).await;
    assert_eq!(with_event.json, json!({"taken": 1}));
    let people = vec!["u1".to_owned(), "u2".to_owned()];
    let expect = ("acme/webhook:general".to_owned(), people);
    let admins = to.inbox.admins.lock().expect("no panic").clone();
    assert_eq!(admins, [expect.clone(), expect]);
}

#[tokio::test]
async fn given_a_call_when_it_is_replayed_then_its_events_have_the_same_ids() {
    let to = started().await;
    for _ in 0..2 {
        assert_eq!(to.send(GENERAL, message(1)).await.status, 202);
    }
    let ids = to.inbox.ids();
    assert_eq!((ids.len(), &ids[0]), (2, &ids[1]));
    for seconds in [NOW - 301, NOW + 301] {
        let late = answer(to.call(GENERAL, message(1), seconds)).await;
        assert_eq!(late.status, 401);
        assert!(late.detail().contains("301 seconds in the "), "{late:?}");
    }
    assert_eq!(to.inbox.ids().len(), 2);
}

#[tokio::test]
async fn given_a_call_without_a_right_signature_when_it_is_sent_then_nothing_is_taken() {
    let to = started().await;
    let call = || reqwest::Client::new().post(format!("http://{}{GENERAL}", to.address));
    let signed = |signature: &str| {
        call()
            .header("webhook-id", "call-1")
            .header("webhook-timestamp", NOW.to_string())
            .header("webhook-signature", signature)
            .body(message(1))
    };
    let another = signature("call-1", NOW, b"another body");
    for (call, expect) in [
        (call().body(message(1)), "webhook-id is missing"),
        (signed("AAAA"), "begins with \"v1,\""),
        (signed(&another), "No signature matches."),
    ] {
        let refused = answer(call).await;
        assert_eq!(refused.status, 401);
        assert!(refused.detail().contains(expect), "{refused:?}");
    }
    assert!(to.inbox.ids().is_empty());
}

async fn refusal(to: &Running, path: &str, body: &str, expect: (u16, &str)) -> Answer {
    let answer = to.send(path, body).await;
    assert_eq!(answer.status, expect.0, "{answer:?}");
    assert!(answer.detail().contains(expect.1), "{answer:?}");
    answer
}

#[tokio::test]
async fn given_a_bad_line_when_it_is_sent_then_nothing_of_the_body_is_taken() {
    let to = started().await;
    let body = format!("{}\n{{}}\n{}", message(1), message(2));
    let answer = refusal(&to, GENERAL, &body, (400, "Line 2 cannot be taken")).await;
    assert_eq!(answer.json["line"], 2);
    assert!(to.inbox.ids().is_empty());
}

#[tokio::test]
async fn given_a_bad_path_when_it_is_called_then_the_sentence_says_what_to_write() {
    let to = started().await;
    let hello = message(1);
    let path = |space: &str, channel: &str| format!("/v1/spaces/{space}/channels/{channel}/events");
    for (path, expect) in [
        (
            path("Acme", "webhook:general"),
            (400, "space \"Acme\" is not valid"),
        ),
        (path("acme", "general"), (400, "write platform:channel")),
        (path("acme", "webhook:%20"), (400, "write platform:channel")),
        (path("acme", "webhook:%ff"), (400, "percent-encoded")),
        (
            path("acme", "irc:%23ubuntu"),
            (404, "Write one of webhook, forum"),
        ),
        ("/v1/events".to_owned(), (404, "There is no such path")),
    ] {
        refusal(&to, &path, &hello, expect).await;
    }
    assert!(to.inbox.ids().is_empty());
    for channel in [
        "webhook:general",
        "webhook%3Ageneral",
        "forum%3Aa%2Fb",
        "forum:a%252Fb",
    ] {
        assert_eq!(
            to.send(&path("acme", channel), hello.clone()).await.status,
            202,
            "{channel}"
        );
    }
    let ids = to.inbox.ids();
    assert_eq!((&ids[0], &ids[2]), (&ids[1], &ids[3]));
    let get = answer(reqwest::Client::new().get(format!("http://{}{GENERAL}", to.address))).await;
    assert_eq!(get.status, 405);
    assert!(get.detail().contains("only POST"), "{get:?}");
}

#[tokio::test]
async fn given_another_type_when_it_is_sent_then_it_is_refused() {
    let to = started().await;
    for (header, value, expect) in [
        ("content-type", "text/html", "application/x-ndjson"),
        (
            "content-type",
            "application/x-www-form-urlencoded",
            "application/x-ndjson",
        ),
        ("content-encoding", "gzip", "without compression"),
    ] {
        let mut call = to.call(GENERAL, message(1), NOW).build().expect("a call");
        let value = value.parse().expect("a header");
        call.headers_mut().insert(header, value);
        let request = reqwest::RequestBuilder::from_parts(reqwest::Client::new(), call);
        let refused = answer(request).await;
        assert_eq!(refused.status, 415);
        assert!(refused.detail().contains(expect), "{refused:?}");
    }
    for value in ["application/json", "Application/X-NDJSON; charset=utf-8"] {
        let mut call = to.call(GENERAL, message(1), NOW).build().expect("a call");
        let value = value.parse().expect("a header");
        call.headers_mut().insert("content-type", value);
        let request = reqwest::RequestBuilder::from_parts(reqwest::Client::new(), call);
        assert_eq!(answer(request).await.status, 202);
    }
}

#[tokio::test]
async fn given_a_log_in_trouble_when_lines_are_sent_then_the_answer_says_whether_to_try_again() {
    let to = started().await;
    let hello = message(1);
    to.inbox.set(Some(Trouble::Unavailable));
    refusal(&to, GENERAL, &hello, (503, "cannot be written to now")).await;
    to.inbox.set(Some(Trouble::Refused));
    refusal(&to, GENERAL, &hello, (400, "a record is too large")).await;
    to.inbox.set(None);
    assert_eq!(to.send(GENERAL, hello).await.status, 202);
}

#[tokio::test]
async fn given_a_log_that_does_not_answer_when_lines_are_sent_then_the_call_ends_in_time() {
    let to = receiving(Duration::from_millis(50)).await;
    to.inbox.set(Some(Trouble::Endless));
    refusal(&to, GENERAL, &message(1), (503, "did not answer in time")).await;
}

#[tokio::test]
async fn given_a_broken_log_when_lines_are_sent_then_receiving_ends_with_the_error() {
    let mut to = started().await;
    to.inbox.set(Some(Trouble::Broken));
    refusal(&to, GENERAL, &message(1), (503, "cannot be written to now")).await;
    let error = (&mut to.task).await.expect("no panic");
    assert_eq!(error.class(), Class::Fatal);
}

#[tokio::test]
async fn given_a_gateway_that_receives_when_it_is_dropped_then_the_address_is_free() {
    let (first, _) = gateway("http://127.0.0.1:9/", WebhookFormat::Plain);
    assert_eq!(
        (first.name(), first.platforms()),
        ("webhook", &["webhook".to_owned(), "forum".to_owned()][..])
    );
    let address = first.bind().await.expect("an address");
    assert_eq!(first.bind().await.expect("the same address"), address);
    let to = receiving(LONG).await;
    assert_eq!(to.send(GENERAL, message(1)).await.status, 202);
    let address = to.address;
    to.task.abort();
    // The connection that was kept open is closed, and the address is not listened on.
    while std::net::TcpListener::bind(address).is_err() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn given_an_address_in_use_when_it_is_bound_then_the_error_can_be_tried_again() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("an address");
    let address = taken.local_addr().expect("an address");
    let config = threadlore_gateways::WebhookConfig::new(
        address,
        "http://127.0.0.1:9/",
        crate::support::SECRET,
        vec!["webhook".to_owned()],
        WebhookFormat::Markdown,
    );
    let (_, clock) = limited("http://127.0.0.1:9/", WebhookFormat::Markdown, LONG);
    let gateway = threadlore_gateways::WebhookGateway::new(config.expect("valid"), clock);
    let error = gateway
        .expect("a gateway")
        .bind()
        .await
        .expect_err("in use");
    assert_eq!(error.class(), Class::Retry);
    assert!(error.to_string().contains("webhook.listen"), "{error}");
}
