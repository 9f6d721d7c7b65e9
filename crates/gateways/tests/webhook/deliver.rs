//! Deliveries to a receiver.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse as _;
use serde_json::{Value, json};
use threadlore_gateways::WebhookFormat;
use threadlore_model::{AnswerId, ChannelId, Delivery, DeliveryKind, SpaceId, Timestamp};
use threadlore_ports::{Class, Clock as _, Gateway as _, PortError};

use crate::support::{NOW, gateway, limited, signature};

/// An answer that the receiver gives: status, headers, body.
type Said = (u16, Vec<(&'static str, &'static str)>, String);

type Calls = Arc<Mutex<Vec<(HeaderMap, Vec<u8>)>>>;
type Script = Arc<Mutex<std::vec::IntoIter<Said>>>;

/// A receiver of deliveries.
struct Receiver {
    url: String,
    calls: Calls,
}

/// A receiver that says one thing after the other, and nothing behind the last.
async fn saying(said: Vec<Said>) -> Receiver {
    let calls = Calls::default();
    let said = Arc::new(Mutex::new(said.into_iter()));
    let state = (Arc::clone(&calls), said);
    let router = Router::new()
        .fallback(
            |State((calls, said)): State<(Calls, Script)>,
             headers: HeaderMap,
             body: Bytes| async move {
                calls
                    .lock()
                    .expect("no panic")
                    .push((headers, body.to_vec()));
                let next = said.lock().expect("no panic").next();
                let Some((status, headers, body)) = next else {
                    return std::future::pending().await;
                };
                let status = StatusCode::from_u16(status).expect("a status");
                let mut response = (status, body).into_response();
                for (name, value) in headers {
                    let value = value.parse().expect("a header");
                    response.headers_mut().insert(name, value);
                }
                response
            },
        )
        .with_state(state);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await;
    let listener = listener.expect("an address");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move { axum::serve(listener, router).await });
    let url = format!("http://user:MfKQpass@{address}/hook?key=MfKQquery");
    Receiver { url, calls }
}

fn said(status: u16, body: impl Into<String>) -> Said {
    (status, Vec::new(), body.into())
}

fn delivery(what: DeliveryKind) -> Delivery {
    let id = "00000000-0000-0000-0000-000000000007";
    Delivery {
        answer: id.parse::<AnswerId>().expect("an id"),
        channel: ChannelId::parse("webhook:general").expect("a channel"),
        what,
        until: Timestamp::from_millis((NOW + 3600) * 1000),
    }
}

pub(crate) fn answer() -> Delivery {
    delivery(DeliveryKind::Answer {
        text: "Try **MfKQtext**.".to_owned(),
        reply_to: "41".to_owned(),
        thread: None,
    })
}

pub(crate) fn withdrawal() -> Delivery {
    let native_ids = vec!["51".to_owned()];
    delivery(DeliveryKind::Withdrawal { native_ids })
}

pub(crate) fn space() -> SpaceId {
    SpaceId::parse("acme").expect("a space")
}

/// What the delivery came to, with the sentence of an error; checks that nothing private is in it.
async fn send(to: &Receiver, delivery: &Delivery) -> Result<Vec<String>, (Class, String)> {
    let (gateway, _) = gateway(&to.url, WebhookFormat::Markdown);
    let sent = gateway.deliver(&space(), delivery).await.map_err(shown)?;
    Ok(sent.into_iter().map(|sent| sent.native_id).collect())
}

fn shown(error: PortError) -> (Class, String) {
    let class = error.class();
    let text = error.to_string();
    assert!(!format!("{text} {error:?}").contains("MfKQ"), "{error:?}");
    (class, text)
}

