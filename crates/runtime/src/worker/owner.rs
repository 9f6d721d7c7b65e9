//! Becoming the owner of a shard, whatever the last one left.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll};

use threadlore_ports::{Ownership, PortError, Shard};
use threadlore_roles::Processor;
use threadlore_stream::{Consumer, FoldPorts};

use crate::publisher::Publisher;

/// Becomes the owner of the shard. What a version with other states left is forgotten, after all
/// that it had decided is in the log.
pub(super) async fn acquire<P: Processor>(
    ports: &FoldPorts,
    shard: &Shard,
    batch: usize,
) -> Result<Ownership, PortError> {
    let owned = ports.store.acquire(shard).await?;
    if owned.layout == P::STATE_LAYOUT {
        return Ok(owned);
    }
    tracing::info!(
        %shard, from = owned.layout, to = P::STATE_LAYOUT,
        "its states are of another version: they are rebuilt from the log"
    );
    // Where the log does not begin with its first records, they are not forgotten.
    let (log, vault, nothing) = (
        Arc::clone(&ports.log),
        ports.vault.clone(),
        Ownership::default(),
    );
    Consumer::start(log, vault, shard, P::INPUTS, &nothing).await?;
    let mut publisher = unpublished(ports, shard, batch).await?;
    let publish = |context: &mut Context<'_>| match publisher.poll(context) {
        Ok(_) if publisher.pending() > 0 => Poll::Pending,
        done => Poll::Ready(done.map(drop)),
    };
    poll_fn(publish).await?;
    let store = &ports.store;
    store.forget(shard, owned.epoch, P::STATE_LAYOUT).await?;
    store.acquire(shard).await
}

/// A publisher with what the last owner left in the outbox.
pub(super) async fn unpublished(
    ports: &FoldPorts,
    shard: &Shard,
    batch: usize,
) -> Result<Publisher, PortError> {
    let mut publisher = Publisher::new(ports, shard.group.clone());
    let mut after = 0;
    loop {
        let rows = ports.store.outbox(shard, after, batch).await?;
        let Some(last) = rows.last() else {
            return Ok(publisher);
        };
        after = last.sequence;
        publisher.push(rows);
    }
}
