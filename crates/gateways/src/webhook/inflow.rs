//! From the handlers of calls, which outlive a moment, to the inbox, which is borrowed.

use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use threadlore_model::{ChannelId, SpaceId};
use threadlore_ports::{Class, Inbox, PortError};
use tokio::sync::{mpsc, oneshot};

use crate::body::Batch;

/// Batches that are handed over side by side.
const AT_ONCE: usize = 16;

/// A batch of a channel, and where to say what became of it.
pub(super) struct Job {
    pub(super) space: SpaceId,
    pub(super) channel: ChannelId,
    pub(super) batch: Batch,
    pub(super) reply: oneshot::Sender<Outcome>,
}

/// What became of a batch.
#[derive(Debug)]
pub(super) enum Outcome {
    /// It is durable.
    Taken,
    /// The log or the store cannot take it now.
    NotNow,
    /// It will never be taken, for this reason, which has no private text.
    Refused(String),
}

/// A queue of batches.
pub(super) fn queue() -> (mpsc::Sender<Job>, mpsc::Receiver<Job>) {
    mpsc::channel(AT_ONCE)
}

/// Hands over every batch, until an error of the inbox after which nothing may go on.
pub(super) async fn hand_over(inbox: &dyn Inbox, mut jobs: mpsc::Receiver<Job>) -> PortError {
    let mut running = FuturesUnordered::new();
    loop {
        tokio::select! {
            Some(job) = jobs.recv(), if running.len() < AT_ONCE => running.push(take(inbox, job)),
            Some(done) = running.next(), if !running.is_empty() => {
                if let Err(fatal) = done {
                    return fatal;
                }
            }
            else => {
                return PortError::Busy {
                    doing: "receiving webhook calls",
                    reason: "the server of this process ended",
                    source: None,
                };
            }
        }
    }
}

async fn take(inbox: &dyn Inbox, job: Job) -> Result<(), PortError> {
    // Who is gone sends it again.
    if job.reply.is_closed() {
        return Ok(());
    }
    let Job {
        space,
        channel,
        batch,
        reply,
    } = job;
    let taken = async {
        if !batch.events.is_empty() {
            inbox.take(batch.events).await?;
        }
        match &batch.admins {
            // The platform's own bot says there what is kept.
            Some(people) => inbox
                .channel(&space, &channel, people, None)
                .await
                .map(drop),
            None => Ok(()),
        }
    };
    let (outcome, result) = match taken.await {
        Ok(()) => (Outcome::Taken, Ok(())),
        Err(error) => {
            let cause: &dyn std::error::Error = &error;
            tracing::warn!(%space, %channel, error = cause, "a webhook call is not taken");
            match error.class() {
                Class::Retry => (Outcome::NotNow, Ok(())),
                Class::DeadLetter => (Outcome::Refused(error.to_string()), Ok(())),
                Class::Fatal => (Outcome::NotNow, Err(error)),
            }
        }
    };
    // Who is gone does not hear it.
    reply.send(outcome).ok();
    result
}