#[tokio::test]
async fn given_a_receiver_when_an_answer_is_delivered_then_the_call_is_signed_and_its_ids_come_back()
 {
    let to = saying(vec![said(200, r#"{"native_ids":["51"]}"#)]).await;
    assert_eq!(send(&to, &answer()).await, Ok(vec!["51".to_owned()]));
    let calls = to.calls.lock().expect("no panic");
    let (headers, body) = &calls[0];
    let key = "answer-00000000-0000-0000-0000-000000000007";
    assert_eq!(headers["webhook-id"], key);
    assert_eq!(headers["webhook-timestamp"], NOW.to_string());
    assert_eq!(headers["webhook-signature"], signature(key, NOW, body));
    assert_eq!(headers["content-type"], "application/json");
    let json: Value = serde_json::from_slice(body).expect("JSON");
    assert_eq!(json["messages"], json!(["Try **MfKQtext**."]));
    assert_eq!(
        (&json["key"], &json["type"]),
        (&json!(key), &json!("answer"))
    );
}

#[tokio::test]
async fn given_a_receiver_when_an_answer_is_withdrawn_then_any_success_will_do() {
    for status in [200, 202, 204] {
        let to = saying(vec![said(status, "")]).await;
        assert_eq!(send(&to, &withdrawal()).await, Ok(vec![]));
        let calls = to.calls.lock().expect("no panic");
        assert!(
            calls[0].0["webhook-id"]
                .as_bytes()
                .starts_with(b"withdrawal-")
        );
    }
}

#[tokio::test]
async fn given_each_status_when_it_is_answered_then_it_means_try_again_or_never() {
    for (status, class, expect) in [
        (408, Class::Retry, "(408)"),
        (425, Class::Retry, "(425)"),
        (429, Class::Retry, "(429)"),
        (500, Class::Retry, "(5xx)"),
        (502, Class::Retry, "(5xx)"),
        (503, Class::Retry, "(5xx)"),
        (400, Class::DeadLetter, "400 Bad Request"),
        (401, Class::DeadLetter, "compare its secret"),
        (403, Class::DeadLetter, "compare its secret"),
        (404, Class::DeadLetter, "look at `webhook.deliver_url`"),
        (410, Class::DeadLetter, "410 Gone"),
        (301, Class::DeadLetter, "redirects are not followed"),
        (307, Class::DeadLetter, "redirects are not followed"),
    ] {
        for delivery in [answer(), withdrawal()] {
            let elsewhere = vec![("location", "/elsewhere")];
            let to = saying(vec![(status, elsewhere, "MfKQ".to_owned())]).await;
            let (found, text) = send(&to, &delivery).await.expect_err("an error");
            assert_eq!(found, class, "{status}");
            assert!(text.contains(expect), "{text}");
            assert_eq!(to.calls.lock().expect("no panic").len(), 1, "{status}");
        }
    }
}

#[tokio::test]
async fn given_an_answer_without_the_ids_when_it_comes_then_the_delivery_is_refused() {
    for (body, expect) in [
        ("<html>MfKQ</html>".to_owned(), "is not JSON such as"),
        (String::new(), "is not JSON such as"),
        (r#"{"native_ids":[]}"#.to_owned(), "0 ids for 1 messages"),
        (
            r#"{"native_ids":["1","2"]}"#.to_owned(),
            "2 ids for 1 messages",
        ),
        (" ".repeat(70_000), "longer than 65536 bytes"),
    ] {
        let to = saying(vec![said(200, body)]).await;
        let (class, text) = send(&to, &answer()).await.expect_err("an error");
        assert_eq!(class, Class::DeadLetter);
        assert!(text.contains(expect), "{text}");
    }
}

#[tokio::test]
async fn given_a_receiver_that_is_silent_or_away_when_it_is_called_then_it_is_tried_again() {
    let to = saying(vec![]).await;
    let limit = Duration::from_millis(50);
    let (gateway, _) = limited(&to.url, WebhookFormat::Markdown, limit);
    let silent = gateway.deliver(&space(), &answer()).await.map_err(shown);
    let (class, text) = silent.expect_err("no answer");
    assert_eq!(class, Class::Retry);
    assert!(text.contains("did not answer in time"), "{text}");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("an address");
    let url = format!(
        "http://MfKQ:MfKQ@{}/",
        taken.local_addr().expect("an address")
    );
    drop(taken);
    let calls = Arc::default();
    let (class, text) = send(&Receiver { url, calls }, &answer())
        .await
        .expect_err("away");
    assert_eq!(class, Class::Retry);
    assert!(text.contains("cannot be reached"), "{text}");
}

#[tokio::test]
async fn given_a_pause_that_is_asked_for_when_it_is_sent_again_then_it_waits_as_long() {
    let wait = |status, seconds| (status, vec![("retry-after", seconds)], String::new());
    let to = saying(vec![
        wait(429, "7"),
        wait(503, "86400"),
        wait(429, "Wed, 01 May 2024 12:00:00 GMT"),
        said(200, r#"{"native_ids":["51"]}"#),
    ])
    .await;
    let (gateway, clock) = gateway(&to.url, WebhookFormat::Markdown);
    for _ in 0..3 {
        let again = gateway.deliver(&space(), &answer()).await;
        assert_eq!(again.map_err(shown).expect_err("a pause").0, Class::Retry);
    }
    let ids = gateway.deliver(&space(), &answer()).await;
    let sent = ids.expect("taken");
    assert_eq!((sent.len(), sent[0].native_id.as_str()), (1, "51"));
    assert_eq!(
        clock.slept(),
        [Duration::from_secs(7), Duration::from_secs(60)]
    );
}

#[tokio::test]
async fn given_a_pause_beyond_the_time_of_a_delivery_when_it_is_sent_again_then_it_is_not_sent() {
    let asked = vec![("retry-after", "30")];
    let to = saying(vec![(429, asked, String::new())]).await;
    let (gateway, clock) = gateway(&to.url, WebhookFormat::Markdown);
    let mut short = answer();
    short.until = clock.now().plus(Duration::from_secs(10));
    for _ in 0..2 {
        let again = gateway.deliver(&space(), &short).await;
        assert_eq!(again.map_err(shown).expect_err("a pause").0, Class::Retry);
    }
    assert_eq!(clock.slept(), [Duration::from_secs(10)]);
    assert_eq!(to.calls.lock().expect("no panic").len(), 1);
}

#[tokio::test]
async fn given_what_cannot_be_sent_when_it_is_delivered_then_no_call_is_made() {
    let to = saying(vec![]).await;
    let mut other = answer();
    other.channel = ChannelId::parse("irc:#ubuntu").expect("a channel");
    let empty = delivery(DeliveryKind::Answer {
        text: " ".to_owned(),
        reply_to: "41".to_owned(),
        thread: None,
    });
    for (delivery, expect) in [
        (other, "webhook.platforms"),
        (empty, "nothing that can be shown"),
    ] {
        let (class, text) = send(&to, &delivery).await.expect_err("an error");
        assert_eq!(class, Class::DeadLetter);
        assert!(text.contains(expect), "{text}");
    }
    assert!(to.calls.lock().expect("no panic").is_empty());
}
