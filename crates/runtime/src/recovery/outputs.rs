//! The second pass over what a shard published: outputs are read on as the inputs advance, and
//! wait for their causes.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use threadlore_model::{Cause, Event, Key, Offset, Topic};
use threadlore_ports::{PortError, Positions};
use threadlore_roles::Processor;

use super::Next;
use super::lowest::LowestCauses;
use super::own_events::{Own, OwnEvents, PAGE};

/// Events that wait in memory for their causes. The events of all other outputs that wait are
/// read once more when their turn comes.
pub(super) const EVENTS: usize = 4000;

/// What a shard published and its state does not have yet.
#[derive(Debug, Default)]
pub(super) struct Outputs {
    streams: Vec<Stream>,
    keys: HashMap<Key, OfKey>,
    /// What inputs before these offsets had led to is in the state already.
    folded: Positions,
    /// Outputs that are not folded, read or not.
    left: usize,
    /// Of these, those that were read.
    waiting: usize,
    /// Of these, those whose events are in memory.
    events: usize,
    /// What the batch took out.
    taken_out: Vec<(Key, Output)>,
}

/// One output partition.
#[derive(Debug)]
struct Stream {
    events: OwnEvents,
    lowest: LowestCauses,
}

#[derive(Debug, Default)]
struct OfKey {
    /// Highest cause per input topic.
    highest: BTreeMap<Topic, Offset>,
    /// The input without which the last output is not folded.
    last: Option<(Topic, Offset)>,
    /// Outputs that are not folded, read or not.
    left: usize,
    /// Those that were read, in the order of the log.
    waiting: VecDeque<Output>,
    /// The highest cause of what was read, per input topic.
    reached: BTreeMap<Topic, Offset>,
}

/// An output whose cause was not folded when it was read.
#[derive(Debug)]
struct Output {
    stream: usize,
    offset: Offset,
    cause: Cause,
    event: Option<Arc<Event>>,
}

impl OfKey {
    /// The first that waits, with its number; with a topic, of those that its records led to.
    fn first(&self, topic: Option<Topic>) -> Option<(usize, &Output)> {
        let is_of = |output: &Output| topic.is_none_or(|topic| output.cause.at.topic == topic);
        let mut waiting = self.waiting.iter().enumerate();
        waiting.find(|(_, output)| is_of(output))
    }
}

impl Output {
    fn place(&self) -> (usize, Offset) {
        (self.stream, self.offset)
    }
}

impl Outputs {
    /// Adds a partition that is to be folded; its number.
    pub(super) fn add_stream(&mut self, events: OwnEvents) -> usize {
        self.streams.push(Stream {
            events,
            lowest: LowestCauses::default(),
        });
        self.streams.len() - 1
    }

    /// First pass: there is such an output.
    pub(super) fn note(
        &mut self,
        (stream, offset): (usize, Offset),
        key: Key,
        cause: &Cause,
        inputs: &[Topic],
    ) {
        let topic = cause.at.topic;
        let of_key = self.keys.entry(key).or_default();
        let highest = of_key.highest.entry(topic).or_insert(cause.offset);
        *highest = cause.offset.max(*highest);
        // Outputs of a key are folded in their order: none before those in front of it.
        if inputs.contains(&topic) {
            of_key.last = Some((topic, *highest));
        }
        let first = inputs.first().map(|topic| (*topic, Offset(0)));
        if let Some(needs) = of_key.last.or(first) {
            self.streams[stream].lowest.note(offset, needs);
        }
        of_key.left += 1;
        self.left += 1;
    }

    /// The first pass is through.
    pub(super) fn close(&mut self) {
        for stream in &mut self.streams {
            stream.lowest.close();
        }
    }

    /// Leaves out what inputs before these offsets had led to.
    pub(super) fn leave_out_before(&mut self, positions: Positions) {
        self.folded = positions;
    }

