//! Against a registry that others wrote: one of its own for each test (Apicurio, as `./dev`
//! fetches it), or for the first of them the one that `SCHEMA_REGISTRY_URL` names.

use serde_json::{Value, json};
use tempfile::TempDir;
use threadlore_log_kafka::RegistrySettings;
use threadlore_model::Role;
use threadlore_schema::Topics;
use threadlore_testkit::SchemaRegistry;

use crate::framing::{FOREIGN, foreign_datum};
use crate::support::{
    archived, broken, decode, framed, message, read, registry, unavailable, under, with,
};

/// The address of a registry whose content may be changed.
#[expect(
    clippy::disallowed_methods,
    reason = "which real parts there are is not a setting of what is tested"
)]
fn named() -> Option<String> {
    std::env::var("SCHEMA_REGISTRY_URL").ok()
}

/// A registry of its own, in a directory that goes with it.
fn own() -> Option<(SchemaRegistry, TempDir)> {
    let dir = tempfile::tempdir().expect("a directory");
    Some((SchemaRegistry::start(dir.path())?, dir))
}

#[tokio::test]
async fn a_real_registry_gives_ids_that_lead_back() {
    let (own, url) = match named() {
        Some(url) => (None, url),
        None => match own() {
            Some(own) => {
                let url = own.0.url();
                (Some(own), url)
            }
            None => return,
        },
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
    drop(own);
}

/// A later version of an event that the registry's rule forbids: the one that writes it ends
/// at its start.
#[tokio::test]
async fn a_schema_refused_by_its_compatibility_rule_is_told() {
    let Some((real, _dir)) = own() else { return };
    real.set_compatibility("FULL_TRANSITIVE");
    // A change that `schemas/README.md` allows passes it.
    let ours = include_str!("../../../../schemas/CaseOpened.avsc");
    let mut later: Value = serde_json::from_str(ours).expect("JSON");
    let fields = later["fields"].as_array_mut().expect("fields");
    fields.push(json!({ "name": "mood", "type": ["null", "string"], "default": null }));
    let subject = "knowledge.cases-io.threadlore.v1.CaseOpened";
    let ids = [ours, &later.to_string()].map(|text| real.register(subject, text));
    assert_ne!(ids[0], ids[1]);
    let ours = include_str!("../../../../schemas/PlatformMessage.avsc");
    let mut before: Value = serde_json::from_str(ours).expect("JSON");
    // What it was before, had it had a field without a default that is gone now.
    let fields = before["fields"].as_array_mut().expect("fields");
    fields.push(json!({ "name": "mood", "type": "string" }));
    let subject = "chat.inbox-io.threadlore.v1.PlatformMessage";
    let first = real.register(subject, &before.to_string());
    let (writer, _) = registry(&real.url());
    let all = Role::ALL.into_iter().collect();
    let refused = writer.prepare(Topics::embedded(), &all).await;
    let said = broken(refused);
    println!("{said}");
    for words in [
        subject,
        "is not compatible with those before it (",
        // Its own words.
        "Incompatible artifact",
        "mood",
        "look at the subject's versions and compatibility level",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    // Nothing was changed, and what others wrote by that schema is still read.
    assert_eq!(real.ids()[subject], u64::from(first));
    // Where the rule allows it, it is a second version.
    real.set_compatibility("NONE");
    let (writer, _) = registry(&real.url());
    writer
        .prepare(Topics::embedded(), &all)
        .await
        .expect("registered");
    assert_ne!(real.ids()[subject], u64::from(first));
}

/// What was acknowledged is there after a kill, under the same ids.
#[tokio::test]
async fn a_registry_that_is_killed_has_its_ids_when_it_is_back() {
    let Some((mut real, _dir)) = own() else {
        return;
    };
    let (writer, clock) = registry(&real.url());
    let mut values = Vec::new();
    for (round, event) in [message(), archived()].into_iter().enumerate() {
        values.push((framed(&writer, &event).await.expect("framed"), event));
        let before = real.ids();
        assert_eq!(before.len(), round + 1);
        real.kill();
        // Known ids need no registry; one that was never asked for does.
        framed(&writer, &values[0].1).await.expect("known");
        let (stranger, _) = registry(&real.url());
        unavailable(read(&stranger, &values[0].0).await);
        real.start_again();
        assert_eq!(real.ids(), before);
        let (reader, _) = registry(&real.url());
        for (value, event) in &values {
            let readable = read(&reader, value)
                .await
                .expect("known")
                .expect("readable");
            assert_eq!(decode(event, &readable).as_ref(), Ok(event));
        }
        // Longer than a registry that failed is left alone.
        clock.pass(std::time::Duration::from_secs(60));
    }
}
