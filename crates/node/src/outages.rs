//! Faults that pass, in the log: one line when something becomes unavailable, and one when it
//! is back, however many workers need it and however often each tries.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::sync::{Mutex, MutexGuard, PoisonError};

use threadlore_ports::PortError;

/// The dependencies that are unavailable at the moment.
#[derive(Debug, Default)]
pub(crate) struct Outages(Mutex<BTreeMap<&'static str, Outage>>);

#[derive(Debug, Default)]
struct Outage {
    /// Workers that failed for it and do not work again yet.
    workers: BTreeSet<String>,
    /// How often one of them failed.
    faults: u64,
}

impl Outages {
    /// A worker failed, and tries again after a pause.
    pub(crate) fn failed(&self, worker: &str, error: &PortError) {
        let what = dependency(error);
        let error = error as &dyn Error;
        if self.note(worker, what) {
            tracing::warn!(
                worker,
                error,
                "work stops until {what} is available again; it is tried again and again"
            );
        } else {
            tracing::debug!(worker, error, "tried again in vain");
        }
    }

    /// A worker that had failed works.
    pub(crate) fn recovered(&self, worker: &str) {
        for (what, faults) in self.ended(worker) {
            tracing::info!(faults, "{what} is available again, and work goes on");
        }
    }

    /// Whether the outage begins.
    fn note(&self, worker: &str, what: &'static str) -> bool {
        let mut outages = self.lock();
        let outage = outages.entry(what).or_default();
        outage.workers.insert(worker.to_owned());
        outage.faults += 1;
        outage.faults == 1
    }

    /// Outages that are over, now that this worker works, with their faults.
    fn ended(&self, worker: &str) -> Vec<(&'static str, u64)> {
        let mut outages = self.lock();
        for outage in outages.values_mut() {
            outage.workers.remove(worker);
        }
        let over = outages.extract_if(.., |_, outage| outage.workers.is_empty());
        over.map(|(what, outage)| (what, outage.faults)).collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<&'static str, Outage>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The dependency that a worker needs and does not have.
fn dependency(error: &PortError) -> &'static str {
    match error {
        PortError::Unavailable { what, .. } => what,
        _ => "what it needs",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outage_begins_once_and_is_over_when_every_worker_works() {
        let outages = Outages::default();
        let begins = [
            ("a", "PostgreSQL"),
            ("b", "PostgreSQL"),
            ("a", "PostgreSQL"),
        ];
        let begins = begins.map(|(worker, what)| outages.note(worker, what));
        assert_eq!(begins, [true, false, false]);
        assert!(outages.note("b", "Kafka"), "another outage");
        assert_eq!(outages.ended("a"), []);
        assert_eq!(outages.ended("b"), [("Kafka", 1), ("PostgreSQL", 3)]);
        assert_eq!(outages.ended("b"), []);
        assert!(outages.note("a", "PostgreSQL"), "the next one begins");
    }
}
