//! The numbers of one process.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use prometheus::{
    GaugeVec, HistogramOpts, HistogramVec, IntCounterVec, IntGaugeVec, Opts, Registry, TextEncoder,
};

use crate::Error;
use crate::catalogue::{self, Kind, Spec};
use crate::clients::Clients;

/// Every counter, gauge and histogram of one process. Cheap to clone; clones
/// count together. Label arguments are words of the program: roles, topics,
/// event types, and reasons.
#[derive(Clone, Debug)]
pub struct Metrics {
    registry: Registry,
    read: IntCounterVec,
    decided: IntCounterVec,
    outcomes: IntCounterVec,
    duplicates: IntCounterVec,
    skipped: IntCounterVec,
    dead_letters: IntCounterVec,
    batch: HistogramVec,
    fold: HistogramVec,
    step: HistogramVec,
    outbox: IntGaugeVec,
    effects_pending: IntGaugeVec,
    index_pending: IntGaugeVec,
    effects_failed: IntCounterVec,
    keys_held: IntCounterVec,
    offset: IntGaugeVec,
    lag: IntGaugeVec,
    /// The label values that the two gauges above have.
    places: Arc<Mutex<HashSet<[String; 3]>>>,
    moved: IntCounterVec,
    fenced: IntCounterVec,
    pub(crate) clients: Clients,
}

/// The progress of a consumer group in one partition of a topic.
#[derive(Clone, Debug)]
pub struct Standing {
    /// The group's name.
    pub group: String,
    /// The topic.
    pub topic: &'static str,
    /// The partition.
    pub partition: i32,
    /// Offset of the next record to read.
    pub next: i64,
    /// Records from there to the end.
    pub lag: u64,
}

impl Metrics {
    /// Metrics without any value yet, in a registry of their own.
    ///
    /// # Errors
    /// [`Error::Metric`] when the catalogue names a metric twice or wrongly.
    pub fn new() -> Result<Self, Error> {
        let registry = Registry::new();
        Ok(Self {
            read: counter(&registry, &catalogue::READ)?,
            decided: counter(&registry, &catalogue::DECIDED)?,
            outcomes: counter(&registry, &catalogue::OUTCOMES)?,
            duplicates: counter(&registry, &catalogue::DUPLICATES)?,
            skipped: counter(&registry, &catalogue::SKIPPED)?,
            dead_letters: counter(&registry, &catalogue::DEAD_LETTERS)?,
            batch: histogram(&registry, &catalogue::BATCH)?,
            fold: histogram(&registry, &catalogue::FOLD)?,
            step: histogram(&registry, &catalogue::STEP)?,
            outbox: gauge(&registry, &catalogue::OUTBOX)?,
            effects_pending: gauge(&registry, &catalogue::EFFECTS_PENDING)?,
            index_pending: gauge(&registry, &catalogue::INDEX_PENDING)?,
            effects_failed: counter(&registry, &catalogue::EFFECTS_FAILED)?,
            keys_held: counter(&registry, &catalogue::KEYS_HELD)?,
            offset: gauge(&registry, &catalogue::OFFSET)?,
            lag: gauge(&registry, &catalogue::LAG)?,
            places: Arc::default(),
            moved: counter(&registry, &catalogue::MOVED)?,
            fenced: counter(&registry, &catalogue::FENCED)?,
            clients: Clients::new(&registry)?,
            registry,
        })
    }

    /// `count` records were read from the log.
    pub fn records_read(&self, role: &'static str, topic: &'static str, count: u64) {
        self.read.with_label_values(&[role, topic]).inc_by(count);
    }

    /// `count` events were decided, or folded.
    pub fn events_decided(&self, role: &'static str, count: u64) {
        self.decided.with_label_values(&[role]).inc_by(count);
    }

    /// Something ended with an outcome.
    pub fn outcome(&self, role: &'static str, outcome: &'static str) {
        self.outcomes.with_label_values(&[role, outcome]).inc();
    }

    /// `count` records had been applied before and were dropped.
    pub fn duplicates_dropped(&self, role: &'static str, count: u64) {
        self.duplicates.with_label_values(&[role]).inc_by(count);
    }

    /// A record was passed over for good.
    pub fn record_skipped(&self, role: &'static str, reason: &'static str) {
        self.skipped.with_label_values(&[role, reason]).inc();
    }

    /// A record of `topic` was put on its dead letter topic.
    pub fn dead_letter(&self, topic: &'static str, reason: &'static str) {
        self.dead_letters.with_label_values(&[topic, reason]).inc();
    }

    /// A batch of `records` was committed `seconds` after it was begun.
    pub fn batch_committed(&self, role: &'static str, records: usize, seconds: f64) {
        self.batch
            .with_label_values(&[role])
            .observe(records as f64);
        self.fold.with_label_values(&[role]).observe(seconds);
    }

    /// A step ended with `result` after `seconds`.
    pub fn step_ended(&self, step: &'static str, result: &'static str, seconds: f64) {
        self.step
            .with_label_values(&[step, result])
            .observe(seconds);
    }

