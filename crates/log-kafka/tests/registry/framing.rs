//! Values on their way to the log and back.

use std::collections::BTreeSet;

use serde_json::json;
use threadlore_log_kafka::RegistrySettings;
use threadlore_model::{Body, Role, Topic};
use threadlore_schema::{Codec, Topics};
use threadlore_testkit::RegistryDouble;

use crate::support::{
    archived, broken, decode, framed, message, read, registry, single, under, with,
};

const SUBJECT: &str = "POST /subjects/chat.inbox-io.threadlore.v1.PlatformMessage";

/// What a gateway in another language may have registered: without fields that have a
/// default, with fields of its own, in another order.
pub(crate) const FOREIGN: &str = r#"{"type":"record","name":"PlatformMessage","namespace":"io.threadlore.v1",
    "fields":[
    {"name":"score","type":"double"},
    {"name":"channel","type":"string"},{"name":"native_id","type":"string"},
    {"name":"labels","type":{"type":"map","values":"long"}},
    {"name":"author_id","type":"string"},{"name":"author_is_bot","type":"boolean"},
    {"name":"text","type":"string"},
    {"name":"sent_at","type":{"type":"long","logicalType":"timestamp-millis"}}]}"#;

pub(crate) fn foreign_datum() -> Vec<u8> {
    let score = 0.5_f64.to_le_bytes();
    [
        &score[..],
        b"\x0airc:x\x02m\x02\x02k\x54\0\x02a\0\x0awords\x54",
    ]
    .concat()
}

#[tokio::test]
async fn a_value_is_framed_and_comes_back() {
    let double = RegistryDouble::start();
    double.holds_schema("\"string\"");
    let (registry, _) = registry(&double.url());
    let event = message();
    let value = framed(&registry, &event).await.expect("framed");
    assert_eq!(value[..5], [0, 0, 0, 0, 2]);
    assert_eq!(value[5..], single(&event)[10..]);
    let readable = read(&registry, &value).await.expect("known");
    assert_eq!(decode(&event, &readable.expect("readable")), Ok(event));
}

#[tokio::test]
async fn values_of_both_encodings_are_read() {
    let double = RegistryDouble::start();
    let (registry, _) = registry(&double.url());
    let event = message();
    let old = single(&event);
    let new = framed(&registry, &event).await.expect("framed");
    let found = registry
        .from_wire(&[&old, &new, b"{}"])
        .await
        .expect("known");
    assert_eq!(found.len(), 3);
    for readable in found.iter().take(2) {
        let readable = readable.as_ref().expect("readable");
        assert_eq!(decode(&event, readable), Ok(event.clone()));
    }
    let none = found[2].as_ref().expect("left to the codec");
    assert!(
        decode(&event, none)
            .expect_err("no event")
            .contains("C3 01")
    );
}

#[tokio::test]
async fn what_is_known_is_not_asked_again() {
    let double = RegistryDouble::start();
    let (writer, _) = registry(&double.url());
    let event = message();
    let value = framed(&writer, &event).await.expect("framed");
    let asked = [
        format!("{SUBJECT}/versions"),
        "GET /schemas/ids/1".to_owned(),
    ];
    assert_eq!(double.asked(), asked);
    framed(&writer, &event).await.expect("framed");
    read(&writer, &value)
        .await
        .expect("known")
        .expect("readable");
    assert_eq!(double.asked(), [""; 0]);
    // Another process reads a batch of it.
    let (reader, _) = registry(&double.url());
    let batch = vec![&value[..]; 50];
    assert_eq!(reader.from_wire(&batch).await.expect("known").len(), 50);
    assert_eq!(double.asked(), ["GET /schemas/ids/1"]);
}

#[tokio::test]
async fn many_at_once_ask_once() {
    let double = RegistryDouble::start();
    let (registry, _) = registry(&double.url());
    let event = message();
    let all = (0..20).map(|_| framed(&registry, &event));
    for value in futures::future::join_all(all).await {
        assert_eq!(value.expect("framed")[..5], [0, 0, 0, 0, 1]);
    }
    assert_eq!(double.asked().len(), 2);
}

