//! Questions to the cluster beside reading and writing: where partitions begin and end.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use rdkafka::consumer::{BaseConsumer, Consumer};
use threadlore_model::{Offset, TopicPartition};
use threadlore_ports::{Class, PortError};

use crate::context::Plain;
use crate::error::{blocking, classed};
use crate::options::KafkaOptions;

/// Longest wait for an answer.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// Longest wait for the answer to a question that is asked again and again.
const ANSWER: Duration = Duration::from_secs(4);

/// A client for such questions.
#[derive(Clone)]
pub(crate) struct Cluster(Arc<BaseConsumer<Plain>>);

impl Cluster {
    pub(crate) fn connect(options: &KafkaOptions) -> Result<Self, PortError> {
        let client: Result<BaseConsumer<Plain>, _> = options.asker().create_with_context(Plain);
        let client = client.map_err(|e| misconfigured(&e))?;
        Ok(Self(Arc::new(client)))
    }

    pub(crate) async fn range(&self, at: TopicPartition) -> Result<Range<Offset>, PortError> {
        const DOING: &str = "asking for the range of a partition";
        let client = Arc::clone(&self.0);
        blocking(DOING, move || {
            let topic = at.topic.name();
            let ask = || client.fetch_watermarks(topic, at.partition.0, ANSWER);
            // It asks whom it knew to be the leader, until it is told to look anew.
            let again = |_| {
                client.fetch_metadata(Some(topic), ANSWER)?;
                ask()
            };
            let (start, end) = ask()
                .or_else(again)
                .map_err(|e| classed(DOING, &format!("to read {at}"), e))?;
            Ok(Offset(start)..Offset(end))
        })
        .await
    }

    /// The broker that leads a partition now; `None` while none does.
    pub(crate) async fn leader(&self, at: TopicPartition) -> Result<Option<i32>, PortError> {
        const DOING: &str = "asking for the leader of a partition";
        let client = Arc::clone(&self.0);
        blocking(DOING, move || {
            let metadata = client
                .fetch_metadata(Some(at.topic.name()), PATIENCE)
                .map_err(|e| classed(DOING, &format!("to describe {at}"), e))?;
            let mut partitions = metadata.topics().iter().flat_map(|t| t.partitions());
            let found = partitions.find(|partition| partition.id() == at.partition.0);
            Ok(found.map(|found| found.leader()).filter(|id| *id >= 0))
        })
        .await
    }

    /// Waits until a new partition has a leader that answers, ten seconds at most.
    pub(crate) async fn has_leader(&self, at: TopicPartition) -> Result<(), PortError> {
        const DOING: &str = "waiting for a new topic";
        let client = Arc::clone(&self.0);
        blocking(DOING, move || {
            let topic = at.topic.name();
            let mut pauses = 0;
            loop {
                let asked = client.fetch_watermarks(topic, at.partition.0, ANSWER);
                let Err(error) = asked else { return Ok(()) };
                let error = classed(DOING, &format!("to read {at}"), error);
                if pauses == 100 || error.class() != Class::Retry {
                    return Err(error);
                }
                pauses += 1;
                // Nothing tells when it is there. What is known of leaders is asked for anew.
                std::thread::park_timeout(Duration::from_millis(100));
                client.fetch_metadata(Some(topic), ANSWER).ok();
            }
        })
        .await
    }

    /// Partitions of every topic there is, by name.
    pub(crate) async fn topics(&self) -> Result<Vec<(String, usize)>, PortError> {
        const DOING: &str = "asking for the topics";
        let client = Arc::clone(&self.0);
        blocking(DOING, move || {
            let metadata = client
                .fetch_metadata(None, PATIENCE)
                .map_err(|e| classed(DOING, "to list topics", e))?;
            let topics = metadata.topics().iter();
            let topics = topics.filter(|topic| topic.error().is_none());
            Ok(topics
                .map(|topic| (topic.name().to_owned(), topic.partitions().len()))
                .collect())
        })
        .await
    }
}

/// What the client library says of properties that it cannot be made with.
pub(crate) fn misconfigured(error: &rdkafka::error::KafkaError) -> PortError {
    let reason = match error {
        rdkafka::error::KafkaError::ClientConfig(_, why, key, _) => {
            format!("the property {key} is refused: {why}")
        }
        error => format!("{error}: look at the settings under kafka"),
    };
    PortError::broken("setting up the client of Kafka", reason)
}
