//! The binary on Apache Kafka.

use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use threadlore_model::Timestamp;
use threadlore_ports::Clock;
use threadlore_testkit::Kafka;

use super::support::{Place, Ran};

/// A clock that stands.
pub(crate) struct Standing;

#[async_trait]
impl Clock for Standing {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_700_000_000_000)
    }
    async fn sleep(&self, _: Duration) {}
}

/// A place whose log is on Kafka.
pub(crate) fn on(place: &Place, bootstrap: &str, more: &str) {
    let settings =
        format!("[log]\nengine = \"kafka\"\n[kafka]\nbootstrap_servers = \"{bootstrap}\"\n{more}");
    place.file("threadlore.toml", settings);
}

/// A node of its own for a place.
pub(crate) fn node(place: &Place) -> Option<Kafka> {
    Kafka::start(&place.path().join("kafka"))
}

pub(crate) fn made(place: &Place) {
    let ran = place.run(&["topics", "apply", "--replicas", "1"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
}

#[test]
fn the_demo_finds_the_same_on_kafka() {
    let local = Place::new();
    let cluster = Place::beside(&local);
    let Some(kafka) = node(&cluster) else {
        return;
    };
    on(&cluster, &kafka.bootstrap(), "");
    made(&cluster);
    let shown: Vec<Value> = [&local, &cluster]
        .map(|place| place.json(&["demo"]))
        .to_vec();
    for told in &shown {
        assert_eq!(told["replay"]["equal"], true, "{}", told["replay"]);
        println!("{} s of work", told["seconds"]);
    }
    // Scores may differ by what the index still counts of points that are gone.
    for number in 0..3 {
        let [here, there] = [&shown[0], &shown[1]].map(|told| &told["answers"][number]);
        for part in ["question", "outcome", "answer"] {
            assert_eq!(here[part], there[part]);
        }
    }
    assert_eq!(shown[1]["off_topic"]["outcome"], "silent");
    let (here, there) = (local.verified_in("d/demo"), cluster.verified_in("d/demo"));
    here.is_same_as(&there);
}

#[test]
fn topics_that_are_not_as_they_must_be_are_told() {
    let place = Place::new();
    let Some(kafka) = node(&place) else {
        return;
    };
    on(&place, &kafka.bootstrap(), "");
    let plan = |place: &Place| -> Ran { place.run(&["topics", "plan"]) };
    let before = plan(&place);
    assert_eq!(before.code, Some(5), "{}", before.err);
    assert!(
        before.out.contains("chat.events            is missing"),
        "{}",
        before.out
    );
    let refused = place.run(&["standalone"]);
    assert_eq!(refused.code, Some(1), "{}", refused.err);
    assert!(
        refused.err.contains("missing are chat.inbox, "),
        "{}",
        refused.err
    );
    assert!(
        refused.err.contains("`threadlore topics apply` makes them"),
        "{}",
        refused.err
    );
    made(&place);
    let after = plan(&place);
    assert_eq!(after.code, Some(0), "{}", after.err);
    made(&place);
}

#[test]
fn a_cluster_that_is_away_or_not_named_is_told() {
    let place = Place::new();
    let nowhere = place.run(&["topics", "plan"]);
    assert_eq!(nowhere.code, Some(3), "{}", nowhere.err);
    assert!(nowhere.err.contains("`log.engine`"), "{}", nowhere.err);
    on(&place, "127.0.0.1:1", "");
    let away = place.run(&["topics", "plan"]);
    assert_eq!(away.code, Some(6), "{}", away.err);
    assert!(away.err.contains("Kafka is not available"), "{}", away.err);
    place.file("threadlore.toml", "[log]\nengine = \"kafka\"\n");
    let unnamed = place.run(&["topics", "plan"]);
    assert_eq!(unnamed.code, Some(3), "{}", unnamed.err);
    assert!(
        unnamed.err.contains("kafka.bootstrap_servers"),
        "{}",
        unnamed.err
    );
    place.file("client.properties", "acks = 0\n");
    on(
        &place,
        "127.0.0.1:1",
        "properties_file = \"client.properties\"\n",
    );
    let ours = place.run(&["topics", "plan"]);
    assert_eq!(ours.code, Some(3), "{}", ours.err);
    assert!(ours.err.contains("line 1 sets acks"), "{}", ours.err);
    place.file("client.properties", "sasl.password hunter2\n");
    let odd = place.run(&["topics", "plan"]);
    assert_eq!(odd.code, Some(3), "{}", odd.err);
    assert!(odd.err.contains("line 1 is not name=value"), "{}", odd.err);
    assert!(!odd.err.contains("hunter2"), "{}", odd.err);
    let rendered = place.run(&["topics", "render", "strimzi-topics"]);
    assert_eq!(rendered.code, Some(0), "{}", rendered.err);
    assert!(
        rendered.out.contains("kind: KafkaTopic"),
        "{}",
        rendered.out
    );
}
