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

/// The longest wait, at the end, for the collector to accept the remaining spans.
const LAST: Duration = Duration::from_secs(2);

/// The service name of all spans.
const SERVICE: &str = "threadlore";

/// Sends spans in batches, from a thread of its own. Spans that the collector does not accept in
/// time are dropped; nothing waits for it. The remaining spans are sent when this is dropped.
pub struct Traces {
    processor: BatchSpanProcessor,
}

/// A finished span.
#[derive(Debug, Clone)]
pub struct Done {
    /// A short name from the program, without data of people.
    pub name: Cow<'static, str>,
    /// The trace.
    pub trace: [u8; 16],
    /// The span within it.
    pub span: [u8; 8],
    /// The span that led to it.
    pub parent: Option<[u8; 8]>,
    /// When it was begun and done, in milliseconds since 1970.
    pub time: (i64, i64),
    /// Words of the program.
    pub words: Vec<(&'static str, String)>,
    /// Partitions and offsets.
    pub numbers: Vec<(&'static str, i64)>,
}

impl Traces {
    /// Starts sending to a collector, which need not be reachable yet. Must be called within tokio.
    ///
    /// # Errors
    /// [`Error::Collector`] when the address is not valid.
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
