//! `topics.yaml`: every topic, described once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;
use std::time::Duration;

use serde::Deserialize;
use threadlore_model::{Body, Event, Role, Topic};

use crate::SchemaError;

const SOURCE: &str = include_str!("../../../topics.yaml");

/// Topics that need equal partition counts, so that a key has the same partition in all of them:
/// inputs of one processor, and its own events, which it reads again after a lost state.
const TOGETHER: [Topic; 10] = [
    Topic::ChatInbox,
    Topic::ChatEvents,
    Topic::ChatTurns,
    Topic::KnowledgeCases,
    Topic::KnowledgeMemories,
    Topic::KnowledgeRequests,
    Topic::Answers,
    Topic::Deliveries,
    Topic::Outcomes,
    Topic::Vectors,
];

/// Truth topics that several roles may write. No rows are folded from requests and from the skips of
/// every role that reads; settings come from outside, by a command or from a platform.
const SEVERAL_WRITERS: [Topic; 3] = [Topic::KnowledgeRequests, Topic::Settings, Topic::LogSkips];

/// One topic as `topics.yaml` describes it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TopicSpec {
    /// The topic.
    #[serde(rename = "name")]
    pub topic: Topic,
    /// The purpose of the topic.
    pub description: String,
    /// The parts of the record key.
    pub key: String,
    /// Number of partitions.
    pub partitions: u32,
    /// How long records are kept, in milliseconds; -1 for ever.
    pub retention_ms: i64,
    /// How many bytes a partition keeps; -1 all.
    pub retention_bytes: i64,
    /// How old records go; only `delete` is used.
    pub cleanup: String,
    /// Event types on the topic, each with the roles that may write it.
    pub events: BTreeMap<String, BTreeSet<Role>>,
    /// Roles that read it.
    pub readers: BTreeSet<Role>,
}

impl TopicSpec {
    /// Roles that write any event type of the topic.
    #[must_use]
    pub fn writers(&self) -> BTreeSet<Role> {
        self.events.values().flatten().copied().collect()
    }

    /// Properties of the topic on a cluster, ascending by name.
    #[must_use]
    pub fn configuration(&self) -> Vec<(&'static str, String)> {
        vec![
            ("cleanup.policy", self.cleanup.clone()),
            ("max.message.bytes", self.max_message_bytes().to_string()),
            // The clocks of producers do not decide when a record arrived.
            ("message.timestamp.type", "LogAppendTime".to_owned()),
            ("retention.bytes", self.retention_bytes.to_string()),
            ("retention.ms", self.retention_ms.to_string()),
        ]
    }

    /// The properties that a new topic with so many replicas gets: those above, and those that
    /// depend on the cluster. With three, an acknowledged record is on two brokers.
    #[must_use]
    pub fn configuration_of_new(&self, replicas: u16) -> Vec<(&'static str, String)> {
        let mut config = self.configuration();
        config.push(("compression.type", "producer".to_owned()));
        if replicas >= 3 {
            config.push(("min.insync.replicas", "2".to_owned()));
        }
        config.sort_unstable();
        config
    }

    /// The largest record. Records of gateways are limited; other topics may hold such a record and
    /// more.
    #[must_use]
    pub const fn max_message_bytes(&self) -> u32 {
        match self.topic {
            Topic::ChatInbox => 1024 * 1024,
            _ => 4 * 1024 * 1024,
        }
    }

    /// How long records are kept; `None` for ever.
    #[must_use]
    pub fn retention(&self) -> Option<Duration> {
        u64::try_from(self.retention_ms)
            .ok()
            .map(Duration::from_millis)
    }
}

/// All topics, in the order of [`Topic::ALL`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topics(Vec<TopicSpec>);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    topics: Vec<TopicSpec>,
}