    /// Reads a page of outputs if it may have one that an input before these positions had led
    /// to, or a later page may; whether it did.
    pub(super) async fn read_page<P: Processor>(
        &mut self,
        own: Own<'_, P>,
        positions: &Positions,
    ) -> Result<bool, PortError> {
        let wanted = |stream: &Stream| {
            let next = stream.events.next();
            next.is_some_and(|next| stream.lowest.is_wanted(next, positions))
        };
        let Some(number) = self.streams.iter().position(wanted) else {
            return Ok(false);
        };
        let page = self.streams[number].events.page(own).await?;
        let mut events: Vec<_> = page
            .into_iter()
            .filter_map(|(offset, event)| Some((offset, event.envelope.cause.clone()?, event)))
            .filter(|(_, cause, event)| self.is_to_fold(cause, &event.envelope.key))
            .collect();
        let later = events.split_off(events.len().min(EVENTS.saturating_sub(self.events)));
        let (places, events): (Vec<_>, Vec<_>) = events
            .into_iter()
            .map(|(offset, cause, event)| ((offset, cause, event.envelope.key.clone()), event))
            .unzip();
        let opened = own.ports.vault.open(events).await?;
        for ((offset, cause, key), opened) in places.into_iter().zip(opened) {
            match opened {
                Ok(event) => self.wait(&key, (number, offset), cause, Some(Arc::new(event))),
                Err(_) => self.leave_out_one(&key),
            }
        }
        for (offset, cause, event) in later {
            self.wait(&event.envelope.key, (number, offset), cause, None);
        }
        Ok(true)
    }

    /// Whether an output that was read is to be folded; one that is in the state is left out.
    fn is_to_fold(&mut self, cause: &Cause, key: &Key) -> bool {
        let Some(of_key) = self.keys.get_mut(key) else {
            return false;
        };
        let topic = cause.at.topic;
        let reached = of_key.reached.entry(topic).or_insert(cause.offset);
        *reached = cause.offset.max(*reached);
        let is_folded = self.folded.get(&topic).is_some_and(|next| *reached < *next);
        if is_folded {
            self.leave_out_one(key);
        }
        !is_folded
    }

    fn leave_out_one(&mut self, key: &Key) {
        if let Some(of_key) = self.keys.get_mut(key) {
            of_key.left -= 1;
            self.left -= 1;
        }
    }

    fn wait(&mut self, key: &Key, place: (usize, Offset), cause: Cause, event: Option<Arc<Event>>) {
        let Some(of_key) = self.keys.get_mut(key) else {
            return;
        };
        let output = Output {
            stream: place.0,
            offset: place.1,
            cause,
            event,
        };
        self.waiting += 1;
        self.events += usize::from(output.event.is_some());
        let at = of_key
            .waiting
            .partition_point(|other| other.place() < place);
        of_key.waiting.insert(at, output);
    }

    /// Takes out the key's next output, in the order of the log, if its cause was taken; with a
    /// topic, the next of those that its records led to.
    pub(super) fn next(
        &mut self,
        key: &Key,
        topic: Option<Topic>,
        taken: impl Fn(&Cause) -> bool,
    ) -> Next {
        let first = self.keys.get(key).and_then(|of_key| of_key.first(topic));
        let Some((at, output)) = first.filter(|(_, output)| taken(&output.cause)) else {
            return Next::Nothing;
        };
        let Some(event) = output.event.clone() else {
            return Next::ToLoad;
        };
        if let Some(output) = self.take(key, at) {
            self.taken_out.push((key.clone(), output));
        }
        Next::Output(event)
    }

    fn take(&mut self, key: &Key, at: usize) -> Option<Output> {
        let of_key = self.keys.get_mut(key)?;
        let output = of_key.waiting.remove(at)?;
        if of_key.waiting.is_empty() {
            of_key.waiting = VecDeque::new();
        }
        of_key.left -= 1;
        self.left -= 1;
        self.waiting -= 1;
        self.events -= usize::from(output.event.is_some());
        Some(output)
    }

    /// Leaves out the key's first outputs, as far as their causes were taken.
    pub(super) fn leave_out(&mut self, key: &Key, taken: impl Fn(&Cause) -> bool) {
        loop {
            let front = self.keys.get(key).and_then(|of_key| of_key.waiting.front());
            if !front.is_some_and(|front| taken(&front.cause)) {
                return;
            }
            self.take(key, 0);
        }
    }

