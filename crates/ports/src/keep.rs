//! What every worker is given, and the loop that starts one anew after a fault.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use crate::{Class, Clock, EventLog, Observer, PortError, Shard, Stop, Store, Vault};

/// Shortest and longest pause before a worker is started anew.
const PAUSE: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(10));

/// Everything outside that a fold uses.
#[derive(Clone)]
pub struct FoldPorts {
    /// The event log.
    pub log: Arc<dyn EventLog>,
    /// States, outboxes, positions and projections.
    pub store: Arc<dyn Store>,
    /// Seals and opens private fields.
    pub vault: Vault,
    /// Time and waiting.
    pub clock: Arc<dyn Clock>,
    /// Told about the work.
    pub observer: Arc<dyn Observer>,
}

impl FoldPorts {
    /// Passes on what the store said of a change, and tells when it was refused because
    /// another owner took over.
    ///
    /// # Errors
    /// What the store said.
    pub fn changed<T>(&self, shard: &Shard, said: Result<T, PortError>) -> Result<T, PortError> {
        if said.as_ref().is_err_and(PortError::is_fenced) {
            self.observer.fenced(&shard.group);
        }
        said
    }
}

/// Runs a worker, and a new one after each passing fault, until one ends by
/// itself. `start` makes a worker; what it gives back is its work. Pauses grow
/// while no worker can be started.
///
/// # Errors
/// What is no passing fault: another owner took over, or a promise is broken.
pub async fn keep_working<S, R>(
    name: &str,
    clock: &dyn Clock,
    stop: &Stop,
    start: impl Fn() -> S,
) -> Result<(), PortError>
where
    S: Future<Output = Result<R, PortError>>,
    R: Future<Output = Result<(), PortError>>,
{
    let (shortest, longest) = PAUSE;
    let mut pause = shortest;
    while !stop.is_set() {
        let error = match start().await {
            Ok(work) => match work.await {
                Ok(()) => return Ok(()),
                Err(error) => {
                    pause = shortest;
                    error
                }
            },
            Err(error) => error,
        };
        if error.class() != Class::Retry {
            return Err(error);
        }
        tracing::warn!(
            worker = name,
            error = &error as &dyn std::error::Error,
            "starting anew after a fault"
        );
        clock.sleep(pause).await;
        pause = (pause * 2).min(longest);
    }
    Ok(())
}
