//! Who may do what, as far as Kafka can hold it.

use std::collections::BTreeSet;

use threadlore_model::{Role, Topic};

use super::Topics;

/// The client library asks who coordinates the group it was given, also where it
/// only reads partitions that it was told to.
pub(super) const READERS: &str = "threadlore-readers";

/// What a role is called where it logs in.
pub(super) fn user(role: Role) -> String {
    format!("threadlore-{role}")
}

/// One thing that a role may do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Grant {
    pub(super) on: Resource,
    pub(super) operations: Vec<&'static str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Resource {
    Topic(Topic),
    /// All groups whose names start with the role's.
    Groups(Role),
    /// The group that readers name and never join.
    Readers,
    Cluster,
}

/// Everything that a role may do; empty for one that has no business with the log.
pub(super) fn grants(topics: &Topics, role: Role) -> Vec<Grant> {
    let reads: BTreeSet<Topic> = topics
        .iter()
        .filter(|spec| spec.readers.contains(&role))
        .map(|spec| spec.topic)
        .collect();
    let writes: BTreeSet<Topic> = topics
        .iter()
        .filter(|spec| spec.writers().contains(&role))
        .map(|spec| spec.topic)
        .collect();
    // Who honours skips has a state, and reads back what it published once that is lost.
    let reads_back = reads.contains(&Topic::LogSkips);
    let mut grants = Vec::new();
    if reads.is_empty() && writes.is_empty() {
        return grants;
    }
    for spec in topics.iter() {
        let topic = spec.topic;
        let mut operations = Vec::new();
        if reads.contains(&topic) || (reads_back && writes.contains(&topic)) {
            operations.push("Read");
        }
        if writes.contains(&topic) {
            operations.push("Write");
        }
        if (role, topic) == (Role::Intake, Topic::ChatInbox) {
            // It truncates its input (DeleteRecords).
            operations.push("Delete");
        }
        // At start all topics are compared with topics.yaml.
        operations.extend(["Describe", "DescribeConfigs"]);
        grants.push(Grant {
            on: Resource::Topic(topic),
            operations,
        });
    }
    if !reads.is_empty() {
        grants.push(Grant {
            on: Resource::Groups(role),
            operations: vec!["Read"],
        });
        grants.push(Grant {
            on: Resource::Readers,
            operations: vec!["Describe"],
        });
    }
    if !writes.is_empty() {
        grants.push(Grant {
            on: Resource::Cluster,
            operations: vec!["IdempotentWrite"],
        });
    }
    grants
}

/// The access rules of every role as command lines for Kafka's own tool. The
/// address is taken from `KAFKA_BOOTSTRAP`, how to log in from the file
/// `KAFKA_CLIENT_CONFIG`.
#[must_use]
pub fn acls(topics: &Topics) -> String {
    let mut text = "#!/bin/sh\nset -eu\n".to_owned();
    for role in Role::ALL {
        for grant in grants(topics, role) {
            let on = match grant.on {
                Resource::Topic(topic) => format!("--topic {topic}"),
                Resource::Groups(role) => {
                    format!("--group {role} --resource-pattern-type prefixed")
                }
                Resource::Readers => format!("--group {READERS}"),
                Resource::Cluster => "--cluster".to_owned(),
            };
            let operations: String = grant
                .operations
                .iter()
                .map(|operation| format!(" --operation {operation}"))
                .collect();
            text.push_str(&format!(
                "kafka-acls.sh --bootstrap-server \"$KAFKA_BOOTSTRAP\" \
                 --command-config \"$KAFKA_CLIENT_CONFIG\" --add \
                 --allow-principal User:{}{operations} {on}\n",
                user(role)
            ));
        }
    }
    text
}
