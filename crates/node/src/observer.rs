//! Turns the runtime's reports into metrics and spans. Pending work is counted when metrics are
//! requested (`drain.rs`).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use threadlore_model::{Group, Key, Role, Topic};
use threadlore_ports::{ClientStats, Observer, PortError, Span, Work};
use threadlore_settings::Telemetry;
use threadlore_telemetry::{Done, Metric, Metrics, Traces, catalogue as metric};

use crate::error::BadInput;
use crate::outages::Outages;

/// Updates the process's metrics, and sends spans if a collector is set.
pub(crate) struct MetricsObserver {
    metrics: Metrics,
    traces: Option<Traces>,
    /// Share of messages that begin a trace.
    share: f64,
    /// Whether a restore of this process shuts out its roles.
    restoring: Arc<AtomicBool>,
    outages: Outages,
}

impl MetricsObserver {
    /// An observer as the settings say.
    ///
    /// # Errors
    /// When the address of the collector is not valid.
    pub(crate) fn new(
        metrics: Metrics,
        settings: &Telemetry,
        restoring: Arc<AtomicBool>,
    ) -> anyhow::Result<Self> {
        let traces = settings.otlp_endpoint.as_deref().map(Traces::start);
        Ok(Self {
            metrics,
            traces: traces.transpose().map_err(|e| BadInput(e.to_string()))?,
            share: f64::from(settings.traces_per_thousand) / 1000.0,
            restoring,
            outages: Outages::default(),
        })
    }
}

/// A span for a collector: words of the program, and places in the log.
fn told(span: Span) -> Done {
    let role = role(&span.group);
    let what = match span.work {
        Work::Event(name) => name,
        Work::Timer => "timer",
        Work::Call => "call",
    };
    let mut words = vec![
        ("role", role.to_owned()),
        ("group", span.group.as_str().to_owned()),
        ("topic", span.at.topic.name().to_owned()),
    ];
    if let Work::Event(name) = span.work {
        words.push(("event", name.to_owned()));
    }
    Done {
        name: format!("{role} {what}").into(),
        trace: span.context.trace(),
        span: span.context.span(),
        parent: span.parent.map(|parent| parent.span()),
        time: (span.started.as_millis(), span.ended.as_millis()),
        words,
        numbers: vec![
            ("partition", i64::from(span.at.partition.0)),
            ("offset", span.offset.0),
        ],
    }
}

/// The role of a group. As a label it has few values, while the names of groups have many.
pub(crate) fn role(group: &Group) -> &'static str {
    group.role().parse::<Role>().map_or("other", Role::name)
}

impl MetricsObserver {
    fn count(&self, metric: &Metric, labels: &[&'static str], by: usize) {
        self.metrics.record(metric, labels, by as f64);
    }
}

impl Observer for MetricsObserver {
    fn read(&self, group: &Group, topic: Topic, records: usize) {
        self.count(&metric::READ, &[role(group), topic.name()], records);
    }
    fn committed(&self, group: &Group, inputs: usize, decided: usize, seconds: f64) {
        let role = role(group);
        self.count(&metric::DECIDED, &[role], decided);
        self.count(&metric::BATCH, &[role], inputs);
        self.metrics.record(&metric::FOLD, &[role], seconds);
    }
    fn outcome(&self, group: &Group, _event: &'static str, outcome: &'static str) {
        self.count(&metric::OUTCOMES, &[role(group), outcome], 1);
    }
    fn dropped(&self, group: &Group, topic: Topic, reason: &'static str) {
        self.count(&metric::DROPPED, &[role(group), topic.name(), reason], 1);
    }
    fn skipped(&self, group: &Group, topic: Topic) {
        self.count(&metric::SKIPPED, &[role(group), "refused"], 1);
        if let Some(letters) = topic.dead_letters() {
            self.count(&metric::DEAD_LETTERS, &[letters.name(), "refused"], 1);
        }
    }
    fn held(&self, group: &Group, key: &Key, waiting: usize) {
        self.metrics.add(&metric::KEYS_HELD, &[role(group)], 1.0);
        tracing::warn!(%group, %key, waiting, "a slow call holds this key back; others go on");
    }
    fn released(&self, group: &Group, keys: usize) {
        let fewer = -(keys as f64);
        self.metrics.add(&metric::KEYS_HELD, &[role(group)], fewer);
    }
    fn call(&self, group: &Group, step: &'static str, ok: bool, seconds: f64) {
        let result = if ok { "ok" } else { "failed" };
        self.metrics.record(&metric::STEP, &[step, result], seconds);
        if !ok {
            self.count(&metric::EFFECTS_FAILED, &[role(group), "gave up"], 1);
        }
    }
    fn kept_failed(&self, _group: &Group, topic: Topic) {
        if let Some(letters) = topic.dead_letters() {
            self.count(&metric::DEAD_LETTERS, &[letters.name(), "failed"], 1);
        }
    }
    fn repaired(&self, missing: u64, strays: u64) {
        for (what, points) in [("missing", missing), ("stray", strays)] {
            let points = usize::try_from(points).unwrap_or(usize::MAX);
            self.count(&metric::INDEX_REPAIRS, &[what], points);
        }
    }
    fn fenced(&self, group: &Group) {
        self.count(&metric::FENCED, &[role(group)], 1);
        if self.restoring.load(Ordering::Relaxed) {
            tracing::info!(%group, "a restore shut this role out; it goes on afterwards");
        } else {
            tracing::warn!(%group, "another owner took over");
        }
    }
    fn worker_failed(&self, worker: &str, error: &PortError) {
        self.outages.failed(worker, error);
    }
    fn worker_recovered(&self, worker: &str) {
        self.outages.recovered(worker);
    }
    fn moved(&self, group: &Group, assigned: usize, revoked: usize) {
        self.metrics
            .partitions_moved(group.as_str(), assigned, revoked);
    }
    fn follows(&self) -> Option<f64> {
        self.traces.as_ref().map(|_| self.share)
    }
    fn done(&self, spans: Vec<Span>) {
        if let Some(traces) = &self.traces {
            spans.into_iter().for_each(|span| traces.done(told(span)));
        }
    }
    fn clients(&self, kind: &'static str, s: &ClientStats) {
        for (metric, labels, value) in [
            (&metric::BROKERS, &[kind, "up"][..], s.brokers_up as f64),
            (&metric::BROKERS, &[kind, "down"], s.brokers_down as f64),
            (&metric::ROUND_TRIP, &[kind, "0.5"], s.round_trip_p50),
            (&metric::ROUND_TRIP, &[kind, "0.99"], s.round_trip_p99),
            (&metric::REQUESTS, &[kind], s.requests_waiting as f64),
            (&metric::ERRORS, &[kind], s.errors as f64),
            (
                &metric::RECORDS,
                &[kind, "write"],
                s.records_to_write as f64,
            ),
            (&metric::RECORDS, &[kind, "take"], s.records_to_take as f64),
            (&metric::BYTES, &[kind, "sent"], s.sent as f64),
            (&metric::BYTES, &[kind, "received"], s.received as f64),
        ] {
            self.metrics.record(metric, labels, value);
        }
    }
}
