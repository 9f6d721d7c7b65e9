//! The Matrix gateway against a homeserver that the tests write.

mod common;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use axum::Router;
use axum::body::to_bytes;
use axum::extract::Request;
use axum::http::header::CONTENT_TYPE;
use axum::response::Response;
use common::{RefusingInbox, answer, space};
use serde_json::{Value, json};
use threadlore_gateways::{MatrixConfig, MatrixGateway, MatrixSettings};
use threadlore_model::{Body, DeliveryKind, Timestamp};
use threadlore_ports::{Clock, Gateway, PortError};
use tokio::net::TcpListener;

const ROOM: &str = "!room:lore.test";
const CHANNEL: &str = "matrix:!room:lore.test";
/// 2024-05-01T12:00:00Z, in milliseconds.
const NOW: i64 = 1_714_564_800_000;

/// A clock that moves only while somebody sleeps.
#[derive(Default)]
struct Turned(Mutex<Duration>);

#[async_trait]
impl Clock for Turned {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(NOW).plus(*self.0.lock().expect("no panic"))
    }
    async fn sleep(&self, by: Duration) {
        *self.0.lock().expect("no panic") += by;
    }
}

/// What a homeserver answers: status, kind of content and body. `None` answers never.
type Answer = Option<(u16, &'static str, String)>;

fn json_of(body: &Value) -> Answer {
    Some((200, "application/json", body.to_string()))
}

fn error(status: u16, body: &Value) -> Answer {
    Some((status, "application/json", body.to_string()))
}

/// What was called, in order: method, path with query, body.
type Calls = Arc<Mutex<Vec<(String, String)>>>;

/// A homeserver that answers as it is told, `whoami` and the rooms of the account aside.
async fn homeserver(
    answer: impl Fn(&str, &str, &str) -> Answer + Clone + Send + Sync + 'static,
) -> (String, Calls) {
    let calls = Calls::default();
    let seen = Arc::clone(&calls);
    let handler = move |request: Request| {
        let (answer, seen) = (answer.clone(), Arc::clone(&seen));
        async move {
            let (parts, body) = request.into_parts();
            let body = to_bytes(body, 1 << 20).await.expect("a body");
            let body = String::from_utf8(body.to_vec()).expect("UTF-8");
            let path = parts.uri.to_string();
            let path = path.trim_start_matches("/_matrix/client/v3/").to_owned();
            let call = format!("{} {path}", parts.method);
            seen.lock().expect("no panic").push((call, body.clone()));
            let known = match path.as_str() {
                "account/whoami" => json_of(&json!({"user_id": "@lore:lore.test"})),
                "user/@lore:lore.test/account_data/m.direct" => {
                    error(404, &json!({"errcode": "M_NOT_FOUND", "error": "none"}))
                }
                "joined_rooms" => json_of(&json!({"joined_rooms": []})),
                _ => None,
            };
            let Some((status, kind, body)) = answer(parts.method.as_str(), &path, &body).or(known)
            else {
                return std::future::pending().await;
            };
            let response = Response::builder()
                .status(status)
                .header(CONTENT_TYPE, kind);
            response
                .body(axum::body::Body::from(body))
                .expect("a response")
        }
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("binds");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let router = Router::new().fallback(handler);
    tokio::spawn(async move { axum::serve(listener, router).await });
    (url, calls)
}

fn gateway(url: &str, history: u32) -> (MatrixGateway, Arc<Turned>) {
    let clock = Arc::new(Turned::default());
    let config = MatrixConfig::new(MatrixSettings {
        homeserver: url.to_owned(),
        token: "syt_token".to_owned(),
        space: "acme".to_owned(),
        platform: "matrix".to_owned(),
        history,
        invited_by: vec!["@anna:lore.test".to_owned()],
        ..MatrixSettings::default()
    });
    let shared: Arc<dyn Clock> = Arc::clone(&clock) as _;
    let gateway = MatrixGateway::new(config.expect("valid"), shared).expect("made");
    (gateway, clock)
}

/// Receives until the server's answers end, or until receiving fails.
async fn received(
    gateway: &MatrixGateway,
    inbox: &RefusingInbox,
    until: &str,
) -> Option<PortError> {
    let kept = async {
        loop {
            if inbox.cursor.lock().expect("no panic").as_deref() == Some(until) {
                return;
            }
            tokio::task::yield_now().await;
        }
    };
    let both = async {
        tokio::select! {
            failed = gateway.receive(inbox) => {
                let Err(error) = failed;
                Some(error)
            }
            () = kept => None,
        }
    };
    let limit = tokio::time::timeout(Duration::from_secs(60), both);
    limit.await.expect("it ends in time")
}

fn message(id: &str, sender: &str, at: i64, content: &Value) -> Value {
    json!({
        "type": "m.room.message", "event_id": id, "sender": sender,
        "origin_server_ts": at, "content": content, "room_id": ROOM,
    })
}

fn text(id: &str, body: &str) -> Value {
    let content = json!({"msgtype": "m.text", "body": body});
    message(id, "@anna:lore.test", NOW, &content)
}

/// What a first sync has: the bot's one room with these events.
fn synced(events: &[Value], prev: &str) -> Answer {
    let levels = json!({
        "type": "m.room.power_levels", "state_key": "", "event_id": "$levels", "sender": "@anna:lore.test",
        "origin_server_ts": NOW, "content": {"users": {"@anna:lore.test": 100, "@ben:lore.test": 0, "@lore:lore.test": 50}},
    });
    let rules = json!({
        "type": "m.room.join_rules", "state_key": "", "event_id": "$rules",
        "sender": "@anna:lore.test", "origin_server_ts": NOW, "content": {"join_rule": "invite"},
    });
    let member = json!({
        "type": "m.room.member", "state_key": "@anna:lore.test", "event_id": "$member",
        "sender": "@anna:lore.test", "origin_server_ts": NOW,
        "content": {"membership": "join", "displayname": "Anna \u{1F98A}"},
    });
    json_of(&json!({
        "next_batch": "s1",
        "rooms": {"join": {ROOM: {
            "state": {"events": [levels, rules, member]},
            "timeline": {"events": events, "limited": true, "prev_batch": prev},
        }}},
    }))
}

#[tokio::test]
async fn the_past_is_read_page_by_page_before_the_present_and_then_who_is_admin() {
    let (url, calls) = homeserver(|_, path, _| {
        let page = |from: i64, end: Option<&str>| {
            let events: Vec<Value> = (from..from + 2)
                .rev()
                .map(|n| text(&format!("$past{n}"), &format!("line {n}")))
                .collect();
            json_of(&json!({"start": "x", "end": end, "chunk": events}))
        };
        if path.starts_with("sync?") && !path.contains("since=") {
            return synced(&[text("$now", "and now?")], "p0");
        }
        match path {
            _ if path.contains("from=p0") => page(2, Some("p1")),
            _ if path.contains("from=p1") => page(0, None),
            _ if path.contains("read_markers") => json_of(&json!({})),
            _ => None,
        }
    })
    .await;
    let inbox = RefusingInbox::default();
    // The log is away at first: the token is not kept, so all of it comes again.
    *inbox.refuses.lock().expect("no panic") = 1;
    let (gateway, _) = gateway(&url, 100);
    let failed = received(&gateway, &inbox, "s1").await.expect("it fails");
    assert!(failed.to_string().contains("the log"), "{failed}");
    assert_eq!(*inbox.cursor.lock().expect("no panic"), None);
    assert!(received(&gateway, &inbox, "s1").await.is_none());
    let texts: Vec<String> = inbox.messages().into_iter().map(|m| m.text).collect();
    assert_eq!(texts, ["line 0", "line 1", "line 2", "line 3", "and now?"]);
    let first = inbox.messages().remove(0);
    assert_eq!(first.author_name.as_deref(), Some("Anna \u{1F98A}"));
    assert_eq!(first.author_id, "@anna:lore.test");
    let last = inbox.events.lock().expect("no panic").last().cloned();
    assert!(matches!(
        last.expect("some").body,
        Body::PlatformHistoryEnded(_)
    ));
    // The bot itself is no admin, and neither is who has no power.
    let channels = inbox.channels.lock().expect("no panic").clone();
    let anna = vec!["@anna:lore.test".to_owned()];
    assert_eq!(channels, [(CHANNEL.to_owned(), anna, Some("members"))]);
    let calls = calls.lock().expect("no panic");
    // What is known of the rooms is not asked again where receiving begins again.
    let rooms = calls
        .iter()
        .filter(|(call, _)| call.ends_with("joined_rooms"));
    assert_eq!(rooms.count(), 1);
    assert!(
        calls
            .iter()
            .any(|(call, body)| call.contains("read_markers") && body.contains("$now"))
    );
}

#[tokio::test]
async fn what_is_no_event_says_nothing_and_the_rest_is_bounded() {
    let mentions: Vec<String> = (0..500).map(|n| format!("@p{n}:lore.test")).collect();
    let with = |id: &str, sender: &str, at: i64, content: Value| message(id, sender, at, &content);
    let events = vec![
        json!({"type": "m.room.message"}),
        json!({"event_id": 7, "type": "m.room.message", "content": []}),
        with(
            "$empty",
            "@anna:lore.test",
            NOW,
            json!({"msgtype": "m.text", "body": " \u{7}\u{0} "}),
        ),
        with("$none", "@anna:lore.test", NOW, json!({})),
        with(
            "$own",
            "@lore:lore.test",
            NOW,
            json!({"msgtype": "m.text", "body": "mine"}),
        ),
        with(
            "$image",
            "@anna:lore.test",
            NOW,
            json!({
                "msgtype": "m.image", "body": "a.png", "url": "mxc://a/b",
                "info": {"mimetype": "image/png", "size": 34_567},
            }),
        ),
        with(
            "$long",
            "@anna:lore.test",
            NOW,
            json!({"msgtype": "m.text", "body": "é".repeat(1 << 20)}),
        ),
        with(
            "$future",
            "@anna:lore.test",
            i64::from(u32::MAX) * 1000,
            json!({"msgtype": "m.text", "body": "tomorrow"}),
        ),
        with(
            "$names",
            "@anna:lore.test",
            NOW,
            json!({
                "msgtype": "m.text", "body": "\u{202E}all of you",
                "m.mentions": {"user_ids": mentions},
            }),
        ),
        with(
            "$bot",
            "@ben:lore.test",
            NOW,
            json!({"msgtype": "m.notice", "body": "beep"}),
        ),
        with(
            "$asks",
            "@ben:lore.test",
            NOW,
            json!({
                "msgtype": "m.text", "body": "> <@anna:lore.test> before\n\nwhat now?",
                "m.mentions": {"user_ids": ["@lore:lore.test"]},
                "m.relates_to": {"m.in_reply_to": {"event_id": "$gone"}},
            }),
        ),
    ];
    let (url, _) = homeserver(move |_, path, _| match path {
        _ if path.starts_with("sync?") && !path.contains("since=") => synced(&events, "p0"),
        _ if path.contains("read_markers") => json_of(&json!({})),
        _ => None,
    })
    .await;
    let inbox = RefusingInbox::default();
    let (gateway, _) = gateway(&url, 0);
    assert!(received(&gateway, &inbox, "s1").await.is_none());
    let messages = inbox.messages();
    let ids: Vec<&str> = messages.iter().map(|m| m.native_id.as_str()).collect();
    assert_eq!(
        ids,
        ["$image", "$long", "$future", "$names", "$bot", "$asks"]
    );
    let (image, messages) = messages.split_first().expect("the picture");
    assert_eq!(image.text, "[file: a.png, image/png, 34 kB]");
    assert_eq!(messages[0].text.len(), 64 << 10);
    assert_eq!(messages[1].sent_at, Timestamp::from_millis(NOW));
    assert_eq!(messages[2].mentions.len(), 50);
    assert!(messages[3].author_is_bot);
    let asks = &messages[4];
    assert!(asks.to_bot && !asks.author_is_bot);
    assert_eq!(
        (asks.text.as_str(), asks.reply_to.as_deref()),
        ("what now?", Some("$gone"))
    );
}

#[tokio::test]
async fn an_invitation_to_a_direct_conversation_makes_all_of_it_said_to_the_bot() {
    let (url, calls) = homeserver(|method, path, _| {
        let invited = json!({
            "type": "m.room.member", "state_key": "@lore:lore.test", "sender": "@anna:lore.test",
            "content": {"membership": "invite", "is_direct": true},
        });
        let invitation = json!({
            "next_batch": "s0",
            "rooms": {"invite": {ROOM: {"invite_state": {"events": [invited]}}}},
        });
        match path {
            _ if path.contains("since=s0") => synced(&[text("$one", "what a day")], "p0"),
            _ if path.starts_with("sync?") && !path.contains("since=") => json_of(&invitation),
            _ if path.starts_with("join/") => json_of(&json!({"room_id": ROOM})),
            _ if method == "PUT" || path.contains("read_markers") => json_of(&json!({})),
            _ => None,
        }
    })
    .await;
    let inbox = RefusingInbox::default();
    let (gateway, _) = gateway(&url, 0);
    assert!(received(&gateway, &inbox, "s1").await.is_none());
    assert!(inbox.messages().iter().all(|message| message.to_bot));
    let calls = calls.lock().expect("no panic");
    let kept = calls.iter().position(|(call, body)| {
        call.starts_with("PUT") && call.ends_with("account_data/m.direct") && body.contains(ROOM)
    });
    let joined = calls.iter().position(|(call, _)| call.contains(" join/"));
    assert!(kept < joined && kept.is_some(), "{calls:?}");
}

#[tokio::test]
async fn what_answers_in_place_of_a_homeserver_is_said() {
    let page = |status| Some((status, "text/html", "<html>hello</html>".to_owned()));
    for status in [200, 302, 404] {
        let (url, _) = homeserver(move |_, _, _| page(status)).await;
        let (gateway, _) = gateway(&url, 0);
        let error = received(&gateway, &RefusingInbox::default(), "")
            .await
            .expect("it fails");
        assert!(
            error
                .to_string()
                .contains("`matrix.homeserver` is no Matrix server"),
            "{status}: {error}"
        );
    }
    let (url, _) = homeserver(move |_, _, _| page(502)).await;
    let (gateway_to_it, _) = gateway(&url, 0);
    let failed = received(&gateway_to_it, &RefusingInbox::default(), "").await;
    assert!(
        matches!(failed, Some(PortError::Unavailable { .. })),
        "{failed:?}"
    );
    let (nobody, _) = gateway("http://127.0.0.1:1", 0);
    let failed = received(&nobody, &RefusingInbox::default(), "").await;
    assert!(
        matches!(failed, Some(PortError::Unavailable { .. })),
        "{failed:?}"
    );
    let unknown = json!({"errcode": "M_UNKNOWN_TOKEN", "error": "no"});
    let (url, _) = homeserver(move |_, _, _| error(401, &unknown)).await;
    let (stranger, _) = gateway(&url, 0);
    let failed = received(&stranger, &RefusingInbox::default(), "")
        .await
        .expect("it fails");
    assert!(
        failed.to_string().contains("`matrix.access_token`"),
        "{failed}"
    );
    assert!(!format!("{failed:?}").contains("syt_token"), "{failed:?}");
    // A delivery waits for a new one until its time is over.
    let failed = stranger
        .deliver(&space(), &answer(CHANNEL, "x", "$q"))
        .await;
    assert!(matches!(failed, Err(PortError::Busy { .. })), "{failed:?}");
}

#[tokio::test]
async fn a_homeserver_that_wants_fewer_calls_is_left_alone_and_gets_the_same_transaction() {
    let limits = Arc::new(Mutex::new(1));
    let (url, calls) = homeserver(move |method, path, _| match method {
        "GET" if path.contains("/event/") => json_of(&text("$q", "how?")),
        "PUT" => {
            let mut left = limits.lock().expect("no panic");
            if *left > 0 {
                *left -= 1;
                return error(429, &json!({"errcode": "M_LIMIT_EXCEEDED", "error": "slow", "retry_after_ms": 5000}));
            }
            json_of(&json!({"event_id": "$sent"}))
        }
        _ => None,
    })
    .await;
    let (gateway, clock) = gateway(&url, 0);
    let delivery = answer(CHANNEL, "run `a` first\n\nFrom: https://lore.test/1", "$q");
    let failed = gateway.deliver(&space(), &delivery).await;
    assert!(matches!(failed, Err(PortError::Busy { .. })), "{failed:?}");
    assert_eq!(*clock.0.lock().expect("no panic"), Duration::ZERO);
    let sent = gateway.deliver(&space(), &delivery).await.expect("sent");
    assert_eq!(*clock.0.lock().expect("no panic"), Duration::from_secs(5));
    assert_eq!(sent[0].native_id, "$sent");
    let calls = calls.lock().expect("no panic");
    let puts: Vec<_> = calls
        .iter()
        .filter(|(call, _)| call.starts_with("PUT"))
        .collect();
    assert_eq!(puts.len(), 2);
    assert_eq!(puts[0], puts[1]);
    let content: Value = serde_json::from_str(&puts[0].1).expect("JSON");
    assert_eq!(content["msgtype"], "m.notice");
    assert_eq!(
        content["m.mentions"]["user_ids"],
        json!(["@anna:lore.test"])
    );
    let html = content["formatted_body"].as_str().expect("formatted");
    assert!(
        html.contains("<code>a</code>") && html.contains("<a href="),
        "{html}"
    );
}

#[tokio::test]
async fn a_question_that_is_gone_and_a_channel_of_elsewhere_are_not_answered() {
    let (url, _) = homeserver(|method, path, _| match method {
        "GET" if path.contains("/event/%24gone") || path.contains("/event/$gone") => {
            error(404, &json!({"errcode": "M_NOT_FOUND", "error": "no"}))
        }
        "GET" if path.contains("/event/") => {
            json_of(&message("$q", "@anna:lore.test", NOW, &json!({})))
        }
        _ => None,
    })
    .await;
    let (gateway, _) = gateway(&url, 0);
    for (delivery, words) in [
        (answer(CHANNEL, "x", "$q"), "was deleted"),
        (answer(CHANNEL, "x", "$gone"), "M_NOT_FOUND"),
        (answer("matrix:help", "x", "$q"), "no room of Matrix"),
        (answer(CHANNEL, "x", "q"), "no id of Matrix"),
    ] {
        let failed = gateway
            .deliver(&space(), &delivery)
            .await
            .expect_err("refused");
        assert!(
            matches!(&failed, PortError::Refused { reason, .. } if reason.contains(words)),
            "{failed}"
        );
    }
    let mut nothing = answer(CHANNEL, "x", "$q");
    nothing.what = DeliveryKind::Withdrawal {
        native_ids: Vec::new(),
    };
    assert_eq!(
        gateway
            .deliver(&space(), &nothing)
            .await
            .expect("nothing to do"),
        []
    );
}
