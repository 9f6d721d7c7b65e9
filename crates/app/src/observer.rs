//! What the runtime tells, as metrics. What waits is counted when somebody asks
//! (`node/drain.rs`).

use threadlore_model::{Group, Role, Topic};
use threadlore_ports::{ClientStats, Observer};
use threadlore_telemetry::Metrics;

/// Counts into the process's metrics.
pub(crate) struct MetricsObserver(pub(crate) Metrics);

/// The role of a group: a label with few values, where a group's name has many.
pub(crate) fn role(group: &Group) -> &'static str {
    let first = group.as_str().split('.').next().unwrap_or_default();
    first.parse::<Role>().map_or("other", Role::name)
}

impl Observer for MetricsObserver {
    fn read(&self, group: &Group, topic: Topic, records: usize) {
        self.0
            .records_read(role(group), topic.name(), records as u64);
    }
    fn committed(&self, group: &Group, inputs: usize, decided: usize, seconds: f64) {
        self.0.events_decided(role(group), decided as u64);
        self.0.batch_committed(role(group), inputs, seconds);
    }
    fn dropped(&self, group: &Group, _topic: Topic, _reason: &'static str) {
        self.0.duplicates_dropped(role(group), 1);
    }
    fn skipped(&self, group: &Group, topic: Topic) {
        self.0.record_skipped(role(group), "refused");
        if let Some(letters) = topic.dead_letters() {
            self.0.dead_letter(letters.name(), "refused");
        }
    }
    fn effect(&self, group: &Group, ok: bool, seconds: f64) {
        let step = match role(group) {
            "embedder" => "embed",
            _ => "extract",
        };
        self.0
            .step_ended(step, if ok { "ok" } else { "failed" }, seconds);
        if !ok {
            self.0.effect_failed(role(group), "gave up");
        }
    }
    fn kept_failed(&self, _group: &Group, topic: Topic) {
        if let Some(letters) = topic.dead_letters() {
            self.0.dead_letter(letters.name(), "failed");
        }
    }
    fn fenced(&self, group: &Group) {
        self.0.fenced(role(group));
        tracing::warn!(%group, "another owner took over");
    }
    fn moved(&self, group: &Group, assigned: usize, revoked: usize) {
        self.0
            .partitions_moved(group.as_str(), assigned as u64, revoked as u64);
    }
    fn clients(&self, kind: &'static str, stats: &ClientStats) {
        let (metrics, s) = (&self.0, stats);
        metrics.client_brokers(kind, s.brokers_up, s.brokers_down);
        metrics.client_round_trip(kind, s.round_trip_p50, s.round_trip_p99);
        metrics.client_requests(kind, s.requests_waiting, s.errors);
        metrics.client_records(kind, s.records_to_write, s.records_to_take);
        metrics.client_bytes(kind, s.sent, s.received);
    }
}
