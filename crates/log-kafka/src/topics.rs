//! The topics of a cluster beside what `topics.yaml` says.

use std::collections::HashMap;
use std::fmt;

use rdkafka::admin::{
    AdminClient, AdminOptions, NewTopic, OwnedResourceSpecifier, ResourceSpecifier,
    TopicReplication,
};
use rdkafka::types::RDKafkaErrorCode as Code;
use threadlore_model::Topic;
use threadlore_ports::PortError;
use threadlore_schema::{TopicSpec, Topics};

use crate::cluster::{Cluster, PATIENCE, misconfigured};
use crate::context::Plain;
use crate::error::classed;
use crate::options::KafkaOptions;

const LOOKING: &str = "looking at the topics";
const MAKING: &str = "making topics";

/// One property of a topic that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The property, or `partitions`.
    pub property: String,
    /// As it is.
    pub is: String,
    /// As it should be.
    pub should: String,
}

/// What is to be done about a topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Planned {
    /// It is as it should be.
    Nothing,
    /// It is missing: it can be made.
    Create,
    /// It is there and differs; it is not touched.
    Differs(Vec<Difference>),
}

/// All topics, and what is to be done about them.
#[derive(Debug, Clone)]
pub struct Plan {
    /// In the order of [`Topic::ALL`].
    pub topics: Vec<(Topic, Planned)>,
    specs: Topics,
}

impl Plan {
    /// Compares a cluster's topics with what they should be.
    ///
    /// # Errors
    /// `Unavailable` when no broker answers; `Broken` when it must not be asked.
    pub async fn look(options: &KafkaOptions, specs: &Topics) -> Result<Self, PortError> {
        let cluster = Cluster::connect(options)?;
        let there: HashMap<String, usize> = cluster.topics().await?.into_iter().collect();
        let found = specs
            .iter()
            .filter(|spec| there.contains_key(spec.topic.name()));
        let configs = configs(options, found).await?;
        let topics = specs.iter().map(|spec| {
            let name = spec.topic.name();
            let planned = match there.get(name) {
                None => Planned::Create,
                Some(&partitions) => {
                    let differences = differences(spec, partitions, configs.get(name));
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
        })
    }

    /// Whether work can begin.
    ///
    /// # Errors
    /// `Broken`, with every topic that is missing or differs.
    pub fn check(&self) -> Result<(), PortError> {
        let (mut missing, mut bad) = (Vec::new(), Vec::new());
        for (topic, planned) in &self.topics {
            match planned {
                Planned::Nothing => {}
                Planned::Create => missing.push(topic.name()),
                Planned::Differs(_) => bad.push(format!("{topic} {planned}")),
            }
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
                "missing are {missing} (`threadlore topics apply` makes them), or this user may not \
                 describe them (`threadlore topics render acls` says what it must be allowed)"
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

    /// Makes the topics that are missing, on `replicas` brokers each, and gives their
    /// names. Those that differ are not touched.
    ///
    /// # Errors
    /// `Broken` with what the cluster refused; `Unavailable` as the name says.
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
        let specs: Vec<(&TopicSpec, Vec<(&str, String)>)> = missing
            .iter()
            .map(|topic| self.specs.get(*topic))
            .map(|spec| (spec, spec.configuration()))
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
        for made in made.map_err(|e| classed(MAKING, "to make topics", e))? {
            match made {
                Ok(_) | Err((_, Code::TopicAlreadyExists)) => {}
                Err((topic, code)) => {
                    let reason = format!("{topic} cannot be made: {code}");
                    return Err(PortError::broken(MAKING, reason));
                }
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

/// Properties of topics, as far as the cluster tells them.
async fn configs(
    options: &KafkaOptions,
    specs: impl Iterator<Item = &TopicSpec>,
) -> Result<Configs, PortError> {
    let names: Vec<&str> = specs.map(|spec| spec.topic.name()).collect();
    let resources: Vec<_> = names
        .iter()
        .map(|name| ResourceSpecifier::Topic(name))
        .collect();
    if resources.is_empty() {
        return Ok(Configs::new());
    }
    let described = admin(options)?
        .describe_configs(&resources, &patient())
        .await;
    let described = match described {
        Err(e) if e.rdkafka_error_code() == Some(Code::UnsupportedFeature) => {
            tracing::warn!(target: "kafka", "the broker does not tell properties of topics; they \
                            are not checked");
            return Ok(Configs::new());
        }
        described => described.map_err(|e| classed(LOOKING, "to describe topics", e))?,
    };
    let mut configs = Configs::new();
    for resource in described {
        let resource = match resource {
            Ok(resource) => resource,
            Err(Code::TopicAuthorizationFailed) => {
                tracing::warn!(target: "kafka", "this user may not look at properties of topics; \
                                they are not checked");
                continue;
            }
            Err(code) => {
                return Err(classed(
                    LOOKING,
                    "to describe topics",
                    rdkafka::error::KafkaError::AdminOp(code),
                ));
            }
        };
        let OwnedResourceSpecifier::Topic(name) = resource.specifier else {
            continue;
        };
        let entries = resource.entries.into_iter();
        let entries = entries.filter_map(|entry| Some((entry.name, entry.value?)));
        configs.insert(name, entries.collect());
    }
    Ok(configs)
}

/// What is not as it should be; what a cluster does not tell is taken to be.
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
