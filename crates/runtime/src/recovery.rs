//! What a shard had decided before its state was lost, read from the log.
//!
//! A shard that is not recovered reads each input topic from the start up to the
//! highest cause found in it, folds what it reads and what that had led to, and
//! decides nothing, on records or timers: its state is whole only once all topics
//! are there. Then work goes on as usual, and every key is examined once for what was
//! asked for and never done.
//!
//! A processor that queues takes each key's records in one order, so each key goes over
//! from what was decided to what is to be decided by itself: nothing waits for other keys.
//!
//! # Time and memory
//! The shard's outputs are read twice, from the start to the end that they have when the
//! recovery begins. The first pass (`survey`) opens nothing. It keeps what has to be known
//! ahead: how far each input topic was decided on, the last sequence, the highest cause and the
//! number of outputs of each key, and for each thousand offsets the lowest cause in or after
//! them (`lowest`). Ids of accepted events are stored while they are read.
//! The second pass (`outputs`) goes beside the inputs. Before a batch is folded, it reads on
//! until no output is left whose cause is in the batch or before it.
//!
//! So time is linear in inputs and outputs. In memory are:
//! - a few numbers for each key of the shard, and for each thousand offsets;
//! - an entry of some sixty bytes for each output that was read and is not folded yet. Those are
//!   the outputs in the log between what is folded and the last output with a cause before it. A
//!   case that expired after a month, by a timer, is a month behind its cause; and a processor
//!   of two topics may read far ahead in one of them, up to all of its outputs;
//! - of these outputs at most [`EVENTS`](outputs::EVENTS) events, and what one batch folds. The
//!   others are read once more when their turn comes.
//!
//! # Decided again
//! What a record led to is in the log; that it led to nothing is not. A record behind the last
//! cause of its key is decided on, whether or not it was before. Live records are taken while a
//! call about a window before them is not answered, so what had led to nothing then may lead to
//! something now: a case that exists by now may get a confirmation of a moment before it.
//!
//! A recovery that is not through is begun anew by the next owner, from the positions that the
//! store has. What led to the stored states is left out.

mod lowest;
mod outputs;
mod own_events;
mod survey;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::sync::Arc;

use threadlore_model::{Cause, Event, Key, Topic, TopicPartition};
use threadlore_ports::{PortError, Positions, Shard};
use threadlore_roles::Processor;
use threadlore_stream::{Consumer, FoldPorts};

use crate::batch::Counters;
use crate::key_entry::KeyEntry;
use outputs::Outputs;
pub(crate) use own_events::Own;
use survey::Survey;

/// States that are loaded together to find out which outputs are in them.
const STATES: usize = 64;
/// So many outputs are read before it is found out which of them are in the stored states.
const LOOK_AFTER: usize = 50_000;

/// What the log says this shard decided.
#[derive(Debug, Default)]
pub(crate) struct Recovery {
    /// Next offset per input topic with which the recovery is through.
    ends: Positions,
    /// Up to where everything was decided on, whether or not anything followed.
    settled: Positions,
    /// What is folded again.
    outputs: Outputs,
}

/// What became of a record before the state was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Past {
    /// It was decided on: what it led to, if anything, is in the log.
    Decided,
    /// It was not.
    Undecided,
    /// A window that led to nothing, or about which a call was not answered, or a request. It is
    /// taken once more, when all that was decided is known.
    Unknown,
}

/// The next output of a key.
#[derive(Debug, PartialEq)]
pub(crate) enum Next {
    /// It is to be folded now.
    Output(Arc<Event>),
    /// It is to be folded now, and its event has to be read first: see
    /// [`Recovery::load`].
    ToLoad,
    /// None is to be folded now.
    Nothing,
}

impl Recovery {
    /// Finds out what the shard decided, puts back which platform events it had
    /// accepted, and lets its consumer read up to the highest cause.
    pub(crate) async fn begin<P: Processor>(
        ports: &FoldPorts,
        processor: &P,
        (shard, epoch, counters): (&Shard, i64, &mut Counters),
        settled: Positions,
        consumer: &mut Consumer,
    ) -> Result<Self, PortError> {
        let own = Own {
            ports,
            processor,
            shard,
        };
        let start = consumer.positions().clone();
        let Survey { ends, outputs } = Survey::read(own, epoch, &start, counters).await?;
        let mut found = Self {
            ends,
            settled: Positions::new(),
            outputs,
        };
        found.settle(settled);
        found.leave_out_folded(own, &start).await?;
        if processor.queue().is_some() {
            // A queued record may wait for a later one of another topic.
            for &topic in P::INPUTS {
                let partition = shard.partition;
                let end = ports
                    .log
                    .range(TopicPartition { topic, partition })
                    .await?
                    .end;
                found.ends.insert(topic, end);
            }
        } else {
            consumer.read_until(Some(found.ends.clone()));
        }
        Ok(found)
    }

