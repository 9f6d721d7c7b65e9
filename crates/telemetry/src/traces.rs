//! Spans on their way to a collector, over OTLP.

use std::borrow::Cow;
use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use opentelemetry::trace::{
    SpanContext, SpanId, SpanKind, Status, TraceFlags, TraceId, TraceState,
};
use opentelemetry::{InstrumentationScope, KeyValue};
use opentelemetry_otlp::{SpanExporter, WithExportConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{BatchSpanProcessor, SpanData, SpanProcessor};

use crate::Error;

/// Longest wait, at the end, for a collector to take what is left.
const LAST: Duration = Duration::from_secs(2);

/// Who and what all spans are of.
const SERVICE: &str = "threadlore";

/// Sends spans from a thread of its own, some at a time. What a collector does not take in
/// time is dropped: nothing waits for it. What is left is sent when this is dropped.
pub struct Traces {
    processor: BatchSpanProcessor,
}

/// A span: what was done, in which trace, when.
#[derive(Debug, Clone)]
pub struct Done {
    /// A few words that stand in the program.
    pub name: Cow<'static, str>,
    /// The trace.
    pub trace: [u8; 16],
    /// The span within it.
    pub span: [u8; 8],
    /// What led to it.
    pub parent: Option<[u8; 8]>,
    /// When it was begun and done, in milliseconds since 1970.
    pub time: (i64, i64),
    /// Words of the program.
    pub words: Vec<(&'static str, String)>,
    /// Partitions and offsets.
    pub numbers: Vec<(&'static str, i64)>,
}

impl Traces {
    /// Begins to send to a collector; it need not be there yet. To be called where tokio runs.
    ///
    /// # Errors
    /// [`Error::Collector`] when the address is none.
    pub fn start(endpoint: &str) -> Result<Self, Error> {
        let exporter = SpanExporter::builder().with_tonic();
        let exporter = exporter.with_endpoint(endpoint).build();
        let exporter = exporter.map_err(|error| Error::Collector {
            endpoint: endpoint.to_owned(),
            reason: error.to_string(),
        })?;
        let mut processor = BatchSpanProcessor::builder(exporter).build();
        processor.set_resource(
            &Resource::builder_empty()
                .with_service_name(SERVICE)
                .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
                .build(),
        );
        Ok(Self { processor })
    }

    /// Something was done.
    pub fn done(&self, done: Done) {
        let words = done.words.into_iter();
        let numbers = done.numbers.into_iter();
        let attributes = words.map(|(name, word)| KeyValue::new(name, word));
        let attributes = attributes.chain(numbers.map(|(name, n)| KeyValue::new(name, n)));
        let context = SpanContext::new(
            TraceId::from_bytes(done.trace),
            SpanId::from_bytes(done.span),
            TraceFlags::SAMPLED,
            false,
            TraceState::NONE,
        );
        self.processor.on_end(SpanData {
            span_context: context,
            parent_span_id: done.parent.map_or(SpanId::INVALID, SpanId::from_bytes),
            parent_span_is_remote: done.parent.is_some(),
            span_kind: SpanKind::Consumer,
            name: done.name,
            start_time: time(done.time.0),
            end_time: time(done.time.1),
            attributes: attributes.collect(),
            dropped_attributes_count: 0,
            events: Default::default(),
            links: Default::default(),
            status: Status::Unset,
            instrumentation_scope: InstrumentationScope::builder(SERVICE).build(),
        });
    }
}

fn time(millis: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(u64::try_from(millis).unwrap_or(0))
}

impl Drop for Traces {
    fn drop(&mut self) {
        if let Err(error) = self.processor.shutdown_with_timeout(LAST) {
            tracing::debug!(%error, "some spans were not sent");
        }
    }
}

impl fmt::Debug for Traces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Traces")
    }
}
