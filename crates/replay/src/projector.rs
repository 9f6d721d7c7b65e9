//! Feeds one partition of one generation.

use std::collections::BTreeSet;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::future::{Either, select};
use threadlore_model::{Event, Offset, Partition};
use threadlore_ports::{
    Changes, Class, Consumer, FoldBatch, FoldPorts, Generation, Marks, NewRecord, OutboxRow,
    Polled, PortError, Refused, Shard, Spans, keep_working, skip_events,
};
use tokio_util::sync::CancellationToken;

/// Longest wait for input before the log is asked again.
const IDLE: Duration = Duration::from_secs(10);

/// One owner of one partition of a generation.
pub struct Projector {
    ports: FoldPorts,
    generation: Generation,
    shard: Shard,
    epoch: i64,
    consumer: Consumer,
    sequence: u64,
    unpublished: Vec<OutboxRow>,
    /// Marks that are stored with the positions.
    moved: Marks,
}

impl Projector {
    /// Becomes the owner and goes on where the generation stands. What any
    /// projector ever skipped is passed over.
    ///
    /// # Errors
    /// What the ports say.
    pub async fn start(
        generation: Generation,
        partition: Partition,
        ports: FoldPorts,
    ) -> Result<Self, PortError> {
        let shard = Shard {
            group: generation.group(),
            partition,
        };
        let owned = ports.store.acquire(&shard).await?;
        let consumer = Consumer::start(
            Arc::clone(&ports.log),
            ports.vault.clone(),
            &shard,
            &[generation.projection.topic()],
            &owned,
        )
        .await?;
        let unpublished = ports.store.outbox(&shard, 0, usize::MAX).await?;
        let (epoch, sequence) = (owned.epoch, owned.sequence);
        Ok(Self {
            ports,
            generation,
            shard,
            epoch,
            consumer,
            sequence,
            unpublished,
            moved: Marks::new(),
        })
    }

    /// The next offset to fold.
    #[must_use]
    pub fn position(&self) -> Offset {
        self.consumer
            .positions()
            .get(&self.generation.projection.topic())
            .copied()
            .unwrap_or_default()
    }

    /// Folds at most `max` records; returns how many were read.
    ///
    /// # Errors
    /// What the ports say; the projector is not to be used any more after one.
    pub async fn step(&mut self, max: usize) -> Result<usize, PortError> {
        self.publish().await?;
        let before = self.position();
        let polled = self.consumer.poll(max, &BTreeSet::new()).await?;
        let read = usize::try_from(self.position().0 - before.0).unwrap_or(0);
        if read == 0 {
            return Ok(0);
        }
        let topic = self.generation.projection.topic();
        self.ports.observer.read(&self.shard.group, topic, read);
        let started = self.ports.clock.now();
        let mut spans = Spans::new(&self.ports.observer, &self.shard.group, started);
        for record in &polled {
            spans.record(record, false);
        }
        let folded = self.fold(polled).await?;
        let now = self.ports.clock.now();
        spans.tell(now);
        let seconds = now.since(started).as_secs_f64();
        self.ports
            .observer
            .committed(&self.shard.group, read, folded, seconds);
        self.publish().await?;
        Ok(read)
    }

    /// Folds until told to stop.
    ///
    /// # Errors
    /// As [`Projector::step`].
    pub async fn run(&mut self, max: usize, stop: &CancellationToken) -> Result<(), PortError> {
        while !stop.is_cancelled() {
            if self.step(max).await? == 0 {
                let nothing = BTreeSet::new();
                let input = pin!(self.consumer.wait(&nothing, IDLE));
                if let Either::Left((waited, _)) = select(input, pin!(stop.cancelled())).await {
                    waited?;
                }
            }
        }
        Ok(())
    }

