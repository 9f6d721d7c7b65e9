//! What the runtime reports about its work; turned into metrics by the node.

use threadlore_model::{Group, Key, Topic};

use crate::{PortError, Span};

/// Counts of the runtime's work. Every drop has a reason.
pub trait Observer: Send + Sync {
    /// Records read from a topic.
    fn read(&self, _group: &Group, _topic: Topic, _records: usize) {}
    /// A batch was committed: inputs taken, events decided, seconds it took.
    fn committed(&self, _group: &Group, _inputs: usize, _decided: usize, _seconds: f64) {}
    /// An event was decided that says what became of something, such as a turn.
    fn outcome(&self, _group: &Group, _event: &'static str, _outcome: &'static str) {}
    /// A record was dropped on purpose, for example as a repeat.
    fn dropped(&self, _group: &Group, _topic: Topic, _reason: &'static str) {}
    /// A record could not be processed and was dead-lettered.
    fn skipped(&self, _group: &Group, _topic: Topic) {}
    /// Events were published from the outbox.
    fn published(&self, _group: &Group, _events: usize) {}
    /// A slow call ended, well or not; the name of its step, such as `extract`.
    fn call(&self, _group: &Group, _step: &'static str, _ok: bool, _seconds: f64) {}
    /// A key has this many records waiting, more than it should, because a call about it is not
    /// answered. Other keys go on. Not repeated before half of them are taken.
    fn held(&self, _group: &Group, _key: &Key, _waiting: usize) {}
    /// So many of these keys wait no longer, or are another owner's.
    fn released(&self, _group: &Group, _keys: usize) {}
    /// What asked for an effect that failed for good was kept as a dead letter; the
    /// topic it is in.
    fn kept_failed(&self, _group: &Group, _topic: Topic) {}
    /// A comparison of an index with its rows found points that were missing or different, and some that no row has. All
    /// are repaired.
    fn repaired(&self, _missing: u64, _strays: u64) {}
    /// A change was refused because another owner took over.
    fn fenced(&self, _group: &Group) {}
    /// Partitions were assigned to this member of a group, or revoked.
    fn moved(&self, _group: &Group, _assigned: usize, _revoked: usize) {}
    /// A worker ended with a fault that passes; it is started anew after a pause.
    fn worker_failed(&self, _worker: &str, _error: &PortError) {}
    /// A worker that may have ended so works.
    fn worker_recovered(&self, _worker: &str) {}
    /// Whether spans are collected, and then the share of messages, from 0 to 1, with
    /// which a trace begins where they come without one.
    fn follows(&self) -> Option<f64> {
        None
    }
    /// Something was done and committed.
    fn done(&self, _spans: Vec<Span>) {}
    /// Clients of the log of one kind said how they are.
    fn clients(&self, _kind: &'static str, _stats: &ClientStats) {}
}

/// How the clients of one kind are, taken together.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ClientStats {
    /// Brokers that every one of them is connected to.
    pub brokers_up: u64,
    /// Brokers that one of them lost: it cannot reach them, or the cluster has had them no more for less than an hour.
    pub brokers_down: u64,
    /// Seconds that half of the latest requests to the slowest broker took at most.
    pub round_trip_p50: f64,
    /// The same for 99 in 100.
    pub round_trip_p99: f64,
    /// Requests that wait to be sent.
    pub requests_waiting: u64,
    /// Records that wait to be written.
    pub records_to_write: u64,
    /// Records that arrived and wait to be processed.
    pub records_to_take: u64,
    /// Bytes sent since the last time.
    pub sent: u64,
    /// Bytes received since the last time.
    pub received: u64,
    /// Requests that failed or were not answered in time, since the last time.
    pub errors: u64,
}

/// Ignores all of it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {}
