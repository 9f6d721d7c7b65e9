//! Manifests for Strimzi, the operator of Kafka on Kubernetes.

use serde_yaml_ng::Value;
use threadlore_model::{Role, Topic};

use super::access::{Grant, Resource, grants, user_of};
use super::{Cluster, GENERATED, Topics, documents, map};

const API: &str = "kafka.strimzi.io/v1beta2";
const ABOUT_API: &str =
    "A Strimzi that serves kafka.strimzi.io/v1 only takes them under that apiVersion.";

/// A `KafkaTopic` per topic.
#[must_use]
pub fn strimzi_topics(topics: &Topics, cluster: &Cluster) -> String {
    let comment = format!(
        "{GENERATED}\nTopics, for Strimzi. Partition counts never change after the first \
         record.\n{ABOUT_API}"
    );
    documents(
        &comment,
        topics.iter().map(|spec| {
            let config = spec.configuration_of_new(cluster.replicas);
            let config = config.into_iter().map(|(name, value)| (name, typed(value)));
            let body = map([
                ("topicName", spec.topic.name().into()),
                ("partitions", spec.partitions.into()),
                ("replicas", cluster.replicas.into()),
                ("config", map(config)),
            ]);
            resource("KafkaTopic", &resource_name(spec.topic), cluster, body)
        }),
    )
}

/// A `KafkaUser` per role that has business with the log.
#[must_use]
pub fn strimzi_users(topics: &Topics, cluster: &Cluster) -> String {
    let comment = format!(
        "{GENERATED}\nUsers, one per role, for Strimzi with simple authorization. How they log in is \
         the cluster's\nbusiness: change `authentication` where its listener is another.\n{ABOUT_API}"
    );
    let with_grants = Role::ALL
        .into_iter()
        .map(|role| (role, grants(topics, role)))
        .filter(|(_, grants)| !grants.is_empty());
    documents(
        &comment,
        with_grants.map(|(role, grants)| {
            let acls = grants.into_iter().map(acl).collect();
            let body = map([
                ("authentication", map([("type", "scram-sha-512".into())])),
                (
                    "authorization",
                    map([("type", "simple".into()), ("acls", Value::Sequence(acls))]),
                ),
            ]);
            resource("KafkaUser", &user_of(role), cluster, body)
        }),
    )
}

fn acl(Grant { on, operations }: Grant) -> Value {
    let named = |kind: &str, name: &str, pattern: &str| {
        map([
            ("type", kind.into()),
            ("name", name.into()),
            ("patternType", pattern.into()),
        ])
    };
    let on = match on {
        Resource::Topic(topic) => named("topic", topic.name(), "literal"),
        Resource::Groups(role) => named("group", role.name(), "prefix"),
        Resource::Group(name) => named("group", name, "literal"),
    };
    let operations = operations.into_iter().map(Value::from).collect();
    map([
        ("resource", on),
        ("operations", Value::Sequence(operations)),
        ("host", "*".into()),
    ])
}

fn resource(kind: &str, name: &str, cluster: &Cluster, spec: Value) -> Value {
    let labels = map([("strimzi.io/cluster", cluster.name.as_str().into())]);
    map([
        ("apiVersion", API.into()),
        ("kind", kind.into()),
        ("metadata", map([("name", name.into()), ("labels", labels)])),
        ("spec", spec),
    ])
}

/// A name that is valid in Kubernetes and differs from those of other applications.
pub(super) fn resource_name(topic: Topic) -> String {
    format!("threadlore-{}", topic.name().replace(['.', '_'], "-"))
}

/// Numbers as numbers.
fn typed(value: String) -> Value {
    value.parse::<i64>().map_or(Value::from(value), Value::from)
}