#[tokio::test]
async fn each_type_has_a_subject_on_its_topic() {
    let double = RegistryDouble::start();
    let (registry, _) = registry(&double.url());
    let values = [message(), archived()].map(|e| (e.body.topic().expect("a topic"), single(&e)));
    let framed = registry.to_wire(values.to_vec()).await.expect("framed");
    assert_eq!((framed[0][4], framed[1][4]), (1, 2));
    let asked = double.asked();
    assert!(asked.contains(&format!("{SUBJECT}/versions")));
    let other = "POST /subjects/knowledge.cases-io.threadlore.v1.CaseArchived/versions";
    assert!(asked.contains(&other.to_owned()), "{asked:?}");
}

#[tokio::test]
async fn what_a_role_writes_is_asked_for_at_the_start() {
    let double = RegistryDouble::start();
    let (registry, _) = registry(&double.url());
    let roles = BTreeSet::from([Role::Extractor]);
    let topics = Topics::embedded();
    registry.prepare(topics, &roles).await.expect("registered");
    let mut asked = double.asked();
    asked.retain(|line| line.starts_with("POST"));
    asked.sort();
    let subject = |name: &str| format!("POST /subjects/{name}/versions");
    let cases = [
        "CaseArchived",
        "CaseConfirmed",
        "CaseErased",
        "CaseMerged",
        "CaseOpened",
        "CaseSolved",
        "CaseSplit",
        "CaseSuggested",
        "ConfirmationWithdrawn",
    ];
    let cases = cases.map(|event| subject(&format!("knowledge.cases-io.threadlore.v1.{event}")));
    let mut wanted = vec![
        subject("chat.events.dlq-io.threadlore.v1.DeadLetter"),
        subject("chat.turns.dlq-io.threadlore.v1.DeadLetter"),
    ];
    wanted.extend(cases);
    wanted.push(subject("log.skips-io.threadlore.v1.RecordSkipped"));
    assert_eq!(asked, wanted);
    framed(&registry, &archived()).await.expect("framed");
    assert_eq!(double.asked(), [""; 0]);
}

#[tokio::test]
async fn a_schema_is_looked_up_where_none_may_be_registered() {
    let double = RegistryDouble::start();
    let settings = RegistrySettings {
        register: false,
        ..RegistrySettings::new(double.url())
    };
    let (looking, _) = with(&settings);
    let said = broken(framed(&looking, &message()).await);
    assert!(
        said.contains("chat.inbox-io.threadlore.v1.PlatformMessage"),
        "{said}"
    );
    assert!(
        said.contains("not registered") && said.contains(&double.url()),
        "{said}"
    );
    assert_eq!(double.asked(), [SUBJECT]);
    let (registering, _) = registry(&double.url());
    let value = framed(&registering, &message()).await.expect("framed");
    assert_eq!(framed(&looking, &message()).await.expect("framed"), value);
}

#[tokio::test]
async fn a_gateways_own_schema_is_resolved_to_ours() {
    let double = RegistryDouble::start();
    let id = double.holds_schema(FOREIGN);
    let (registry, _) = registry(&double.url());
    let value = under(id, &foreign_datum());
    let readable = read(&registry, &value)
        .await
        .expect("known")
        .expect("readable");
    let event = readable.codec.decode(&[], b"acme/irc:x", &readable.value);
    let event = event.expect("an event");
    let Body::PlatformMessage(message) = &event.body else {
        panic!("another body: {event:?}");
    };
    assert_eq!(
        (message.text.as_str(), message.sent_at.as_millis()),
        ("words", 42)
    );
    assert_eq!((&message.author_name, message.mentions.len()), (&None, 0));
    // Only who was told of the schema can read it: what a process saw decides nothing.
    let said = Codec::new().decode(&[], b"acme/irc:x", &readable.value);
    assert!(said.expect_err("unknown").contains("fingerprint"));
    // Cut bytes are refused as any others.
    let cut = read(&registry, &value[..value.len() - 1])
        .await
        .expect("known");
    let cut = cut.expect("left to the codec");
    let said = cut
        .codec
        .decode(&[], b"acme/irc:x", &cut.value)
        .expect_err("cut");
    assert!(said.contains("no PlatformMessage: it ends early"), "{said}");
}

