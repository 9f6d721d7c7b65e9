//! The rights of each role, as far as Kafka can enforce them.

use std::collections::BTreeSet;

use threadlore_model::{Role, Topic};

use super::Topics;

/// The group name of readers, because the client library asks for its coordinator. It is never
/// joined, and no offset is committed in it.
pub const READERS: &str = "threadlore-readers";

/// The user name of a role.
#[must_use]
pub fn user_of(role: Role) -> String {
    format!("threadlore-{role}")
}

/// Operations that a role may do on a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// The resource.
    pub on: Resource,
    /// The operations, by Kafka's names.
    pub operations: Vec<&'static str>,
}

/// The resource of an access rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resource {
    /// A topic.
    Topic(Topic),
    /// All groups whose names start with the role's.
    Groups(Role),
    /// The group of this name.
    Group(&'static str),
}

/// All rights of a role; empty for one that does not use the log.
///
/// The right to write to a topic implies idempotent writing (Kafka 2.8 and newer).
#[must_use]
pub fn grants(topics: &Topics, role: Role) -> Vec<Grant> {
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
    // A role that decides reads skips, and its own events again when its state is lost. `api` reads all of its own.
    let reads_back = reads.contains(&Topic::LogSkips);
    // It reads rows, and shares them out in a group.
    let shares = !reads.is_empty() || role == Role::Indexer;
    let mut grants = Vec::new();
    if !shares && writes.is_empty() {
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
    if shares {
        grants.push(Grant {
            on: Resource::Groups(role),
            operations: vec!["Read"],
        });
    }
    if !reads.is_empty() {
        grants.push(Grant {
            on: Resource::Group(READERS),
            operations: vec!["Describe"],
        });
    }
    grants
}

/// The access rules of every role as command lines for Kafka's own tool. They are combined into few
/// lines, because each starts a Java machine. The address comes from `KAFKA_BOOTSTRAP`, the
/// credentials from the file `KAFKA_CLIENT_CONFIG`.
#[must_use]
pub fn acls(topics: &Topics) -> String {
    let mut text = "#!/bin/sh\nset -eu\n".to_owned();
    for role in Role::ALL {
        for (operations, on) in rules(grants(topics, role)) {
            let operations: String = operations
                .iter()
                .map(|operation| format!(" --operation {operation}"))
                .collect();
            text.push_str(&format!(
                "kafka-acls.sh --bootstrap-server \"$KAFKA_BOOTSTRAP\" \
                 --command-config \"$KAFKA_CLIENT_CONFIG\" --add \
                 --allow-principal User:{}{operations} {on}\n",
                user_of(role)
            ));
        }
    }
    text
}

/// Grants as arguments of the tool; topics with the same operations are combined.
fn rules(grants: Vec<Grant>) -> Vec<(Vec<&'static str>, String)> {
    let mut rules: Vec<(Vec<&'static str>, String)> = Vec::new();
    for Grant { on, operations } in grants {
        let on = match on {
            Resource::Topic(topic) => {
                let topic = format!("--topic {topic}");
                let same = |rule: &&mut (Vec<&str>, String)| {
                    rule.0 == operations && rule.1.starts_with("--topic")
                };
                if let Some((_, topics)) = rules.iter_mut().find(same) {
                    topics.push_str(&format!(" {topic}"));
                    continue;
                }
                topic
            }
            Resource::Groups(role) => format!("--group {role} --resource-pattern-type prefixed"),
            Resource::Group(name) => format!("--group {name}"),
        };
        rules.push((operations, on));
    }
    rules
}
