//! Folds batches of one partition into the tables of a build.

use std::sync::Arc;

use threadlore_model::{Event, Offset, Topic};
use threadlore_ports::{
    Changes, Class, EncodedRecord, FoldBatch, Generation, Marks, OutboxRow, Ownership, PortError,
    Positions, Shard,
};
use threadlore_stream::{FoldPorts, Polled, Refused, Spans, encode_dead_letters, skip_events};

use crate::reader::Batch;
use crate::written::Written;

/// Writes what one owner of a partition of a build folds.
pub(crate) struct Writer {
    ports: FoldPorts,
    generation: Generation,
    shard: Shard,
    epoch: i64,
    sequence: u64,
    unpublished: Vec<OutboxRow>,
    positions: Positions,
    /// Rows that were written; `None` where any may have been.
    written: Option<Written>,
}

impl Writer {
    pub(crate) async fn start(
        (ports, generation, shard): (FoldPorts, Generation, Shard),
        owned: &Ownership,
        positions: Positions,
    ) -> Result<Self, PortError> {
        let unpublished = ports.store.outbox(&shard, 0, usize::MAX).await?;
        Ok(Self {
            ports,
            generation,
            shard,
            epoch: owned.epoch,
            sequence: owned.sequence,
            unpublished,
            positions,
            written: None,
        })
    }

    pub(crate) fn remember(&mut self, bytes: usize) {
        self.written = Some(Written::new(self.generation.projection, bytes));
    }

    fn topic(&self) -> Topic {
        self.generation.projection.topic()
    }

    /// The next offset to fold.
    pub(crate) fn position(&self) -> Offset {
        let position = self.positions.get(&self.topic());
        position.copied().unwrap_or_default()
    }

    /// Folds a batch; returns how many records were read for it. What could not be folded is
    /// published by the next [`Writer::publish`], of this owner or a later one.
    pub(crate) async fn write(&mut self, batch: Batch) -> Result<usize, PortError> {
        let (read, started) = (batch.read, batch.started);
        let folded = batch.events.len();
        let spans = self.fold(batch).await?;
        let now = self.ports.clock.now();
        spans.tell(now);
        let seconds = now.since(started).as_secs_f64();
        let observer = &self.ports.observer;
        observer.committed(&self.shard.group, read, folded, seconds);
        self.publish().await?;
        Ok(read)
    }

    /// One transaction for the batch. When an event in it cannot be folded, the batch is halved
    /// until that event is alone, and only it is dead-lettered.
    async fn fold(&mut self, batch: Batch) -> Result<Spans, PortError> {
        let Batch {
            events,
            places,
            mut skipped,
            positions,
            marks,
            spans,
            ..
        } = batch;
        let ends = Some((&positions, &marks));
        match self.commit(Arc::clone(&events), &skipped, ends).await {
            Err(error) if error.class() == Class::DeadLetter => {}
            result => return result.map(|()| spans),
        }
        tracing::warn!(shard = %self.shard, "an event cannot be folded; folding the others");
        // The positions move with the last part: until then a next owner folds all of them again.
        let whole = 0..events.len();
        let mut parts = vec![whole];
        while let Some(part) = parts.pop() {
            if part.is_empty() {
                continue;
            }
            let error = match self
                .commit(Arc::new(events[part.clone()].to_vec()), &[], None)
                .await
            {
                Err(error) if error.class() == Class::DeadLetter => error,
                result => {
                    result?;
                    continue;
                }
            };
            if part.len() > 1 {
                let middle = part.start + part.len() / 2;
                parts.extend([middle..part.end, part.start..middle]);
                continue;
            }
            let refused = Refused {
                reason: error.to_string(),
                value: Vec::new(),
                key: None,
            };
            let at = part.start;
            skipped.push((places[at].polled(events[at].clone()), refused));
        }
        self.commit(Arc::default(), &skipped, ends).await?;
        Ok(spans)
    }

    /// `ends`: positions and marks of the batch that ends with these events.
    async fn commit(
        &mut self,
        events: Arc<Vec<Event>>,
        skipped: &[(Polled, Refused)],
        ends: Option<(&Positions, &Marks)>,
    ) -> Result<(), PortError> {
        let now = self.ports.clock.now();
        let mut sequence = self.sequence;
        let mut rows = Vec::new();
        for (record, refused) in skipped {
            let log = self.ports.log.as_ref();
            let skip = skip_events(&self.shard, record, refused, now, &mut sequence);
            rows.extend(encode_dead_letters(log, skip)?);
        }
        let (positions, marks) = ends
            .map(|(positions, marks)| (positions.clone(), marks.clone()))
            .unwrap_or_default();
        let written = self.written.as_ref();
        let is_new = written.map(|written| written.is_new(&events));
        let changes = Changes {
            positions,
            marks,
            sequence,
            outbox: rows.clone(),
            fold: Some(FoldBatch {
                generation: self.generation,
                events: Arc::clone(&events),
                is_new: is_new.unwrap_or_default(),
            }),
            ..Changes::default()
        };
        let committed = self.ports.store.commit(&self.shard, self.epoch, changes);
        self.ports.changed(&self.shard, committed.await)?;
        if self.written.as_mut().is_some_and(|w| !w.insert(&events)) {
            self.written = None;
        }
        if let Some((positions, _)) = ends {
            self.positions.clone_from(positions);
            let (group, partition) = (&self.shard.group, self.shard.partition);
            self.ports.log.reached(group, partition, positions);
        }
        self.sequence = sequence;
        self.unpublished.extend(rows);
        for (record, _) in skipped {
            let observer = &self.ports.observer;
            observer.skipped(&self.shard.group, record.at.topic);
        }
        Ok(())
    }

    /// Publishes what was dead-lettered.
    pub(crate) async fn publish(&mut self) -> Result<(), PortError> {
        let Some(through) = self.unpublished.last().map(|row| row.sequence) else {
            return Ok(());
        };
        let rows = self.unpublished.iter();
        let records = rows.map(|row| EncodedRecord::clone(&row.record)).collect();
        self.ports.log.append(records).await?;
        let marked = self.ports.store.published(&self.shard, self.epoch, through);
        self.ports.changed(&self.shard, marked.await)?;
        self.unpublished.clear();
        Ok(())
    }
}
