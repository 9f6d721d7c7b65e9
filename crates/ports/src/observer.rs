//! What the runtime tells about its work; turned into metrics by the app.

use threadlore_model::{Group, Partition, Topic};

/// Counts of the runtime's work. Every drop has a reason.
pub trait Observer: Send + Sync {
    /// Records read from a topic.
    fn read(&self, _group: &Group, _topic: Topic, _records: usize) {}
    /// A batch was committed: inputs taken, events decided, seconds it took.
    fn committed(&self, _group: &Group, _inputs: usize, _decided: usize, _seconds: f64) {}
    /// A record was dropped on purpose, for example as a repeat.
    fn dropped(&self, _group: &Group, _topic: Topic, _reason: &'static str) {}
    /// A record could not be taken and was put aside.
    fn skipped(&self, _group: &Group, _topic: Topic) {}
    /// Events were published from the outbox.
    fn published(&self, _group: &Group, _events: usize) {}
    /// An effect ended, well or not.
    fn effect(&self, _group: &Group, _ok: bool, _seconds: f64) {}
    /// What asked for an effect that failed for good was kept as a dead letter; the
    /// topic it stands in.
    fn kept_failed(&self, _group: &Group, _topic: Topic) {}
    /// Records that wait in an input.
    fn lag(&self, _group: &Group, _topic: Topic, _partition: Partition, _records: u64) {}
    /// A change was refused because another owner took over.
    fn fenced(&self, _group: &Group) {}
}

/// Tells nobody.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {}
