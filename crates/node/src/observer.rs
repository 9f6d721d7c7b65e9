//! Turns the runtime's reports into metrics and spans. Pending work is counted when metrics are
//! requested (`drain.rs`).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use threadlore_model::{Group, Key, Role, Topic};
use threadlore_ports::{ClientStats, Observer, PortError, Span, Work};
use threadlore_settings::Telemetry;
use threadlore_telemetry::{Done, Metrics, Traces};

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

impl Observer for MetricsObserver {
    fn read(&self, group: &Group, topic: Topic, records: usize) {
        self.metrics
            .records_read(role(group), topic.name(), records as u64);
    }
    fn committed(&self, group: &Group, inputs: usize, decided: usize, seconds: f64) {
        self.metrics.events_decided(role(group), decided as u64);
        self.metrics.batch_committed(role(group), inputs, seconds);
    }
    fn outcome(&self, group: &Group, _event: &'static str, outcome: &'static str) {
        self.metrics.outcome(role(group), outcome);
    }
    fn dropped(&self, group: &Group, _topic: Topic, _reason: &'static str) {
        self.metrics.duplicates_dropped(role(group), 1);
    }
    fn skipped(&self, group: &Group, topic: Topic) {
        self.metrics.record_skipped(role(group), "refused");
        if let Some(letters) = topic.dead_letters() {
            self.metrics.dead_letter(letters.name(), "refused");
        }
    }
    fn held(&self, group: &Group, key: &Key, waiting: usize) {
        self.metrics.key_held(role(group));
        tracing::warn!(%group, %key, waiting, "a slow call holds this key back; others go on");
    }
    fn call(&self, group: &Group, step: &'static str, ok: bool, seconds: f64) {
        self.metrics
            .step_ended(step, if ok { "ok" } else { "failed" }, seconds);
        if !ok {
            self.metrics.effect_failed(role(group), "gave up");
        }
    }
    fn kept_failed(&self, _group: &Group, topic: Topic) {
        if let Some(letters) = topic.dead_letters() {
            self.metrics.dead_letter(letters.name(), "failed");
        }
    }
    fn fenced(&self, group: &Group) {
        self.metrics.fenced(role(group));
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
            .partitions_moved(group.as_str(), assigned as u64, revoked as u64);
    }
    fn follows(&self) -> Option<f64> {
        self.traces.as_ref().map(|_| self.share)
    }
    fn done(&self, spans: Vec<Span>) {
        if let Some(traces) = &self.traces {
            spans.into_iter().for_each(|span| traces.done(told(span)));
        }
    }
    fn clients(&self, kind: &'static str, stats: &ClientStats) {
        let (metrics, s) = (&self.metrics, stats);
        metrics.client_brokers(kind, s.brokers_up, s.brokers_down);
        metrics.client_round_trip(kind, s.round_trip_p50, s.round_trip_p99);
        metrics.client_requests(kind, s.requests_waiting, s.errors);
        metrics.client_records(kind, s.records_to_write, s.records_to_take);
        metrics.client_bytes(kind, s.sent, s.received);
    }
}
