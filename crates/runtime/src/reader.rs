//! Reads ahead: while one batch is decided and committed, the next one is read, decoded and
//! opened.

use std::collections::{BTreeMap, BTreeSet};
use std::task::{Context, Poll};

use futures::future::BoxFuture;
use threadlore_model::{Offset, Topic, TopicPartition};
use threadlore_ports::{Marks, PortError, Positions};
use threadlore_stream::{Consumer, Polled};

/// Records that were read together.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) records: Vec<Polled>,
    /// Next offsets after them. They are stored with what the records lead to, however much
    /// was read since.
    pub(crate) positions: Positions,
    /// Marks that moved with them.
    pub(crate) marks: Marks,
    /// Repeats among them that were dropped, by topic.
    pub(crate) repeats: BTreeMap<Topic, usize>,
}

impl Read {
    /// Takes in what was read after it.
    fn extend(&mut self, later: Self) {
        self.records.extend(later.records);
        self.positions = later.positions;
        self.marks.extend(later.marks);
        for (topic, count) in later.repeats {
            *self.repeats.entry(topic).or_default() += count;
        }
    }

    /// No records, after these positions.
    pub(crate) fn nothing(positions: &Positions) -> Self {
        Self {
            records: Vec::new(),
            positions: positions.clone(),
            marks: Marks::new(),
            repeats: BTreeMap::new(),
        }
    }
}

/// Reads one batch ahead of what is decided.
pub(crate) struct Reader {
    state: State,
    /// What was not read the last time.
    paused: BTreeSet<Topic>,
    /// Whether there was nothing more the last time.
    exhausted: bool,
    /// Whether the bound on what is read is to be lifted.
    unbound: bool,
}

enum State {
    Idle(Box<Consumer>),
    /// With what was read before and is not taken yet.
    Reading(Reading, Option<Read>),
    Ready(Box<Consumer>, Read),
    /// A read failed, or is being begun.
    Gone,
}

type Reading = BoxFuture<'static, (Box<Consumer>, Result<Vec<Polled>, PortError>)>;

impl Reader {
    pub(crate) fn new(consumer: Consumer) -> Self {
        Self {
            state: State::Idle(Box::new(consumer)),
            paused: BTreeSet::new(),
            exhausted: false,
            unbound: false,
        }
    }

    /// Begins to read, where nothing is read already and something may be there. What waits to
    /// be taken becomes more, up to `max` records.
    pub(crate) fn start(&mut self, max: usize, paused: BTreeSet<Topic>) {
        if self.exhausted && paused == self.paused {
            return;
        }
        let (mut consumer, before) = match std::mem::replace(&mut self.state, State::Gone) {
            State::Idle(consumer) => (consumer, None),
            State::Ready(consumer, read) if read.records.len() < max => (consumer, Some(read)),
            state => {
                self.state = state;
                return;
            }
        };
        self.exhausted = false;
        self.paused.clone_from(&paused);
        let room = max - before.as_ref().map_or(0, |read| read.records.len());
        let reading = async move {
            let polled = consumer.poll(room, &paused).await;
            (consumer, polled)
        };
        self.state = State::Reading(Box::pin(reading), before);
    }

    /// Something may have come.
    pub(crate) fn wake(&mut self) {
        self.exhausted = false;
    }

    /// From now on reads whatever there is.
    pub(crate) fn lift_bound(&mut self) {
        self.unbound = true;
        self.exhausted = false;
        if let State::Idle(consumer) | State::Ready(consumer, _) = &mut self.state {
            consumer.read_until(None);
        }
    }

    /// Goes on; whether a read is through, whatever it found.
    ///
    /// # Errors
    /// What log and keystore say; this is not to be used any more after one.
    pub(crate) fn poll(&mut self, context: &mut Context<'_>) -> Result<bool, PortError> {
        let State::Reading(call, before) = &mut self.state else {
            return Ok(false);
        };
        let Poll::Ready((mut consumer, polled)) = call.as_mut().poll(context) else {
            return Ok(false);
        };
        let before = before.take();
        self.state = State::Gone;
        let records = polled?;
        if self.unbound {
            consumer.read_until(None);
        }
        // Repeats and skips are passed over, too: a command that waits for the end of
        // a topic waits for the position.
        self.exhausted = !consumer.take_passed();
        let later = (!self.exhausted).then(|| Read {
            records,
            positions: consumer.positions().clone(),
            marks: consumer.take_moved(),
            repeats: consumer.take_repeats(),
        });
        self.state = match (before, later) {
            (None, None) => State::Idle(consumer),
            (Some(read), None) | (None, Some(read)) => State::Ready(consumer, read),
            (Some(mut read), Some(later)) => {
                read.extend(later);
                State::Ready(consumer, read)
            }
        };
        Ok(true)
    }

    /// What was read.
    pub(crate) fn take(&mut self) -> Option<Read> {
        match std::mem::replace(&mut self.state, State::Gone) {
            State::Ready(consumer, read) => {
                self.state = State::Idle(consumer);
                Some(read)
            }
            State::Reading(call, before) => {
                self.state = State::Reading(call, None);
                before
            }
            state => {
                self.state = state;
                None
            }
        }
    }

    /// Whether a read is under way.
    pub(crate) fn is_reading(&self) -> bool {
        matches!(self.state, State::Reading(..))
    }

    /// Records that wait to be taken.
    pub(crate) fn ready(&self) -> usize {
        match &self.state {
            State::Ready(_, read) | State::Reading(_, Some(read)) => read.records.len(),
            _ => 0,
        }
    }

    /// Where the next record is waited for, once there is nothing more to read.
    pub(crate) fn awaited(&self) -> Option<Vec<(TopicPartition, Offset)>> {
        match &self.state {
            State::Idle(consumer) | State::Ready(consumer, _) if self.exhausted => {
                Some(consumer.awaited(&self.paused))
            }
            _ => None,
        }
    }

    /// Records that wait in an input, beside those that were read; `None` while something is
    /// being read.
    ///
    /// # Errors
    /// What the log says.
    pub(crate) async fn lag(&self) -> Result<Option<u64>, PortError> {
        match &self.state {
            State::Idle(consumer) => {
                let lag = consumer.lag().await?;
                Ok(Some(lag.iter().map(|(_, records)| records).sum()))
            }
            _ => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests;
