//! The topics of a cluster, compared with `topics.yaml`.

use std::collections::HashMap;
use std::fmt;

use rdkafka::admin::{
    AdminClient, AdminOptions, NewTopic, OwnedResourceSpecifier, ResourceSpecifier,
    TopicReplication,
};
use rdkafka::error::KafkaError;
use rdkafka::types::RDKafkaErrorCode as Code;
use threadlore_model::{Partition, Topic, TopicPartition};
use threadlore_ports::PortError;
use threadlore_schema::{TopicSpec, Topics};

use crate::access::{Right, User};
use crate::cluster::{Cluster, PATIENCE, Shown, misconfigured};
use crate::context::Plain;
use crate::error::{Attempt, is_denied};
use crate::options::KafkaOptions;

const LOOKING: &str = "looking at the topics";
const MAKING: &str = "making topics";

/// One property of a topic that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The property, or `partitions`.
    pub property: String,
    /// The current value.
    pub is: String,
    /// As it should be.
    pub should: String,
}

/// What has to be done about a topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Planned {
    /// Nothing: it is as `topics.yaml` says.
    Nothing,
    /// It is missing and can be created.
    Create,
    /// It exists and differs. It is not changed.
    Differs(Vec<Difference>),
    /// This user may not describe it, so whether it exists is not known.
    Denied,
}

/// All topics, and what has to be done about them.
#[derive(Debug, Clone)]
pub struct Plan {
    /// In the order of [`Topic::ALL`].
    pub topics: Vec<(Topic, Planned)>,
    specs: Topics,
    user: User,
}

impl Plan {
    /// Compares a cluster's topics with `topics.yaml`.
    ///
    /// # Errors
    /// `Unavailable` when no broker answers; `Broken` when the request is not allowed.
    pub async fn look(options: &KafkaOptions, specs: &Topics) -> Result<Self, PortError> {
        let cluster = Cluster::connect(options)?;
        let shown = cluster.topics(specs.iter().map(|spec| spec.topic)).await?;
        let is_there =
            |spec: &&TopicSpec| matches!(shown.get(&spec.topic), Some(Shown::Partitions(_)));
        let found: Vec<Topic> = specs
            .iter()
            .filter(is_there)
            .map(|spec| spec.topic)
            .collect();
        let configs = configs(options, &found).await?;
        let topics = specs.iter().map(|spec| {
            let planned = match shown.get(&spec.topic) {
                None | Some(Shown::Missing) => Planned::Create,
                Some(Shown::Denied) => Planned::Denied,
                Some(Shown::Partitions(partitions)) => {
                    let config = configs.get(spec.topic.name());
                    let differences = differences(spec, *partitions, config);
                    match differences.is_empty() {
                        true => Planned::Nothing,
                        false => Planned::Differs(differences),
                    }
                }
            };
            (spec.topic, planned)
        });
        Ok(Self {
            topics: topics.collect(),
            specs: specs.clone(),
            user: options.user(),
        })
    }

    /// Whether work can begin.
    ///
    /// # Errors
    /// `Broken`, with every topic that is missing or differs.
    pub fn check(&self) -> Result<(), PortError> {
        let (mut missing, mut denied, mut bad) = (Vec::new(), Vec::new(), Vec::new());
        for (topic, planned) in &self.topics {
            match planned {
                Planned::Nothing => {}
                Planned::Create => missing.push(topic.name()),
                Planned::Denied => denied.push(*topic),
                Planned::Differs(_) => bad.push(format!("{topic} {planned}")),
            }
        }
        if !denied.is_empty() {
            let lacks = self.user.lacks(&Right::describe(denied));
            return Err(PortError::broken(LOOKING, lacks));
        }
        if !bad.is_empty() {
            bad.push(
                "set such properties back with kafka-configs.sh; a topic with another count of \
                 partitions has to be made anew"
                    .to_owned(),
            );
        }
        if !missing.is_empty() {
            let missing = missing.join(", ");
            bad.push(format!(
                "missing are {missing} (`threadlore topics apply` makes them)"
            ));
        }
        if bad.is_empty() {
            return Ok(());
        }
        Err(PortError::broken(
            LOOKING,
            format!(
                "the topics are not as they must be: {}; see `threadlore topics plan`",
                bad.join("; ")
            ),
        ))
    }

