//! Group commit: writes that wait for each other are made together, with one fsync.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

use threadlore_ports::PortError;

type Outcome = OnceLock<Result<(), PortError>>;

/// Group commit: items in the order of the calls. The first caller that finds no write in progress
/// writes for all that wait; calls during that write form the next group.
pub(crate) struct Group<T> {
    state: Mutex<State<T>>,
    written: Condvar,
}

struct State<T> {
    waiting: Vec<(T, Arc<Outcome>)>,
    is_writing: bool,
}

impl<T> Group<T> {
    pub(crate) fn new() -> Self {
        Self {
            state: Mutex::new(State {
                waiting: Vec::new(),
                is_writing: false,
            }),
            written: Condvar::new(),
        }
    }

    /// Returns once `item` was written, by this call's `write` or by another's. Blocks.
    ///
    /// # Errors
    /// Those of `write`; every caller of the group gets the same.
    pub(crate) fn write(
        &self,
        item: T,
        write: impl FnOnce(Vec<T>) -> Result<(), PortError>,
    ) -> Result<(), PortError> {
        let outcome = Arc::new(Outcome::new());
        let mut state = self.lock();
        state.waiting.push((item, Arc::clone(&outcome)));
        while state.is_writing && outcome.get().is_none() {
            let waited = self.written.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
        if let Some(result) = outcome.get() {
            return result.as_ref().copied().map_err(PortError::repeated);
        }
        state.is_writing = true;
        let (items, outcomes) = std::mem::take(&mut state.waiting).into_iter().unzip();
        drop(state);
        let turn = Turn {
            group: self,
            outcomes,
        };
        let result = write(items);
        for outcome in &turn.outcomes {
            let result = result.as_ref().copied().map_err(PortError::repeated);
            // Only the turn sets it.
            outcome.get_or_init(|| result);
        }
        result
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The time in which one writes for all of a group. It ends by a panic, too.
struct Turn<'a, T> {
    group: &'a Group<T>,
    outcomes: Vec<Arc<Outcome>>,
}

impl<T> Drop for Turn<'_, T> {
    fn drop(&mut self) {
        for outcome in &self.outcomes {
            outcome.get_or_init(|| {
                Err(PortError::broken(
                    "writing for several",
                    "the write ended in the middle: see the first error, then start again",
                ))
            });
        }
        self.group.lock().is_writing = false;
        self.group.written.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use super::*;

    /// Eight threads write while the first write waits for all of them to have come.
    fn eight(
        fails: impl Fn(&[usize]) -> Result<(), PortError> + Sync,
    ) -> (usize, Vec<Result<(), PortError>>) {
        let group = Group::new();
        let (begun, writes) = (Barrier::new(2), AtomicUsize::new(0));
        let results = thread::scope(|scope| {
            let first = scope.spawn(|| {
                group.write(0, |items| {
                    begun.wait();
                    writes.fetch_add(1, Ordering::SeqCst);
                    while group.lock().waiting.len() < 7 {
                        thread::yield_now();
                    }
                    fails(&items)
                })
            });
            begun.wait();
            let others: Vec<_> = (1..8)
                .map(|n| {
                    let (group, writes, fails) = (&group, &writes, &fails);
                    scope.spawn(move || {
                        group.write(n, |items| {
                            writes.fetch_add(1, Ordering::SeqCst);
                            fails(&items)
                        })
                    })
                })
                .collect();
            let threads = std::iter::once(first).chain(others);
            threads.map(|t| t.join().expect("ends")).collect()
        });
        (writes.into_inner(), results)
    }

    #[test]
    fn those_that_wait_are_written_together() {
        let (writes, results) = eight(|_| Ok(()));
        assert_eq!(writes, 2);
        assert!(results.iter().all(Result::is_ok));
    }

    #[test]
    fn a_write_that_fails_fails_for_all_that_it_was_for() {
        let (writes, results) = eight(|items| match items {
            [0] => Ok(()),
            _ => Err(PortError::broken("writing", "no space")),
        });
        assert_eq!(writes, 2);
        assert!(results[0].is_ok());
        for result in &results[1..] {
            let error = result.as_ref().expect_err("fails");
            assert_eq!(error.to_string(), "writing: no space");
        }
    }

    #[test]
    fn no_caller_waits_after_a_panic() {
        let group = Group::new();
        thread::scope(|scope| {
            let panics = scope.spawn(|| group.write(1, |_| panic!("on purpose")));
            assert!(panics.join().is_err());
        });
        assert!(group.write(2, |_| Ok(())).is_ok());
    }
}
