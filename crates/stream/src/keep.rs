//! What every worker is given, and the loop that starts one anew after a fault.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::{Either, select};
use threadlore_ports::{Class, Clock, EventLog, Observer, PortError, Shard, Store};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use crate::{Traffic, Vault};

/// Shortest and longest pause before a worker is started anew.
const PAUSE: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(10));

/// A worker that has worked for so long works. Longer than a call to a database waits before it fails
/// (10 s, the time limit of the pools): a worker that waits for its first answer does not count.
const STEADY: Duration = Duration::from_secs(15);

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
    /// Whether live work goes on.
    pub traffic: Traffic,
}

impl FoldPorts {
    /// Passes on what the store said of a change, and reports when it was refused because
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

/// Runs a worker, and a new one after each passing fault or panic, until one ends by
/// itself. `start` makes a worker; what it gives back is its work. Pauses grow
/// until a worker has worked for a few seconds without a fault. What it logs has its name.
///
/// # Errors
/// What is no passing fault: another owner took over, or a promise is broken.
pub async fn keep_working<S, R>(
    name: &str,
    clock: &dyn Clock,
    observer: &dyn Observer,
    stop: &CancellationToken,
    start: impl Fn() -> S,
) -> Result<(), PortError>
where
    S: Future<Output = Result<R, PortError>>,
    R: Future<Output = Result<(), PortError>>,
{
    // Of the highest level, so that a line has its worker whatever is filtered out.
    let span = tracing::error_span!("worker", name);
    let work = async {
        let (shortest, longest) = PAUSE;
        let mut pause = shortest;
        while !stop.is_cancelled() {
            let attempt = async {
                match start().await {
                    Ok(work) if pause == shortest => work.await,
                    Ok(work) => match select(pin!(work), pin!(clock.sleep(STEADY))).await {
                        Either::Left((ended, _)) => ended,
                        Either::Right(((), work)) => {
                            observer.worker_recovered(name);
                            pause = shortest;
                            work.await
                        }
                    },
                    Err(error) => Err(error),
                }
            };
            // All that a worker holds is made anew from the stores, so nothing half done stays.
            let ended = AssertUnwindSafe(attempt).catch_unwind().await;
            let ended = ended.unwrap_or_else(|_| Err(panicked()));
            let error = match ended {
                Ok(()) => {
                    observer.worker_recovered(name);
                    return Ok(());
                }
                Err(error) => error,
            };
            if error.class() != Class::Retry {
                return Err(error);
            }
            observer.worker_failed(name, &error);
            select(pin!(clock.sleep(pause)), pin!(stop.cancelled())).await;
            pause = (pause * 2).min(longest);
        }
        Ok(())
    };
    work.instrument(span).await
}

/// What a panic says is printed where it happens, by the hook of the process.
fn panicked() -> PortError {
    PortError::Busy {
        doing: "working",
        reason: "the worker panicked, which is an error in this program: please report it",
        source: None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use async_trait::async_trait;
    use futures::executor::block_on;
    use threadlore_model::Timestamp;

    use super::*;

    /// Keeps the lengths of its sleeps, which end at once.
    #[derive(Default)]
    struct Sleeps(Mutex<Vec<Duration>>);

    #[async_trait]
    impl Clock for Sleeps {
        fn now(&self) -> Timestamp {
            Timestamp::from_millis(0)
        }

        async fn sleep(&self, by: Duration) {
            self.0.lock().expect("no panic").push(by);
        }
    }

    /// Counts what is reported.
    #[derive(Default)]
    struct Told {
        failed: AtomicUsize,
        recovered: AtomicUsize,
    }

    impl Observer for Told {
        fn worker_failed(&self, _: &str, _: &PortError) {
            self.failed.fetch_add(1, Ordering::Relaxed);
        }
        fn worker_recovered(&self, _: &str) {
            self.recovered.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn away() -> Result<(), PortError> {
        Err(PortError::Unavailable {
            doing: "testing",
            what: "the double",
            source: None,
        })
    }

    #[test]
    fn pauses_grow_while_workers_start_and_fail_at_once() {
        let (clock, told, stop) = (Sleeps::default(), Told::default(), CancellationToken::new());
        let tries = AtomicUsize::new(0);
        let start = || async {
            let last = tries.fetch_add(1, Ordering::Relaxed) == 10;
            Ok(async move { if last { Ok(()) } else { away() } })
        };
        block_on(keep_working("one", &clock, &told, &stop, start)).expect("ends by itself");
        let sleeps = clock.0.lock().expect("no panic").clone();
        let pauses: Vec<u128> = sleeps.iter().map(Duration::as_millis).collect();
        assert_eq!(
            pauses,
            [100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000, 10_000]
        );
        let told = [&told.failed, &told.recovered].map(|n| n.load(Ordering::Relaxed));
        assert_eq!(told, [10, 1]);
    }

    #[test]
    fn a_worker_that_panics_is_started_again_after_a_pause() {
        let (clock, told, stop) = (Sleeps::default(), Told::default(), CancellationToken::new());
        let tries = AtomicUsize::new(0);
        let start = || async {
            let number = tries.fetch_add(1, Ordering::Relaxed);
            assert_ne!(number, 0, "one panics before it works");
            Ok(async move {
                assert_ne!(number, 1, "one while it works");
                Ok(())
            })
        };
        block_on(keep_working("one", &clock, &told, &stop, start)).expect("ends by itself");
        let sleeps = clock.0.lock().expect("no panic").clone();
        let pauses: Vec<u128> = sleeps.iter().map(Duration::as_millis).collect();
        assert_eq!(pauses, [100, 200]);
        let told = [&told.failed, &told.recovered].map(|n| n.load(Ordering::Relaxed));
        assert_eq!(told, [2, 1]);
    }

    #[test]
    fn a_worker_that_stays_has_recovered() {
        let (clock, told, stop) = (Sleeps::default(), Told::default(), CancellationToken::new());
        let tries = AtomicUsize::new(0);
        let start = || async {
            let number = tries.fetch_add(1, Ordering::Relaxed);
            Ok(async move {
                match number {
                    0 | 1 => away(),
                    // It lives for longer than the sleep beside it, and fails then.
                    2 => {
                        let mut polled = false;
                        std::future::poll_fn(|context| {
                            context.waker().wake_by_ref();
                            match std::mem::replace(&mut polled, true) {
                                true => std::task::Poll::Ready(()),
                                false => std::task::Poll::Pending,
                            }
                        })
                        .await;
                        away()
                    }
                    _ => Ok(()),
                }
            })
        };
        block_on(keep_working("one", &clock, &told, &stop, start)).expect("ends by itself");
        let sleeps = clock.0.lock().expect("no panic").clone();
        let pauses: Vec<u128> = sleeps.iter().map(Duration::as_millis).collect();
        // The third fault is the first of another time.
        assert_eq!(pauses, [100, 200, STEADY.as_millis(), 100]);
        assert_eq!(told.recovered.load(Ordering::Relaxed), 2);
    }
}
