//! Against a registry that others wrote, such as Karapace.

use serde_json::{Value, json};
use threadlore_log_kafka::RegistrySettings;
use threadlore_model::Role;
use threadlore_schema::Topics;
use threadlore_testkit::not_run_without;

use crate::framing::{FOREIGN, foreign_datum};
use crate::support::{archived, broken, decode, framed, message, read, registry, under, with};

/// The address of a registry whose content may be changed.
#[expect(
    clippy::disallowed_methods,
    reason = "which real parts there are is not a setting of what is tested"
)]
fn url() -> Option<String> {
    std::env::var("SCHEMA_REGISTRY_URL").ok()
}

#[tokio::test]
async fn a_real_registry_gives_ids_that_lead_back() {
    let Some(url) = url() else {
        return not_run_without("SCHEMA_REGISTRY_URL");
    };
    let (writer, _) = registry(&url);
    let (reader, _) = registry(&url);
    // Every schema is one to it.
    let all = Role::ALL.into_iter().collect();
    writer
        .prepare(Topics::embedded(), &all)
        .await
        .expect("registered");
    for event in [message(), archived()] {
        let value = framed(&writer, &event).await.expect("framed");
        let readable = read(&reader, &value)
            .await
            .expect("known")
            .expect("readable");
        assert_eq!(decode(&event, &readable), Ok(event.clone()));
        // Once it is registered, it is found as well.
        let (looking, _) = with(&RegistrySettings {
            register: false,
            ..RegistrySettings::new(&url)
        });
        assert_eq!(framed(&looking, &event).await.expect("found"), value);
        let (again, _) = registry(&url);
        assert_eq!(framed(&again, &event).await.expect("framed"), value);
    }
    let missing = read(&reader, &under(2_000_000_000, b""))
        .await
        .expect("an answer");
    assert!(
        missing
            .expect_err("missing")
            .contains("no schema has the id")
    );
    // A gateway has a schema of its own, under whatever subject: the id is what counts.
    let subject = "chat.inbox-value";
    let body = json!({ "schema": FOREIGN }).to_string();
    let request = reqwest::Client::new()
        .post(format!("{url}/subjects/{subject}/versions"))
        .header("content-type", "application/vnd.schemaregistry.v1+json");
    let answer = request.body(body).send().await.expect("an answer");
    let answer = answer.text().await.expect("a text");
    let answer: Value = serde_json::from_str(&answer).expect("JSON");
    let id = answer["id"].as_u64().and_then(|id| u32::try_from(id).ok());
    let value = under(id.expect("an id"), &foreign_datum());
    let readable = read(&reader, &value)
        .await
        .expect("known")
        .expect("readable");
    let event = readable.codec.decode(&[], b"acme/irc:x", &readable.value);
    assert_eq!(event.expect("an event").body.type_name(), "PlatformMessage");
    // No registry is at this path, but something answers.
    let (astray, _) = registry(&format!("{url}/astray"));
    broken(framed(&astray, &message()).await);
}
