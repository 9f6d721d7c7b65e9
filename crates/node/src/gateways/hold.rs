//! One process at a time is connected with a platform that would take a second one for somebody
//! else. The others wait, and do nothing for that gateway.

use std::sync::Arc;
use std::time::Duration;

use threadlore_ports::{Class, Clock, PortError};
use threadlore_store_postgres::{AdvisoryLock, PostgresStore};
use tokio_util::sync::CancellationToken;

/// Time between two looks at whether the connection is still this process's, and before the
/// database is asked again.
const LOOK: Duration = Duration::from_secs(2);
/// Time for the database to answer such a look.
const ANSWER: Duration = Duration::from_secs(5);

/// The right to be connected, which ends with this process or with its session in the database.
pub(crate) struct Hold {
    store: Arc<PostgresStore>,
    clock: Arc<dyn Clock>,
    gateway: &'static str,
    stop: CancellationToken,
    lock: AdvisoryLock,
}

impl Hold {
    /// Waits until no other process is connected; `None` when asked to stop before.
    ///
    /// # Errors
    /// What is no passing fault of the database.
    pub(crate) async fn gained(
        store: Arc<PostgresStore>,
        clock: Arc<dyn Clock>,
        gateway: &'static str,
        stop: CancellationToken,
    ) -> Result<Option<Self>, PortError> {
        let mut waits = false;
        loop {
            let taken = tokio::select! {
                taken = taken(&store, clock.as_ref(), gateway) => taken?,
                () = stop.cancelled() => return Ok(None),
            };
            match taken {
                Some(lock) => {
                    return Ok(Some(Self {
                        store,
                        clock,
                        gateway,
                        stop,
                        lock,
                    }));
                }
                None if waits => {}
                None => {
                    waits = true;
                    tracing::info!(
                        "gateway/{gateway} waits: another process is connected, and this one takes over \
                         when it ends"
                    );
                }
            }
        }
    }

    /// Has `work` done for as long as the right lasts. Where the session in the database broke off,
    /// the work is broken off too, and begun again where nobody else took over.
    ///
    /// # Errors
    /// What the work ends with; `Broken` when another process took over.
    pub(crate) async fn during<F>(mut self, work: impl Fn() -> F) -> Result<(), PortError>
    where
        F: Future<Output = Result<(), PortError>>,
    {
        loop {
            tokio::select! {
                ended = work() => return ended,
                () = self.lost() => {}
            }
            let gateway = self.gateway;
            tracing::warn!(
                "gateway/{gateway} is disconnected until the database says that no other process is"
            );
            let taken = tokio::select! {
                taken = taken(&self.store, self.clock.as_ref(), gateway) => taken?,
                () = self.stop.cancelled() => return Ok(()),
            };
            let Some(lock) = taken else {
                return Err(PortError::broken(
                    "being connected as a gateway",
                    "another process connected while the database was away: start this one again, and it \
                     waits until that one ends",
                ));
            };
            self.lock = lock;
        }
    }

    /// Returns when the session broke off.
    async fn lost(&mut self) {
        loop {
            self.clock.sleep(LOOK).await;
            let answered = tokio::select! {
                stands = self.lock.stands() => stands,
                () = self.clock.sleep(ANSWER) => false,
            };
            if !answered {
                return;
            }
        }
    }
}

/// The lock, or that another process has it. A database that is away is asked again.
async fn taken(
    store: &PostgresStore,
    clock: &dyn Clock,
    gateway: &str,
) -> Result<Option<AdvisoryLock>, PortError> {
    loop {
        match store.lock_gateway(gateway).await {
            Err(error) if error.class() == Class::Retry => clock.sleep(LOOK).await,
            answer => return answer,
        }
    }
}
