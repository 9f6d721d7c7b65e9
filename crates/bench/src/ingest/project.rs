//! From a topic to a table by the live path, with nothing else at work.

use anyhow::ensure;
use threadlore_model::{Partition, Topic, TopicPartition};
use threadlore_node::Node;
use threadlore_ports::{Generations as _, Projection};
use threadlore_replay::{Bounds, Projector};

/// Folds `chat.events` into a new build of `messages` by the projector that feeds a live one,
/// in batches of at most `batch` events; events a second.
pub(crate) async fn rate(node: &Node, batch: usize) -> anyhow::Result<f64> {
    let topic = Topic::ChatEvents;
    let build = node.store.create(Projection::Messages).await?;
    let ports = node.fold_ports();
    let (mut events, started) = (0, node.clock.now());
    for number in 0..node.log.partitions(topic) {
        let partition = Partition(i32::try_from(number)?);
        let end = node
            .log
            .range(TopicPartition { topic, partition })
            .await?
            .end;
        let mut projector = Projector::start(build, partition, ports.clone()).await?;
        while projector.position() < end {
            events += projector.step_ahead(Bounds::records(batch)).await?;
        }
    }
    ensure!(events > 0, "{topic} holds no events");
    Ok(events as f64 / node.clock.now().since(started).as_secs_f64())
}
