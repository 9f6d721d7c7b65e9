use serde::Deserialize;
use serde_yaml_ng::Value;
use threadlore_model::{Body, Role, Topic};

use super::access::{Grant, Resource, grants};
use super::*;

/// The documents of a rendered file.
fn parsed(text: &str) -> Vec<Value> {
    serde_yaml_ng::Deserializer::from_str(text)
        .map(|document| Value::deserialize(document).expect("YAML"))
        .collect()
}

fn topics() -> &'static Topics {
    Topics::embedded()
}

/// What a role may do on a topic.
fn operations(role: Role, topic: Topic) -> Vec<&'static str> {
    let grants = grants(topics(), role).into_iter();
    grants
        .filter(|grant| grant.on == Resource::Topic(topic))
        .flat_map(|grant| grant.operations)
        .collect()
}

#[test]
fn every_topic_has_a_manifest_with_its_partitions_and_retention() {
    let manifests = parsed(&strimzi_topics(topics(), &Cluster::default()));
    assert_eq!(manifests.len(), Topic::ALL.len());
    for (manifest, spec) in manifests.iter().zip(topics().iter()) {
        let body = &manifest["spec"];
        assert_eq!(body["topicName"], spec.topic.name());
        assert_eq!(body["partitions"], u64::from(spec.partitions));
        assert_eq!(body["replicas"], 3);
        let config = &body["config"];
        assert_eq!(config["retention.ms"], spec.retention_ms);
        assert_eq!(config["retention.bytes"], spec.retention_bytes);
        assert_eq!(config["message.timestamp.type"], "LogAppendTime");
        assert_eq!(config["min.insync.replicas"], 2);
        assert_eq!(
            manifest["metadata"]["labels"]["strimzi.io/cluster"],
            "threadlore"
        );
    }
}

#[test]
fn one_copy_asks_for_no_second() {
    let alone = Cluster {
        name: "small".to_owned(),
        replicas: 1,
    };
    let manifests = parsed(&strimzi_topics(topics(), &alone));
    assert_eq!(manifests[0]["spec"]["replicas"], 1);
    assert_eq!(
        manifests[0]["metadata"]["labels"]["strimzi.io/cluster"],
        "small"
    );
    assert!(
        manifests[0]["spec"]["config"]
            .get("min.insync.replicas")
            .is_none()
    );
}

#[test]
fn a_dead_letter_has_room_for_what_it_holds() {
    let most = |topic| topics().get(topic).max_message_bytes();
    assert!(most(Topic::ChatInboxDlq) > most(Topic::ChatInbox) + 4096);
    assert!(most(Topic::ChatEvents) > most(Topic::ChatInbox) + 4096);
}

