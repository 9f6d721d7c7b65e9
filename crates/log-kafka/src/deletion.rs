//! Deleting the first records of partitions (Kafka's `DeleteRecords`).

use rdkafka::TopicPartitionList;
use threadlore_model::{Offset, TopicPartition};
use threadlore_ports::PortError;

use crate::error::classed;
use crate::options::KafkaOptions;
use crate::topics::{admin, patient};

const DELETING: &str = "deleting records";

/// Deletes the records of partitions that stand before an offset each.
pub(crate) async fn delete_before(
    options: &KafkaOptions,
    before: &[(TopicPartition, Offset)],
) -> Result<(), PortError> {
    let failed =
        |at: TopicPartition, e| classed(DELETING, &format!("to delete records of {at}"), e);
    let mut list = TopicPartitionList::new();
    for (at, offset) in before {
        let offset = rdkafka::Offset::Offset(offset.0);
        list.add_partition_offset(at.topic.name(), at.partition.0, offset)
            .map_err(|e| failed(*at, e))?;
    }
    if before.is_empty() {
        return Ok(());
    }
    let deleted = admin(options)?.delete_records(&list, &patient()).await;
    let deleted = deleted.map_err(|e| classed(DELETING, "to delete records", e))?;
    for (at, _) in before {
        if let Some(found) = deleted.find_partition(at.topic.name(), at.partition.0) {
            found.error().map_err(|e| failed(*at, e))?;
        }
    }
    Ok(())
}
