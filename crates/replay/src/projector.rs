//! Feeds one partition of one generation: a reader that takes records from the log, and a
//! writer that folds them into the tables. The next batch is read while one is written.

use std::collections::BTreeSet;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::future::{Either, join, select};
use threadlore_model::{Offset, Partition};
use threadlore_ports::{Generation, PortError, Positions, Projection, Shard};
use threadlore_stream::{Consumer, FoldPorts, keep_working};
use tokio_util::sync::CancellationToken;

use crate::reader::{Batch, Bounds, Reader};
use crate::writer::Writer;

/// Longest wait for input before the log is asked again.
const IDLE: Duration = Duration::from_secs(10);

/// One owner of one partition of a generation.
pub struct Projector {
    reader: Reader,
    writer: Writer,
    /// Read, and not written yet.
    ahead: Option<Batch>,
    /// Whether the partition had no owner before: only then is it certain that no row of it was
    /// written. Parts of a batch that could not be folded whole are written before its position.
    is_first_owner: bool,
}

impl Projector {
    /// Becomes the owner and goes on from the position of the generation. What any
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
        let topic = generation.projection.topic();
        let run = match generation.projection {
            Projection::Cases => Some(ports.store.run_of(generation).await?),
            _ => None,
        };
        let owned = ports.store.acquire(&shard).await?;
        let (log, vault) = (Arc::clone(&ports.log), ports.vault.clone());
        let consumer = Consumer::start(log, vault, &shard, &[topic], &owned).await?;
        let positions = consumer.positions().clone();
        let writer = (ports.clone(), generation, shard.clone());
        Ok(Self {
            writer: Writer::start(writer, &owned, positions).await?,
            reader: Reader {
                consumer,
                ports,
                shard,
                topic,
                run,
            },
            ahead: None,
            is_first_owner: owned.epoch == 1,
        })
    }

    /// For a build that is made anew: remembers, in at most so many bytes, which rows were
    /// written, so that none is looked for that cannot be there. Does nothing where something
    /// may have been folded already.
    pub(crate) fn remember_rows(&mut self, bytes: usize) {
        if self.is_first_owner {
            self.writer.remember(bytes);
        }
    }

    /// Reads no record at or after an offset.
    pub(crate) fn read_until(&mut self, end: Offset) {
        let until = Positions::from([(self.reader.topic, end)]);
        self.reader.consumer.read_until(Some(until));
    }

    /// The next offset to fold.
    #[must_use]
    pub fn position(&self) -> Offset {
        self.writer.position()
    }

    /// Folds at most `max` records; returns how many were read.
    ///
    /// # Errors
    /// What the ports say; the projector is not to be used any more after one.
    pub async fn step(&mut self, max: usize) -> Result<usize, PortError> {
        match self.next(Bounds::records(max)).await? {
            Some(batch) => self.writer.write(batch).await,
            None => Ok(0),
        }
    }

    /// Folds a batch and reads the next one meanwhile; returns how many records were folded.
    ///
    /// # Errors
    /// As [`Projector::step`].
    pub async fn step_ahead(&mut self, bounds: Bounds) -> Result<usize, PortError> {
        let Some(batch) = self.next(bounds).await? else {
            return Ok(0);
        };
        let (written, next) = join(self.writer.write(batch), self.reader.read(bounds)).await;
        let written = written?;
        self.ahead = next?;
        Ok(written)
    }

    /// What was read ahead, or else is read now.
    async fn next(&mut self, bounds: Bounds) -> Result<Option<Batch>, PortError> {
        self.writer.publish().await?;
        match self.ahead.take() {
            Some(batch) => Ok(Some(batch)),
            None => self.reader.read(bounds).await,
        }
    }

    /// Folds until asked to stop, at most `max` records in one transaction.
    ///
    /// # Errors
    /// As [`Projector::step`].
    pub async fn run(&mut self, max: usize, stop: &CancellationToken) -> Result<(), PortError> {
        while !stop.is_cancelled() {
            if self.step_ahead(Bounds::records(max)).await? == 0 {
                let nothing = BTreeSet::new();
                let input = pin!(self.reader.consumer.wait(&nothing, IDLE));
                if let Either::Left((waited, _)) = select(input, pin!(stop.cancelled())).await {
                    waited?;
                }
            }
        }
        Ok(())
    }
}

/// Runs a projector, and a new one after each passing fault, until asked to stop.
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