    /// One transaction for the batch; when an event in it cannot be folded, one
    /// for each event, so that only that one is put aside.
    async fn fold(&mut self, polled: Vec<Polled>) -> Result<usize, PortError> {
        let (mut events, mut skipped) = (Vec::new(), Vec::new());
        for record in polled {
            match &record.event {
                Ok(event) => events.push((event.clone(), record)),
                Err(refused) => {
                    let refused = refused.clone();
                    skipped.push((record, refused));
                }
            }
        }
        let folded = events.len();
        self.moved.extend(self.consumer.take_moved());
        let all: Vec<Event> = events.iter().map(|(event, _)| event.clone()).collect();
        match self.commit(all, &skipped, true).await {
            Err(error) if error.class() == Class::DeadLetter => {}
            result => return result.map(|()| folded),
        }
        tracing::warn!(shard = %self.shard, "an event cannot be folded; folding one by one");
        for (event, record) in events {
            // The positions move with the last: until then a next owner folds all of them again.
            match self.commit(vec![event], &[], false).await {
                Err(error) if error.class() == Class::DeadLetter => {
                    let refused = Refused {
                        reason: error.to_string(),
                        value: Vec::new(),
                        key: None,
                    };
                    skipped.push((record, refused));
                }
                result => result?,
            }
        }
        self.commit(Vec::new(), &skipped, true)
            .await
            .map(|()| folded)
    }

    async fn commit(
        &mut self,
        events: Vec<Event>,
        skipped: &[(Polled, Refused)],
        is_last: bool,
    ) -> Result<(), PortError> {
        let now = self.ports.clock.now();
        let mut sequence = self.sequence;
        let mut rows = Vec::new();
        for (record, refused) in skipped {
            let outbox = skip_events(&self.shard, record, refused, now, &mut sequence);
            rows.extend(outbox.into_iter().map(|(topic, event)| OutboxRow {
                sequence: event.envelope.producer.as_ref().map_or(0, |p| p.sequence),
                topic,
                event,
                ends_decision: true,
            }));
        }
        let (positions, marks) = match is_last {
            true => (self.consumer.positions().clone(), self.moved.clone()),
            false => Default::default(),
        };
        let changes = Changes {
            positions,
            marks,
            sequence,
            outbox: rows.clone(),
            fold: Some(FoldBatch {
                generation: self.generation,
                events,
            }),
            ..Changes::default()
        };
        let committed = self.ports.store.commit(&self.shard, self.epoch, changes);
        self.ports.changed(&self.shard, committed.await)?;
        let (group, partition) = (&self.shard.group, self.shard.partition);
        if is_last {
            self.moved.clear();
            let positions = self.consumer.positions();
            self.ports.log.reached(group, partition, positions);
        }
        self.sequence = sequence;
        self.unpublished.extend(rows);
        for (record, _) in skipped {
            self.ports
                .observer
                .skipped(&self.shard.group, record.at.topic);
        }
        Ok(())
    }

    async fn publish(&mut self) -> Result<(), PortError> {
        let Some(through) = self.unpublished.last().map(|row| row.sequence) else {
            return Ok(());
        };
        let records = self
            .unpublished
            .iter()
            .map(|row| NewRecord {
                topic: row.topic,
                event: row.event.clone(),
            })
            .collect();
        self.ports.log.append(records).await?;
        let marked = self.ports.store.published(&self.shard, self.epoch, through);
        self.ports.changed(&self.shard, marked.await)?;
        self.unpublished.clear();
        Ok(())
    }
}

/// Runs a projector, and a new one after each passing fault, until told to stop.
///
/// # Errors
/// What is no passing fault: another owner took over, or a promise is broken.
pub async fn keep_folding(
    generation: Generation,
    partition: Partition,
    ports: FoldPorts,
    max: usize,
    stop: CancellationToken,
) -> Result<(), PortError> {
    let name = format!("{generation}/{partition}");
    let FoldPorts {
        clock, observer, ..
    } = ports.clone();
    let stop = &stop;
    let start = || async {
        let mut projector = Projector::start(generation, partition, ports.clone()).await?;
        Ok(async move { projector.run(max, stop).await })
    };
    keep_working(&name, clock.as_ref(), observer.as_ref(), stop, start).await
}