    /// `count` events are committed but not yet on the log.
    pub fn outbox_pending(&self, role: &'static str, count: u64) {
        set(&self.outbox, &[role], count);
    }

    /// `count` slow calls wait or run.
    pub fn effects_pending(&self, role: &'static str, count: u64) {
        set(&self.effects_pending, &[role], count);
    }

    /// `count` cases have points that are still to be made.
    pub fn index_pending(&self, count: u64) {
        set(&self.index_pending, &[], count);
    }

    /// A slow call was given up after its last attempt.
    pub fn effect_failed(&self, role: &'static str, reason: &'static str) {
        self.effects_failed.with_label_values(&[role, reason]).inc();
    }

    /// A key had more waiting for a slow call than it should.
    pub fn key_held(&self, role: &'static str) {
        self.keys_held.with_label_values(&[role]).inc();
    }

    /// Sets the progress of every group. Groups that are not listed are removed.
    pub fn standings(&self, all: &[Standing]) {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let mut gone = std::mem::take(&mut *places);
        for one in all {
            let place = [
                one.group.clone(),
                one.topic.to_owned(),
                one.partition.to_string(),
            ];
            let labels = place.each_ref().map(String::as_str);
            self.offset.with_label_values(&labels).set(one.next);
            set(&self.lag, &labels, one.lag);
            gone.remove(&place);
            places.insert(place);
        }
        for place in gone {
            let labels = place.each_ref().map(String::as_str);
            for gauge in [&self.offset, &self.lag] {
                // An error means that the labels are gone already.
                gauge.remove_label_values(&labels).ok();
            }
        }
    }

    /// Partitions were assigned to this process, or revoked.
    pub fn partitions_moved(&self, group: &str, assigned: u64, revoked: u64) {
        for (change, count) in [("assigned", assigned), ("revoked", revoked)] {
            self.moved.with_label_values(&[group, change]).inc_by(count);
        }
    }

    /// A change was refused because another owner took over.
    pub fn fenced(&self, role: &'static str) {
        self.fenced.with_label_values(&[role]).inc();
    }

    /// Everything counted so far, in the Prometheus text format.
    ///
    /// # Errors
    /// [`Error::Metric`] when the catalogue is at fault.
    pub fn render(&self) -> Result<String, Error> {
        Ok(TextEncoder::new().encode_to_string(&self.registry.gather())?)
    }
}

/// A gauge beyond `i64` shows as its largest value.
pub(crate) fn set(gauge: &IntGaugeVec, labels: &[&str], count: u64) {
    gauge
        .with_label_values(labels)
        .set(i64::try_from(count).unwrap_or(i64::MAX));
}

pub(crate) fn counter(registry: &Registry, spec: &Spec) -> Result<IntCounterVec, Error> {
    let made = IntCounterVec::new(Opts::new(spec.name, spec.about), spec.labels)?;
    registry.register(Box::new(made.clone()))?;
    Ok(made)
}

pub(crate) fn gauge(registry: &Registry, spec: &Spec) -> Result<IntGaugeVec, Error> {
    let made = IntGaugeVec::new(Opts::new(spec.name, spec.about), spec.labels)?;
    registry.register(Box::new(made.clone()))?;
    Ok(made)
}

pub(crate) fn real(registry: &Registry, spec: &Spec) -> Result<GaugeVec, Error> {
    let made = GaugeVec::new(Opts::new(spec.name, spec.about), spec.labels)?;
    registry.register(Box::new(made.clone()))?;
    Ok(made)
}

