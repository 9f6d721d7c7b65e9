use serde_json::{Value, json};
use threadlore_model::{AnswerId, ChannelId, Timestamp};

use super::*;

fn delivery(what: DeliveryKind) -> Delivery {
    let id = "00000000-0000-0000-0000-000000000007";
    Delivery {
        answer: id.parse::<AnswerId>().expect("an id"),
        channel: ChannelId::parse("webhook:general").expect("a channel"),
        what,
        until: Timestamp::LATEST,
    }
}

fn answer(text: &str, thread: Option<&str>) -> Delivery {
    delivery(DeliveryKind::Answer {
        text: text.to_owned(),
        reply_to: "41".to_owned(),
        thread: thread.map(str::to_owned),
    })
}

fn sent(delivery: &Delivery, format: WebhookFormat) -> Option<(Value, usize)> {
    let space = SpaceId::parse("acme").expect("a space");
    let payload = of(&space, delivery, format)?;
    let json = serde_json::from_slice(&payload.body).expect("JSON");
    Some((json, payload.texts.len()))
}

#[test]
fn an_answer_has_every_field() {
    let (json, messages) = sent(
        &answer("Try **this**.", Some("40")),
        WebhookFormat::Markdown,
    )
    .expect("something to send");
    let expect = json!({
        "type": "answer",
        "key": "answer-00000000-0000-0000-0000-000000000007",
        "space": "acme",
        "channel": "webhook:general",
        "format": "markdown",
        "messages": ["Try **this**."],
        "reply_to": "41",
        "thread": "40",
    });
    assert_eq!((json, messages), (expect, 1));
    let (json, _) = sent(&answer("Yes", None), WebhookFormat::Markdown).expect("an answer");
    assert!(json.get("thread").is_none());
}

#[test]
fn a_withdrawal_has_the_ids_and_no_messages() {
    let native_ids = vec!["51".to_owned(), "52".to_owned()];
    let withdrawal = delivery(DeliveryKind::Withdrawal { native_ids });
    let (json, messages) = sent(&withdrawal, WebhookFormat::Slack).expect("something to send");
    let expect = json!({
        "type": "withdrawal",
        "key": "withdrawal-00000000-0000-0000-0000-000000000007",
        "space": "acme",
        "channel": "webhook:general",
        "native_ids": ["51", "52"],
    });
    assert_eq!((json, messages), (expect, 0));
}

#[test]
fn each_format_is_rendered_and_split_for_its_platform() {
    let text = "Try **this**.";
    for (format, expect) in [
        (WebhookFormat::Markdown, "Try **this**."),
        (WebhookFormat::Plain, "Try this."),
        (WebhookFormat::Telegram, "Try <b>this</b>."),
        (WebhookFormat::Slack, "Try *this*."),
        (WebhookFormat::Discord, "Try **this**."),
    ] {
        let (json, _) = sent(&answer(text, None), format).expect("something to send");
        assert_eq!(json["messages"], json!([expect]), "{format}");
    }
    let long = "word ".repeat(1000);
    for (format, expect) in [
        (WebhookFormat::Markdown, 1),
        (WebhookFormat::Plain, 1),
        (WebhookFormat::Telegram, 2),
        (WebhookFormat::Slack, 2),
        (WebhookFormat::Discord, 3),
    ] {
        let (_, messages) = sent(&answer(&long, None), format).expect("something to send");
        assert_eq!(messages, expect, "{format}");
    }
}

#[test]
fn an_answer_without_anything_to_see_is_not_sent() {
    for format in WebhookFormat::ALL {
        assert_eq!(sent(&answer(" \n", None), format), None, "{format}");
    }
}

#[test]
fn ids_are_read_or_the_reason_says_what_is_wrong_without_repeating_it() {
    let read = |answer: &str| native_ids(answer.as_bytes(), 2);
    assert_eq!(
        read(r#"{"native_ids":["51","52"],"note":1}"#),
        Ok(vec!["51".to_owned(), "52".to_owned()])
    );
    let long = format!(r#"{{"native_ids":["1","{}"]}}"#, "x".repeat(257));
    for (answer, expect) in [
        ("", "is not JSON such as"),
        ("<html>secret", "is not JSON such as"),
        ("{}", "is not JSON such as"),
        (r#"{"native_ids":"secret"}"#, "is not JSON such as"),
        (r#"{"native_ids":[1,2]}"#, "is not JSON such as"),
        (r#"{"native_ids":[]}"#, "0 ids for 2 messages"),
        (r#"{"native_ids":["secret"]}"#, "1 ids for 2 messages"),
        (r#"{"native_ids":["1","2","3"]}"#, "3 ids for 2 messages"),
        (r#"{"native_ids":["1"," "]}"#, "is empty, longer than"),
        (r#"{"native_ids":["1","a\u0000"]}"#, "control characters"),
        (&long, "longer than 256 bytes"),
    ] {
        let reason = read(answer).expect_err("no ids");
        assert!(
            reason.contains(expect) && !reason.contains("secret"),
            "{reason}"
        );
    }
}
