//! The numbers of one process.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use prometheus::{CounterVec, GaugeVec, HistogramOpts, HistogramVec, Opts, Registry, TextEncoder};

use crate::Error;
use crate::catalogue::{self, Kind, Metric};

/// Every counter, gauge and histogram of one process. Cheap to clone; clones
/// count together.
#[derive(Clone, Debug)]
pub struct Metrics {
    registry: Registry,
    /// By name.
    families: Arc<HashMap<&'static str, Family>>,
    /// The label values that offsets and lags of groups have.
    places: Arc<Mutex<HashSet<[String; 3]>>>,
}

#[derive(Debug)]
enum Family {
    Counter(CounterVec),
    Gauge(GaugeVec),
    Histogram(HistogramVec),
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
        let families = catalogue::ALL.iter();
        let families = families.map(|metric| Ok((metric.name, Family::new(&registry, metric)?)));
        Ok(Self {
            families: Arc::new(families.collect::<Result<_, Error>>()?),
            registry,
            places: Arc::default(),
        })
    }

    /// Records a value: a counter grows by it, a gauge is set to it, a histogram counts it. Labels
    /// are words of the program, in the order of the catalogue.
    pub fn record(&self, metric: &Metric, labels: &[&'static str], value: f64) {
        self.record_of(metric, labels, value);
    }

    /// Adds to a gauge, which is 0 at first.
    pub fn add(&self, metric: &Metric, labels: &[&'static str], by: f64) {
        if let Some(Family::Gauge(family)) = self.families.get(metric.name)
            && let Ok(gauge) = family.get_metric_with_label_values(labels)
        {
            gauge.add(by);
        }
    }

    fn record_of(&self, metric: &Metric, labels: &[&str], value: f64) {
        debug_assert_eq!(metric.labels.len(), labels.len(), "{}", metric.name);
        // Labels that do not fit are a fault of the caller, which a test of it finds.
        match self.families.get(metric.name) {
            Some(Family::Counter(family)) => {
                if let Ok(counter) = family.get_metric_with_label_values(labels) {
                    counter.inc_by(value.max(0.0));
                }
            }
            Some(Family::Gauge(family)) => {
                if let Ok(gauge) = family.get_metric_with_label_values(labels) {
                    gauge.set(value);
                }
            }
            Some(Family::Histogram(family)) => {
                if let Ok(histogram) = family.get_metric_with_label_values(labels) {
                    histogram.observe(value);
                }
            }
            None => {}
        }
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
            self.record_of(&catalogue::OFFSET, &labels, one.next as f64);
            self.record_of(&catalogue::LAG, &labels, one.lag as f64);
            gone.remove(&place);
            places.insert(place);
        }
        for place in gone {
            let labels = place.each_ref().map(String::as_str);
            for metric in [&catalogue::OFFSET, &catalogue::LAG] {
                if let Some(Family::Gauge(family)) = self.families.get(metric.name) {
                    // An error means that the labels are gone already.
                    family.remove_label_values(&labels).ok();
                }
            }
        }
    }

    /// Partitions were assigned to this process, or revoked.
    pub fn partitions_moved(&self, group: &str, assigned: usize, revoked: usize) {
        for (change, count) in [("assigned", assigned), ("revoked", revoked)] {
            self.record_of(&catalogue::MOVED, &[group, change], count as f64);
        }
    }

    /// Everything counted so far, in the Prometheus text format.
    ///
    /// # Errors
    /// [`Error::Metric`] when the catalogue is at fault.
    pub fn render(&self) -> Result<String, Error> {
        Ok(TextEncoder::new().encode_to_string(&self.registry.gather())?)
    }
}

impl Family {
    fn new(registry: &Registry, metric: &Metric) -> Result<Self, Error> {
        let options = Opts::new(metric.name, metric.about);
        Ok(match metric.kind {
            Kind::Counter => {
                let made = CounterVec::new(options, metric.labels)?;
                registry.register(Box::new(made.clone()))?;
                Self::Counter(made)
            }
            Kind::Gauge => {
                let made = GaugeVec::new(options, metric.labels)?;
                registry.register(Box::new(made.clone()))?;
                Self::Gauge(made)
            }
            Kind::Histogram(bounds) => {
                let options = HistogramOpts::from(options).buckets(bounds.to_vec());
                let made = HistogramVec::new(options, metric.labels)?;
                registry.register(Box::new(made.clone()))?;
                Self::Histogram(made)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A value of every metric.
    fn touched() -> Metrics {
        let metrics = Metrics::new().expect("the catalogue is sound");
        for metric in catalogue::ALL {
            metrics.record_of(metric, metric.labels, 3.0);
        }
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
    fn a_counter_grows_a_gauge_is_set_and_a_histogram_counts() {
        let metrics = Metrics::new().expect("the catalogue is sound");
        for value in [6.0, 2.0] {
            metrics.record(&catalogue::OUTCOMES, &["responder", "answered"], value);
            metrics.record(&catalogue::OUTBOX, &["buffer"], value);
            metrics.record(&catalogue::BATCH, &["buffer"], value * 100.0);
        }
        metrics.standings(&[standing("buffer", 9)]);
        metrics.partitions_moved("buffer", 4, 2);
        let text = metrics.render().expect("renders");
        for line in [
            "threadlore_outcomes_total{outcome=\"answered\",role=\"responder\"} 8",
            "threadlore_outbox_pending{role=\"buffer\"} 2",
            "threadlore_batch_records_bucket{role=\"buffer\",le=\"100\"} 0",
            "threadlore_batch_records_bucket{role=\"buffer\",le=\"250\"} 1",
            "threadlore_batch_records_sum{role=\"buffer\"} 800",
            "kafka_consumergroup_current_offset{consumergroup=\"buffer\",partition=\"1\",topic=\"chat.events\"} 20",
            "kafka_consumergroup_lag{consumergroup=\"buffer\",partition=\"1\",topic=\"chat.events\"} 9",
            "threadlore_partitions_moved_total{change=\"assigned\",consumergroup=\"buffer\"} 4",
            "threadlore_partitions_moved_total{change=\"revoked\",consumergroup=\"buffer\"} 2",
        ] {
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
}
