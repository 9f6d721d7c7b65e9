//! Own decisions that a recovery folds again, each after the record that led to it.

use threadlore_model::{Cause, Key, Offset, Topic};
use threadlore_ports::PortError;
use threadlore_roles::Processor;

use super::Batch;
use crate::recovery::{Next, Own};

impl<P: Processor> Batch<'_, P> {
    /// Folds what the records taken so far had led to, in the order of the log. `last` is where
    /// the last record is.
    pub(super) fn fold_outputs(&mut self, key: &Key, last: (Topic, Offset)) {
        let (Some(recovery), Some(kept)) = (&mut self.recovery, self.states.get_mut(key)) else {
            return;
        };
        loop {
            let (processor, state) = (self.processor, &kept.state);
            let taken = |cause: &Cause| match processor.queue() {
                Some(queue) => queue.is_taken(state, cause),
                None => cause.offset <= last.1,
            };
            match recovery.next(key, of_topic(processor, last.0), taken) {
                Next::Output(event) => processor.fold_decided(&mut kept.state, &event),
                Next::ToLoad => {
                    self.to_load = Some((key.clone(), last));
                    return;
                }
                Next::Nothing => return,
            }
        }
    }

    /// Whether the last input waits for an own decision to be read: see [`Batch::load`].
    pub(crate) fn is_to_load(&self) -> bool {
        self.to_load.is_some()
    }

    /// Reads the own decision that the last input waits for, and goes on with the input.
    pub(crate) async fn load(&mut self) -> Result<(), PortError> {
        let (Some((key, last)), Some(recovery)) = (self.to_load.take(), &mut self.recovery) else {
            return Ok(());
        };
        let own = Own {
            ports: self.ports,
            processor: self.processor,
            shard: self.shard,
        };
        recovery
            .load(own, (&key, of_topic(self.processor, last.0)))
            .await?;
        self.fold_outputs(&key, last);
        self.take_queued(&key);
        Ok(())
    }
}

/// The topic whose outputs are in an order of their own: a processor that queues takes a key's
/// records of all topics in one order.
fn of_topic<P: Processor>(processor: &P, topic: Topic) -> Option<Topic> {
    processor.queue().is_none().then_some(topic)
}
