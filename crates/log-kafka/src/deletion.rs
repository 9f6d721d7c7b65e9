//! Deleting the first records of partitions (Kafka's `DeleteRecords`).

use rdkafka::TopicPartitionList;
use threadlore_model::{Offset, TopicPartition};
use threadlore_ports::PortError;

use crate::access::Right;
use crate::error::Attempt;
use crate::options::KafkaOptions;
use crate::topics::{admin, patient};

const DELETING: &str = "deleting records";

/// Deletes the records of each partition before an offset.
pub(crate) async fn delete_before(
    options: &KafkaOptions,
    before: &[(TopicPartition, Offset)],
) -> Result<(), PortError> {
    let user = options.user();
    let failed = |topic, error| {
        let attempt = Attempt {
            doing: DELETING,
            right: Right::delete(topic),
            user: &user,
        };
        attempt.failed(error)
    };
    let mut list = TopicPartitionList::new();
    for (at, offset) in before {
        let offset = rdkafka::Offset::Offset(offset.0);
        list.add_partition_offset(at.topic.name(), at.partition.0, offset)
            .map_err(|e| failed(at.topic, e))?;
    }
    let Some((first, _)) = before.first() else {
        return Ok(());
    };
    let deleted = admin(options)?.delete_records(&list, &patient()).await;
    let deleted = deleted.map_err(|e| failed(first.topic, e))?;
    for (at, _) in before {
        if let Some(found) = deleted.find_partition(at.topic.name(), at.partition.0) {
            found.error().map_err(|e| failed(at.topic, e))?;
        }
    }
    Ok(())
}
