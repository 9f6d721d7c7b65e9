//! What goes on beside the engine: the next batch is read, the last one is committed, and
//! those before it are published. All of it is one future, so that a simulation decides what
//! happens when.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::{Context, Poll};

use threadlore_ports::PortError;

use crate::committer::{Committer, Then};
use crate::publisher::Publisher;
use crate::reader::Reader;

/// Reader, committer and publisher of one owner. An error of one of them ends the owner, and
/// all that is under way with it.
pub(crate) struct Pipeline {
    pub(crate) reader: Reader,
    pub(crate) committer: Committer,
    pub(crate) publisher: Publisher,
    /// Batches that are committed, and of which the rest is to be done.
    pub(crate) committed: Vec<Then>,
}

impl Pipeline {
    /// Lets all of them go on; whether one of them got somewhere.
    ///
    /// # Errors
    /// The first one's.
    pub(crate) fn poll(&mut self, context: &mut Context<'_>) -> Result<bool, PortError> {
        let mut progress = false;
        if let Poll::Ready(then) = self.committer.poll(context) {
            progress = true;
            if let Some(mut then) = then? {
                self.publisher.push(std::mem::take(&mut then.outbox));
                self.committed.push(then);
            }
        }
        progress |= self.publisher.poll(context)?;
        progress |= self.reader.poll(context)?;
        Ok(progress)
    }

    /// Begins what can be begun.
    ///
    /// # Errors
    /// As [`Pipeline::poll`].
    pub(crate) async fn begin(&mut self) -> Result<(), PortError> {
        poll_fn(|context| Poll::Ready(self.poll(context).map(drop))).await
    }

    /// Does something while all of them go on.
    ///
    /// # Errors
    /// As [`Pipeline::poll`], and the work's own.
    pub(crate) async fn alongside<T>(
        &mut self,
        work: impl Future<Output = Result<T, PortError>>,
    ) -> Result<T, PortError> {
        let mut work = pin!(work);
        poll_fn(|context| match self.poll(context) {
            Ok(_) => work.as_mut().poll(context),
            Err(error) => Poll::Ready(Err(error)),
        })
        .await
    }

    /// Waits until something holds.
    ///
    /// # Errors
    /// As [`Pipeline::poll`].
    pub(crate) async fn until(&mut self, holds: impl Fn(&Self) -> bool) -> Result<(), PortError> {
        poll_fn(|context| {
            loop {
                match self.poll(context) {
                    Err(error) => return Poll::Ready(Err(error)),
                    Ok(_) if holds(self) => return Poll::Ready(Ok(())),
                    Ok(true) => {}
                    Ok(false) => return Poll::Pending,
                }
            }
        })
        .await
    }
}
