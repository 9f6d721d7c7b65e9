//! Every metric: name, kind, labels and description. To add one: a row here, and
//! [`Metrics::record`](crate::Metrics::record) where it is counted.

/// A metric, for the registry and for the reference page.
#[derive(Debug)]
pub struct Metric {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) labels: &'static [&'static str],
    /// What the metric measures, and its unit.
    pub(crate) about: &'static str,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    /// Only grows while the process lives.
    Counter,
    /// Goes up and down.
    Gauge,
    /// Counts per upper bound.
    Histogram(&'static [f64]),
}

/// Seconds, from a quick fold to a slow model.
const SECONDS: Kind = Kind::Histogram(&[
    0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0,
]);
/// Records of one batch.
const BATCHES: Kind = Kind::Histogram(&[1.0, 3.0, 10.0, 30.0, 100.0, 250.0, 500.0, 1000.0]);

macro_rules! catalogue {
    ($( $id:ident = $name:literal, $kind:expr, [$($label:literal),*], $about:literal; )+) => {
        $(
            #[doc = $about]
            pub static $id: Metric = Metric {
                name: $name,
                kind: $kind,
                labels: &[$($label),*],
                about: $about,
            };
        )+
        pub(crate) static ALL: &[&Metric] = &[$(&$id),+];
    };
}

catalogue! {
    READ = "threadlore_records_read_total", Kind::Counter, ["role", "topic"],
        "Records read from the log.";
    DECIDED = "threadlore_events_decided_total", Kind::Counter, ["role"],
        "Events decided by a processor, or folded by a projector.";
    OUTCOMES = "threadlore_outcomes_total", Kind::Counter, ["role", "outcome"],
        "What became of turns, of deliveries, of memories, and what answers were worth (outcomes.md).";
    DROPPED = "threadlore_records_dropped_total", Kind::Counter, ["role", "topic", "reason"],
        "Inputs dropped on purpose, by their reason, such as `redelivered` (the same record of its producer was read before), `repeat` (the same message was accepted before), `repeated request`, `no such window`.";
    SKIPPED = "threadlore_records_skipped_total", Kind::Counter, ["role", "reason"],
        "Records skipped for good, each also announced on log.skips.";
    DEAD_LETTERS = "threadlore_dead_letters_total", Kind::Counter, ["topic", "reason"],
        "Records put on a dead-letter topic, by that topic.";
    BATCH = "threadlore_batch_records", BATCHES, ["role"],
        "Records in one batch, which is one transaction.";
    FOLD = "threadlore_fold_seconds", SECONDS, ["role"],
        "Seconds from the start of a batch to its commit.";
    STEP = "threadlore_step_seconds", SECONDS, ["step", "result"],
        "Seconds one step took, by its result.";
    MODEL_TOKENS = "threadlore_model_tokens_total", Kind::Counter, ["step", "kind"],
        "Tokens of the chat model, by what it did (`extract`, `read`), sent (`prompt`) and said (`answer`), as far as its server tells.";
    TOOL_CALLS = "threadlore_tool_calls_total", Kind::Counter, ["result"],
        "Calls of tools by the model that reads (tools.md); the tool answered (`ok`), or `failed`: the log names it.";
    PAGES = "threadlore_page_seconds", SECONDS, ["page", "result"],
        "Seconds until a page was there, by what it is about; it was `ok`, `refused`, such as to who is not signed in, or `failed`.";
    OUTBOX = "threadlore_outbox_pending", Kind::Gauge, ["role"],
        "Events committed but not yet on the log.";
    EFFECTS_PENDING = "threadlore_effects_pending", Kind::Gauge, ["role"],
        "Slow or outside calls waiting or running.";
    INDEX_PENDING = "threadlore_index_pending", Kind::Gauge, [],
        "Cases whose points in the index have to be updated, of all builds.";
    INDEX_REPAIRS = "threadlore_index_repairs_total", Kind::Counter, ["what"],
        "Points that a comparison with the tables, every 15 minutes, found `missing` or different, and those that no row has (`stray`); all were repaired.";
    EFFECTS_FAILED = "threadlore_effects_failed_total", Kind::Counter, ["role", "reason"],
        "Slow or outside calls that became a dead letter.";
    KEYS_HELD = "threadlore_keys_held", Kind::Gauge, ["role"],
        "Channels with too many messages that wait for a slow call; the log names each. Other channels go on.";
    OFFSET = "kafka_consumergroup_current_offset", Kind::Gauge, ["consumergroup", "topic", "partition"],
        "Offset of the next record of a group, from the database. It has the name that exporters of Kafka use.";
    LAG = "kafka_consumergroup_lag", Kind::Gauge, ["consumergroup", "topic", "partition"],
        "Records between that offset and the end of the log. It has the name that exporters use, too.";
    MOVED = "threadlore_partitions_moved_total", Kind::Counter, ["consumergroup", "change"],
        "Partitions that Kafka `assigned` to this process, or `revoked`.";
    FENCED = "threadlore_fenced_total", Kind::Counter, ["role"],
        "Changes that the database refused because another owner had taken over.";
    BROKERS = "threadlore_kafka_brokers", Kind::Gauge, ["client", "state"],
        "Brokers that all clients of this kind are connected to (`up`), and those that one of them lost (`down`): it tries in vain to reach them, or they left the cluster within the last hour.";
    ROUND_TRIP = "threadlore_kafka_round_trip_seconds", Kind::Gauge, ["client", "quantile"],
        "Seconds from a request to its answer, for the slowest broker in the last five seconds.";
    REQUESTS = "threadlore_kafka_requests_waiting", Kind::Gauge, ["client"],
        "Requests that wait to be sent.";
    RECORDS = "threadlore_kafka_records_waiting", Kind::Gauge, ["client", "to"],
        "Records in memory: to `write`, or read ahead and to `take`.";
    BYTES = "threadlore_kafka_bytes_total", Kind::Counter, ["client", "way"],
        "Bytes `sent` to brokers and `received`.";
    ERRORS = "threadlore_kafka_request_errors_total", Kind::Counter, ["client"],
        "Requests that failed, or were not answered in time.";
}

