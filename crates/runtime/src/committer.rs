//! Commits what was decided: one transaction at a time, in order.

use std::sync::Arc;
use std::task::{Context, Poll};

use futures::future::BoxFuture;
use threadlore_model::Timestamp;
use threadlore_ports::{Changes, EffectRow, OutboxRow, PortError, Positions, Shard};
use threadlore_stream::{FoldPorts, Spans};

use crate::batch::Note;

/// A batch that is decided and not committed.
pub(crate) struct Decided {
    pub(crate) changes: Changes,
    pub(crate) then: Then,
}

/// What is to be done once a batch is committed.
pub(crate) struct Then {
    /// The batch's number.
    pub(crate) batch: u64,
    /// To be published.
    pub(crate) outbox: Vec<OutboxRow>,
    /// To be asked.
    pub(crate) effects: Vec<EffectRow>,
    /// To be reported to the observer.
    pub(crate) spans: Spans,
    pub(crate) notes: Vec<Note>,
    pub(crate) positions: Positions,
    /// Numbers of inputs and of events.
    pub(crate) inputs: usize,
    pub(crate) decided: usize,
    pub(crate) started: Timestamp,
}

/// Runs transactions of one owner of a shard, one after another. One that fails ends the
/// owner: nothing that was decided after it is ever committed.
pub(crate) struct Committer {
    ports: FoldPorts,
    shard: Shard,
    epoch: i64,
    running: Option<Running>,
}

struct Running {
    call: BoxFuture<'static, Result<(), PortError>>,
    then: Option<Then>,
}

impl Committer {
    pub(crate) fn new(ports: &FoldPorts, shard: &Shard, epoch: i64) -> Self {
        Self {
            ports: ports.clone(),
            shard: shard.clone(),
            epoch,
            running: None,
        }
    }

    /// Whether the transaction before is through.
    pub(crate) fn is_free(&self) -> bool {
        self.running.is_none()
    }

    /// Begins to commit a batch; only while it [`is free`](Self::is_free).
    pub(crate) fn commit(&mut self, Decided { changes, then }: Decided) {
        let (store, shard, epoch) = (
            Arc::clone(&self.ports.store),
            self.shard.clone(),
            self.epoch,
        );
        self.running = Some(Running {
            call: Box::pin(async move { store.commit(&shard, epoch, changes).await }),
            then: Some(then),
        });
    }

    /// Begins to delete rows of the outbox up to a sequence, where no batch does it.
    pub(crate) fn forget_published(&mut self, through: u64) {
        let (store, shard, epoch) = (
            Arc::clone(&self.ports.store),
            self.shard.clone(),
            self.epoch,
        );
        self.running = Some(Running {
            call: Box::pin(async move { store.published(&shard, epoch, through).await }),
            then: None,
        });
    }

    /// Goes on; `Ready` when a transaction is through, with what is to be done then.
    ///
    /// # Errors
    /// What the store says; this is not to be used any more after one.
    pub(crate) fn poll(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Result<Option<Then>, PortError>> {
        let Some(running) = &mut self.running else {
            return Poll::Pending;
        };
        let Poll::Ready(done) = running.call.as_mut().poll(context) else {
            return Poll::Pending;
        };
        let then = running.then.take();
        // After an error nothing is committed any more.
        let done = self.ports.changed(&self.shard, done);
        if done.is_ok() {
            self.running = None;
        }
        Poll::Ready(done.map(|()| then))
    }
}

#[cfg(test)]
mod tests;
