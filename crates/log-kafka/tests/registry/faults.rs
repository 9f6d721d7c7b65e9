//! A registry that is away, refuses, or says what it must not.

use std::time::Duration;

use serde_json::json;
use threadlore_log_kafka::{Registry, RegistrySettings};
use threadlore_ports::Clock;
use threadlore_testkit::{RegistryDouble, RegistryFault};

use crate::support::{
    QuickClock, archived, broken, framed, message, read, registry, unavailable, under, with,
};

fn says(status: u16, code: u32, words: &str) -> RegistryFault {
    let body = json!({ "error_code": code, "message": words });
    RegistryFault::Says(status, body.to_string())
}

#[tokio::test]
async fn an_outage_stops_only_what_was_never_seen() {
    let double = RegistryDouble::start();
    let (reader, clock) = registry(&double.url());
    let known = framed(&reader, &message()).await.expect("framed");
    let other = registry(&double.url()).0;
    let unknown = framed(&other, &archived()).await.expect("framed");
    double.asked();
    for fault in [
        RegistryFault::Closes,
        says(500, 50001, "a store"),
        says(503, 503, "x"),
        says(429, 429, "x"),
    ] {
        double.fails(fault);
        assert_eq!(framed(&reader, &message()).await.expect("framed"), known);
        assert!(read(&reader, &known).await.expect("known").is_ok());
        assert_eq!(double.asked(), [""; 0]);
        let said = unavailable(read(&reader, &unknown).await);
        assert!(
            said.contains("schema 2") && said.contains(&double.url()),
            "{said}"
        );
        assert_eq!(double.asked().len(), 3, "tried again, within bounds");
        let said = unavailable(framed(&reader, &archived()).await);
        assert!(
            said.contains("knowledge.cases-io.threadlore.v1.CaseArchived"),
            "{said}"
        );
        // What stands before the first unknown one is given out.
        let batch = [&known[..], &known, &unknown, &known];
        let found = reader.from_wire(&batch).await.expect("two of four");
        assert_eq!(found.len(), 2);
        double.asked();
        clock.pass(Duration::from_secs(6));
    }
    double.works();
    assert!(read(&reader, &unknown).await.expect("back").is_ok());
    assert!(framed(&reader, &archived()).await.is_ok());
}

#[tokio::test]
async fn a_registry_that_keeps_failing_is_left_alone_for_a_while() {
    let double = RegistryDouble::start();
    let (registry, clock) = registry(&double.url());
    double.fails(RegistryFault::Closes);
    for _ in 0..3 {
        unavailable(framed(&registry, &message()).await);
    }
    double.asked();
    let said = unavailable(framed(&registry, &message()).await);
    assert!(said.contains("left alone"), "{said}");
    assert_eq!(double.asked(), [""; 0]);
    clock.pass(Duration::from_secs(6));
    double.works();
    assert!(framed(&registry, &message()).await.is_ok());
}

#[tokio::test]
async fn silence_and_a_closed_port_are_an_outage() {
    let double = RegistryDouble::start();
    let (hasty, _) = with(&RegistrySettings {
        timeout: Duration::from_millis(50),
        ..RegistrySettings::new(double.url())
    });
    double.fails(RegistryFault::Hangs);
    let said = unavailable(framed(&hasty, &message()).await);
    assert!(said.contains("did not answer in time"), "{said}");
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let free = listener.local_addr().expect("an address");
    drop(listener);
    let (nowhere, _) = registry(&format!("http://{free}"));
    let said = unavailable(framed(&nowhere, &message()).await);
    assert!(
        said.contains("cannot be reached") && said.contains(&free.to_string()),
        "{said}"
    );
}