    /// Creates the missing topics, on `replicas` brokers each, waits until each partition has a
    /// leader, and returns their names. Topics that differ are not changed.
    ///
    /// # Errors
    /// `Broken` with the request that the cluster refused; `Unavailable` when no broker answers.
    pub async fn create_missing(
        &self,
        options: &KafkaOptions,
        replicas: i32,
    ) -> Result<Vec<Topic>, PortError> {
        let missing = self.topics.iter();
        let missing: Vec<Topic> = missing
            .filter(|(_, planned)| *planned == Planned::Create)
            .map(|(topic, _)| *topic)
            .collect();
        let copies = u16::try_from(replicas).unwrap_or_default();
        let specs: Vec<(&TopicSpec, Vec<(&str, String)>)> = missing
            .iter()
            .map(|topic| self.specs.get(*topic))
            .map(|spec| (spec, spec.configuration_of_new(copies)))
            .collect();
        let new: Vec<NewTopic<'_>> = specs
            .iter()
            .map(|(spec, configuration)| {
                let partitions = i32::try_from(spec.partitions).unwrap_or(i32::MAX);
                let replication = TopicReplication::Fixed(replicas);
                let new = NewTopic::new(spec.topic.name(), partitions, replication);
                configuration
                    .iter()
                    .fold(new, |new, (key, value)| new.set(key, value))
            })
            .collect();
        if new.is_empty() {
            return Ok(missing);
        }
        let made = admin(options)?.create_topics(&new, &patient()).await;
        let attempt = |topics| Attempt {
            doing: MAKING,
            right: Right::create(topics),
            user: &self.user,
        };
        let made = made.map_err(|e| attempt(missing.clone()).failed(e))?;
        let mut denied = Vec::new();
        // Answers are in the order of the requests.
        for (topic, made) in missing.iter().zip(made) {
            match made {
                Ok(_) | Err((_, Code::TopicAlreadyExists)) => {}
                Err((_, code)) if is_denied(code) => denied.push(*topic),
                Err((topic, code)) => {
                    let reason = format!("{topic} cannot be made: {code}");
                    return Err(PortError::broken(MAKING, reason));
                }
            }
        }
        if !denied.is_empty() {
            let lacks = self.user.lacks(&Right::create(denied));
            return Err(PortError::broken(MAKING, lacks));
        }
        // The next client must find every partition.
        let cluster = Cluster::connect(options)?;
        for (spec, _) in &specs {
            let partitions = i32::try_from(spec.partitions).unwrap_or(i32::MAX);
            for partition in (0..partitions).map(Partition) {
                let topic = spec.topic;
                cluster
                    .has_leader(TopicPartition { topic, partition })
                    .await?;
            }
        }
        Ok(missing)
    }
}

impl fmt::Display for Planned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("is as it should be"),
            Self::Create => f.write_str("is missing (`threadlore topics apply` makes it)"),
            Self::Denied => f.write_str("may not be described by this user"),
            Self::Differs(differences) => {
                let all: Vec<String> = differences
                    .iter()
                    .map(|d| format!("{} is {} and must be {}", d.property, d.is, d.should))
                    .collect();
                write!(f, "differs: {}", all.join(", "))
            }
        }
    }
}

pub(crate) fn admin(options: &KafkaOptions) -> Result<AdminClient<Plain>, PortError> {
    let client = options.asker().create_with_context(Plain);
    client.map_err(|e| misconfigured(&e))
}

pub(crate) fn patient() -> AdminOptions {
    AdminOptions::new()
        .request_timeout(Some(PATIENCE))
        .operation_timeout(Some(PATIENCE))
}

type Configs = HashMap<String, HashMap<String, String>>;

/// The properties of topics, as far as the cluster reports them.
async fn configs(options: &KafkaOptions, topics: &[Topic]) -> Result<Configs, PortError> {
    let resources: Vec<_> = topics
        .iter()
        .map(|topic| ResourceSpecifier::Topic(topic.name()))
        .collect();
    if resources.is_empty() {
        return Ok(Configs::new());
    }
    let user = options.user();
    let attempt = || Attempt {
        doing: LOOKING,
        right: Right::describe_configs(topics.to_vec()),
        user: &user,
    };
    let described = admin(options)?
        .describe_configs(&resources, &patient())
        .await;
    let described = match described {
        Err(e) if e.rdkafka_error_code() == Some(Code::UnsupportedFeature) => {
            tracing::warn!(target: "kafka", "the broker does not tell properties of topics; they \
                            are not checked");
            return Ok(Configs::new());
        }
        described => described.map_err(|e| attempt().failed(e))?,
    };
    let mut configs = Configs::new();
    for resource in described {
        let resource = match resource {
            Ok(resource) => resource,
            Err(code) if is_denied(code) => continue,
            Err(code) => return Err(attempt().failed(KafkaError::Global(code))),
        };
        let OwnedResourceSpecifier::Topic(name) = resource.specifier else {
            continue;
        };
        // Every topic has properties; an empty list means that the request was denied.
        if resource.entries.is_empty() {
            continue;
        }
        let entries = resource.entries.into_iter();
        let entries = entries.filter_map(|entry| Some((entry.name, entry.value?)));
        configs.insert(name, entries.collect());
    }
    let denied = topics
        .iter()
        .filter(|topic| !configs.contains_key(topic.name()));
    let denied: Vec<Topic> = denied.copied().collect();
    if !denied.is_empty() {
        let lacks = user.lacks(&Right::describe_configs(denied));
        tracing::warn!(target: "kafka", "{lacks}. Until then it is not checked that their records \
                        are kept for ever");
    }
    Ok(configs)
}

/// The differences of a topic. A property that the cluster does not report counts as right.
fn differences(
    spec: &TopicSpec,
    partitions: usize,
    config: Option<&HashMap<String, String>>,
) -> Vec<Difference> {
    let mut differences = Vec::new();
    let mut compare = |property: &str, is: String, should: String| {
        if is != should {
            differences.push(Difference {
                property: property.to_owned(),
                is,
                should,
            });
        }
    };
    compare(
        "partitions",
        partitions.to_string(),
        spec.partitions.to_string(),
    );
    for (property, should) in spec.configuration() {
        if let Some(is) = config.and_then(|config| config.get(property)) {
            compare(property, is.clone(), should);
        }
    }
    differences
}