#[tokio::test]
async fn schemas_that_are_no_event_have_their_reason() {
    let double = RegistryDouble::start();
    let (registry, _) = registry(&double.url());
    let record = |name: &str, field: &str| {
        let text = format!(
            r#"{{"type":"record","name":"{name}","namespace":"io.threadlore.v1","fields":[{field}]}}"#
        );
        json!({ "schema": text })
    };
    let text = r#"{"name":"text","type":"string"}"#;
    let recursive = r#"{"name":"next","type":["null","PlatformMessage"]}"#;
    for (body, why) in [
        (json!({ "schema": "\"string\"" }), "it is no record"),
        (json!({ "schema": "{" }), "it is no Avro schema"),
        (
            json!({ "schema": "x", "schemaType": "PROTOBUF" }),
            "it is no Avro schema",
        ),
        (
            json!({ "schema": "\"string\"", "references": [{}] }),
            "refers to schemas",
        ),
        (record("Invoice", text), "no event type of io.threadlore.v1"),
        (
            record("PlatformMessage", text),
            "cannot be read as PlatformMessage",
        ),
        (
            record("PlatformMessage", recursive),
            "a type that cannot be read",
        ),
    ] {
        let id = double.holds(body);
        let value = under(id, b"private words");
        let said = read(&registry, &value).await.expect("an answer");
        let said = said.expect_err("no event");
        assert!(
            said.contains(why) && said.contains(&format!("schema {id} ")),
            "{said}"
        );
        assert!(
            said.contains(&double.url()) && !said.contains("private"),
            "{said}"
        );
        double.asked();
        assert!(read(&registry, &value).await.expect("an answer").is_err());
        assert_eq!(double.asked(), [""; 0], "it is known for good");
    }
}

#[tokio::test]
async fn an_id_that_does_not_exist_is_a_reason_and_asked_again_later() {
    let double = RegistryDouble::start();
    let (registry, _) = registry(&double.url());
    let value = under(1, &single(&message())[10..]);
    let batch = [&value[..], &value, b"\0\0\0"];
    let found = registry.from_wire(&batch).await.expect("an answer");
    let said = found[0].as_ref().expect_err("missing");
    assert!(
        said.contains("no schema has the id 1") && said.contains(&double.url()),
        "{said}"
    );
    assert!(found[1].is_err());
    assert!(
        found[2]
            .as_ref()
            .expect_err("cut")
            .contains("ends within the schema's id")
    );
    // Twice, for a copy of the registry that lags behind; not once per record.
    assert_eq!(double.asked(), ["GET /schemas/ids/1"; 2]);
    framed(&registry, &message()).await.expect("framed");
    assert!(read(&registry, &value).await.expect("known").is_ok());
}

#[tokio::test]
async fn a_schema_belongs_to_its_topic() {
    let double = RegistryDouble::start();
    let (registry, _) = registry(&double.url());
    let said = broken(registry.to_wire(vec![(Topic::Settings, vec![1, 2])]).await);
    assert!(said.contains("C3 01"), "{said}");
}

#[tokio::test]
async fn only_what_is_written_here_and_belongs_on_the_topic_can_be_framed() {
    let (registry, _) = registry("http://127.0.0.1:1");
    let inbox = Topics::embedded().get(Topic::ChatInbox);
    assert!(registry.writes(inbox, &single(&message())));
    assert!(!registry.writes(inbox, &single(&archived())));
    assert!(!registry.writes(inbox, b"{}"));
}