impl Topics {
    /// The embedded `topics.yaml`.
    #[must_use]
    #[expect(clippy::missing_panics_doc, reason = "a test parses the embedded file")]
    pub fn embedded() -> &'static Self {
        static TOPICS: OnceLock<Topics> = OnceLock::new();
        TOPICS.get_or_init(|| Self::parse(SOURCE).expect("a test parses the embedded file"))
    }

    /// Parses and validates a description of all topics.
    ///
    /// # Errors
    /// The first broken rule, with the topic and what to do.
    pub fn parse(text: &str) -> Result<Self, SchemaError> {
        let file: File =
            serde_yaml_ng::from_str(text).map_err(|e| SchemaError::Topics(e.to_string()))?;
        let mut specs = file.topics;
        specs.sort_by_key(|spec| spec.topic);
        let topics = Self(specs);
        topics.validate().map_err(SchemaError::Topics)?;
        Ok(topics)
    }

    /// One topic.
    #[must_use]
    pub fn get(&self, topic: Topic) -> &TopicSpec {
        &self.0[topic as usize]
    }

    /// The same topics with another count of partitions, of 1 to 1024: all but those that have one, which have records of
    /// every partition of others.
    #[must_use]
    pub fn with_partitions(&self, count: u32) -> Self {
        let mut topics = self.clone();
        let several = topics.0.iter_mut().filter(|spec| spec.partitions > 1);
        several.for_each(|spec| spec.partitions = count);
        topics
    }

    /// How many partitions a topic has whose records meet in one processor with those of others.
    #[must_use]
    pub fn shards(&self) -> u32 {
        self.partitions(TOGETHER[0])
    }

    /// Every topic.
    pub fn iter(&self) -> impl Iterator<Item = &TopicSpec> {
        self.0.iter()
    }

    /// Number of partitions of a topic.
    #[must_use]
    pub fn partitions(&self, topic: Topic) -> u32 {
        self.get(topic).partitions
    }

    /// Whether a role may write an event type, on any topic.
    #[must_use]
    pub fn may_write(&self, role: Role, type_name: &str) -> bool {
        self.0
            .iter()
            .filter_map(|spec| spec.events.get(type_name))
            .any(|writers| writers.contains(&role))
    }

    /// Whether the role that produced an event may write its type. Events without
    /// a producer come from gateways and commands.
    ///
    /// # Errors
    /// One sentence that names the role and the type.
    pub fn check_writer(&self, event: &Event) -> Result<(), String> {
        let type_name = event.body.type_name();
        let outside = [Role::Gateway, Role::Api];
        let (roles, name) = match &event.envelope.producer {
            None => (outside.to_vec(), "a gateway or command"),
            Some(producer) => {
                let role = producer.group.role();
                (role.parse().ok().into_iter().collect(), role)
            }
        };
        if roles
            .into_iter()
            .any(|role| self.may_write(role, type_name))
        {
            return Ok(());
        }
        Err(format!(
            "{name} may not write {type_name}: topics.yaml names who may"
        ))
    }

    fn validate(&self) -> Result<(), String> {
        let described: Vec<_> = self.0.iter().map(|spec| spec.topic).collect();
        if let Some(missing) = Topic::ALL.iter().find(|topic| !described.contains(topic)) {
            return Err(format!("{missing} is missing: describe every topic"));
        }
        if described != Topic::ALL {
            return Err("a topic is described twice: keep one".to_owned());
        }
        for spec in &self.0 {
            validate_one(spec).map_err(|reason| format!("{}: {reason}", spec.topic))?;
        }
        let count = self.shards();
        if let Some(other) = TOGETHER.iter().find(|t| self.partitions(**t) != count) {
            return Err(format!(
                "{other} has {} partitions and {} has {count}: inputs that meet in one processor \
                 have equal counts",
                self.partitions(*other),
                TOGETHER[0]
            ));
        }
        self.validate_events()
    }

    /// Every event type has one topic; dead letters have every dead-letter topic.
    fn validate_events(&self) -> Result<(), String> {
        for type_name in Body::TYPES {
            let on: Vec<_> = self
                .0
                .iter()
                .filter(|spec| spec.events.contains_key(*type_name))
                .map(|spec| spec.topic)
                .collect();
            let expected = match *type_name {
                "DeadLetter" => Topic::ALL.iter().filter_map(|t| t.dead_letters()).collect(),
                _ => on.iter().take(1).copied().collect::<Vec<_>>(),
            };
            if on.is_empty() || on != expected {
                return Err(format!(
                    "{type_name} is on {} topics: put it on the one it belongs to",
                    on.len()
                ));
            }
        }
        Ok(())
    }
}

