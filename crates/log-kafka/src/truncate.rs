//! Dropping the first records of partitions (`DeleteRecords`).

use std::collections::BTreeMap;

use rdkafka::TopicPartitionList;
use rdkafka::error::KafkaError;
use threadlore_model::{Offset, TopicPartition};
use threadlore_ports::PortError;

use crate::error::classed;
use crate::options::KafkaOptions;
use crate::topics::{admin, patient};

const DOING: &str = "truncating a topic";

/// Drops records before these offsets. None may lie before the start of its partition, which
/// a broker refuses.
pub(crate) async fn truncate(
    options: &KafkaOptions,
    before: &BTreeMap<TopicPartition, Offset>,
) -> Result<(), PortError> {
    let what = "to drop the first records of chat.inbox (operation Delete)";
    let failed = |error| classed(DOING, what, error);
    let mut list = TopicPartitionList::new();
    for (at, before) in before {
        let offset = rdkafka::Offset::Offset(before.0);
        list.add_partition_offset(at.topic.name(), at.partition.0, offset)
            .map_err(failed)?;
    }
    if list.count() == 0 {
        return Ok(());
    }
    // Made for this one question: it is asked every few minutes.
    let client = admin(options)?;
    let done = client.delete_records(&list, &patient()).await;
    let done = done.map_err(failed)?;
    // Each partition has an answer of its own.
    let refused = done.elements().iter().find_map(|one| one.error().err());
    match refused {
        Some(error) => Err(failed(KafkaError::AdminOp(
            error
                .rdkafka_error_code()
                .unwrap_or(rdkafka::types::RDKafkaErrorCode::Unknown),
        ))),
        None => Ok(()),
    }
}