const HEAD: &str = "\
<!-- Generated by `cargo xtask docs` from crates/telemetry. Do not edit. -->
# Metrics

`threadlore standalone` and `threadlore run` serve metrics when the setting `telemetry.listen` names an address, for \
example `127.0.0.1:9464`; by default they do not. There is no authorisation: everybody who reaches the \
address can read them, so keep it on the loopback or in a private network. An address that is in use is \
refused at the start.

| path | answers |
|---|---|
| `/metrics` | the metrics, in the Prometheus text format; pending work is counted at that moment |
| `/health/live` | 200 as long as the process runs |
| `/health/startup` | 503 until log, database and index are open and the roles run; then 200 |
| `/health/ready` | 200 once the roles run and while the database answers within two seconds, otherwise 503 |

The body of a 503 is one sentence with the reason. Label values are words of the program, partition \
numbers, or names of consumer groups, which contain the role, the number of a build or of a decision \
run, or a hash of a model's name; people, channels, texts and error messages are never labels. Clients of Kafka are of the kinds \
`writer`, `reader` and `member`; clients of one kind are summed up.

| metric | kind | labels | meaning |
|---|---|---|---|
";

/// The page `docs/metrics.md`: every metric with its kind, labels and meaning.
#[must_use]
pub fn reference() -> String {
    let mut page = String::from(HEAD);
    for spec in ALL {
        let kind = match spec.kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Histogram(_) => "histogram",
        };
        let labels: Vec<String> = spec
            .labels
            .iter()
            .map(|label| format!("`{label}`"))
            .collect();
        page.push_str(&format!(
            "| `{}` | {kind} | {} | {} |\n",
            spec.name,
            labels.join(", "),
            spec.about
        ));
    }
    page
}