fn validate_one(spec: &TopicSpec) -> Result<(), String> {
    if !(1..=1024).contains(&spec.partitions) {
        return Err("use 1 to 1024 partitions".to_owned());
    }
    if spec.cleanup != "delete" {
        return Err("cleanup must be delete: no topic is compacted".to_owned());
    }
    let for_ever = spec.retention_ms == -1 && spec.retention_bytes == -1;
    if spec.topic.is_truth() && !for_ever {
        return Err(
            "it is part of the truth: retention_ms and retention_bytes must be -1".to_owned(),
        );
    }
    let writers = spec.writers();
    if spec.topic.is_truth() && writers.len() > 1 && !SEVERAL_WRITERS.contains(&spec.topic) {
        let names: Vec<_> = writers.iter().map(|role| role.name()).collect();
        return Err(format!(
            "{} write it, and a topic of the truth has one writing role, which owns its rows: the \
             others publish a request on {}",
            names.join(" and "),
            Topic::KnowledgeRequests
        ));
    }
    if spec.retention_ms < -1 || spec.retention_bytes < -1 {
        return Err("retention is -1 for ever, or 0 and more".to_owned());
    }
    for (type_name, writers) in &spec.events {
        if !Body::TYPES.contains(&type_name.as_str()) {
            return Err(format!("there is no event type {type_name}"));
        }
        if writers.is_empty() {
            return Err(format!("no role may write {type_name}: name its writers"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(from: &str, to: &str) -> String {
        assert!(SOURCE.contains(from), "{from}");
        let changed = SOURCE.replacen(from, to, 1);
        Topics::parse(&changed).expect_err("refused").to_string()
    }

    #[test]
    fn every_count_that_can_be_set_is_one_that_the_topics_can_have() {
        let embedded = Topics::embedded();
        assert_eq!(embedded.with_partitions(embedded.shards()), *embedded);
        for count in [1, 2, 34, 1024] {
            let topics = embedded.with_partitions(count);
            assert_eq!(topics.validate(), Ok(()), "{count}");
            assert_eq!(topics.shards(), count);
            assert_eq!(topics.partitions(Topic::LogSkips), 1);
            let letters = Topic::ChatEvents.dead_letters().expect("has letters");
            assert_eq!(topics.partitions(letters), count);
        }
    }

    #[test]
    fn the_embedded_file_is_valid() {
        let topics = Topics::embedded();
        assert_eq!(topics.partitions(Topic::ChatInbox), 4);
        assert_eq!(topics.partitions(Topic::LogSkips), 1);
        assert_eq!(topics.get(Topic::ChatEvents).retention(), None);
        for topic in Topic::ALL {
            assert_eq!(topics.get(topic).topic, topic);
        }
    }

    #[test]
    fn only_the_named_roles_may_write() {
        let topics = Topics::embedded();
        assert!(topics.may_write(Role::Intake, "MessagePosted"));
        assert!(!topics.may_write(Role::Gateway, "MessagePosted"));
        assert!(topics.may_write(Role::Extractor, "CaseArchived"));
        assert!(!topics.may_write(Role::Embedder, "CaseArchived"));
        assert!(topics.may_write(Role::Embedder, "VectorComputed"));
        assert!(!topics.may_write(Role::Extractor, "VectorComputed"));
        assert!(!topics.may_write(Role::Api, "NoSuchEvent"));
    }

    #[test]
    fn broken_rules_are_named() {
        for (from, to, says) in [
            (
                "  - name: settings\n",
                "  - name: chat.turns\n",
                "settings is missing",
            ),
            (
                "  - name: settings\n",
                "  - name: nowhere\n",
                "no topic is named",
            ),
            (
                "retention_ms: -1",
                "retention_ms: 1000",
                "part of the truth",
            ),
            ("partitions: 4", "partitions: 8", "equal counts"),
            ("partitions: 4", "partitions: 0", "1 to 1024"),
            ("cleanup: delete", "cleanup: compact", "must be delete"),
            ("MessagePosted: [intake]", "MessagePosted: [cook]", "cook"),
            (
                "MessagePosted: [intake]",
                "MessagePosed: [intake]",
                "no event type",
            ),
            (
                "MessagePosted: [intake]",
                "MessagePosted: []",
                "name its writers",
            ),
            (
                "      MessagePosted: [intake]\n",
                "",
                "MessagePosted is on 0",
            ),
            (
                "      MessagePosted: [intake]\n",
                "      MessagePosted: [intake]\n      WindowReady: [intake]\n",
                "WindowReady is on 2",
            ),
            (
                "WindowReady: [buffer]",
                "WindowReady: [buffer, api]",
                "chat.turns: buffer and api write it, and a topic of the truth has one writing \
                 role, which owns its rows: the others publish a request on knowledge.requests",
            ),
            (
                "CaseSplit: [extractor]",
                "CaseSplit: [embedder]",
                "knowledge.cases: extractor and embedder write it",
            ),
            (
                "readers: [intake, api]",
                "readers: [intake, api]\n    colour: red",
                "colour",
            ),
        ] {
            let said = refusal(from, to);
            assert!(said.contains(says), "{said}");
        }
    }
}