fn histogram(registry: &Registry, spec: &Spec) -> Result<HistogramVec, Error> {
    let mut options = HistogramOpts::new(spec.name, spec.about);
    if let Kind::Histogram(bounds) = spec.kind {
        options = options.buckets(bounds.to_vec());
    }
    let made = HistogramVec::new(options, spec.labels)?;
    registry.register(Box::new(made.clone()))?;
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls every method once, each with a count of its own.
    fn touched() -> Metrics {
        let metrics = Metrics::new().expect("the catalogue is sound");
        metrics.records_read("buffer", "chat.events", 3);
        metrics.events_decided("buffer", 4);
        metrics.outcome("responder", "answered");
        metrics.duplicates_dropped("buffer", 5);
        metrics.record_skipped("buffer", "unknown_schema");
        metrics.dead_letter("chat.events", "unknown_schema");
        metrics.batch_committed("buffer", 250, 0.02);
        metrics.step_ended("spans", "ok", 0.5);
        metrics.outbox_pending("buffer", 6);
        metrics.effects_pending("buffer", 7);
        metrics.index_pending(8);
        metrics.effect_failed("buffer", "timed_out");
        metrics.key_held("buffer");
        metrics.standings(&[standing("buffer", 9)]);
        metrics.partitions_moved("buffer", 4, 2);
        metrics.fenced("buffer");
        metrics.client_brokers("writer", 3, 1);
        metrics.client_round_trip("writer", 0.5, 1.5);
        metrics.client_requests("writer", 10, 11);
        metrics.client_records("writer", 12, 13);
        metrics.client_bytes("writer", 14, 15);
        metrics
    }

    fn standing(group: &str, lag: u64) -> Standing {
        Standing {
            group: group.to_owned(),
            topic: "chat.events",
            partition: 1,
            next: 20,
            lag,
        }
    }

    #[test]
    fn every_method_counts_where_its_name_says() {
        let text = touched().render().expect("renders");
        let lines = [
            "threadlore_records_read_total{role=\"buffer\",topic=\"chat.events\"} 3",
            "threadlore_events_decided_total{role=\"buffer\"} 4",
            "threadlore_outcomes_total{outcome=\"answered\",role=\"responder\"} 1",
            "threadlore_duplicates_dropped_total{role=\"buffer\"} 5",
            "threadlore_records_skipped_total{reason=\"unknown_schema\",role=\"buffer\"} 1",
            "threadlore_dead_letters_total{reason=\"unknown_schema\",topic=\"chat.events\"} 1",
            "threadlore_batch_records_bucket{role=\"buffer\",le=\"100\"} 0",
            "threadlore_batch_records_bucket{role=\"buffer\",le=\"250\"} 1",
            "threadlore_fold_seconds_sum{role=\"buffer\"} 0.02",
            "threadlore_step_seconds_sum{result=\"ok\",step=\"spans\"} 0.5",
            "threadlore_outbox_pending{role=\"buffer\"} 6",
            "threadlore_effects_pending{role=\"buffer\"} 7",
            "threadlore_index_pending 8",
            "threadlore_effects_failed_total{reason=\"timed_out\",role=\"buffer\"} 1",
            "threadlore_keys_held_total{role=\"buffer\"} 1",
            "kafka_consumergroup_current_offset{consumergroup=\"buffer\",partition=\"1\",topic=\"chat.events\"} 20",
            "kafka_consumergroup_lag{consumergroup=\"buffer\",partition=\"1\",topic=\"chat.events\"} 9",
            "threadlore_partitions_moved_total{change=\"assigned\",consumergroup=\"buffer\"} 4",
            "threadlore_partitions_moved_total{change=\"revoked\",consumergroup=\"buffer\"} 2",
            "threadlore_fenced_total{role=\"buffer\"} 1",
            "threadlore_kafka_brokers{client=\"writer\",state=\"up\"} 3",
            "threadlore_kafka_brokers{client=\"writer\",state=\"down\"} 1",
            "threadlore_kafka_round_trip_seconds{client=\"writer\",quantile=\"0.5\"} 0.5",
            "threadlore_kafka_round_trip_seconds{client=\"writer\",quantile=\"0.99\"} 1.5",
            "threadlore_kafka_requests_waiting{client=\"writer\"} 10",
            "threadlore_kafka_request_errors_total{client=\"writer\"} 11",
            "threadlore_kafka_records_waiting{client=\"writer\",to=\"write\"} 12",
            "threadlore_kafka_records_waiting{client=\"writer\",to=\"take\"} 13",
            "threadlore_kafka_bytes_total{client=\"writer\",way=\"sent\"} 14",
            "threadlore_kafka_bytes_total{client=\"writer\",way=\"received\"} 15",
        ];
        for line in lines {
            assert!(
                text.lines().any(|found| found == line),
                "{line} is not in\n{text}"
            );
        }
    }

    #[test]
    fn every_metric_is_in_the_reference_and_no_other() {
        let gathered = touched().registry.gather();
        let mut registered: Vec<&str> = gathered.iter().map(|family| family.name()).collect();
        registered.sort_unstable();
        let page = catalogue::reference();
        let mut described: Vec<&str> = page
            .lines()
            .filter_map(|line| line.strip_prefix("| `")?.split('`').next())
            .filter(|name| !name.starts_with('/'))
            .collect();
        described.sort_unstable();
        assert_eq!(described, registered);
    }

    #[test]
    fn a_group_that_is_gone_is_not_told_of() {
        let metrics = Metrics::new().expect("the catalogue is sound");
        metrics.standings(&[standing("projector.cases.g1", 1), standing("buffer", 2)]);
        metrics.standings(&[standing("projector.cases.g2", 3), standing("buffer", 4)]);
        let text = metrics.render().expect("renders");
        assert!(!text.contains("projector.cases.g1"), "{text}");
        assert_eq!(
            text.matches("consumergroup=\"buffer\"").count(),
            2,
            "{text}"
        );
    }

    #[test]
    fn a_gauge_shows_the_last_value() {
        let metrics = Metrics::new().expect("the catalogue is sound");
        metrics.outbox_pending("buffer", 6);
        metrics.outbox_pending("buffer", 2);
        let text = metrics.render().expect("renders");
        assert!(
            text.contains("threadlore_outbox_pending{role=\"buffer\"} 2"),
            "{text}"
        );
    }
}