#[test]
fn names_are_those_of_kubernetes_and_differ() {
    let users = parsed(&strimzi_users(topics(), &Cluster::default()));
    let mut names: Vec<_> = parsed(&strimzi_topics(topics(), &Cluster::default()))
        .iter()
        .chain(&users)
        .map(|manifest| {
            manifest["metadata"]["name"]
                .as_str()
                .expect("a name")
                .to_owned()
        })
        .collect();
    for name in &names {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(name.chars().all(plain) && name.len() < 64, "{name}");
    }
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[test]
fn a_role_may_do_what_topics_yaml_says() {
    let look = ["Describe", "DescribeConfigs"];
    let with = |more: &[&'static str]| [more, &look].concat();
    assert_eq!(
        operations(Role::Gateway, Topic::ChatInbox),
        with(&["Write"])
    );
    assert_eq!(operations(Role::Gateway, Topic::ChatEvents), look);
    // It truncates what it took.
    assert_eq!(
        operations(Role::Intake, Topic::ChatInbox),
        with(&["Read", "Delete"])
    );
    // Its own events are read back once its state is lost.
    for topic in [Topic::ChatEvents, Topic::ChatInboxDlq, Topic::LogSkips] {
        let may = operations(Role::Intake, topic);
        assert_eq!(may, with(&["Read", "Write"]), "{topic}");
    }
    assert_eq!(
        operations(Role::Embedder, Topic::Vectors),
        with(&["Read", "Write"])
    );
    assert_eq!(
        operations(Role::Projector, Topic::KnowledgeCases),
        with(&["Read"])
    );
    assert_eq!(operations(Role::Api, Topic::ChatInboxDlq), with(&["Read"]));
    // `dlq` reads the records that letters are about.
    assert_eq!(
        operations(Role::Api, Topic::ChatInbox),
        with(&["Read", "Write"])
    );
    assert_eq!(operations(Role::Api, Topic::ChatEvents), with(&["Read"]));
}

#[test]
fn who_reads_has_groups_and_who_writes_needs_no_right_on_the_cluster() {
    let of = |role| grants(topics(), role);
    let groups = |role| Grant {
        on: Resource::Groups(role),
        operations: vec!["Read"],
    };
    assert!(of(Role::Buffer).contains(&groups(Role::Buffer)));
    assert!(of(Role::Gateway).contains(&groups(Role::Gateway)));
    // It shares rows out in a group, and reads no topic.
    assert!(of(Role::Indexer).contains(&groups(Role::Indexer)));
    for topic in Topic::ALL {
        let look = ["Describe", "DescribeConfigs"];
        assert_eq!(operations(Role::Indexer, topic), look, "{topic}");
    }
    assert!(!acls(topics()).contains("--cluster"));
}

#[test]
fn users_and_command_lines_grant_the_same() {
    let mut manifests = Vec::new();
    for user in parsed(&strimzi_users(topics(), &Cluster::default())) {
        let name = user["metadata"]["name"].as_str().expect("a name");
        let acls = user["spec"]["authorization"]["acls"].as_sequence();
        for acl in acls.expect("rules") {
            let on = &acl["resource"];
            let text = |value: &Value| value.as_str().expect("a text").to_owned();
            for operation in acl["operations"].as_sequence().expect("operations") {
                manifests.push([
                    name.to_owned(),
                    text(operation),
                    text(&on["type"]),
                    text(&on["name"]),
                    text(&on["patternType"]),
                ]);
            }
        }
    }
    let mut lines = Vec::new();
    for line in acls(topics())
        .lines()
        .filter(|line| line.starts_with("kafka-acls"))
    {
        let words: Vec<&str> = line.split(' ').collect();
        let of = |option: &str| {
            let pairs = words.windows(2).filter(move |pair| pair[0] == option);
            pairs.map(|pair| pair[1].to_owned()).collect::<Vec<_>>()
        };
        let user = of("--allow-principal").remove(0);
        let user = user.strip_prefix("User:").expect("a user").to_owned();
        let pattern = match of("--resource-pattern-type").as_slice() {
            [] => "literal",
            [prefixed] if prefixed == "prefixed" => "prefix",
            other => panic!("{other:?}"),
        };
        for kind in ["topic", "group"] {
            for name in of(&format!("--{kind}")) {
                for operation in of("--operation") {
                    let (kind, pattern) = (kind.to_owned(), pattern.to_owned());
                    lines.push([user.clone(), operation, kind, name.clone(), pattern]);
                }
            }
        }
    }
    manifests.sort();
    lines.sort();
    assert_eq!(lines, manifests);
    assert!(acls(topics()).contains(
        "--allow-principal User:threadlore-embedder --operation Read \
         --group embedder --resource-pattern-type prefixed\n"
    ));
}

/// Every reference of a document, with the value that it names.
fn references(document: &Value) {
    fn walk(document: &Value, value: &Value, found: &mut usize) {
        match value {
            Value::Mapping(mapping) => {
                if let Some(path) = value.get("$ref").and_then(Value::as_str) {
                    let path = path.strip_prefix("#/").expect("a local reference");
                    let target = path.split('/').fold(document, |at, step| &at[step]);
                    assert!(!target.is_null(), "{path}");
                    *found += 1;
                }
                mapping
                    .values()
                    .for_each(|value| walk(document, value, found));
            }
            Value::Sequence(values) => values.iter().for_each(|value| walk(document, value, found)),
            _ => {}
        }
    }
    let mut found = 0;
    walk(document, document, &mut found);
    assert!(found > 0);
}

#[test]
fn the_asyncapi_document_is_whole() {
    let document = &parsed(&asyncapi(topics()))[0];
    references(document);
    assert_eq!(document["asyncapi"], "3.0.0");
    for spec in topics().iter() {
        let channel = &document["channels"][spec.topic.name()];
        let binding = &channel["bindings"]["kafka"];
        assert_eq!(binding["partitions"], u64::from(spec.partitions));
        let config = &binding["topicConfiguration"];
        assert_eq!(config["retention.ms"], spec.retention_ms);
        let messages = channel["messages"].as_mapping().expect("messages");
        assert_eq!(messages.len(), spec.events.len());
    }
    for name in Body::TYPES {
        let message = &document["components"]["messages"][*name];
        let schema = &message["payload"]["schema"];
        assert_eq!(schema["name"], *name);
        assert_eq!(schema["namespace"], "io.threadlore.v1");
        assert!(schema["fields"].is_sequence(), "{name}");
    }
    let operations = &document["operations"];
    let sent = &operations["api.sends.chat.inbox"];
    assert_eq!(sent["messages"].as_sequence().map(Vec::len), Some(6));
    // Only what the role may write, not all that the topic carries.
    let sent = &operations["api.sends.knowledge.requests"];
    assert_eq!(sent["messages"].as_sequence().map(Vec::len), Some(9));
    assert!(operations.get("gateway.receives.chat.inbox").is_none());
    assert_eq!(
        operations["intake.receives.chat.inbox"]["action"],
        "receive"
    );
}

#[test]
fn the_documented_headers_are_those_that_are_written() {
    let names: Vec<_> = crate::headers::HEADERS.iter().map(|h| h.name).collect();
    let envelope = threadlore_model::Envelope {
        id: threadlore_model::EventId::of_content("test", &[]),
        space: threadlore_model::SpaceId::parse("acme").expect("a space"),
        key: threadlore_model::Key::parse("acme").expect("a key"),
        time: threadlore_model::Timestamp::from_millis(0),
        producer: Some(threadlore_model::Producer {
            group: threadlore_model::Group::of_role(Role::Intake),
            partition: threadlore_model::Partition(0),
            sequence: 1,
        }),
        cause: Some(threadlore_model::Cause {
            event: threadlore_model::EventId::of_content("test", &[]),
            at: threadlore_model::TopicPartition {
                topic: Topic::ChatInbox,
                partition: threadlore_model::Partition(0),
            },
            offset: threadlore_model::Offset(0),
        }),
        actor: Some(threadlore_model::Actor::Operator),
        traceparent: Some("00".to_owned()),
    };
    let written = crate::headers::write(&envelope, "T");
    let written: Vec<_> = written.into_iter().map(|(name, _)| name).collect();
    assert_eq!(written, names);
}

#[test]
fn the_page_names_writers_readers_and_retention() {
    let page = page(topics());
    assert!(
        page.contains(
            "| [`chat.inbox`](#chatinbox) | space/channel | 4 | 7 days | intake, api |\n"
        )
    );
    assert!(page.contains("| for ever | extractor, responder, embedder, projector, api |\n"));
    assert!(page.contains(
        "| [`CaseOpened`](../schemas/CaseOpened.avsc) | A problem without a solution yet. \
         Subject: the case. | extractor |\n"
    ));
    assert_eq!(page.matches("\n## ").count(), Topic::ALL.len());
}