#[tokio::test]
async fn what_is_wrong_for_good_is_said_and_is_no_dead_letter() {
    let double = RegistryDouble::start();
    let words = "private \u{1b}[31m".to_owned() + &"x".repeat(500);
    for (fault, says) in [
        (says(401, 40101, "x"), "look at user and password"),
        (says(403, 40301, "x"), "look at user and password"),
        (says(404, 404, "x"), "404"),
        (RegistryFault::Says(404, "<html>".to_owned()), "404"),
        (RegistryFault::Says(307, String::new()), "307"),
        (
            RegistryFault::Says(200, "<html>".to_owned()),
            "look at the URL",
        ),
        (
            RegistryFault::Says(200, "9".repeat(1_500_000)),
            "look at the URL",
        ),
        (says(422, 42201, &words), "422"),
    ] {
        let (registry, _) = registry(&double.url());
        double.fails(fault);
        let written = broken(framed(&registry, &message()).await);
        let seen = broken(read(&registry, &under(7, b"")).await);
        assert!(seen.contains("schema 7"), "{seen}");
        for said in [written, seen] {
            assert!(
                said.contains(says) && said.contains(&double.url()),
                "{said}"
            );
            assert!(said.len() < 500 && !said.contains('\u{1b}'), "{said}");
        }
    }
    let (registry, _) = registry(&double.url());
    double.fails(says(409, 409, "Incompatible schema: x"));
    let said = broken(framed(&registry, &message()).await);
    assert!(
        said.contains("not compatible") && said.contains("Incompatible schema: x"),
        "{said}"
    );
    assert!(
        said.contains("chat.inbox-io.threadlore.v1.PlatformMessage"),
        "{said}"
    );
}

#[tokio::test]
async fn an_id_that_stands_for_another_schema_is_not_written_with() {
    let double = RegistryDouble::start();
    double.holds_schema("\"string\"");
    let (registry, _) = registry(&double.url());
    // It says 1 to everything that is registered.
    double.fails(RegistryFault::Says(
        200,
        json!({ "id": 1, "schema": "\"string\"" }).to_string(),
    ));
    let said = broken(framed(&registry, &message()).await);
    assert!(said.contains("id 1 for subject chat.inbox-"), "{said}");
    assert!(
        said.contains("another schema") && said.contains(&double.url()),
        "{said}"
    );
}

#[tokio::test]
async fn an_id_that_meant_something_else_before_is_not_written_with() {
    let before = RegistryDouble::start();
    let (registry, _) = registry(&before.url());
    let other = framed(&registry, &archived()).await.expect("framed");
    assert_eq!(other[4], 1);
    // Its topic was lost, and it counts from the start again.
    let schema = include_str!("../../../../schemas/PlatformMessage.avsc");
    let body = json!({ "id": 1, "schema": schema }).to_string();
    before.fails(RegistryFault::Says(200, body));
    let said = broken(framed(&registry, &message()).await);
    assert!(said.contains("had before, another schema"), "{said}");
}

#[tokio::test]
async fn an_id_that_means_something_else_now_is_not_written_with() {
    let double = RegistryDouble::start();
    let (other, _) = registry(&double.url());
    let value = framed(&other, &message()).await.expect("framed");
    let (registry, _) = registry(&double.url());
    assert!(read(&registry, &value).await.expect("known").is_ok());
    let body = json!({ "id": 1, "schema": "\"string\"" }).to_string();
    double.fails(RegistryFault::Says(200, body));
    let said = broken(framed(&registry, &message()).await);
    assert!(said.contains("another schema"), "{said}");
}

#[tokio::test]
async fn credentials_are_sent_and_never_said() {
    let double = RegistryDouble::start();
    let settings = RegistrySettings {
        user: Some("ann".to_owned()),
        password: Some("s3cret".to_owned()),
        ..RegistrySettings::new(double.url())
    };
    assert!(!format!("{settings:?}").contains("s3cret"));
    let (registry, _) = with(&settings);
    framed(&registry, &message()).await.expect("framed");
    // ann:s3cret
    assert_eq!(
        double.authorization().as_deref(),
        Some("Basic YW5uOnMzY3JldA==")
    );
    double.fails(says(401, 40101, "x"));
    let said = broken(framed(&registry, &archived()).await);
    assert!(!said.contains("s3cret") && !said.contains("YW5u"), "{said}");
}

#[tokio::test]
async fn an_address_that_cannot_be_used_is_refused_at_once() {
    for (url, says) in [
        ("registry:8081", "no http or https URL"),
        ("ftp://registry", "no http or https URL"),
        ("http://ann:s3cret@registry:8081", "into their own settings"),
        ("http://registry:8081/?a=s3cret", "after its path"),
    ] {
        let clock = std::sync::Arc::new(QuickClock::default());
        let found = Registry::new(
            &RegistrySettings::new(url),
            clock as std::sync::Arc<dyn Clock>,
        );
        let said = broken(found);
        assert!(said.contains(says) && !said.contains("s3cret"), "{said}");
    }
}