    /// Takes over how far everything was decided on.
    fn settle(&mut self, settled: Positions) {
        for (topic, next) in &settled {
            if next.0 > 0 {
                let end = self.ends.entry(*topic).or_insert(*next);
                *end = (*next).max(*end);
            }
        }
        self.settled = settled;
    }

    /// After a crash in the middle of a recovery: leaves out what the stored states have. A
    /// processor that queues may have read a cause that it has not taken, so its states are
    /// asked; for any other the positions say it.
    async fn leave_out_folded<P: Processor>(
        &mut self,
        own: Own<'_, P>,
        start: &Positions,
    ) -> Result<(), PortError> {
        let queues = own.processor.queue().is_some();
        if !queues {
            self.outputs.leave_out_before(start.clone());
        }
        let (mut known, mut asked) = (0, HashSet::new());
        while self.outputs.read_page(own, start).await? {
            if queues && self.outputs.waiting() >= known + LOOK_AFTER {
                self.leave_out_taken(own, &mut asked).await?;
                known = self.outputs.waiting();
            }
        }
        if queues && self.outputs.waiting() > 0 {
            self.leave_out_taken(own, &mut asked).await?;
        }
        Ok(())
    }

    /// `asked`: keys whose first output is known not to be in their states.
    async fn leave_out_taken<P: Processor>(
        &mut self,
        own: Own<'_, P>,
        asked: &mut HashSet<Key>,
    ) -> Result<(), PortError> {
        let Some(queue) = own.processor.queue() else {
            return Ok(());
        };
        let mut keys = self.outputs.waiting_keys();
        keys.retain(|key| !asked.contains(key));
        for keys in keys.chunks(STATES) {
            for row in own.ports.store.load(own.shard, keys).await? {
                let entry = KeyEntry::<P::State>::of_row(&row)?;
                let taken = |cause: &Cause| queue.is_taken(&entry.state, cause);
                self.outputs.leave_out(&row.key, taken);
            }
        }
        asked.extend(self.outputs.waiting_keys());
        Ok(())
    }

    /// Reads on, so that all is known that inputs before these positions had led to.
    pub(crate) async fn read_on<P: Processor>(
        &mut self,
        own: Own<'_, P>,
        positions: &Positions,
    ) -> Result<(), PortError> {
        while self.outputs.read_page(own, positions).await? {}
        Ok(())
    }

    /// Reads the event of the key's next output: see [`Recovery::next`].
    pub(crate) async fn load<P: Processor>(
        &mut self,
        own: Own<'_, P>,
        next: (&Key, Option<Topic>),
    ) -> Result<(), PortError> {
        self.outputs.load(own, next).await
    }

    /// Whether the recovery is through.
    pub(crate) fn is_through(&self, positions: &Positions) -> bool {
        let mut ends = self.ends.iter();
        ends.all(|(topic, end)| positions.get(topic).is_none_or(|next| next >= end))
    }

    /// Whether a queued record was decided on before: something it or a later one led to
    /// is in the log, or all of its topic was decided on up to here.
    pub(crate) fn past_of(&self, key: &Key, cause: &Cause) -> Past {
        let settled = self.settled.get(&cause.at.topic);
        if settled.is_some_and(|next| cause.offset < *next) {
            return Past::Decided;
        }
        // Also where the last output can no longer be opened and is left out.
        let top = self.outputs.highest_cause(key, cause.at.topic);
        if top.is_some_and(|top| cause.offset <= top) {
            return Past::Decided;
        }
        if !self.has_outputs(key) {
            return Past::Undecided;
        }
        // Live records are taken while a call about a window before them is not answered. What a
        // request is about may not be known yet, for it is read in no order with the other topics.
        match cause.at.topic {
            Topic::ChatTurns | Topic::KnowledgeRequests => Past::Unknown,
            _ => Past::Decided,
        }
    }

    /// Whether the log has decisions of the key that are not folded yet.
    pub(crate) fn has_outputs(&self, key: &Key) -> bool {
        self.outputs.left_of(key) > 0
    }

    /// Takes out the key's next output, in the order of the log, if its cause was taken. With a
    /// topic it is the next of those that its records led to: offsets of two topics cannot be
    /// compared, and a processor that does not queue folds the topics of a key in any order.
    pub(crate) fn next(
        &mut self,
        key: &Key,
        topic: Option<Topic>,
        taken: impl Fn(&Cause) -> bool,
    ) -> Next {
        self.outputs.next(key, topic, taken)
    }

    /// The batch is finished: what it took out is in the states.
    pub(crate) fn finished(&mut self) {
        self.outputs.finished();
    }

    /// The batch is begun once more on the states before it.
    pub(crate) fn undo(&mut self) {
        self.outputs.undo();
    }

    /// How many decisions were not folded yet.
    pub(crate) fn left(&self) -> usize {
        self.outputs.left()
    }
}
