//! Requests to the cluster other than reading and writing: metadata, and the offsets at which
//! partitions begin and end.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::error::KafkaError;
use rdkafka::metadata::{Metadata, MetadataTopic};
use threadlore_model::{Offset, Topic, TopicPartition};
use threadlore_ports::{Class, PortError};

use crate::access::{Right, User};
use crate::context::Plain;
use crate::error::{Attempt, KAFKA, blocking, is_denied, refused_login};
use crate::options::KafkaOptions;

/// Longest wait for an answer.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// Longest wait for the answer to a question that is asked again and again.
const ANSWER: Duration = Duration::from_secs(4);

/// How often the topics are asked for again while no broker answers.
const TRIES: u32 = 2;

/// The most events of a client that are searched for the reason of a failure.
const EVENTS: usize = 100;

/// A client for such questions.
#[derive(Clone)]
pub(crate) struct Cluster {
    client: Arc<BaseConsumer<Plain>>,
    user: User,
}

/// A topic as the cluster shows it to this user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    Partitions(usize),
    Missing,
    /// The user may not describe the topic, so whether it exists is not known.
    Denied,
}

impl Cluster {
    pub(crate) fn connect(options: &KafkaOptions) -> Result<Self, PortError> {
        let client: Result<BaseConsumer<Plain>, _> = options.asker().create_with_context(Plain);
        let client = Arc::new(client.map_err(|e| misconfigured(&e))?);
        let user = options.user();
        Ok(Self { client, user })
    }

    pub(crate) async fn range(&self, at: TopicPartition) -> Result<Range<Offset>, PortError> {
        const DOING: &str = "asking for the range of a partition";
        let Self { client, user } = self.clone();
        blocking(DOING, move || {
            let topic = at.topic.name();
            let ask = || client.fetch_watermarks(topic, at.partition.0, ANSWER);
            // The client asks the leader that it knows until its metadata is refreshed. Until then,
            // a topic that the user may not describe looks like one without partitions.
            let again = |_| {
                let metadata = client.fetch_metadata(Some(topic), ANSWER)?;
                match metadata.topics().first().and_then(MetadataTopic::error) {
                    Some(error) if is_denied(error.into()) => {
                        Err(KafkaError::MetadataFetch(error.into()))
                    }
                    _ => ask(),
                }
            };
            let attempt = || Attempt {
                doing: DOING,
                right: Right::describe(vec![at.topic]),
                user: &user,
            };
            let (start, end) = ask().or_else(again).map_err(|e| attempt().failed(e))?;
            Ok(Offset(start)..Offset(end))
        })
        .await
    }

    /// The broker that leads a partition now; `None` while none does.
    pub(crate) async fn leader(&self, at: TopicPartition) -> Result<Option<i32>, PortError> {
        const DOING: &str = "asking for the leader of a partition";
        let Self { client, user } = self.clone();
        blocking(DOING, move || {
            let attempt = || Attempt {
                doing: DOING,
                right: Right::describe(vec![at.topic]),
                user: &user,
            };
            let metadata = client
                .fetch_metadata(Some(at.topic.name()), PATIENCE)
                .map_err(|e| attempt().failed(e))?;
            let mut partitions = metadata.topics().iter().flat_map(|t| t.partitions());
            let found = partitions.find(|partition| partition.id() == at.partition.0);
            Ok(found.map(|found| found.leader()).filter(|id| *id >= 0))
        })
        .await
    }

    /// Waits until a new partition has a leader that answers, ten seconds at most.
    pub(crate) async fn has_leader(&self, at: TopicPartition) -> Result<(), PortError> {
        const DOING: &str = "waiting for a new topic";
        let Self { client, user } = self.clone();
        blocking(DOING, move || {
            let topic = at.topic.name();
            let attempt = Attempt {
                doing: DOING,
                right: Right::describe(vec![at.topic]),
                user: &user,
            };
            let mut pauses = 0;
            loop {
                let asked = client.fetch_watermarks(topic, at.partition.0, ANSWER);
                let Err(error) = asked else { return Ok(()) };
                let error = attempt.failed(error);
                if pauses == 100 || error.class() != Class::Retry {
                    return Err(error);
                }
                pauses += 1;
                // Nothing signals that the leader is there, so the metadata is requested again.
                std::thread::park_timeout(Duration::from_millis(100));
                client.fetch_metadata(Some(topic), ANSWER).ok();
            }
        })
        .await
    }

    /// The topics as the cluster shows them to this user.
    ///
    /// # Errors
    /// `Broken` when the cluster refuses the login; `Unavailable` when no broker answers.
    pub(crate) async fn topics(
        &self,
        names: impl Iterator<Item = Topic>,
    ) -> Result<HashMap<Topic, Shown>, PortError> {
        const DOING: &str = "asking for the topics";
        let Self { client, user } = self.clone();
        let names: Vec<Topic> = names.collect();
        blocking(DOING, move || {
            let failed = |error| PortError::Unavailable {
                doing: DOING,
                what: KAFKA,
                source: Some(Box::new(error)),
            };
            let ask = |topic: Topic| {
                let mut tries = 1..=TRIES;
                loop {
                    match client.fetch_metadata(Some(topic.name()), ANSWER) {
                        Ok(metadata) => return Ok((topic, shown(&metadata))),
                        // The login is refused on a connection, and no answer says so.
                        Err(error) => match refused(&client, &user) {
                            Some(reason) => return Err(PortError::broken(DOING, reason)),
                            None if tries.next().is_none() => return Err(failed(error)),
                            None => {}
                        },
                    }
                }
            };
            // A list of all topics leaves out those that may not be described, and a
            // question for one of them does not: so each is asked for by its name.
            names.into_iter().map(ask).collect()
        })
        .await
    }
}

fn shown(metadata: &Metadata) -> Shown {
    let found = metadata.topics().first();
    match found.map(|found| (found.error(), found.partitions().len())) {
        Some((None, count)) => Shown::Partitions(count),
        Some((Some(error), _)) if is_denied(error.into()) => Shown::Denied,
        _ => Shown::Missing,
    }
}

/// Why the cluster refuses this client on every connection, if an event has the reason.
fn refused(client: &BaseConsumer<Plain>, user: &User) -> Option<String> {
    (0..EVENTS)
        .map_while(|_| client.poll(Duration::ZERO))
        .filter_map(Result::err)
        .find_map(|event| refused_login(event.rdkafka_error_code()?, user))
}

/// The error for properties that the client library does not accept.
pub(crate) fn misconfigured(error: &rdkafka::error::KafkaError) -> PortError {
    let reason = match error {
        rdkafka::error::KafkaError::ClientConfig(_, why, key, _) => {
            format!("the property {key} is refused: {why}")
        }
        error => format!("{error}: look at the settings under kafka"),
    };
    PortError::broken("setting up the client of Kafka", reason)
}