    /// Reads the event of the key's next output, and those of others behind it in the log as
    /// far as there is room.
    pub(super) async fn load<P: Processor>(
        &mut self,
        own: Own<'_, P>,
        (key, topic): (&Key, Option<Topic>),
    ) -> Result<(), PortError> {
        let first = self.keys.get(key).and_then(|of_key| of_key.first(topic));
        let Some((number, from)) = first.map(|(_, output)| output.place()) else {
            return Ok(());
        };
        let at = self.streams[number].events.at();
        let max = EVENTS.saturating_sub(self.events).clamp(1, PAGE);
        let (mut places, mut events) = (Vec::new(), Vec::new());
        for record in own.ports.log.read(at, from, max).await? {
            if let Ok(event) = record.body
                && let Some(output) = self.find(&event.envelope.key, (number, record.offset))
                && output.event.is_none()
            {
                places.push((event.envelope.key.clone(), record.offset));
                events.push(*event);
            }
        }
        if places.first().is_none_or(|(_, offset)| *offset != from) {
            let reason = format!("the record at offset {from} of {at} is not what it was");
            return Err(PortError::broken("reading what was decided", reason));
        }
        let opened = own.ports.vault.open(events).await?;
        for ((key, offset), opened) in places.into_iter().zip(opened) {
            match (opened, self.find(&key, (number, offset))) {
                (Ok(event), Some(output)) => {
                    output.event = Some(Arc::new(event));
                    self.events += 1;
                }
                (Err(_), Some(_)) => self.remove(&key, (number, offset)),
                (_, None) => {}
            }
        }
        Ok(())
    }

    fn find(&mut self, key: &Key, place: (usize, Offset)) -> Option<&mut Output> {
        let waiting = &mut self.keys.get_mut(key)?.waiting;
        let at = waiting.binary_search_by_key(&place, Output::place).ok()?;
        waiting.get_mut(at)
    }

    /// Leaves out an output whose event cannot be opened.
    fn remove(&mut self, key: &Key, place: (usize, Offset)) {
        if let Some(of_key) = self.keys.get_mut(key)
            && let Ok(at) = of_key.waiting.binary_search_by_key(&place, Output::place)
            && of_key.waiting.remove(at).is_some()
        {
            self.waiting -= 1;
            self.leave_out_one(key);
        }
    }

    /// What was taken out is in the states.
    pub(super) fn finished(&mut self) {
        self.taken_out.clear();
    }

    /// What was taken out is not in the states.
    pub(super) fn undo(&mut self) {
        for (key, output) in self.taken_out.drain(..).rev() {
            let Some(of_key) = self.keys.get_mut(&key) else {
                continue;
            };
            of_key.left += 1;
            self.left += 1;
            self.waiting += 1;
            self.events += usize::from(output.event.is_some());
            let place = output.place();
            let at = of_key
                .waiting
                .partition_point(|other| other.place() < place);
            of_key.waiting.insert(at, output);
        }
    }

    /// The highest cause of a key's outputs in an input topic.
    pub(super) fn highest_cause(&self, key: &Key, topic: Topic) -> Option<Offset> {
        self.keys.get(key)?.highest.get(&topic).copied()
    }

    /// How many outputs of a key are not folded.
    pub(super) fn left_of(&self, key: &Key) -> usize {
        self.keys.get(key).map_or(0, |of_key| of_key.left)
    }

    /// How many outputs are not folded.
    pub(super) fn left(&self) -> usize {
        self.left
    }

    /// How many outputs were read and wait.
    pub(super) fn waiting(&self) -> usize {
        self.waiting
    }

    /// Of these, how many have their events in memory.
    #[cfg(test)]
    pub(super) fn events(&self) -> usize {
        self.events
    }

    /// Keys whose outputs wait.
    pub(super) fn waiting_keys(&self) -> Vec<Key> {
        let keys = self.keys.iter();
        let mut keys: Vec<Key> = keys
            .filter(|(_, of_key)| !of_key.waiting.is_empty())
            .map(|(key, _)| key.clone())
            .collect();
        keys.sort_unstable();
        keys
    }
}
